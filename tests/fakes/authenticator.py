"""A device that keeps passkeys, as a browser reaches it: real keys, real CBOR and COSE, real signatures (WebAuthn).

It does what the page asks for in `data-passkey` and answers as the script of the page does. What it is told to do wrong
it does wrong, and signs.
"""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from lxml import html

from asgi import Answered
from browser import Browser
from privapub import identifiers

ES256, EDDSA, RS256 = -7, -8, -257
PRESENT, VERIFIED, ATTESTED, MORE = 0x01, 0x04, 0x40, 0x80
Private = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Resident:
    """A passkey in the device: it names its account by the handle that the server gave."""

    id: bytes
    rp_id: str
    handle: bytes
    private: Private
    counter: int = 0


@dataclass
class Authenticator:
    """The device and the browser around it. `origin` is where the browser thinks it is."""

    origin: str = "https://sut.test"
    algorithm: int = ES256
    counts: bool = True
    verifies: bool = True
    kept: list[Resident] = field(default_factory=list)

    def make(self, asked: dict[str, Any], **wrong: Any) -> dict[str, Any]:
        """A new passkey, as asked for; the answer of the browser. What is given as `wrong` is done so."""
        options = asked["create"]
        assert self.algorithm in [each["alg"] for each in options["pubKeyCredParams"]]
        known = {decoded(each["id"]) for each in options["excludeCredentials"]}
        assert not known & {each.id for each in self.kept}, "InvalidStateError"
        new = Resident(
            wrong.get("id", identifiers.octets(32)),
            options["rp"]["id"],
            decoded(options["user"]["id"]),
            _key(self.algorithm),
        )
        self.kept.append(new)
        cose = wrong.get("cose", _cose(new.private))
        attested = (
            bytes(16)
            + len(new.id).to_bytes(2, "big")
            + new.id
            + (cose if isinstance(cose, bytes) else cbor2.dumps(cose))
        )
        data = self._data(new, ATTESTED, wrong) + attested
        attestation = {"fmt": "none", "attStmt": {}, "authData": wrong.get("data", data)}
        return self._answer(
            new,
            {
                "clientDataJSON": self._said("webauthn.create", options, wrong),
                "attestationObject": cbor2.dumps(attestation),
            },
        )

    def show(self, asked: dict[str, Any], which: int = -1, **wrong: Any) -> dict[str, Any]:
        """One of the passkeys, as asked for; the answer of the browser."""
        options = asked["get"]
        assert "allowCredentials" not in options, "no passkey is named"
        mine = self.kept[which]
        if self.counts:
            mine.counter += 1
        said, data = self._said("webauthn.get", options, wrong), wrong.get("data", self._data(mine, 0, wrong))
        signature = wrong.get("signature", sign(mine.private, data + sha256(said).digest()))
        parts = {"clientDataJSON": said, "authenticatorData": data, "signature": signature}
        handle = wrong.get("handle", mine.handle)
        return self._answer(mine, parts | ({} if handle is None else {"userHandle": handle}))

    def _data(self, mine: Resident, flags: int, wrong: dict[str, Any]) -> bytes:
        """Authenticator data (section 6.1)."""
        flags |= PRESENT | (VERIFIED if self.verifies else 0)
        counter = wrong.get("counter", mine.counter)
        party = sha256(wrong.get("rp_id", mine.rp_id).encode()).digest()
        return party + bytes([wrong.get("flags", flags)]) + counter.to_bytes(4, "big")

    def _said(self, kind: str, options: dict[str, Any], wrong: dict[str, Any]) -> bytes:
        """Client data (section 5.8.1)."""
        said = {
            "type": wrong.get("kind", kind),
            "challenge": wrong.get("challenge", options["challenge"]),
            "origin": wrong.get("origin", self.origin),
            "crossOrigin": wrong.get("cross_origin", False),
        }
        return json.dumps(said).encode()

    def _answer(self, mine: Resident, parts: dict[str, bytes]) -> dict[str, Any]:
        name = encoded(mine.id)
        response = {part: encoded(value) for part, value in parts.items()}
        return {"id": name, "rawId": name, "type": "public-key", "response": response}


def sign(private: Private, data: bytes) -> bytes:
    match private:
        case ec.EllipticCurvePrivateKey():
            return private.sign(data, ec.ECDSA(SHA256()))
        case rsa.RSAPrivateKey():
            return private.sign(data, padding.PKCS1v15(), SHA256())
        case _:
            return private.sign(data)


def _key(algorithm: int) -> Private:
    match algorithm:
        case -7:
            return ec.generate_private_key(ec.SECP256R1())
        case -8:
            return ed25519.Ed25519PrivateKey.generate()
        case _:
            return rsa.generate_private_key(65537, 2048)


def _cose(private: Private) -> dict[int, Any]:
    """The public half (RFC 9053, section 7; RFC 8230, section 4)."""
    match private:
        case ec.EllipticCurvePrivateKey():
            point = private.public_key().public_numbers()
            return {1: 2, 3: ES256, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        case rsa.RSAPrivateKey():
            numbers = private.public_key().public_numbers()
            return {1: 3, 3: RS256, -1: numbers.n.to_bytes(256, "big"), -2: numbers.e.to_bytes(3, "big")}
        case _:
            return {1: 1, 3: EDDSA, -1: 6, -2: private.public_key().public_bytes_raw()}


def asked_for(browser: Browser) -> dict[str, Any]:
    """What the page that is shown asks for."""
    assert browser.page is not None
    form = next(each for each in html.fromstring(browser.page.body).forms if each.get("data-passkey"))
    found: dict[str, Any] = json.loads(form.get("data-passkey"))
    return found


Answer = Callable[[dict[str, Any]], dict[str, Any]]


async def answer(browser: Browser, device: Answer, **values: str) -> Answered:
    """Send the form of the page that is shown that asks for a passkey, with what the device answers."""
    number = [form.get("data-passkey") is not None for form in browser.forms()].index(True)
    return await browser.send(number=number, passkey=json.dumps(device(asked_for(browser))), **values)
