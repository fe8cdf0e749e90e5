"""Messages to the programs of people: encrypted for them alone (RFC 8291, 8188), signed by this server (RFC 8292).

Programs that say so understand the standard; to the others goes the draft before it, for which they were written
(draft-ietf-webpush-encryption-04: `aesgcm`).
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from privapub import identifiers
from privapub.errors import InvalidInput

LONGEST = 3000  # bytes of a message: with what is around it, no more than every push service takes
STEP = 256  # its length is rounded up to so many: how much is said is told to nobody
_POINT, _SECRET, _SALT, _RECORD = 65, 16, 16, 4096  # bytes
_SIGNED_FOR = 12 * 3600.0  # seconds (RFC 8292, section 2, allows for a day)


@dataclass(frozen=True)
class Parcel:
    """An encrypted message, and the headers that say how."""

    body: bytes
    headers: Mapping[str, str]


def new_key() -> str:
    """A new key of a server, as PEM."""
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(*form).decode()


def public_of(private: str) -> str:
    """The public half of a server's key, as programs are told it: a point, in base64url."""
    return _encode(_point(_load(private).public_key()))


def check(p256dh: str, auth: str) -> None:
    """InvalidInput for what cannot be the keys of a program."""
    _read(p256dh, auth)


def encrypt(message: bytes, p256dh: str, auth: str, *, standard: bool) -> Parcel:
    """The message for the program with these keys. ValueError where it is too long, InvalidInput for other keys."""
    if len(message) > LONGEST:
        raise ValueError("the message is too long")
    theirs, secret = _read(p256dh, auth)
    ours, salt = ec.generate_private_key(ec.SECP256R1()), identifiers.octets(_SALT)
    shared = ours.exchange(ec.ECDH(), theirs)
    padding = -len(message) % STEP
    make = _standard if standard else _draft
    return make(message, padding, _Keys(_point(theirs), _point(ours.public_key()), shared, secret, salt))


def authorization(private: str, endpoint: str, subject: str, now: float, *, standard: bool) -> Mapping[str, str]:
    """The headers by which a push service knows this server (RFC 8292, section 3; the draft before it otherwise)."""
    key, parts = _load(private), urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(now + _SIGNED_FOR), "sub": subject}
    said = ".".join(_encode(msgspec.json.encode(part)) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
    r, s = decode_dss_signature(key.sign(said.encode(), ec.ECDSA(hashes.SHA256())))
    token = f"{said}.{_encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
    if standard:
        return {"Authorization": f"vapid t={token}, k={public_of(private)}"}
    return {"Authorization": f"WebPush {token}", "Crypto-Key": f"p256ecdsa={public_of(private)}"}


@dataclass(frozen=True)
class _Keys:
    theirs: bytes
    ours: bytes
    shared: bytes
    secret: bytes
    salt: bytes


def _standard(message: bytes, padding: int, keys: _Keys) -> Parcel:
    """RFC 8291, section 3.4, and RFC 8188, section 2: one record, whose end is a 2 and then zeros."""
    ikm = _derive(keys.secret, keys.shared, b"WebPush: info\0" + keys.theirs + keys.ours, 32)
    key = _derive(keys.salt, ikm, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(keys.salt, ikm, b"Content-Encoding: nonce\0", 12)
    head = keys.salt + _RECORD.to_bytes(4, "big") + bytes([len(keys.ours)]) + keys.ours
    sealed = AESGCM(key).encrypt(nonce, message + b"\x02" + bytes(padding), None)
    return Parcel(head + sealed, {"Content-Encoding": "aes128gcm"})


def _draft(message: bytes, padding: int, keys: _Keys) -> Parcel:
    """The draft: how many zeros there are, these, and the message; keys and salt stand in headers."""
    prk = _derive(keys.secret, keys.shared, b"Content-Encoding: auth\0", 32)
    points = b"".join(len(point).to_bytes(2, "big") + point for point in (keys.theirs, keys.ours))
    context = b"P-256\0" + points
    key = _derive(keys.salt, prk, b"Content-Encoding: aesgcm\0" + context, 16)
    nonce = _derive(keys.salt, prk, b"Content-Encoding: nonce\0" + context, 12)
    sealed = AESGCM(key).encrypt(nonce, padding.to_bytes(2, "big") + bytes(padding) + message, None)
    headers = {
        "Content-Encoding": "aesgcm",
        "Encryption": f"salt={_encode(keys.salt)}",
        "Crypto-Key": f"dh={_encode(keys.ours)}",
    }
    return Parcel(sealed, headers)


def _derive(salt: bytes, ikm: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(ikm)


def _read(p256dh: str, auth: str) -> tuple[ec.EllipticCurvePublicKey, bytes]:
    try:
        point, secret = _decode(p256dh), _decode(auth)
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        raise InvalidInput("Key is invalid") from None
    if len(point) != _POINT or len(secret) != _SECRET:
        raise InvalidInput("Key is invalid")
    return key, secret


def _load(private: str) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_pem_private_key(private.encode(), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError("not a key on P-256")
    return key


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def _encode(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    """Base64url, or the usual alphabet, with its signs at the end or without. ValueError for anything else."""
    word = text.strip().rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise ValueError("no base64") from None
