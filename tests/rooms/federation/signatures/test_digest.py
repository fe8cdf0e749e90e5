import pytest

from privapub.federation.signatures.digest import LONGEST_FIELD, check_digest, sha256_base64
from privapub.federation.signatures.request import BadSignature, HttpRequest

BODY = b'{"hello": "world"}\n'
# RFC 9530, appendix B.1
SHA256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
SHA512 = "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="

SENTENCES = {
    "no-digest": "This request has no digest of its content.",
    "unknown-digest": "The digest of this request uses no algorithm that is known here.",
    "wrong-digest": "The digest of this request does not fit its content.",
    "malformed-digest": "The digest of this request cannot be understood.",
}


def posted(*fields: tuple[str, str], method: str = "POST", body: bytes = BODY) -> HttpRequest:
    return HttpRequest(method, "https://a.test/inbox", fields, body)


def reason(request: HttpRequest) -> str:
    with pytest.raises(BadSignature) as refused:
        check_digest(request)
    assert str(refused.value) == SENTENCES[refused.value.reason]
    return refused.value.reason


def test_digests_are_those_that_rfc_9530_prints() -> None:
    assert sha256_base64(BODY) == SHA256
    assert sha256_base64(b"") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


@pytest.mark.parametrize(
    "fields",
    [
        [("Digest", f"SHA-256={SHA256}")],
        [("digest", f" sha-256={SHA256} ")],
        [("Digest", f"MD5=AAAA, Sha-256={SHA256}")],
        [("Content-Digest", f"sha-256=:{SHA256}:")],
        [("Content-Digest", f"unknown=:AAAA:, sha-256=:{SHA256}:;note=1")],
        [("Digest", f"SHA-256={SHA256}"), ("Content-Digest", f"sha-256=:{SHA256}:")],
        [("Digest", f"SHA-256={SHA256}"), ("Digest", f"SHA-256={SHA256}")],
        [("Digest", f"SHA-256={SHA256}" + ",md5=x" + "x" * (LONGEST_FIELD - 58))],
        [("Digest", f" \t sha-256 \t= \t{SHA256} \t, MD5 =\t")],
        [("Digest", f"SHA-512={SHA512}")],
        [("Content-Digest", f"sha-512=:{SHA512}:")],
    ],
)
def test_a_right_digest_is_taken_in_every_form(fields: list[tuple[str, str]]) -> None:
    check_digest(posted(*fields))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ([], "no-digest"),
        ([("Digest", "")], "no-digest"),
        ([("Digest", "MD5=AAAA")], "unknown-digest"),
        ([("Content-Digest", "md5=:AAAA:")], "unknown-digest"),
        ([("Digest", "SHA-256=AAAA")], "wrong-digest"),
        ([("Digest", f"SHA-256={SHA256},SHA-256=AAAA")], "wrong-digest"),
        ([("Digest", f"SHA-256={SHA256}"), ("Content-Digest", "sha-256=:AAAA:")], "wrong-digest"),
        ([("Digest", "MD5=AAAA"), ("Content-Digest", f"sha-256=:{SHA256}:")], "unknown-digest"),
        ([("Digest", "SHA-256=%%%")], "malformed-digest"),
        ([("Digest", "SHA-256=\u00e9")], "malformed-digest"),
        ([("Digest", "SHA-256")], "malformed-digest"),
        ([("Digest", f"XSHA-256={SHA256}")], "unknown-digest"),
        ([("Digest", f"\u00a0SHA-256={SHA256}")], "unknown-digest"),
        ([("Digest", f"SHA-256=X{SHA256}")], "wrong-digest"),
        ([("Digest", f"SHA-256=\u00a0{SHA256}")], "malformed-digest"),
        ([("Digest", "=AAAA")], "malformed-digest"),
        ([("Content-Digest", f"sha-256={SHA256}")], "malformed-digest"),
        ([("Content-Digest", f'sha-256="{SHA256}"')], "malformed-digest"),
        ([("Content-Digest", f"sha-256=(:{SHA256}:)")], "malformed-digest"),
        ([("Digest", f"SHA-256={SHA256}" + ",md5=x" + "x" * (LONGEST_FIELD - 57))], "malformed-digest"),
    ],
)
def test_a_missing_or_wrong_digest_is_refused_with_its_reason(fields: list[tuple[str, str]], why: str) -> None:
    assert reason(posted(*fields)) == why


def test_a_get_needs_no_digest_and_one_that_it_has_must_be_right() -> None:
    check_digest(posted(method="GET", body=b""))
    check_digest(posted(("Digest", f"SHA-256={sha256_base64(b'')}"), method="GET", body=b""))
    assert reason(posted(("Digest", f"SHA-256={sha256_base64(b'x')}"), method="GET", body=b"")) == "wrong-digest"


def test_a_post_without_content_needs_a_digest_too() -> None:
    assert reason(posted(body=b"")) == "no-digest"
