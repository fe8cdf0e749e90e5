"""A document is believed from its own host alone."""

from typing import Any

import pytest
from aiohttp import web

from fakes.activities import note
from fakes.world import CONTEXT, World
from makers import private_keys
from privapub import clock, scope
from privapub.actors.keys import public_rsa
from privapub.errors import NotAllowed
from privapub.federation.fetching import scheme
from privapub.federation.fetching.actor import fetch_author
from privapub.federation.fetching.document import document, final
from privapub.federation.fetching.post import fetch_post
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.presented import check, read
from privapub.federation.signatures.request import BadSignature, HttpRequest
from privapub.outbound.answers import FetchProblem

PROFILE = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
ANOTHER = 'application/ld+json; profile="https://example.com/x https://www.w3.org/ns/activitystreams"'


def post(uri: str, **changes: Any) -> dict[str, Any]:
    return {"@context": CONTEXT, "id": uri, "type": "Note", "attributedTo": "https://peer.test/u/carol", **changes}


async def get(world: World, url: str) -> dict[str, Any]:
    with scope.trigger("inbox"):
        return await document(world.server, url, "object")


async def reason(world: World, url: str) -> str:
    with pytest.raises(FetchProblem) as caught:
        await get(world, url)
    return caught.value.reason


@pytest.mark.parametrize(
    ("kind", "believed"),
    [
        ("application/activity+json", True),
        ("application/activity+json; charset=utf-8", True),
        (PROFILE, True),
        (ANOTHER, True),
        ("application/ld+json", False),
        ("application/json", False),
        ("text/plain", False),
        ("application/octet-stream", False),
        ("", False),
        ("image/png", False),
        ("application/activity+json, text/html", False),
        ("application/activity+json-x", False),
    ],
)
async def test_only_the_types_of_activitystreams_are_documents(world: World, kind: str, believed: bool) -> None:
    url = "https://peer.test/media/evil"
    world.serve(url, post(url), content_type=kind, headers={} if kind else {"Content-Type": ""})
    if believed:
        assert (await get(world, url))["id"] == url
    else:
        assert await reason(world, url) == "content-type"


async def test_a_redirect_to_another_host_cannot_pose_as_its_origin(world: World) -> None:
    world.serve("https://peer.test/proxy/abc", status=302, headers={"Location": "https://other.test/x/9"})
    world.serve("https://other.test/x/9", post("https://peer.test/proxy/abc"))
    assert await reason(world, "https://peer.test/proxy/abc") == "bad-redirect"


async def test_another_id_is_fetched_once_more_from_its_own_host(world: World) -> None:
    world.serve("https://peer.test/@carol/1", post("https://peer.test/n/1"))
    world.serve("https://peer.test/n/1", post("https://peer.test/n/1", content="its own"))
    assert (await get(world, "https://peer.test/@carol/1"))["content"] == "its own"


async def test_a_document_of_one_host_that_names_an_id_of_another_is_asked_for_there(world: World) -> None:
    world.serve("https://other.test/x", post("https://peer.test/n/1", content="forged"))
    assert await reason(world, "https://other.test/x") == "404"
    world.server.door.forget("peer.test")
    world.serve("https://peer.test/n/1", post("https://peer.test/n/1", content="true"))
    assert (await get(world, "https://other.test/x"))["content"] == "true"


async def test_there_is_no_third_fetch(world: World) -> None:
    world.serve("https://peer.test/1", post("https://peer.test/2"))
    world.serve("https://peer.test/2", post("https://peer.test/3"))
    world.serve("https://peer.test/3", post("https://peer.test/3"))
    assert await reason(world, "https://peer.test/1") == "bad-redirect"
    assert world.asked("/3") == []


@pytest.mark.parametrize("own", [None, 7, "", "urn:x", "https://peer.test@other.test/n"])
async def test_a_document_without_an_id_that_belongs_to_a_host_is_not_believed(world: World, own: object) -> None:
    world.serve("https://peer.test/n/1", {**post(""), "id": own})
    assert await reason(world, "https://peer.test/n/1") == "bad-redirect"


async def test_our_own_ids_are_never_fetched(world: World) -> None:
    alice = await world.persona()
    for url in (alice.uri, "https://SUT.test/x", "http://sut.test:80/x"):
        assert await reason(world, url) == "disallowed"
    world.serve("https://peer.test/n/1", post(alice.uri))
    assert await reason(world, "https://peer.test/n/1") == "disallowed"


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"a":1,"a":2}', b'{"a":' * 40 + b"1" + b"}" * 40])
async def test_what_is_not_strict_json_is_refused(world: World, body: bytes) -> None:
    world.serve("https://peer.test/n/1", body)
    assert await reason(world, "https://peer.test/n/1") == "bad-json"


def signed_rightly(request: web.Request) -> int | None:
    """401 where the request is not signed by the application actor for this very host, path and query."""
    sent = HttpRequest("GET", f"https://{request.host}{request.raw_path}", tuple(request.headers.items()))
    owner = "https://sut.test/actors/application"
    key = PublicKey.from_pem(f"{owner}#main-key", owner, public_rsa(private_keys().rsa))
    try:
        presented = read(sent)
        check(presented, sent, key)
    except BadSignature:
        return 401
    return None if presented.key_id == key.id else 401


async def test_a_redirect_is_signed_afresh_by_the_application_actor(world: World) -> None:
    moved = {"Location": "https://peer.test/n/1?v=2"}
    world.serve("https://peer.test/old", status=301, headers=moved).requires = signed_rightly
    world.serve("https://peer.test/n/1?v=2", post("https://peer.test/n/1?v=2")).requires = signed_rightly
    assert (await get(world, "https://peer.test/old"))["id"] == "https://peer.test/n/1?v=2"
    first, second = world.peer.received
    assert first.headers["Signature"] != second.headers["Signature"]
    for kind in ("application/activity+json", PROFILE):
        assert kind in first.headers["Accept"]


async def test_a_refused_signature_gets_one_knock_with_the_other_and_what_worked_is_remembered(world: World) -> None:
    def only_9421(request: web.Request) -> int | None:
        return None if "Signature-Input" in request.headers else 401

    for number in (1, 2):
        url = f"https://peer.test/n/{number}"
        world.serve(url, post(url)).requires = only_9421
    await get(world, "https://peer.test/n/1")
    assert len(world.peer.received) == 2
    async with world.database.read() as tx:
        assert await scheme.of_host(tx, "peer.test", clock.now()) == "rfc9421"
    await get(world, "https://peer.test/n/2")
    assert len(world.peer.received) == 3


async def test_who_refuses_both_signatures_is_believed(world: World) -> None:
    world.serve("https://peer.test/n/1", post("https://peer.test/n/1")).requires = lambda _: 403
    assert await reason(world, "https://peer.test/n/1") == "403"
    assert len(world.peer.received) == 2


async def test_a_post_whose_author_is_of_another_host_is_none(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    url = "https://other.test/n/1"
    world.serve(url, {"@context": CONTEXT, **note(carol, url)})
    with scope.trigger("inbox"), pytest.raises(NotAllowed):
        await fetch_post(world.server, url)


@pytest.mark.parametrize(
    ("reason", "status", "said"),
    [
        ("404", 404, True), ("410", 410, True), ("401", 401, True), ("content-type", 200, True),
        ("disallowed", None, True), ("private-address", None, True), ("too-large", 200, True),
        ("429", 429, False), ("408", 408, False), ("500", 500, False), ("503", 503, False),
        ("timeout", None, False), ("network", None, False), ("remembered", None, False),
    ],
)  # fmt: skip
def test_what_would_be_the_same_soon_is_final(reason: str, status: int | None, said: bool) -> None:
    assert final(FetchProblem("peer.test", reason, status=status)) is said


async def test_an_author_is_whoever_has_this_very_id(world: World) -> None:
    carol, fake = world.person("https://other.test/u/carol"), "https://peer.test/u/fake"
    world.serve(fake, carol.document())
    with scope.trigger("inbox"):
        assert (await fetch_author(world.server, carol.uri)).uri == carol.uri
        with pytest.raises(NotAllowed):
            await fetch_author(world.server, fake)
