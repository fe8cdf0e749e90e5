"""Threads read from the servers that hold them, over real sockets."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import select

from fakes.activities import create, note, post_at
from fakes.world import CONTEXT, Person, World
from makers import make_post
from privapub import clock, scope
from privapub.database.transaction import Transaction
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.inbox.received import keep
from privapub.federation.threads import walk
from privapub.federation.threads.door import Turns
from privapub.federation.threads.walk import Walk
from privapub.jobs.tables import job
from privapub.posts import threads
from privapub.posts.tables import post, thread

ROOT = "https://peer.test/n/root"


KEPT: list[str] = []  # as they came: what is kept in one transaction has one time


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    async def noted(tx: Transaction, record: RemotePost, *rest: Any, **more: Any) -> object:
        KEPT.append(record.uri)
        return await keep(tx, record, *rest, **more)

    KEPT.clear()
    monkeypatch.setattr(walk, "keep", noted)


def page_of(uri: str, items: list[Any], **more: Any) -> dict[str, Any]:
    return {"@context": CONTEXT, "type": "CollectionPage", "id": uri, "items": items, **more}


def collection_of(uri: str, **more: Any) -> dict[str, Any]:
    return {"@context": CONTEXT, "type": "Collection", "id": uri, **more}


def serve_note(world: World, carol: Person, name: str, parent: str | None = None, **changes: Any) -> str:
    """A note of carol's at her own host, perhaps answering another of these."""
    uri = f"https://{carol.host}/n/{name}"
    above = parent if parent is None or "://" in parent else f"https://{carol.host}/n/{parent}"
    document = {"@context": CONTEXT, **note(carol, uri, inReplyTo=above, content=f"<p>{name}</p>", **changes)}
    world.serve(uri, document)
    return uri


async def read(world: World, uri: str = ROOT, trigger: str = "", **limits: int) -> Walk:
    """Read the thread, as its job does; with these limits of its budget instead of its own."""
    with scope.cause(trigger or "context", "context") as budget:
        for name, number in limits.items():
            setattr(budget, name, number)
        reading = Walk(world.server, Turns(), trigger)
        await reading.read(uri)
    return reading


async def held(world: World) -> list[str]:
    """The last parts of the uris of the posts that are held, in the order in which they were kept."""
    async with world.database.read() as tx:
        rows = await tx.all(select(post.c.uri).where(~post.c.local))
    uris = {row.uri for row in rows}  # what came by itself was there before
    return [uri.rpartition("/")[2] for uri in (*(uris - set(KEPT)), *dict.fromkeys(KEPT)) if uri in uris]


def paths(world: World) -> list[str]:
    return [each.path for each in (*world.peer.received, *world.other.received)]


def asked_twice(world: World) -> list[str]:
    found = [(each.headers["Host"], each.path) for each in (*world.peer.received, *world.other.received)]
    return [path for host, path in set(found) if found.count((host, path)) > 1]


async def test_a_context_collection_is_read_page_by_page_and_nothing_besides(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context, replies="https://peer.test/r/root")
    uris = [ROOT, *(serve_note(world, carol, f"a{n}", "root", replies=f"https://peer.test/r/a{n}") for n in range(5))]
    world.serve(context, collection_of(context, first=f"{context}?page=1"))
    world.serve(f"{context}?page=1", page_of(f"{context}?page=1", uris[:3], next=f"{context}?page=2"))
    world.serve(f"{context}?page=2", page_of(f"{context}?page=2", uris[3:]))
    found = await read(world)
    assert found.found == 6
    assert await held(world) == ["root", "a0", "a1", "a2", "a3", "a4"]
    assert not [path for path in paths(world) if path.startswith("/r/")]
    assert asked_twice(world) == []


async def test_replies_are_read_where_there_is_no_context(world: World) -> None:
    carol, dave = world.person("https://peer.test/u/carol"), world.person("https://other.test/u/dave")
    serve_note(world, carol, "root", replies="https://peer.test/r/root")
    one = serve_note(world, carol, "one", "root", replies="https://peer.test/r/one")
    two = serve_note(world, dave, "two", one)
    first = page_of("https://peer.test/r/root?page=0", [], next="https://peer.test/r/root?page=1")
    world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", first=first))
    world.serve("https://peer.test/r/root?page=1", page_of("https://peer.test/r/root?page=1", [one]))
    world.serve(
        "https://peer.test/r/one", collection_of("https://peer.test/r/one", items=[{"type": "Note", "id": two}])
    )
    await read(world)
    assert await held(world) == ["root", "one", "two"]
    deep = await post_at(world, two)
    assert deep is not None
    assert deep.in_reply_to_id is not None
    assert asked_twice(world) == []


async def test_parents_are_kept_before_what_answers_them_however_they_are_listed(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    names = ["root", *(str(n) for n in range(12))]
    uris = [serve_note(world, carol, name, above) for above, name in pairwise(names)]
    world.serve(context, {**collection_of(context), "type": "OrderedCollection", "orderedItems": uris[::-1]})
    await read(world)
    assert await held(world) == names
    assert asked_twice(world) == []


async def test_from_below_the_way_up_is_read_first(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    names = ["root", *(str(n) for n in range(12))]
    serve_note(world, carol, "root")
    uris = [serve_note(world, carol, name, above) for above, name in pairwise(names)]
    found = await read(world, uris[-1])
    assert await held(world) == names
    assert found.found == 13


async def test_a_collection_of_activities_leads_to_their_posts(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    one, two = serve_note(world, carol, "one", "root"), serve_note(world, carol, "two", "root")
    created = {"@context": CONTEXT, "type": "Create", "id": "https://peer.test/a/2", "actor": carol.uri, "object": two}
    world.serve("https://peer.test/a/2", created)
    items = [
        {"type": "Create", "id": "https://peer.test/a/0", "object": {"type": "Note", "id": ROOT}},
        {"type": "Add", "id": "https://peer.test/a/1", "object": {"type": "Create", "object": one}},
        {"type": "Like", "id": "https://peer.test/a/3", "object": one},
        "https://peer.test/a/2",
    ]
    world.serve(context, {**collection_of(context), "type": "OrderedCollection", "orderedItems": items})
    await read(world)
    assert await held(world) == ["root", "one", "two"]
    assert "/a/3" not in paths(world)


async def test_a_history_is_read_where_there_is_no_other_collection(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    serve_note(world, carol, "root", context="tag:peer.test,2026:1", contextHistory="https://peer.test/h/1")
    items = [{"type": "Create", "object": ROOT}, {"type": "Create", "object": serve_note(world, carol, "one", "root")}]
    history = {**collection_of("https://peer.test/h/1"), "type": "OrderedCollection", "orderedItems": items}
    world.serve("https://peer.test/h/1", history)
    await read(world)
    assert await held(world) == ["root", "one"]


async def test_only_what_is_for_everyone_is_kept(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    serve_note(world, carol, "unlisted", "root", to=[], cc=["as:Public"])
    serve_note(world, carol, "followers", "root", to=[f"{carol.uri}/followers"])
    serve_note(world, carol, "direct", "root", to=[])
    names = ("root", "followers", "unlisted", "direct")
    world.serve(context, collection_of(context, items=[f"https://peer.test/n/{name}" for name in names]))
    await read(world)
    assert await held(world) == ["root", "unlisted"]


async def test_what_another_host_says_of_a_post_is_not_believed(world: World) -> None:
    carol, dave = world.person("https://peer.test/u/carol"), world.person("https://other.test/u/dave")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    true = serve_note(world, dave, "one", ROOT)
    forged = {**note(dave, true), "content": "<p>forged</p>"}
    invented = note(dave, "https://other.test/n/invented", inReplyTo=ROOT)
    foreign = "https://peer.test/n/foreign"  # dave never wrote it
    world.serve(foreign, {"@context": CONTEXT, **note(dave, foreign, inReplyTo=ROOT)})
    world.serve(context, collection_of(context, items=[ROOT, forged, invented, foreign]))
    await read(world)
    assert await held(world) == ["root", "one"]
    kept = await post_at(world, true)
    assert kept is not None
    assert kept.content == "<p>one</p>"


async def test_an_author_whose_address_leads_to_somebody_else_wrote_nothing(world: World) -> None:
    carol, dave = world.person("https://peer.test/u/carol"), world.person("https://other.test/u/dave")
    fake = "https://peer.test/u/fake"
    world.serve(fake, dave.document())
    serve_note(world, carol, "root", replies="https://peer.test/r/root")
    answers = [
        serve_note(world, carol, "forged", "root", attributedTo=fake),
        serve_note(world, carol, "honest", "root"),
    ]
    world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", items=answers))
    await read(world)
    assert await held(world) == ["root", "honest"]


async def test_what_is_no_part_of_the_thread_is_not_kept(world: World) -> None:
    carol, dave = world.person("https://peer.test/u/carol"), world.person("https://other.test/u/dave")
    serve_note(world, carol, "root", replies="https://peer.test/r/root")
    serve_note(world, dave, "advert")
    stray = serve_note(world, dave, "stray", "https://other.test/n/advert")
    world.serve(
        "https://peer.test/r/root",
        collection_of("https://peer.test/r/root", items=["https://other.test/n/advert", stray]),
    )
    await read(world)
    assert await held(world) == ["root"]


async def test_our_own_posts_are_not_asked_for(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    async with world.database.write() as tx:
        ours = await make_post(tx, alice.id)
    reply = serve_note(world, carol, "reply", ours.uri, replies="https://peer.test/r/reply")
    nested = serve_note(world, carol, "nested", reply)
    world.serve("https://peer.test/r/reply", collection_of("https://peer.test/r/reply", items=[nested, ours.uri]))
    found = await read(world, reply)
    assert await held(world) == ["reply", "nested"]
    assert found.found == 2


@pytest.mark.parametrize("how", ["itself", "for ever", "two", "elsewhere", "empty"])
async def test_pages_without_an_end_come_to_one(world: World, how: str) -> None:
    carol = world.person("https://peer.test/u/carol")
    serve_note(world, carol, "root", replies="https://peer.test/c/first")
    asked: list[str] = []
    ordinary = world.peer.answer

    async def endless(request: web.Request) -> web.StreamResponse:
        path = request.raw_path
        if not path.startswith("/c/"):
            return await ordinary(request)
        asked.append(path)
        number = int(request.query.get("page", "0"))
        following = {
            "itself": "https://peer.test/c/first",
            "for ever": f"https://peer.test/c/first?page={number + 1}",
            "two": f"https://peer.test/c/first?page={1 if number != 1 else 2}",
            "elsewhere": "https://other.test/c/first",
            "empty": f"https://peer.test/c/first?page={number + 1}",
        }[how]
        items = [] if how == "empty" else [f"https://peer.test/n/missing{number}"]
        found = page_of(f"https://peer.test{path}", items, next=following)
        return web.json_response(found, content_type="application/activity+json")

    world.peer.answer = endless
    await read(world)
    assert len(asked) == {"itself": 1, "for ever": 101, "two": 3, "elsewhere": 1, "empty": 2}[how]
    assert len(set(asked)) == len(asked)
    assert world.other.received == []


async def test_nothing_is_asked_for_beyond_the_budget(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    uris = [ROOT, *(serve_note(world, carol, f"a{n}", "root") for n in range(30))]
    world.serve(context, collection_of(context, items=uris))
    found = await read(world, objects=12)
    root, *others = await held(world)
    assert root == "root"
    assert len(others) == 9  # with carol and her address
    assert {*others} <= {f"a{n}" for n in range(9 + walk.AHEAD)}  # of those asked for ahead, any may be the last
    assert len([path for path in paths(world) if not path.startswith("/c/")]) == 12
    assert found.budget.spent()


async def test_who_wrote_what_is_asked_within_the_budget_too(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    people = [world.person(f"https://peer.test/u/p{n}") for n in range(30)]
    serve_note(world, carol, "root", replies="https://peer.test/r/root")
    items = [serve_note(world, each, each.handle, "root") for each in people]
    world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", items=items))
    await read(world, objects=20)
    assert len([path for path in paths(world) if not path.startswith("/r/")]) == 20


def redirected(world: World, carol: Person, targets: list[str]) -> None:
    """A thread of carol's whose answers lead to these addresses."""
    items = [f"https://peer.test/n/r{n}" for n in range(len(targets))]
    serve_note(world, carol, "root", replies="https://peer.test/r/root")
    world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", items=items))
    for uri, target in zip(items, targets, strict=True):
        world.serve(uri, status=302, headers={"Location": target})


async def test_where_redirects_lead_is_asked_once_for_a_thread(world: World) -> None:
    redirected(world, world.person("https://peer.test/u/carol"), ["https://other.test/n/1"] * 40)
    await read(world)
    assert len(world.asked("/n/1", world.other)) == 1


async def test_hosts_to_which_redirects_lead_are_counted(world: World) -> None:
    redirected(world, world.person("https://peer.test/u/carol"), [f"https://h{n}.test/n/1" for n in range(30)])
    found = await read(world)
    assert len(found.budget.met) == 20
    assert len({name for name in world.internet.names.asked if name.startswith("h")}) == 19


async def test_a_redirect_to_a_host_that_does_not_answer_leaves_the_one_that_led_there(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    redirected(world, carol, ["https://silent.test/n/1"])
    answers = ["https://peer.test/n/r0", serve_note(world, carol, "one", "root")]
    world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", items=answers))
    found = await read(world)
    assert found.door.silent == {"silent.test"}
    assert await held(world) == ["root", "one"]


async def test_many_hosts_in_one_list_are_not_all_asked(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    world.serve(context, collection_of(context, items=[f"https://h{n}.test/n/1" for n in range(300)]))
    found = await read(world)
    assert len(found.budget.met) == 20
    assert len({name for name in world.internet.names.asked if name.startswith("h")}) == 19


async def test_bytes_are_counted_over_all_that_is_asked(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    uris = [ROOT, *(serve_note(world, carol, f"a{n}", "root", summary="x" * 10_000) for n in range(30))]
    world.serve(context, collection_of(context, items=uris))
    await read(world, bytes=100_000)
    assert 5 <= len(await held(world)) <= 11  # nine and the root fit; one more may be under way when that turns out


async def test_at_most_two_requests_at_a_time_go_to_one_host(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    uris = [serve_note(world, carol, f"a{n}", "root", replies=f"https://peer.test/r/{n}") for n in range(12)]
    world.serve(context, collection_of(context, items=uris))
    ordinary, running, most = world.peer.answer, 0, 0

    async def counted(request: web.Request) -> web.StreamResponse:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005)
        running -= 1
        return await ordinary(request)

    world.peer.answer = counted
    turns = Turns()

    async def one() -> None:
        with scope.cause("context", "context"):
            await Walk(world.server, turns, "").read(ROOT)

    await asyncio.gather(*(one() for _ in range(3)))
    assert most == 2
    assert sorted(await held(world)) == sorted(["root", *(f"a{n}" for n in range(12))])


async def test_several_posts_by_somebody_unknown_ask_for_them_once(world: World) -> None:
    carol, dave = world.person("https://peer.test/u/carol"), world.person("https://other.test/u/dave")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    uris = [serve_note(world, dave, f"a{n}", ROOT) for n in range(6)]
    world.serve(context, collection_of(context, items=uris))
    await read(world)
    assert await held(world) == ["root", *(f"a{n}" for n in range(6))]
    assert asked_twice(world) == []


async def test_a_host_that_fails_is_asked_once_for_a_thread(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    context = "https://peer.test/c/1"
    serve_note(world, carol, "root", context=context)
    world.serve(context, collection_of(context, items=[ROOT, *(f"https://other.test/n/{n}" for n in range(40))]))

    async def down(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=503)

    world.other.answer = down
    found = await read(world)
    assert len(world.other.received) <= 2
    assert found.unreachable
    assert await held(world) == ["root"]


async def test_an_answer_to_an_unknown_post_has_its_thread_read(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    dave = world.person("https://other.test/u/dave")
    serve_note(world, dave, "root")
    parent = serve_note(world, dave, "parent", "root")
    reply = note(carol, inReplyTo=parent, to=["as:Public", alice.uri])
    await world.post(alice.inbox, create(carol, reply), by=carol)
    await world.drain()
    assert sorted(await held(world)) == ["1", "parent", "root"]
    top = await post_at(world, "https://peer.test/n/1")
    assert top is not None
    assert top.in_reply_to_id is not None
    async with world.database.read() as tx:
        known = {row.root: row.found for row in await tx.all(select(thread))}
        later = await tx.all(select(job.c.args, job.c.run_at).where(job.c.kind == "context", job.c.state == "waiting"))
    assert known == {parent: 2, "https://other.test/n/root": 2}
    assert len(later) == 1  # it grew: it is read again later
    assert later[0].run_at > clock.now() + 600


async def test_a_thread_that_grows_no_more_is_left_alone(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    serve_note(world, carol, "root", replies="https://peer.test/r/root")
    items: list[str] = []
    async with world.database.write() as tx:
        assert await threads.ask(tx, ROOT, clock.now())
    readings = []
    for growth in (1, 1, 0, 1):
        items += [serve_note(world, carol, f"a{len(items)}", "root") for _ in range(growth)]
        world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", items=list(items)))
        await world.drain()
        readings.append(len(await held(world)))
        clock.advance(86401)
    assert readings == [2, 3, 3, 3]


async def test_a_readers_look_leaves_no_trace_and_counts_once_an_hour(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    serve_note(world, carol, "root", replies="https://peer.test/r/root")
    world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", items=[]))
    await read(world)
    kept = await post_at(world, ROOT)
    assert kept is not None
    one = serve_note(world, carol, "one", "root")
    world.serve("https://peer.test/r/root", collection_of("https://peer.test/r/root", items=[one]))
    await world.drain()
    async with world.database.write() as tx:
        before = len(await tx.all(select(job.c.id)))
        assert await threads.look(tx, kept, clock.now())
        assert not await threads.look(tx, kept, clock.now() + 3500)
    await world.drain()
    assert await post_at(world, one) is not None
    async with world.database.write() as tx:
        assert len(await tx.all(select(job.c.id))) == before
        assert await threads.look(tx, kept, clock.now() + 3700)


async def test_a_thread_that_is_not_for_everyone_is_not_asked_for(world: World) -> None:
    alice = await world.persona()
    async with world.database.write() as tx:
        secret = await make_post(tx, alice.id, "followers")
        assert not await threads.look(tx, secret, clock.now())
        assert not await threads.answered(tx, "https://peer.test/n/1", "followers", clock.now())
