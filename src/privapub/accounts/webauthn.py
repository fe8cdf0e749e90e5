"""What browsers are asked for when it comes to passkeys, and whether their answers are good (WebAuthn; all pure).

The library checks what both ceremonies have in common (sections 7.1 and 7.2): kind, challenge, origin, party, presence,
verification of the person, signature. Checked here: that no page of others frames ours, and that a new key is of a kind
that was asked for and can be reckoned with. `passkeys` and `challenges` see to the rest: whose it is, the counter, that
the challenge is one of ours, and that it is answered once.
"""

import json
import logging
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self, TypeVar
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from fido2 import cbor
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.webauthn import (
    Aaguid,
    AttestationConveyancePreference,
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialDescriptor,
    PublicKeyCredentialParameters,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialType,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

logging.getLogger("fido2").setLevel(logging.WARNING)  # below that it tells which passkey was made or shown

LONGEST = 16_384  # characters of an answer
_LONGEST_ID, _LONGEST_KEY = 1023, 2048  # bytes
_ALGORITHMS = (-8, -7, -257)  # EdDSA, ES256, RS256, the ones that every device has one of
_TIMEOUT = 300_000  # milliseconds
_REQUIRED = UserVerificationRequirement.REQUIRED
_DEFAULT_PORTS = {"http": 80, "https": 443}
# What reading odd answers may raise.
_ODD = (
    ValueError, TypeError, LookupError, AttributeError, AssertionError, ArithmeticError, RecursionError, struct.error,
    NotImplementedError, UnsupportedAlgorithm,
)  # fmt: skip
# A passkey that is not known is compared with this, so that both take as long. Nobody has its other half.
_NOBODY = bytes.fromhex(
    "a50102032620012158204acf155e94426f768cd5c86172ace69472f34e28cfe30805937d5ab0"
    "45e7540a225820c9cc12a9ff63be670f17063b447a07c9ee6cdf9c9077248c4e32eea3e478aee2"
)
_Given = TypeVar("_Given", RegistrationResponse, AuthenticationResponse)


class Refused(Exception):
    """The answer is not good; why is nobody's business but a developer's."""


@dataclass(frozen=True)
class Party:
    """Who asks: the host that a passkey is bound to, the origin of our pages, and what the server is called."""

    id: str
    origin: str
    name: str

    @classmethod
    def at(cls, base_url: str, name: str) -> Self:
        """The one whose pages are there."""
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
        place = f"[{host}]" if ":" in host else host
        if port not in {None, _DEFAULT_PORTS[parts.scheme]}:
            place += f":{port}"
        return cls(host, f"{parts.scheme}://{place}", name)


@dataclass(frozen=True)
class Made:
    """A passkey that a device has made, and the challenge that it answers."""

    challenge: bytes
    credential_id: bytes
    public_key: bytes
    counter: int


@dataclass(frozen=True)
class Shown:
    """What shows that somebody has a passkey, as far as it can be read before it is known whose it would be."""

    challenge: bytes
    credential_id: bytes
    handle: bytes
    counter: int
    answer: AuthenticationResponse


def to_make(party: Party, challenge: bytes, handle: bytes, email: str, known: Iterable[bytes]) -> str:
    """What a browser is asked for a new passkey with: JSON, bytes as base64url. A device has one of `known` at most."""
    options, _ = _library(party).register_begin(
        PublicKeyCredentialUserEntity(id=handle, name=email, display_name=email),
        [PublicKeyCredentialDescriptor(type=PublicKeyCredentialType.PUBLIC_KEY, id=each) for each in known],
        ResidentKeyRequirement.REQUIRED,
        _REQUIRED,
        challenge=challenge,
    )
    return json.dumps({"create": options["publicKey"]}, default=dict)


def to_show(party: Party, challenge: bytes) -> str:
    """What a browser is asked for any passkey with. No passkey is named: the browser knows which it has."""
    options, _ = _library(party).authenticate_begin(None, _REQUIRED, challenge)
    return json.dumps({"get": options["publicKey"]}, default=dict)


def made(party: Party, answer: str) -> Made:
    """The passkey that this answer brings; Refused. Whether its challenge is ours is for the caller to see."""
    given = _read(RegistrationResponse, answer)
    challenge, library = given.response.client_data.challenge, _library(party)

    def check() -> AttestedCredentialData | None:
        _, asked = library.register_begin(
            PublicKeyCredentialUserEntity(id=b"\0", name=""), user_verification=_REQUIRED, challenge=challenge
        )
        return library.register_complete(asked, given).credential_data

    new = _or_refused(check)
    if new is None or not 0 < len(new.credential_id) <= _LONGEST_ID:
        raise Refused("no key")
    public_key = cbor.encode(new.public_key)
    if new.public_key.get(3) not in _ALGORITHMS or len(public_key) > _LONGEST_KEY:
        raise Refused("a key of another kind")
    try:
        _or_refused(lambda: new.public_key.verify(b"", b""))
    except InvalidSignature:  # as it has to be: the key can be reckoned with
        return Made(challenge, new.credential_id, public_key, given.response.attestation_object.auth_data.counter)
    raise Refused("a key that fits nothing")


def read(answer: str) -> Shown:
    """An answer that shows a passkey; Refused where it is none. It is not good before `check`."""
    given = _read(AuthenticationResponse, answer)
    response = given.response
    if not response.user_handle or not 0 < len(given.raw_id) <= _LONGEST_ID:
        raise Refused("not of the kind that is found without a name")
    return Shown(
        response.client_data.challenge, given.raw_id, response.user_handle, response.authenticator_data.counter, given
    )


def check(party: Party, shown: Shown, public_key: bytes | None) -> None:
    """Refused unless it was made with this key, for us, by a person whom the device knows; None: as nobody's is."""
    library = _library(party)

    def checked() -> None:
        _, asked = library.authenticate_begin(None, _REQUIRED, shown.challenge)
        key = CoseKey.parse(cbor.decode(public_key or _NOBODY))  # type: ignore[arg-type]  # what was written here
        library.authenticate_complete(
            asked, [AttestedCredentialData.create(Aaguid.NONE, shown.credential_id, key)], shown.answer
        )

    _or_refused(checked)
    if public_key is None:
        raise Refused("not known")


def _library(party: Party) -> Fido2Server:
    library = Fido2Server(
        PublicKeyCredentialRpEntity(name=party.name, id=party.id),
        AttestationConveyancePreference.NONE,  # who made the device is nobody's business
        lambda origin: origin == party.origin,
    )
    library.timeout = _TIMEOUT  # type: ignore[assignment]  # the library sets None and says no type
    library.allowed_algorithms = [
        PublicKeyCredentialParameters(type=PublicKeyCredentialType.PUBLIC_KEY, alg=each) for each in _ALGORITHMS
    ]
    return library


def _read(kind: type[_Given], answer: str) -> _Given:
    if len(answer) > LONGEST:
        raise Refused("too long")
    given = _or_refused(lambda: kind.from_dict(json.loads(answer)))
    if not isinstance(given, kind) or given.response.client_data.cross_origin:
        raise Refused("not from a page of ours")
    return given


_Result = TypeVar("_Result")


def _or_refused(work: Callable[[], _Result]) -> _Result:
    try:
        return work()
    except _ODD as odd:
        raise Refused(str(odd)) from None
