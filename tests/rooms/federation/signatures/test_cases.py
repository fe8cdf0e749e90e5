"""The shared cases on digests, times and schemes, as far as they need no server."""

import base64
import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from privapub import clock
from privapub.federation.signatures import cavage
from privapub.federation.signatures.presented import Presented, check, examine
from privapub.federation.signatures.request import BadSignature, HttpRequest
from shared import shared

URL = "https://sut.test/alice/inbox"


def given(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared(f"cases/signatures/{name}.json").read_text())["given"]
    return found


def believed(request: HttpRequest, signer: Any, now: float) -> Presented | BadSignature:
    try:
        presented = examine(request, now)
        check(presented, request, signer.public)
    except BadSignature as refusal:
        return refusal
    return presented


def by_hand(request: HttpRequest, signer: Any, parameters: str, headers: str, **times: str) -> HttpRequest:
    """Signed as a peer might, the parameters being as they are written."""
    values = tuple(f"{name}={value}" for name, value in times.items())
    text = cavage.bases(
        Presented("cavage", "k", None, tuple(headers.split()), None, None, b"", parameters=",".join(values)), request
    )[0]
    signature = base64.b64encode(signer.private.sign(text)).decode()
    value = f'keyId="{signer.private.id}",{parameters}headers="{headers}",signature="{signature}"'
    return replace(request, headers=(*request.headers, ("Signature", value)))


@pytest.mark.parametrize("number", range(11))
def test_digests_are_read_as_case_01_says(number: int, rsa_signer: Any) -> None:
    case = given("01-digest-forms")
    variant = case["variants"][number]
    body = base64.b64decode(case["request"]["raw_b64"])
    moment = 1_772_366_400.0
    fields = [
        ("Host", "sut.test"),
        ("Date", clock.http_date(moment)),
        ("Content-Type", "application/activity+json"),
    ]
    listed = variant["signed_headers"].split()
    plain = HttpRequest("POST", URL, tuple(fields), body)
    if variant["digest_header"] is None:
        signed = rsa_signer.signed(plain, "cavage", moment, tuple(listed))
        request = replace(signed, headers=tuple(pair for pair in signed.headers if pair[0] != "Digest"))
    else:
        plain = replace(plain, headers=(*plain.headers, ("Digest", variant["digest_header"])))
        request = rsa_signer.signed(plain, "cavage", moment, tuple(listed))
    verdict = believed(request, rsa_signer, moment)
    status = "2xx" if isinstance(verdict, Presented) else "401"
    assert status in variant["status"], variant["name"]
    if isinstance(verdict, BadSignature):
        assert "digest" in str(verdict)
        assert "digest" in verdict.reason


@pytest.mark.parametrize("number", range(10))
def test_times_are_judged_as_case_06_says(number: int, rsa_signer: Any) -> None:
    case = given("06-clock-and-created")
    variant = case["variants"][number]
    now = datetime.fromisoformat(case["now"]).timestamp()
    fields = [("Host", "sut.test"), ("Digest", cavage_digest())]
    if variant["date"] is not None:
        fields.append(("Date", variant["date"]))
    request = HttpRequest("POST", URL, tuple(fields), b"{}")
    name, text = variant["name"], variant["signature_params"]
    if "created" in text:
        parameters, _, headers = text.partition("headers=")
        times = dict(
            part.split("=") for part in parameters.replace('"', "").strip(",").split(",") if "algorithm" not in part
        )
        request = by_hand(request, rsa_signer, parameters, headers.strip('"'), **times)
    else:
        parameters = "" if name == "no-algorithm" else 'algorithm="rsa-sha256",'
        request = by_hand(request, rsa_signer, parameters, "(request-target) host date digest")
    verdict = believed(request, rsa_signer, now)
    status = "2xx" if isinstance(verdict, Presented) else "401"
    assert status in variant["status"], (name, verdict)


def cavage_digest() -> str:
    return "SHA-256=RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="


def test_a_broken_signature_is_refused_so_that_peers_try_their_other_form(rsa_signer: Any) -> None:
    given("07-double-knock")
    request = rsa_signer.signed(HttpRequest("POST", URL, (), b"{}"), "cavage")
    broken = tuple((name, value[:-3] if name == "Signature" else value) for name, value in request.headers)
    assert isinstance(believed(replace(request, headers=broken), rsa_signer, 1_772_366_400.0), BadSignature)


def test_a_request_signed_in_both_forms_counts_by_rfc_9421(signer: Any) -> None:
    given("07-double-knock")
    plain = HttpRequest("POST", URL, (), b"{}")
    both = signer.signed(signer.signed(plain, "cavage"), "rfc9421")
    verdict = believed(both, signer, 1_772_366_400.0)
    assert isinstance(verdict, Presented)
    assert verdict.scheme == "rfc9421"
