"""Requests as real servers sent them, captured without their keys."""

from datetime import datetime
from typing import Any

import pytest

from fakes.captured import CAPTURED, as_request, captured, changes, without
from privapub.federation.signatures import cavage
from privapub.federation.signatures.presented import check, examine, read
from privapub.federation.signatures.request import BadSignature
from shared import shared


def numbered(signed: bool) -> list[Any]:
    rows = [
        pytest.param(row, id=f"{number}-{row['host']}")
        for number, row in enumerate(captured())
        if bool(row["sig"]) is signed
    ]
    return rows or [pytest.param(None, id="absent")]


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
