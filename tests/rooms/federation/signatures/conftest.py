"""Keys made once, and requests signed with them."""

from dataclasses import dataclass, replace

import pytest

from fakes.keys import new_ed25519, new_rsa, public_pem
from privapub.federation.signatures.keys import PrivateKey, PublicKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign

NOW = 1_772_366_400.0  # 2026-03-01T12:00:00Z
OWNER = "https://peer.test/u/carol"


@dataclass(frozen=True)
class Signer:
    """Both halves of a key, and requests signed with it."""

    private: PrivateKey
    public: PublicKey

    def signed(
        self,
        request: HttpRequest,
        scheme: str = "cavage",
        now: float = NOW,
        covered: tuple[str, ...] | None = None,
    ) -> HttpRequest:
        added = sign(request, self.private, scheme, now, covered=covered)
        return replace(request, headers=(*request.headers, *added))


def _signer(pem: str) -> Signer:
    key_id = OWNER + "#main-key"
    return Signer(PrivateKey.from_pem(key_id, pem), PublicKey.from_pem(key_id, OWNER, public_pem(pem)))


@pytest.fixture(scope="session")
def rsa_signer() -> Signer:
    return _signer(new_rsa())


@pytest.fixture(scope="session")
def other_rsa_signer() -> Signer:
    return _signer(new_rsa())


@pytest.fixture(scope="session")
def ed25519_signer() -> Signer:
    return _signer(new_ed25519())


@pytest.fixture(scope="session", params=["rsa", "ed25519"])
def signer(request: pytest.FixtureRequest, rsa_signer: Signer, ed25519_signer: Signer) -> Signer:
    return rsa_signer if request.param == "rsa" else ed25519_signer
