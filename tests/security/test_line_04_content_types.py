"""Line 4, content types: what is no ActivityStreams document is none, and what we serve is what it says it is.

An upload on the victim's host must not speak for the victim (CVE-2024-25623, CVE-2024-25636). Elsewhere: every type
of an answer, `rooms/federation/fetching/test_document.py` and the case `fetch/01-upload-served-as-activity`; the
headers of every answer, `rooms/web/test_pages.py`. Uploads here come later.
"""

import json

import pytest

from fakes.activities import follow_of, note, of, post_at, rows
from fakes.world import CONTEXT, Person, World
from makers import make_post
from privapub import scope
from privapub.composing.learn import seen_post
from privapub.errors import PrivaPubError
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.webfinger import resolve

UPLOAD = "https://peer.test/media/upload"
LD = "application/ld+json"
NO_DOCUMENTS = (
    "text/plain", "image/png", "application/json", "application/octet-stream", "text/html", LD, f"{LD}; profile=x",
    f'{LD}; profile="https://www.w3.org/ns/activitystreams/x"', "text/plain; application/activity+json",
    "application/activity+json-x", "application/x-activity+json", "multipart/form-data; x=application/activity+json",
    "", "application/jrd+json", "text/plain, application/activity+json", "application/activity+json, text/plain",
    'text/plain; profile="https://www.w3.org/ns/activitystreams"',
)  # fmt: skip


@pytest.mark.parametrize("kind", NO_DOCUMENTS)
async def test_an_upload_is_no_actor_no_key_and_no_post(world: World, kind: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    forger = Person(UPLOAD, "carol")
    key = {"@context": CONTEXT, "id": UPLOAD, "owner": carol.uri, "publicKeyPem": forger.pem}
    for document in (forger.document(), key, {"@context": CONTEXT, **note(carol, UPLOAD)}):
        world.serve(UPLOAD, document, content_type=kind)
        world.server.door.forget("peer.test")
        with scope.trigger("inbox"), pytest.raises(PrivaPubError):
            await fetch_actor(world.server, UPLOAD)
        with pytest.raises(PrivaPubError):
            await seen_post(world.server, alice.id, UPLOAD)
        for by in (forger, carol):
            said = await world.post(alice.inbox, follow_of(by, alice), by=forger, key_id=UPLOAD)
            assert said.status == 401
    assert (await world.actor(UPLOAD), await post_at(world, UPLOAD), await rows(world)) == (None, None, 0)


async def test_an_upload_is_no_webfinger(world: World) -> None:
    world.person("https://peer.test/u/carol")
    world.serve_jrd("eve@peer.test", "https://peer.test/u/carol", content_type="image/png")
    with scope.trigger("inbox"), pytest.raises(PrivaPubError):
        await resolve(world.server, "@eve@peer.test")


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
     "text/html", "application/activity+json-x", ""],
)  # fmt: skip
async def test_an_inbox_takes_nothing_that_a_form_could_send(world: World, kind: str) -> None:
    """A page of somebody else makes browsers send these without asking."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol, content_type=kind)).status == 415
    assert (await rows(world), world.peer.received) == (0, [])


async def test_what_we_serve_is_what_it_says(world: World) -> None:
    """No document of ours can be taken for a page, nor a page for a document, nor either for something to run."""
    alice = await world.persona()
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id, text='{"type": "Person"}')
    here = "https://sut.test"
    for uri in (alice.uri, post.uri, f"{alice.uri}/outbox?page=true", f"{here}/nodeinfo/2.1", f"{here}/posts/none"):
        for accept in (
            "application/activity+json",
            "*/*",
            "text/html",
            "image/png",
            "text/css",
            "application/javascript",
        ):
            # Not followed: where it leads to is another address.
            answered = await world.get(uri.removeprefix(here), {"Accept": accept, "Host": "sut.test"}, follow=False)
            kind = answered.headers.get("content-type", "")
            assert answered.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in answered.headers["content-security-policy"]
            if "html" in kind or not answered.body:
                continue
            assert "json" in kind or kind.startswith("text/plain"), (uri, accept, kind)
            if "json" in kind:
                json.loads(answered.body)


async def test_a_report_of_another_type_is_nothing(world: World) -> None:
    """`type` is what the signed body says, whatever a header says beside it."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    flag = of("Flag", carol, [alice.uri], "https://peer.test/f/1")
    said = await world.post(alice.inbox, flag, by=carol, content_type="application/activity+json, text/plain")
    assert said.status == 415
    assert await rows(world) == 0
