"""Requests as real servers sent them, captured without their keys."""

import json
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

import pytest

from privapub.federation.signatures import cavage
from privapub.federation.signatures.presented import check, examine, read
from privapub.federation.signatures.request import BadSignature, HttpRequest
from shared import place, shared

CAPTURED = "wire/requests.jsonl"


@cache
def captured() -> list[dict[str, Any]]:
    path = place() / CAPTURED
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def numbered(signed: bool) -> list[Any]:
    rows = [
        pytest.param(row, id=f"{number}-{row['host']}")
        for number, row in enumerate(captured())
        if bool(row["sig"]) is signed
    ]
    return rows or [pytest.param(None, id="absent")]


def as_request(row: dict[str, Any]) -> HttpRequest:
    method, path, _ = row["req"].split(" ")
    body = row["body"].encode()
    fields = [
        ("Host", row["host"]),
        ("Date", row["date"]),
        ("Digest", row["digest"]),
        ("Content-Digest", row["cdigest"]),
        ("Content-Type", row["ct"]),
        ("Accept", row["accept"]),
        ("User-Agent", row["ua"]),
        ("Signature", row["sig"]),
        ("Signature-Input", row["siginput"]),
    ]
    if body:
        fields.append(("Content-Length", str(len(body))))
    present = tuple((name, value) for name, value in fields if value)
    return HttpRequest(method, f"https://{row['host']}{path}", present, body)


def without(request: HttpRequest, *names: str) -> HttpRequest:
    return replace(request, headers=tuple(pair for pair in request.headers if pair[0].lower() not in names))


def with_field(request: HttpRequest, name: str, value: str) -> HttpRequest:
    return replace(
        request,
        headers=tuple((field, value if field.lower() == name else old) for field, old in request.headers),
    )


def changes(request: HttpRequest, covered: tuple[str, ...]) -> list[HttpRequest]:
    """The request with each thing changed that the list covers."""
    changed = []
    for name in covered:
        if name == "(request-target)":
            other = {"GET": "POST", "POST": "PUT"}[request.method]
            url, question, query = request.url.partition("?")
            changed += [
                replace(request, method=other),
                replace(request, url=url + "x" + question + query),
                replace(request, url=request.url[:-1]),
            ]
            if question or request.method == "POST":
                changed += [replace(request, url=request.url + ("&" if question else "?") + "x=1")]
        else:
            value = request.header(name)
            assert value is not None
            changed += [
                without(request, name),
                with_field(request, name, value + "x"),
                with_field(request, name, value[1:]),
                replace(request, headers=(*request.headers, (name, value))),
            ]
            if name in {"digest", "content-digest"}:
                changed += [replace(request, body=request.body + b" "), replace(request, body=b"{}")]
            if name == "date":
                changed += [with_field(request, name, value[:-5] + "1 GMT")] if value[-5] != "1" else []
    return changed


def test_the_capture_holds_84_signed_and_6_unsigned_requests() -> None:
    shared(CAPTURED)
    assert [sum(bool(row["sig"]) is signed for row in captured()) for signed in (True, False)] == [84, 6]


@pytest.mark.parametrize("row", numbered(signed=True))
def test_a_captured_request_counts_signed_again_and_not_after_any_change(row: Any, rsa_signer: Any) -> None:
    shared(CAPTURED)
    request, now = as_request(row), datetime.fromisoformat(row["t"]).timestamp()
    seen = examine(request, now)
    assert f'keyId="{seen.key_id}"' in row["sig"]
    assert f'headers="{" ".join(seen.covered)}"' in row["sig"]
    assert f'algorithm="{seen.algorithm}"' in row["sig"]
    with pytest.raises(BadSignature, match="does not fit") as refused:
        check(seen, request, rsa_signer.public)
    assert refused.value.reason == "wrong-signature"

    again = rsa_signer.signed(without(request, "signature"), "cavage", now, seen.covered)
    presented = examine(again, now)
    assert presented.covered == seen.covered
    check(presented, again, rsa_signer.public)

    made = changes(again, seen.covered)
    assert len(made) > len(seen.covered)
    for changed in made:
        assert changed != again
        with pytest.raises(BadSignature):
            check(examine(changed, now), changed, rsa_signer.public)


@pytest.mark.parametrize("row", numbered(signed=False))
def test_a_captured_request_without_a_signature_is_refused(row: Any) -> None:
    shared(CAPTURED)
    with pytest.raises(BadSignature) as refused:
        read(as_request(row))
    assert refused.value.reason == "no-signature"


@pytest.mark.parametrize("row", numbered(signed=True))
def test_the_signed_text_of_a_captured_request_has_one_line_for_each_thing_covered(row: Any) -> None:
    shared(CAPTURED)
    request = as_request(row)
    presented = read(request)
    lines = cavage.bases(presented, request)[0].decode().split("\n")
    assert [line.split(": ", 1)[0] for line in lines] == list(presented.covered)
    assert f"host: {row['host']}" in lines
    assert f"(request-target): {request.method.lower()} {row['req'].split(' ')[1]}" in lines
