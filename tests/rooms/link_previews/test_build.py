"""From a post to its card, over real sockets: one fetch for each address, and none for what is not for everybody."""

import json
from typing import Any

import pytest
from sqlalchemy import select, update

from fakes.activities import of
from fakes.world import World
from makers import ADDRESSES, make_persona, make_post, make_remote, profile
from privapub import clock, scope
from privapub.actors import remote
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.effects.post_received import post_received
from privapub.jobs.tables import job
from privapub.link_previews import plan, read
from privapub.link_previews.keep import KEPT, prune
from privapub.link_previews.read import Card, speaks_for
from privapub.link_previews.tables import link_preview, post_link
from privapub.posts.delete import delete
from privapub.posts.edit import edit
from privapub.posts.facts import PostReceived
from privapub.posts.read import Post
from privapub.telemetry.tables import fetch, preview_count
from privapub.telemetry.tally import by_outcome

PAGE = "https://peer.test/page"
HTML = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Cats</title>
<meta property="og:description" content="All about them"><meta property="og:image" content="/cat.jpg"></head><body>"""


def anchor(url: str = PAGE) -> str:
    return f'see <a href="{url}">this</a>'


def serve(world: World, body: bytes = HTML, url: str = PAGE, **page: Any) -> None:
    world.serve(url, body, **{"content_type": "text/html; charset=utf-8", **page})


async def write(world: World, by: int, text: str = "", audience: str = "public") -> Post:
    async with world.database.write() as tx:
        return await make_post(tx, by, audience, text or anchor())


async def cards(world: World, *posts: Post) -> list[Card | None]:
    async with world.database.read() as tx:
        found = await read.of_posts(tx, [post.id for post in posts])
    return [found.get(post.id) for post in posts]


async def card(world: World, post: Post) -> Card:
    (found,) = await cards(world, post)
    assert found is not None
    return found


async def state(world: World, url: str = PAGE) -> str | None:
    async with world.database.read() as tx:
        found = await tx.scalar(select(link_preview.c.state).where(link_preview.c.url == url))
    return None if found is None else str(found)


async def jobs(tx: Transaction) -> list[Any]:
    return list(await tx.all(select(job).where(job.c.kind == plan.PREVIEW).order_by(job.c.id)))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "SPREAD", 0.0)


@pytest.fixture
async def alice(world: World) -> Actor:
    return await world.persona()


@pytest.mark.parametrize("audience", ["public", "unlisted", "followers"])
async def test_the_page_of_a_post_of_ours_becomes_its_card(world: World, alice: Actor, audience: str) -> None:
    serve(world)
    post = await write(world, alice.id, audience=audience)
    await world.drain()
    found = await card(world, post)
    assert (found.url, found.title, found.description) == (PAGE, "Cats", "All about them")
    assert (found.image, found.provider_name, found.language) == ("https://peer.test/cat.jpg", "peer.test", "en")
    assert await state(world) == "card"
    (asked,) = world.asked("/page")
    names = {name.lower() for name in asked.headers}
    assert not names & {"cookie", "referer", "signature", "authorization", "signature-input", "from"}
    assert asked.headers["user-agent"] == "PrivaPub/test (+http://sut.test/)"
    await world.server.fetches.flush()
    async with world.database.read() as tx:
        (told,) = await tx.all(select(fetch.c.purpose, fetch.c.trigger, fetch.c.host, fetch.c.outcome))
        assert tuple(told) == ("preview", "preview", "peer.test", "ok")
        assert [(outcome, n) for _, outcome, n in await by_outcome(tx, preview_count, "2000-01-01")] == [("card", 1)]


@pytest.mark.parametrize("audience", ["circle", "direct"])
async def test_nothing_is_fetched_or_kept_of_a_circle_or_direct_post(world: World, alice: Actor, audience: str) -> None:
    serve(world)
    async with world.database.write() as tx:
        bob = (await make_persona(tx, "bob")).actor
        await make_post(tx, alice.id, "direct", anchor(), [bob.id])
        carol = await make_remote(tx)
        theirs = await make_post(tx, carol.id, audience, anchor(), [alice.id])
        with scope.cause("post_received", "post_received"):
            await post_received(tx, PostReceived(theirs.id), ADDRESSES, clock.now())
    await world.drain()
    assert world.peer.received == []
    async with world.database.read() as tx:
        assert await jobs(tx) == []
        assert await tx.all(select(post_link)) == []


@pytest.mark.usefixtures("at_once")
async def test_a_thousand_remote_posts_with_one_link_cause_one_fetch(world: World) -> None:
    serve(world)
    async with world.database.write() as tx:
        carol = await make_remote(tx)
        posts = [await make_post(tx, carol.id, text=anchor()) for _ in range(1000)]
        with scope.cause("post_received", "post_received"):
            for post in posts:
                await plan.plan(tx, post, clock.now())
        assert len(await jobs(tx)) == 1
        await tx.execute(update(job).where(job.c.kind == "post_received").values(state="done"))
    await world.drain()
    async with world.database.write() as tx:
        with scope.cause("post_received", "post_received"):
            await plan.plan(tx, posts[0], clock.now())
    await world.drain()
    assert len(world.asked("/page")) == 1
    assert all(await cards(world, *posts))


async def test_a_remote_post_waits_up_to_a_minute_and_one_of_ours_does_not(world: World, alice: Actor) -> None:
    now = clock.now()
    async with world.database.write() as tx:
        carol = await make_remote(tx)
        with scope.cause("post_received", "post_received"):
            for number in range(30):
                post = await make_post(tx, carol.id, text=anchor(f"https://peer.test/{number}"))
                await plan.plan(tx, post, now)
        waits = [row.run_at - now for row in await jobs(tx)]
        assert len(waits) == 30
        assert all(0 <= wait <= 60 for wait in waits)
        assert max(waits) - min(waits) > 10
        ours = await make_post(tx, alice.id, text=anchor("https://other.test/"))
        with scope.cause("post_published", "post_published"):
            await plan.plan(tx, ours, now)
        assert [row.run_at for row in await jobs(tx)][-1] == now


async def test_what_came_because_somebody_reads_leads_to_no_fetch(world: World) -> None:
    async with world.database.write() as tx:
        carol = await make_remote(tx)
        post = await make_post(tx, carol.id, text=anchor())
        with scope.cause(scope.READER, "context"):
            await plan.plan(tx, post, clock.now())
        assert await jobs(tx) == []
        assert [row.url for row in await tx.all(select(post_link))] == [PAGE]


@pytest.mark.parametrize(
    ("page", "ends"),
    [
        ({"body": b"%PDF-1.7", "content_type": "application/pdf"}, "no-card"),
        ({"body": b"\x89PNG", "content_type": "image/png"}, "no-card"),
        ({"body": b"<html><head></head>"}, "no-card"),
        ({"body": b""}, "no-card"),
        ({"body": HTML, "status": 404}, "no-card"),
        ({"body": HTML, "status": 403}, "failed"),
        ({"body": HTML, "status": 500}, "failed"),
        ({"body": HTML + b"x" * 5_000_000}, "card"),
        ({"body": b"<title>t</title>" + b"<i>" * 2_000_000}, "card"),
    ],
)
async def test_how_it_ends(world: World, alice: Actor, page: dict[str, Any], ends: str) -> None:
    serve(world, **page)
    post = await write(world, alice.id)
    await world.drain()
    assert await state(world) == ends
    assert [each is not None for each in await cards(world, post)] == [ends == "card"]
    again = await write(world, alice.id)
    await world.drain()
    assert len(world.asked("/page")) == 1, "it is remembered"
    assert len(await cards(world, again)) == 1


async def test_a_redirect_is_followed_and_the_card_leads_where_the_post_does(world: World, alice: Actor) -> None:
    serve(world, b"", status=302, headers={"Location": "https://other.test/real"})
    serve(world, HTML.replace(b"<title>", b'<link rel="canonical" href="https://other.test/c"><title>'),
          "https://other.test/real")  # fmt: skip
    post = await write(world, alice.id)
    await world.drain()
    found = await card(world, post)
    assert (found.url, found.image, found.provider_name) == (PAGE, "https://other.test/cat.jpg", "other.test")


async def test_an_address_of_ones_own_host_may_be_named(world: World, alice: Actor) -> None:
    serve(world, HTML.replace(b"<title>", b'<link rel="canonical" href="/cats"><title>'))
    post = await write(world, alice.id)
    await world.drain()
    assert (await card(world, post)).url == "https://peer.test/cats"


async def test_pages_of_this_server_and_private_places_are_not_asked(world: World, alice: Actor) -> None:
    await write(world, alice.id, anchor("https://sut.test/@alice"))
    await write(world, alice.id, anchor("https://nowhere.test/"))
    await write(world, alice.id, anchor("https://192.168.0.1/"))
    await world.drain()
    assert await state(world, "https://sut.test/@alice") == "no-card"
    assert await state(world, "https://192.168.0.1/") == "failed"


async def test_an_edit_leads_elsewhere_and_an_old_card_is_looked_for_again(world: World, alice: Actor) -> None:
    serve(world)
    serve(world, HTML.replace(b"Cats", b"Dogs"), "https://peer.test/dogs")
    post = await write(world, alice.id)
    await world.drain()
    for text, title in ((anchor("https://peer.test/dogs"), "Dogs"), ("nothing", None), (anchor(), "Cats")):
        async with world.database.write() as tx:
            await edit(tx, post.id, alice.id, source=text, content_html=f"<p>{text}</p>", now=clock.now())
        await world.drain()
        assert [each and each.title for each in await cards(world, post)] == [title]
    assert len(world.asked("/page")) == 1
    serve(world, HTML.replace(b"Cats", b"Lions"))
    async with world.database.write() as tx:
        await tx.execute(update(link_preview).values(fetched_at=clock.now() - plan.YOUNG - 60))
        await edit(tx, post.id, alice.id, source="x", content_html=f"<p>Look: {anchor()}</p>", now=clock.now())
    await world.drain()
    assert (await card(world, post)).title == "Lions"


@pytest.mark.usefixtures("at_once")
async def test_an_edit_from_elsewhere_is_seen(world: World, alice: Actor) -> None:
    carol = world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    await world.follow(alice, theirs)
    serve(world, HTML.replace(b"Cats", b"Dogs"), "https://other.test/dogs")
    async with world.database.write() as tx:
        post = await make_post(tx, theirs.id, text="nothing")
    note = {
        "id": post.uri, "type": "Note", "attributedTo": carol.uri, "content": f"<p>{anchor('https://other.test/dogs')}",
        "to": "https://www.w3.org/ns/activitystreams#Public", "updated": clock.iso(clock.now() + 1),
    }  # fmt: skip
    await world.post(alice.inbox, of("Update", carol, note, "https://peer.test/up/1"), by=carol)
    await world.drain()
    assert (await card(world, post)).title == "Dogs"


async def test_a_post_that_is_deleted_meanwhile_leads_to_no_fetch(world: World, alice: Actor) -> None:
    serve(world)
    post = await write(world, alice.id)
    async with world.database.write() as tx:
        with scope.cause("post_published", "post_published"):
            await plan.plan(tx, post, clock.now())
        await delete(tx, post.id, alice.id, clock.now())
    await world.drain()
    assert world.asked("/page") == []
    async with world.database.read() as tx:
        assert await tx.all(select(post_link)) == []


async def test_a_failure_leaves_the_card_that_was_there(world: World, alice: Actor) -> None:
    serve(world)
    post = await write(world, alice.id)
    await world.drain()
    serve(world, b"", status=500)
    async with world.database.write() as tx:
        await tx.execute(update(link_preview).values(expires_at=0.0, fetched_at=0.0))
    await write(world, alice.id)
    await world.drain()
    assert (await card(world, post)).title == "Cats"
    assert len(world.asked("/page")) == 2
    async with world.database.read() as tx:
        left = await tx.scalar(select(link_preview.c.expires_at))
    assert left <= clock.now() + KEPT["failed"]


async def test_what_leads_from_no_post_is_forgotten_when_it_is_over(world: World, alice: Actor) -> None:
    serve(world)
    post = await write(world, alice.id)
    await world.drain()
    over = clock.now() + KEPT["card"] + 1
    async with world.database.write() as tx:
        await prune(tx, over)
    assert await state(world) == "card"
    async with world.database.write() as tx:
        await plan.forget(tx, [post.id])
        await prune(tx, over)
    assert await state(world) is None


# oEmbed

OEMBED = b'<link rel="alternate" type="application/json+oembed" href="/oembed?url=x">'
SCRIPT = '<iframe src="https://peer.test/e" onload="alert(1)"></iframe><script>alert(2)</script>'
VARIANTS: dict[str, dict[str, Any]] = {
    "script": {"type": "video", "html": SCRIPT, "width": 1, "height": 1},
    "js-src": {"type": "rich", "html": '<iframe src="javascript:alert(1)"></iframe>'},
    "srcdoc": {"type": "video", "html": '<iframe srcdoc="<script>alert(1)</script>"></iframe>'},
    "protocol-relative": {"type": "video", "html": '<iframe src="//peer.test/e" width="600" height="300"></iframe>'},
    "huge-size": {"type": "video", "thumbnail_url": "/t.png", "thumbnail_width": "99999999", "thumbnail_height": 3},
    "negative": {"type": "photo", "url": "/t.png", "width": -1, "height": "many"},
    "own-origin": {"type": "video", "html": '<iframe src="https://sut.test/settings"></iframe>'},
    "title-html": {"type": "link", "title": "<img src=x onerror=alert(1)>", "author_url": "javascript:alert(1)"},
}


@pytest.mark.parametrize("name", VARIANTS)
async def test_no_html_of_an_oembed_answer_is_used(world: World, alice: Actor, name: str) -> None:
    serve(world, b"<head>" + OEMBED)
    document = {"version": "1.0", "title": "A title", "author_name": "Bob", **VARIANTS[name]}
    serve(world, json.dumps(document).encode(), "https://peer.test/oembed?url=x", content_type="application/json")
    post = await write(world, alice.id)
    await world.drain()
    found = await card(world, post)
    assert (found.url, found.title, found.author_name) == (PAGE, document["title"], "Bob")
    told = repr(found)
    assert not any(word in told for word in ("iframe", "javascript:", "<script", "settings", "srcdoc"))
    assert found.kind == {"video": "video", "photo": "photo"}.get(str(document["type"]), "link")
    assert found.author_url == ""
    assert (found.width, found.height) == ((16384, 3) if name == "huge-size" else (0, 0))


async def test_an_oembed_answer_that_is_none_takes_nothing_away(world: World, alice: Actor) -> None:
    serve(world, HTML.replace(b"<title>", OEMBED + b"<title>"))
    serve(world, b"[" * 100_000, "https://peer.test/oembed?url=x", content_type="application/json")
    post = await write(world, alice.id)
    await world.drain()
    assert (await card(world, post)).title == "Cats"


# Who wrote the page


@pytest.mark.parametrize(
    ("domains", "named"),
    [(("peer.test",), True), (("test",), True), (("other.test",), False), ((), False), (("eer.test",), False)],
)
async def test_an_author_is_named_where_they_name_the_page(
    world: World, alice: Actor, domains: tuple[str, ...], *, named: bool
) -> None:
    serve(world, HTML.replace(b"<title>", b'<meta name="fediverse:creator" content="@Carol@other.test"><title>'))
    async with world.database.write() as tx:
        carol = await remote.learn(tx, profile("carol@other.test", attribution_domains=domains), clock.now())
    post = await write(world, alice.id)
    await world.drain()
    assert (await card(world, post)).author_actor_id == (carol if named else None)


async def test_a_redirect_lends_no_author(world: World, alice: Actor) -> None:
    serve(world, b"", status=302, headers={"Location": "https://other.test/evil"})
    page = HTML.replace(b"<title>", b'<meta name="fediverse:creator" content="@carol@good.test"><title>')
    serve(world, page, "https://other.test/evil")
    async with world.database.write() as tx:
        await remote.learn(tx, profile("carol@good.test", attribution_domains=("peer.test",)), clock.now())
    post = await write(world, alice.id)
    await world.drain()
    assert (await card(world, post)).author_actor_id is None


def test_a_host_speaks_for_what_is_below_it() -> None:
    assert speaks_for(["peer.test"], "news.peer.test")
    assert not speaks_for(["news.peer.test"], "peer.test")
    assert not speaks_for(["peer.test"], "badpeer.test")


async def test_two_posts_of_two_personas_share_what_was_found(world: World, alice: Actor) -> None:
    serve(world)
    async with world.database.write() as tx:
        bob = (await make_persona(tx, "bob")).actor
    posts = [await write(world, by) for by in (alice.id, bob.id)]
    await world.drain()
    assert len(world.asked("/page")) == 1
    assert all(await cards(world, *posts))
