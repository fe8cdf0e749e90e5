"""Messages to programs are what other implementations read, and are read by nobody else."""

import base64
import json

import http_ece
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from privapub.errors import InvalidInput
from privapub.notifications import web_push

SECRET = b"0123456789abcdef"
RECEIVER = ec.derive_private_key(7, ec.SECP256R1())


def text(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def octets(said: str) -> bytes:
    return base64.urlsafe_b64decode(said + "=" * (-len(said) % 4))


def point(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    return key.public_key().public_bytes(*form)


def part(header: str, name: str) -> bytes:
    return octets(dict(each.split("=", 1) for each in header.split(";"))[name])


@pytest.mark.parametrize("length", [0, 1, 255, 256, 257, web_push.LONGEST])
def test_another_implementation_reads_what_the_standard_says(length: int) -> None:
    message = b"x" * length
    parcel = web_push.encrypt(message, text(point(RECEIVER)), text(SECRET), standard=True)
    assert parcel.headers == {"Content-Encoding": "aes128gcm"}
    read = http_ece.decrypt(parcel.body, private_key=RECEIVER, auth_secret=SECRET, version="aes128gcm")
    assert read == message
    assert len(parcel.body) <= 4096
    assert b"x" * 16 not in parcel.body


@pytest.mark.parametrize("length", [0, 1, 255, 256, 257, web_push.LONGEST])
def test_another_implementation_reads_what_the_draft_says(length: int) -> None:
    message = b"x" * length
    parcel = web_push.encrypt(message, text(point(RECEIVER)), text(SECRET), standard=False)
    assert parcel.headers["Content-Encoding"] == "aesgcm"
    padded = http_ece.decrypt(
        parcel.body,
        salt=part(parcel.headers["Encryption"], "salt"),
        private_key=RECEIVER,
        dh=part(parcel.headers["Crypto-Key"], "dh"),
        auth_secret=SECRET,
        version="aesgcm",
    )
    assert padded == message


def test_messages_of_about_one_length_are_of_one_length() -> None:
    keys = text(point(RECEIVER)), text(SECRET)
    lengths = {len(web_push.encrypt(b"x" * length, *keys, standard=True).body) for length in (1, 100, 256)}
    assert len(lengths) == 1


def test_nobody_else_reads_it() -> None:
    parcel = web_push.encrypt(b"secret", text(point(RECEIVER)), text(SECRET), standard=True)
    other = ec.derive_private_key(8, ec.SECP256R1())
    for key, secret in ((other, SECRET), (RECEIVER, b"another secret!!")):
        with pytest.raises(http_ece.ECEException):
            http_ece.decrypt(parcel.body, private_key=key, auth_secret=secret, version="aes128gcm")


@pytest.mark.parametrize("standard", [True, False])
def test_a_push_service_knows_the_server_by_its_key(*, standard: bool) -> None:
    private = web_push.new_key()
    headers = web_push.authorization(
        private, "https://push.test:8443/a/b?c", "https://sut.test", 1_800_000_000.5, standard=standard
    )
    if standard:
        scheme, _, rest = headers["Authorization"].partition(" ")
        token, key = (each.strip().partition("=")[2] for each in rest.split(","))
    else:
        scheme, _, token = headers["Authorization"].partition(" ")
        key = headers["Crypto-Key"].removeprefix("p256ecdsa=")
    assert scheme == ("vapid" if standard else "WebPush")
    assert key == web_push.public_of(private)
    head, claims, signature = token.split(".")
    assert json.loads(octets(head)) == {"typ": "JWT", "alg": "ES256"}
    told = {"aud": "https://push.test:8443", "exp": 1_800_043_200, "sub": "https://sut.test"}
    assert json.loads(octets(claims)) == told
    r, s = (int.from_bytes(half, "big") for half in (octets(signature)[:32], octets(signature)[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), octets(key))
    public.verify(encode_dss_signature(r, s), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", text(SECRET)),
        (text(point(RECEIVER)), ""),
        (text(point(RECEIVER))[:-2], text(SECRET)),
        (text(b"\x04" + b"\x01" * 64), text(SECRET)),  # on no curve
        (text(point(RECEIVER)), text(SECRET + b"x")),
        ("ä" * 87, text(SECRET)),
        ("!" * 87, text(SECRET)),
    ],
)
def test_what_is_no_key_is_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(InvalidInput):
        web_push.check(p256dh, auth)


def test_what_is_too_long_is_not_sent() -> None:
    with pytest.raises(ValueError, match="too long"):
        web_push.encrypt(b"x" * (web_push.LONGEST + 1), text(point(RECEIVER)), text(SECRET), standard=True)
