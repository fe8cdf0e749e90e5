from dataclasses import replace
from typing import Any

import pytest

from privapub import clock
from privapub.federation.signatures import cavage, message_signature
from privapub.federation.signatures.presented import check, check_time, examine, read
from privapub.federation.signatures.request import BadSignature, HttpRequest

NOW = 1_772_366_400.0
POST = HttpRequest(
    "POST", "https://sut.test/alice/inbox", (("Content-Type", "application/activity+json"),), b'{"id": 1}'
)
GET = HttpRequest("GET", "https://sut.test/alice/outbox?page=2", (("Accept", "application/activity+json"),))
BOTH = pytest.mark.parametrize("scheme", ["cavage", "rfc9421"])


def refusal(request: HttpRequest, now: float = NOW, key: Any = None) -> str:
    """The reason for which it is refused."""
    with pytest.raises(BadSignature) as refused:
        presented = examine(request, now)
        check(presented, request, key)
    assert str(refused.value)
    return refused.value.reason


def with_header(request: HttpRequest, name: str, value: str) -> HttpRequest:
    return replace(
        request,
        headers=tuple((field, value if field == name else old) for field, old in request.headers),
    )


@BOTH
@pytest.mark.parametrize("plain", [POST, GET, replace(GET, method="HEAD"), replace(POST, body=b"")])
def test_what_is_signed_is_accepted(scheme: str, plain: HttpRequest, signer: Any) -> None:
    request = signer.signed(plain, scheme)
    presented = examine(request, NOW + 5)
    assert (presented.scheme, presented.key_id) == (scheme, signer.private.id)
    check(presented, request, signer.public)


@BOTH
def test_a_key_that_did_not_sign_is_refused(scheme: str, rsa_signer: Any, other_rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST, scheme)
    assert refusal(request, key=other_rsa_signer.public) == "wrong-signature"


@pytest.mark.parametrize("algorithm", ["hs2019", "RSA-SHA256", "", None])
def test_hs2019_and_no_algorithm_mean_rsa_with_sha_256(algorithm: str | None, rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST)
    value = request.header("signature")
    assert value is not None
    told = "" if algorithm is None else f'algorithm="{algorithm}",'
    request = with_header(request, "Signature", value.replace('algorithm="rsa-sha256",', told))
    if algorithm == "":
        assert refusal(request) == "wrong-algorithm"
        return
    check(examine(request, NOW), request, rsa_signer.public)


def test_rsa_sha512_is_verified_as_such(rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST)
    value = request.header("signature")
    assert value is not None
    request = with_header(request, "Signature", value.replace("rsa-sha256", "rsa-sha512"))
    assert refusal(request, key=rsa_signer.public) == "wrong-signature"


@pytest.mark.parametrize(
    ("scheme", "said", "claimed"),
    [
        ("cavage", "hs2019", "rsa-sha256"),
        ("cavage", "hs2019", "rsa-sha512"),
        ("rfc9421", "ed25519", "rsa-v1_5-sha256"),
    ],
)
def test_an_algorithm_of_another_kind_of_key_is_refused(
    scheme: str, said: str, claimed: str, ed25519_signer: Any
) -> None:
    request = ed25519_signer.signed(POST, scheme)
    name = "Signature" if scheme == "cavage" else "Signature-Input"
    value = request.header(name)
    assert value is not None
    assert said in value
    request = with_header(request, name, value.replace(said, claimed))
    assert refusal(request, key=ed25519_signer.public) == "wrong-algorithm"


@pytest.mark.parametrize(
    ("scheme", "claimed"),
    [
        ("cavage", "hmac-sha256"),
        ("cavage", "rsa-sha1"),
        ("rfc9421", "hmac-sha256"),
        ("rfc9421", "rsa-pss-sha512"),
    ],
)
def test_an_algorithm_that_nobody_needs_is_refused_before_any_key(scheme: str, claimed: str, rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST, scheme)
    name, said = ("Signature", "rsa-sha256") if scheme == "cavage" else ("Signature-Input", "rsa-v1_5-sha256")
    value = request.header(name)
    assert value is not None
    with pytest.raises(BadSignature) as refused:
        read(with_header(request, name, value.replace(said, claimed)))
    assert refused.value.reason == "wrong-algorithm"


@pytest.mark.parametrize(
    ("scheme", "covered"),
    [
        ("cavage", ("(request-target)", "host", "date")),
        ("cavage", ("host", "date", "digest")),
        ("cavage", ("(request-target)", "date", "digest")),
        ("cavage", ("(request-target)", "host", "digest")),
        ("rfc9421", ("@method", "@target-uri", "@authority")),
        ("rfc9421", ("@target-uri", "@authority", "content-digest")),
        ("rfc9421", ("@method", "@authority", "content-digest")),
        ("rfc9421", ("@method", "@path", "content-digest")),
        ("rfc9421", ("@method", "@request-target", "content-digest")),
    ],
)
def test_a_signature_that_leaves_something_open_is_refused(scheme: str, covered: tuple[str, ...], signer: Any) -> None:
    assert refusal(signer.signed(POST, scheme, covered=covered)) == "not-covered"


@pytest.mark.parametrize(
    "covered",
    [
        ("@method", "@target-uri", "@authority", "host", "date", "content-digest"),
        ("@method", "@path", "@query", "host", "content-digest"),
        ("@method", "@request-target", "@authority", "digest"),
        ("@method", "@target-uri", "content-digest", "content-type"),
    ],
)
def test_the_forms_of_other_servers_are_taken(covered: tuple[str, ...], signer: Any) -> None:
    request = signer.signed(POST, "rfc9421", covered=covered)
    presented = examine(request, NOW)
    assert presented.covered == covered
    check(presented, request, signer.public)


@pytest.mark.parametrize(
    ("plain", "covered"),
    [
        (GET, ("(request-target)", "host", "(created)")),
        (POST, ("(request-target)", "host", "date", "content-digest")),
    ],
)
def test_the_older_scheme_takes_the_newer_time_and_digest(
    plain: HttpRequest, covered: tuple[str, ...], signer: Any
) -> None:
    request = signer.signed(plain, covered=covered)
    presented = examine(request, NOW)
    assert presented.covered == covered
    check(presented, request, signer.public)
    with pytest.raises(BadSignature):
        cavage.base(("(created)",), request)


def test_a_path_without_the_query_that_is_there_does_not_bind_the_target(signer: Any) -> None:
    request = signer.signed(GET, "rfc9421", covered=("@method", "@path", "@authority"))
    assert refusal(request) == "not-covered"


@BOTH
@pytest.mark.parametrize(
    ("age", "reason"),
    [
        (12 * 3600, None),
        (12 * 3600 + 1, "too-old"),
        (-3600, None),
        (-3601, "ahead"),
        (-86400 * 400, "ahead"),
    ],
)
def test_the_signed_time_counts_from_twelve_hours_ago_to_one_hour_ahead(
    scheme: str, age: int, reason: str | None, rsa_signer: Any
) -> None:
    request = rsa_signer.signed(POST, scheme)
    if reason is None:
        check(examine(request, NOW + age), request, rsa_signer.public)
    else:
        assert refusal(request, NOW + age) == reason


def test_the_window_is_an_argument(rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST)
    presented = read(request)
    check_time(presented, request, NOW + 50, past=60, ahead=60)
    with pytest.raises(BadSignature):
        check_time(presented, request, NOW + 70, past=60, ahead=60)
    for moment, reason in ((NOW + 70, "too-old"), (NOW - 70, "ahead")):
        with pytest.raises(BadSignature) as refused:
            examine(request, moment, past=60, ahead=60)
        assert refused.value.reason == reason


def test_every_time_that_is_covered_counts(rsa_signer: Any) -> None:
    """A fresh `created` does not save an old `Date` that is covered too."""
    old = replace(POST, headers=(*POST.headers, ("Date", clock.http_date(NOW - 86400))))
    covered = ("@method", "@target-uri", "@authority", "date", "content-digest")
    assert refusal(rsa_signer.signed(old, "rfc9421", covered=covered)) == "too-old"
    assert refusal(rsa_signer.signed(POST, "rfc9421", covered=covered, now=NOW - 86400)) == "too-old"


def test_an_expired_signature_is_refused_however_young(rsa_signer: Any) -> None:
    names = ("@method", "@target-uri", "@authority")
    parameters = message_signature.parameters(
        names, created=int(NOW), expires=int(NOW) + 60, keyid=rsa_signer.private.id
    )
    signature = rsa_signer.private.sign(message_signature.base(names, parameters, GET))
    request = presenting(GET, f"sig1={parameters}", signature)
    presented = examine(request, NOW + 60)
    check(presented, request, rsa_signer.public)
    assert refusal(request, NOW + 61) == "expired"


def presenting(request: HttpRequest, signature_input: str, signature: bytes = b"x") -> HttpRequest:
    text = message_signature.structured.write_bare(signature)
    fields = (("Signature-Input", signature_input), ("Signature", f"sig1={text}"))
    return replace(request, headers=(*request.headers, *fields))


def test_the_first_label_that_binds_enough_is_taken(rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST, "rfc9421")
    fields = (
        ("Signature-Input", 'proxy=("@authority");created=1;keyid="p";tag="t";nonce="n"'),
        ("Signature", "proxy=:eA==:"),
    )
    request = replace(request, headers=(*fields, *request.headers))
    presented = examine(request, NOW)
    assert presented.label == "sig1"
    check(presented, request, rsa_signer.public)


@pytest.mark.parametrize(
    "text",
    [
        '"content-digest";sf',
        '"content-digest";key="sha-256"',
        '"date";bs',
        '"@method";req',
        '"date";tr',
        '"@status"',
        '"@made-up"',
    ],
)
def test_components_that_are_not_read_are_refused_by_name(text: str) -> None:
    request = presenting(GET, f'sig1=("@method" "@target-uri" "@authority" {text});created=1772366400;keyid="k"')
    assert refusal(request) == "unsupported-component"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sig1",
        "sig1=",
        'sig1="x"',
        'sig1=("@method" "@method" "@target-uri");created=1772366400;keyid="k"',
        'sig1=("@method" "@target-uri");created=1772366400',
        'sig1=("@method" "@target-uri");created=1772366400;keyid=""',
        'sig1=("@method" "@target-uri");created=1772366400;keyid="a b"',
        'sig1=("@method" "@target-uri");created=1772366400;keyid=k',
        'sig1=("@method" "@target-uri");created=1772366400.5;keyid="k"',
        'sig1=("@method" "@target-uri");created="1772366400";keyid="k"',
        'sig1=("@method" "@target-uri");created=1772366400;keyid="k";alg=ed25519',
        'sig1=("@method" "@target-uri");created=1772366400;created=1772366400;keyid="k"',
        'sig1=(@method "@target-uri");created=1772366400;keyid="k"',
        'sig1=("@Method" "@target-uri");created=1772366400;keyid="k", sig1=();created=1',
        'other=("@method" "@target-uri");created=1772366400;keyid="k"',
    ],
)
def test_a_signature_input_that_cannot_be_understood_is_refused(text: str) -> None:
    assert refusal(presenting(GET, text)) in {"malformed", "no-signature"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Signature",
        'keyId="k"',
        'keyId="k",signature=""',
        'keyId="k",headers="(request-target) host date",signature="%%"',
        'keyId="",headers="(request-target) host date",signature="eA=="',
        'keyId="a b",headers="(request-target) host date",signature="eA=="',
        'keyId="k",keyId="k",headers="(request-target) host date",signature="eA=="',
        'keyId="k",headers="(request-target) host date host",signature="eA=="',
        'keyId="k",headers="(request-target) (made-up) host date",signature="eA=="',
        'keyId="k",headers="(request-target) host date",signature="eA==",',
        'keyId="k" headers="(request-target) host date",signature="eA=="',
        'keyId="k",headers="(request-target) host (created)",signature="eA=="',
        'keyId="k",created=now,headers="(request-target) host (created)",signature="eA=="',
        'keyId="k",created=1e9,headers="(request-target) host (created)",signature="eA=="',
    ],
)
def test_a_signature_header_that_cannot_be_understood_is_refused(text: str) -> None:
    fields = (("Host", "sut.test"), ("Date", clock.http_date(NOW)), ("Signature", text))
    assert refusal(replace(GET, headers=fields)) == "malformed"


def test_without_a_list_only_the_date_is_signed_and_that_is_not_enough() -> None:
    fields = (("Date", clock.http_date(NOW)), ("Signature", 'keyId="k",signature="eA=="'))
    assert cavage.read(replace(GET, headers=fields)).covered == ("date",)
    assert refusal(replace(GET, headers=fields)) == "not-covered"


def test_two_signature_lines_of_the_older_scheme_are_refused(rsa_signer: Any) -> None:
    request = rsa_signer.signed(GET)
    again = ("Signature", request.header("signature"))
    assert refusal(replace(request, headers=(*request.headers, again))) == "malformed"


@pytest.mark.parametrize("name", ["Signature", "Signature-Input", "Digest", "Date", "Host"])
@pytest.mark.parametrize("filler", ["a", '"', "(", ",", 'a="b",', "a=(", "\\", ";a", " "])
def test_huge_headers_cost_nothing_and_are_refused(name: str, filler: str, rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST)
    fields = tuple(pair for pair in request.headers if pair[0] != name)
    huge = replace(request, headers=(*fields, (name, filler * (1_000_000 // len(filler)))))
    assert refusal(huge, key=rsa_signer.public)


def test_long_lists_are_refused(rsa_signer: Any) -> None:
    names = tuple(f"x-{number}" for number in range(40))
    plain = replace(GET, headers=tuple((name, "1") for name in names))
    covered = ("(request-target)", "host", "date", *names)
    assert refusal(rsa_signer.signed(plain, covered=covered)) == "malformed"


def test_a_get_may_leave_its_query_out_of_the_signed_target(rsa_signer: Any) -> None:
    """Friendica does."""
    bare = rsa_signer.signed(replace(GET, url=GET.url.partition("?")[0]))
    request = replace(bare, url=GET.url)
    check(examine(request, NOW), request, rsa_signer.public)
    posted = rsa_signer.signed(POST)
    assert refusal(replace(posted, url=POST.url + "?page=2"), key=rsa_signer.public) == "wrong-signature"


def test_another_query_than_the_signed_one_is_refused(rsa_signer: Any) -> None:
    request = rsa_signer.signed(GET)
    for url in (GET.url + "0", GET.url.partition("?")[0]):
        assert refusal(replace(request, url=url), key=rsa_signer.public) == "wrong-signature"


@BOTH
def test_the_host_may_be_signed_without_the_port_it_is_sent_with(scheme: str, rsa_signer: Any) -> None:
    """Takahē does."""
    covered = (
        ("(request-target)", "host", "date", "digest")
        if scheme == "cavage"
        else ("@method", "@request-target", "host", "content-digest")
    )
    url = "https://sut.test:8443/alice/inbox"
    signed = rsa_signer.signed(replace(POST, url=url, headers=(("Host", "sut.test"),)), scheme, covered=covered)
    request = with_header(signed, "Host", "sut.test:8443")
    check(examine(request, NOW), request, rsa_signer.public)
    check(examine(signed, NOW), signed, rsa_signer.public)


@pytest.mark.parametrize("host", ["other.test", "sut.test:8443", "sut.test.other.test", "", "sut.test, sut.test"])
def test_a_request_signed_for_another_host_is_refused_before_any_key(host: str, rsa_signer: Any) -> None:
    assert refusal(with_header(rsa_signer.signed(POST), "Host", host)) == "wrong-host"


@BOTH
def test_a_request_that_another_server_got_is_worth_nothing_here(scheme: str, rsa_signer: Any) -> None:
    request = rsa_signer.signed(replace(POST, url="https://other.test/alice/inbox"), scheme)
    assert refusal(replace(request, url=POST.url), key=rsa_signer.public) in {"wrong-host", "wrong-signature"}


def test_a_covered_header_that_is_not_there_is_refused(rsa_signer: Any) -> None:
    request = rsa_signer.signed(POST, covered=("(request-target)", "host", "date", "digest", "content-type"))
    for name, reason in [
        ("Host", "missing-component"),
        ("Date", "missing-component"),
        ("Content-Type", "missing-component"),
        ("Digest", "no-digest"),
    ]:
        fewer = tuple(pair for pair in request.headers if pair[0] != name)
        assert refusal(replace(request, headers=fewer)) == reason


def test_a_line_break_in_a_covered_header_is_refused(rsa_signer: Any) -> None:
    """Else one header could pass for two lines of the signed text."""
    plain = replace(GET, headers=(("X-Note", "a"),))
    request = rsa_signer.signed(plain, covered=("(request-target)", "host", "date", "x-note"))
    assert refusal(with_header(request, "X-Note", "a\nhost: other.test")) == "malformed"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/inbox",
        "ftp://a.test/",
        "https://a.test/ b",
        "https:///x",
        "https://u@a.test/",
        "https://a.test/\u00e9",
        "https://a.test/" + "x" * 9000,
    ],
)
def test_an_address_that_is_no_target_uri_is_refused(url: str, rsa_signer: Any) -> None:
    assert refusal(replace(rsa_signer.signed(POST), url=url)) == "malformed"


def test_bytes_beyond_ascii_are_signed_as_they_came_in_the_older_scheme_only(rsa_signer: Any) -> None:
    plain = replace(GET, headers=(("X-Note", "\u00e9"),))
    request = rsa_signer.signed(plain, covered=("(request-target)", "host", "date", "x-note"))
    check(examine(request, NOW), request, rsa_signer.public)
    assert b"x-note: \xe9" in cavage.bases(read(request), request)[0]
    with pytest.raises(BadSignature):
        rsa_signer.signed(plain, "rfc9421", covered=("@method", "@target-uri", "x-note"))
