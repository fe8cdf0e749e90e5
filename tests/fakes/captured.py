"""Requests as real servers sent them, captured without their keys, and what may be changed in each."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

from privapub.federation.signatures.request import HttpRequest
from shared import place

CAPTURED = "wire/requests.jsonl"


@cache
def captured() -> list[dict[str, Any]]:
    path = place() / CAPTURED
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


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
