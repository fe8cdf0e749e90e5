"""Agreement with an independent implementation of RFC 9421, in both directions."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from http_message_signatures import (
    HTTPMessageSigner,
    HTTPMessageVerifier,
    HTTPSignatureAlgorithm,
    HTTPSignatureKeyResolver,
    InvalidSignature,
    algorithms,
)
from http_message_signatures.structures import CaseInsensitiveDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privapub import clock
from privapub.federation.signatures.presented import check, examine
from privapub.federation.signatures.request import HttpRequest

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

_word = st.text(st.sampled_from("abcXYZ019-._~%2F"), min_size=1, max_size=8).map(lambda word: word.replace("%", "%25"))
urls = st.builds(
    lambda host, port, path, query: f"https://{host}{port}/{'/'.join(path)}{query}",
    st.sampled_from(["sut.test", "a.b.sut.test", "127.0.0.1"]),
    st.sampled_from(["", ":8443", ":444"]),
    st.lists(_word, max_size=3),
    st.one_of(st.just(""), st.builds("?{}={}".format, _word, _word)),
)
values = st.text(st.sampled_from('abcXYZ 019,;="/+()'), min_size=1, max_size=20).filter(lambda text: text.strip())
requests = st.builds(
    HttpRequest,
    st.just("POST"),
    urls,
    st.builds(lambda a, b: (("Content-Type", a), ("X-Note", b)), values, values),
    st.binary(max_size=50),
)
coverings = st.builds(
    lambda target, rest: ("@method", *target, *rest),
    st.sampled_from([("@target-uri",), ("@request-target", "@authority"), ("@path", "@query", "@authority")]),
    st.permutations(["content-digest", "content-type", "x-note", "@scheme", "date"]).map(tuple),
)


@dataclass
class Message:
    """A request as the other implementation takes it."""

    method: str
    url: str
    headers: Any


class Keys(HTTPSignatureKeyResolver):
    def __init__(self, signer: Any) -> None:
        self.signer = signer

    def resolve_public_key(self, key_id: str) -> Any:
        return self.signer.public.key if key_id == self.signer.public.id else None

    def resolve_private_key(self, key_id: str) -> Any:
        assert key_id == self.signer.private.id
        return self.signer.private.key


def algorithm(signer: Any) -> type[HTTPSignatureAlgorithm]:
    return algorithms.RSA_V1_5_SHA256 if signer.private.algorithm == "rsa" else algorithms.ED25519


def message(request: HttpRequest) -> Message:
    return Message(request.method, request.url, CaseInsensitiveDict(dict(request.headers)))


@SETTINGS
@given(request=requests, covered=coverings)
def test_what_we_sign_the_other_verifies(signer: Any, request: HttpRequest, covered: tuple[str, ...]) -> None:
    signed = signer.signed(request, "rfc9421", clock.now(), covered)
    verifier = HTTPMessageVerifier(signature_algorithm=algorithm(signer), key_resolver=Keys(signer))
    (result,) = verifier.verify(message(signed), body=signed.body)
    assert result.parameters["keyid"] == signer.private.id
    assert [name.strip('"') for name in result.covered_components][: len(covered)] == list(covered)


@SETTINGS
@given(request=requests, covered=coverings)
def test_what_the_other_signs_we_verify(signer: Any, request: HttpRequest, covered: tuple[str, ...]) -> None:
    now = clock.now()
    sent = message(replace(request, headers=(*request.headers, ("Date", clock.http_date(now)))))
    HTTPMessageSigner(signature_algorithm=algorithm(signer), key_resolver=Keys(signer)).sign(
        sent,
        key_id=signer.private.id,
        created=datetime.fromtimestamp(int(now), UTC),
        covered_component_ids=covered,
        body=request.body,
        label="theirs",
    )
    received = replace(request, headers=tuple((name, str(value)) for name, value in sent.headers.items()))
    presented = examine(received, now)
    assert (presented.label, presented.covered) == ("theirs", covered)
    check(presented, received, signer.public)


def test_what_we_sign_as_usual_the_other_verifies(signer: Any) -> None:
    request = HttpRequest("POST", "https://sut.test:8443/inbox?a=b", (), b"{}")
    signed = signer.signed(request, "rfc9421", clock.now())
    verifier = HTTPMessageVerifier(signature_algorithm=algorithm(signer), key_resolver=Keys(signer))
    verifier.verify(
        message(signed),
        body=b"{}",
        require_components=("@method", "@target-uri", "@authority", "content-digest"),
    )
    with pytest.raises(InvalidSignature):
        verifier.verify(replace(message(signed), method="PUT"), body=b"{}")
