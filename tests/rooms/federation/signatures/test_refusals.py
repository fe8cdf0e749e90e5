"""What is refused is refused for one reason, and in a sentence that tells its sender what to mend."""

from dataclasses import replace
from typing import Any

import pytest

from privapub import clock
from privapub.federation.signatures import components
from privapub.federation.signatures.claim import LONGEST_KEY_ID, LONGEST_SIGNATURE_FIELD, MOST_COVERED
from privapub.federation.signatures.keys import BadKey
from privapub.federation.signatures.owner import check_owner
from privapub.federation.signatures.presented import LONGEST_DATE, check, check_time, examine, read
from privapub.federation.signatures.request import LONGEST_URL, BadSignature, HttpRequest

NOW = 1_772_366_400.0
URL = "https://sut.test/alice/outbox?page=2"
GET = HttpRequest("GET", URL, (("Host", "sut.test"), ("Date", clock.http_date(NOW))))
POST = replace(GET, method="POST", body=b"x")

UNSIGNED = ("no-signature", "This request is not signed.")
ODD = ("malformed", "The signature of this request cannot be understood.")
ODD_TIME = ("malformed", "The signed time of this request cannot be understood.")
ODD_KEY = ("malformed", "The key that the signature of this request names cannot be understood.")
NO_KEY = ("malformed", "The signature of this request does not name its key.")
ODD_LIST = ("malformed", "The list of what the signature of this request covers cannot be used.")
ALGORITHM = ("wrong-algorithm", "The signature of this request uses an algorithm that is not accepted.")
NOT_ITS_KEYS = ("wrong-algorithm", "The signature of this request uses an algorithm that is not its key's.")
NO_TIME_WITH_IT = ("wrong-algorithm", "The signature of this request covers a time that its algorithm does not allow.")
UNSUPPORTED = (
    "unsupported-component",
    "The signature of this request covers something that cannot be checked here.",
)
NO_PARAMETER = ("missing-component", "The signature of this request covers a query parameter that is not there.")
NO_DATE = ("missing-component", "The signature of this request covers a date that is not there.")
ODD_DATE = ("malformed", "The date of this request cannot be understood.")
ODD_HEADER = ("malformed", "A header that the signature of this request covers cannot be understood.")
ODD_LINE = ("malformed", "The first line of this request cannot be understood.")
ODD_ADDRESS = ("malformed", "The address of this request cannot be understood.")
OTHER_HOST = ("wrong-host", "The host that this request names is not the one it was sent to.")
OLD = ("too-old", "The time that this request was signed at is too long ago.")
AHEAD = ("ahead", "The time that this request was signed at is in the future.")
EXPIRED = ("expired", "The signature of this request has expired.")
UNFIT = ("wrong-signature", "The signature of this request does not fit it.")


def uncovered(what: str) -> tuple[str, str]:
    return "not-covered", f"The signature of this request does not cover its {what}."


def missing(name: str, reason: str = "missing-component") -> tuple[str, str]:
    return reason, f"The signature of this request covers the header {name}, which is not there."


def said(ask: Any, *words: Any) -> tuple[str, str]:
    """The reason and the sentence of a refusal."""
    with pytest.raises(BadSignature) as refused:
        ask(*words)
    return refused.value.reason, str(refused.value)


def old(
    headers: str | None = "(request-target) host date", more: str = "", request: HttpRequest = GET, key: str = "k"
) -> HttpRequest:
    """A request that says it is signed in the older scheme."""
    listed = "" if headers is None else f'headers="{headers}",'
    named = f'keyId="{key}",' if key else ""
    return replace(request, headers=(*request.headers, ("Signature", f'{named}{listed}{more}signature="eA=="')))


def new(
    covered: str = '"@method" "@target-uri" "@authority"', more: str = ';created=1772366400;keyid="k"', **other: Any
) -> HttpRequest:
    """A request that says it is signed as RFC 9421 has it."""
    request = other.get("request", GET)
    fields = (("Signature-Input", f"s=({covered}){more}"), ("Signature", other.get("signature", "s=:eA==:")))
    return replace(request, headers=(*request.headers, *fields))


def without(name: str, request: HttpRequest) -> HttpRequest:
    return replace(request, headers=tuple(pair for pair in request.headers if pair[0] != name))


def with_field(name: str, value: str, request: HttpRequest) -> HttpRequest:
    return replace(request, headers=(*without(name, request).headers, (name, value)))


def dated(length: int) -> str:
    """A date of so many letters."""
    return clock.http_date(NOW).replace(" GMT", "GMT".rjust(length - len("Sun, 01 Mar 2026 12:00:00")))


def sized(length: int) -> str:
    """A `Signature-Input` of so many letters."""
    text = 's=("@method" "@target-uri");created=1;keyid="k";nonce="'
    return text + "x" * (length - len(text) - 1) + '"'


MANY = [f"x-{number}" for number in range(MOST_COVERED - 2)]
TIMED = "(request-target) host (created)"
UNTIL = "(request-target) host date (expires)"


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (GET, UNSIGNED),
        (old(request=old()), ODD),
        (replace(GET, headers=(("Signature", f'a="{"x" * (LONGEST_SIGNATURE_FIELD - 4)}"'),)), NO_KEY),
        (replace(GET, headers=(("Signature", f'a="{"x" * (LONGEST_SIGNATURE_FIELD - 3)}"'),)), ODD),
        (replace(GET, headers=(("Signature", 'keyId="k",signature="%"'),)), ODD),
        (replace(GET, headers=(("Signature", 'keyId="k",signature="AAA"'),)), ODD),
        (replace(GET, headers=(("Signature", 'keyId="k",signature="e%A=="'),)), ODD),
        (replace(GET, headers=(("Signature", 'keyId="k"'),)), ODD),
        (old("(request-target) host date (made-up)"), ODD),
        (old(more='algorithm="rsa-sha1",'), ALGORITHM),
        (old(" ".join(["host", "date", *MANY])), uncovered("target")),
        (old(" ".join(["host", "date", "x", *MANY])), ODD_LIST),
        (old("host date host"), ODD_LIST),
        (old(key=""), NO_KEY),
        (old(key="a b"), ODD_KEY),
        (old(key="k" * (LONGEST_KEY_ID + 1)), ODD_KEY),
        (old("host date"), uncovered("target")),
        (old("(request-target) date"), uncovered("host")),
        (old("(request-target) host"), uncovered("time")),
        (old(None), uncovered("target")),
        (old(request=POST), uncovered("digest")),
        (old(TIMED, 'algorithm="rsa-sha256",created=1772366400,'), NO_TIME_WITH_IT),
        (old(TIMED, 'algorithm="rsa-sha512",created=1772366400,'), NO_TIME_WITH_IT),
        (old(UNTIL, 'algorithm="rsa-sha256",expires=1772366400,'), NO_TIME_WITH_IT),
        (old(TIMED, 'algorithm="hs2019",created=1772366400.5,'), ODD_TIME),
        (old(TIMED, 'algorithm="hs2019",'), ODD_TIME),
        (old(UNTIL, 'algorithm="hs2019",expires=x,'), ODD_TIME),
        (new(signature=""), ODD),
        (without("Signature", new()), UNSIGNED),
        (with_field("Signature", 'keyId="k"', new()), UNSIGNED),
        (new(signature="s=("), ODD),
        (new(signature="s=1"), ODD),
        (new(signature="s=(:eA==:)"), ODD),
        (new(signature="s=::"), ODD),
        (with_field("Signature-Input", "s=1", new()), ODD),
        (with_field("Signature-Input", sized(LONGEST_SIGNATURE_FIELD + 1), new()), ODD),
        (with_field("Signature-Input", "", new()), UNSIGNED),
        (new(signature=", ".join(["s=:eA==:", *(f"s{n}=:eA==:" for n in range(8))])), ODD),
        (new(more=';created=1772366400;keyid="k"' + "".join(f", s{n}=()" for n in range(8))), ODD),
        (new(more=';created=1772366400;keyid="k";alg=1'), ODD),
        (new(more=';created=1772366400;keyid="k";alg="x"'), ALGORITHM),
        (new(more=";created=1772366400"), NO_KEY),
        (new(more=";created=1772366400;keyid=1"), NO_KEY),
        (new(more=';created=1772366400;keyid="a b"'), ODD_KEY),
        (new(more=';created=1.5;keyid="k"'), ODD_TIME),
        (new(more=';created=1772366400;expires=1.5;keyid="k"'), ODD_TIME),
        (new('"@target-uri" "@authority"'), uncovered("method")),
        (new('"@method" "@authority"'), uncovered("target")),
        (new('"@method" "@path" "@authority"'), uncovered("target")),
        (new('"@method" "@query" "@authority"'), uncovered("target")),
        (new('"@method" "@request-target"'), uncovered("host")),
        (new(more=';keyid="k"'), uncovered("time")),
        (new(request=POST), uncovered("digest")),
        (new('"@method" "@target-uri" 1'), ODD),
        (new('"@method" "@target-uri" "@status"'), UNSUPPORTED),
        (new('"@method" "@target-uri" "date";bs'), UNSUPPORTED),
        (new('"@method" "@target-uri" "@query-param";name=1'), ODD),
        (new('"@method" "@target-uri" "@query-param"'), UNSUPPORTED),
        (new('"@method" "@target-uri" "@query-param";name="page";req'), UNSUPPORTED),
    ],
)
def test_a_claim_that_cannot_be_used_is_refused(request_: HttpRequest, refusal: tuple[str, str]) -> None:
    assert said(read, request_) == refusal


def test_the_first_refusal_of_several_signatures_is_told() -> None:
    inputs = 'a=("@method");created=1;keyid="k", s=("@target-uri");created=1;keyid="k"'
    request = with_field("Signature", "a=:eA==:, s=:eA==:", with_field("Signature-Input", inputs, new()))
    assert said(read, request) == uncovered("target")


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (without("Date", old()), NO_DATE),
        (with_field("Date", "yesterday", old()), ODD_DATE),
        (with_field("Date", dated(LONGEST_DATE + 1), old()), ODD_DATE),
        (with_field("Date", clock.http_date(NOW - 43201), old()), OLD),
        (with_field("Date", clock.http_date(NOW + 3601), old()), AHEAD),
        (old(UNTIL, 'algorithm="hs2019",expires=1772366399.5,'), EXPIRED),
        (new(more=';created=1772366400;expires=1772366399;keyid="k"'), EXPIRED),
        (with_field("Host", "other.test", old()), OTHER_HOST),
        (without("Host", old()), missing("host")),
        (old("(request-target) host date x-note"), missing("x-note")),
        (old("(request-target) host date digest"), missing("digest", "no-digest")),
        (old("(request-target) host date content-digest"), missing("content-digest", "no-digest")),
        (with_field("X-Note", "a\nb", old("(request-target) host date x-note")), ODD_HEADER),
        (new('"@method" "@target-uri" "@query-param";name="x"'), NO_PARAMETER),
        (with_field("X-Note", "\u0100", old("(request-target) host date x-note")), ODD),
        (with_field("X-Note", "\u00e9", new('"@method" "@target-uri" "x-note"')), ODD),
    ],
)
def test_a_request_that_is_not_what_it_claims_is_refused_without_a_key(
    request_: HttpRequest, refusal: tuple[str, str]
) -> None:
    assert said(examine, request_, NOW) == refusal


@pytest.mark.parametrize("method", ["G\u00c9T", "GET\n", "GE\x7f"])
def test_a_first_line_that_could_be_two_is_not_signed(method: str) -> None:
    assert said(components.derived, replace(GET, method=method), "@method") == ODD_LINE


def test_what_is_just_enough_is_read() -> None:
    assert read(with_field("Signature-Input", sized(LONGEST_SIGNATURE_FIELD), new())).key_id == "k"
    assert read(old(key='a\\"\\\\b')).key_id == 'a"\\b'
    assert read(old(key="k" * LONGEST_KEY_ID)).key_id == "k" * LONGEST_KEY_ID
    assert len(read(old(" ".join(["(request-target) host date", *MANY[1:]]))).covered) == MOST_COVERED
    assert read(new('"@method" "@target-uri" "date"', ';keyid="k"')).created is None
    assert examine(with_field("Date", dated(LONGEST_DATE), old()), NOW).key_id == "k"
    eight = ", ".join(f's{n}=("@method" "@target-uri");created=1;keyid="k{n}"' for n in range(8))
    signatures = ", ".join(f"s{n}=:eA==:" for n in range(8))
    assert read(with_field("Signature", signatures, with_field("Signature-Input", eight, new()))).key_id == "k0"
    assert len(replace(GET, url="https://sut.test/" + "x" * (LONGEST_URL - 17)).target.uri) == LONGEST_URL


def test_a_signature_without_any_time_is_never_young() -> None:
    presented = replace(read(new()), created=None)
    assert said(check_time, presented, GET, NOW) == uncovered("time")


def test_the_key_decides(rsa_signer: Any, other_rsa_signer: Any, ed25519_signer: Any) -> None:
    request = rsa_signer.signed(replace(GET, headers=()))
    presented = examine(request, NOW)
    assert said(check, presented, request, other_rsa_signer.public) == UNFIT
    assert said(check, presented, request, ed25519_signer.public) == NOT_ITS_KEYS
    assert said(check, replace(presented, algorithm="x"), request, rsa_signer.public) == NOT_ITS_KEYS


@pytest.mark.parametrize("url", ["", "/inbox", "https://sut.test/" + "x" * (LONGEST_URL - 16)])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    assert said(lambda: replace(GET, url=url).target) == ODD_ADDRESS


def test_a_document_of_another_is_refused(rsa_signer: Any) -> None:
    mine = {"id": rsa_signer.public.owner + "/1", "actor": rsa_signer.public.owner}
    check_owner(mine, rsa_signer.public)
    assert said(check_owner, {**mine, "actor": "https://other.test/u"}, rsa_signer.public) == (
        "wrong-owner",
        "Who signed this document is not who it is of.",
    )


def test_a_reason_without_a_sentence_has_one() -> None:
    assert str(BadSignature("odd")) == "This request is not signed as it must be."
    assert str(BadKey("odd")) == "This key cannot be used (odd)."
