import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from fakes.keys import new_ed25519, new_rsa, public_multibase, public_pem
from privapub.federation.signatures.keys import (
    LARGEST_RSA,
    LONGEST_MULTIBASE,
    LONGEST_PEM,
    SMALLEST_RSA,
    BadKey,
    PrivateKey,
    PublicKey,
)

ID, OWNER = "https://a.test/u#main-key", "https://a.test/u"


def pem_of(key: rsa.RSAPublicKey | ec.EllipticCurvePublicKey) -> str:
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def why(pem: str) -> str:
    with pytest.raises(BadKey) as refused:
        PublicKey.from_pem(ID, OWNER, pem)
    assert refused.value.reason in str(refused.value)
    return refused.value.reason


@pytest.mark.parametrize(("made", "kind"), [(new_rsa, "rsa"), (new_ed25519, "ed25519")])
def test_a_new_key_signs_what_both_forms_of_its_public_half_verify(made: object, kind: str) -> None:
    assert callable(made)
    pem = made()
    private = PrivateKey.from_pem(ID, pem)
    assert (private.id, private.algorithm) == (ID, kind)
    signature = private.sign(b"text")
    for public in (
        PublicKey.from_pem(ID, OWNER, public_pem(pem)),
        PublicKey.from_multibase(ID, OWNER, public_multibase(pem)),
    ):
        assert (public.id, public.owner, public.algorithm) == (ID, OWNER, kind)
        assert public.verifies(signature, b"text")
        assert not public.verifies(signature, b"Text")
        assert not public.verifies(b"", b"text")
        assert not public.verifies(signature + b"x", b"text")


def test_the_multikey_of_fep_521a_is_read() -> None:
    # The example of the W3C's Controlled Identifiers, section 2.2.2.
    text = "z6MkmM42vxfqZQsv4ehtTjFFxQ4sQKS2w6WR7emozFAn5cxu"
    key = PublicKey.from_multibase(ID, OWNER, text)
    assert key.algorithm == "ed25519"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "malformed"),
        ("z", "unsupported"),
        ("u7QF", "malformed"),
        ("z0OIl", "malformed"),
        ("z6Mk", "unsupported"),
        ("z6MkmM42vxfqZQsv4ehtTjFFxQ4sQKS2w6WR7emozFAn5cx", "unsupported"),
        ("z" + "1" * 5000, "malformed"),
        ("zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169", "unsupported"),
    ],
)
def test_a_multikey_that_is_none_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadKey) as refused:
        PublicKey.from_multibase(ID, OWNER, text)
    assert refused.value.reason in {reason, "malformed"}


def test_keys_of_other_kinds_and_sizes_are_refused() -> None:
    assert why(pem_of(ec.generate_private_key(ec.SECP256R1()).public_key())) == "unsupported"
    huge = rsa.RSAPublicNumbers(65537, (1 << LARGEST_RSA) + 1).public_key()
    assert why(pem_of(huge)) == "too-large"
    long = rsa.RSAPublicNumbers((1 << 32) + 1, (1 << 2047) + 1).public_key()
    assert why(pem_of(long)) == "unsupported"


def test_the_bounds_of_a_key_are_within_it() -> None:
    for size, exponent in ((SMALLEST_RSA, 3), (LARGEST_RSA, (1 << 32) - 1)):
        pem = pem_of(rsa.RSAPublicNumbers(exponent, (1 << (size - 1)) + 1).public_key())
        assert PublicKey.from_pem(ID, OWNER, pem).algorithm == "rsa"
    pem = public_pem(new_ed25519())
    assert PublicKey.from_pem(ID, OWNER, pem.ljust(LONGEST_PEM)).algorithm == "ed25519"
    assert why(pem.ljust(LONGEST_PEM + 1)) == "too-large"
    for length, reason in ((LONGEST_MULTIBASE, "unsupported"), (LONGEST_MULTIBASE + 1, "malformed")):
        with pytest.raises(BadKey) as refused:
            PublicKey.from_multibase(ID, OWNER, "z".ljust(length, "1"))
        assert refused.value.reason == reason


SMALL = """-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf
9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQ==
-----END PUBLIC KEY-----"""


@pytest.mark.parametrize(
    ("pem", "reasons"),
    [
        ("", {"malformed"}),
        ("no key", {"malformed"}),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", {"malformed"}),
        ("\u00e9", {"malformed"}),
        ("x" * 20000, {"too-large"}),
        (SMALL, {"too-small", "malformed"}),
    ],
)
def test_a_pem_that_holds_no_key_of_ours_is_refused(pem: str, reasons: set[str]) -> None:
    assert why(pem) in reasons


def test_white_space_around_a_pem_is_left_out() -> None:
    pem = public_pem(new_ed25519())
    assert PublicKey.from_pem(ID, OWNER, f"\n  {pem}\n\n").algorithm == "ed25519"


def private_pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, password: bytes = b"") -> str:
    hidden = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, hidden).decode()


@pytest.mark.parametrize(
    ("pem", "reason"),
    [
        ("", "malformed"),
        ("no key", "malformed"),
        ("\u00e9", "malformed"),
        (public_pem(new_ed25519()), "malformed"),
        (private_pem(ec.generate_private_key(ec.SECP256R1()), b"secret"), "malformed"),
        (private_pem(ec.generate_private_key(ec.SECP256R1())), "unsupported"),
    ],
)
def test_a_private_key_that_is_none_is_refused(pem: str, reason: str) -> None:
    with pytest.raises(BadKey) as refused:
        PrivateKey.from_pem(ID, pem)
    assert refused.value.reason == reason


def test_what_we_kept_is_read_and_not_proven_again() -> None:
    made = rsa.generate_private_key(65537, 2048).private_numbers()
    odd = rsa.RSAPrivateNumbers(made.p, made.q, made.d + 2, made.dmp1, made.dmq1, made.iqmp, made.public_numbers)
    pem = private_pem(odd.private_key(unsafe_skip_rsa_key_validation=True))
    with pytest.raises(ValueError, match="Invalid private key"):
        serialization.load_pem_private_key(pem.encode(), None)
    assert PrivateKey.from_pem(ID, pem).algorithm == "rsa"
