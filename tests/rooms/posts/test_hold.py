"""A post with media that are still processed waits for them, and what its persona writes next waits behind it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from asgi import DOCUMENT, HTML, serving
from fakes.at_once import at_once
from makers import ADDRESSES, at_home, facts, make_follow, make_medium, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.effects.media_settled import media_settled
from privapub.errors import InvalidInput
from privapub.federation.delivery.deliver import DELIVERY
from privapub.federation.delivery.tables import rendering
from privapub.job_table import OF_FACTS, job_kinds
from privapub.jobs.tables import job as job_table
from privapub.jobs.worker import Worker
from privapub.media import make
from privapub.media.accept import MEDIA
from privapub.media.facts import MediaSettled
from privapub.media.read import FAILED, READY, WAITING
from privapub.media.tables import medium
from privapub.notifications.tables import notification
from privapub.personas.read import Persona
from privapub.posts import hold, quotes, read, versions
from privapub.posts.audience import may_see_now, seen_by
from privapub.posts.delete import delete
from privapub.posts.edit import edit
from privapub.posts.publish import publish
from privapub.posts.tables import held_post
from privapub.posts.tables import post as posts
from privapub.server import Server
from uploading import server_of


@dataclass
class World:
    server: Server
    alice: Persona
    bob: Persona
    carol: Actor

    async def run(self) -> None:
        await Worker(self.server.database, job_kinds(self.server), only=sorted(OF_FACTS)).drain()

    async def sent(self) -> list[tuple[str, str]]:
        """What was queued for carol's server, in that order: the type of each activity and the id of its post."""
        async with self.server.database.read() as tx:
            rows = await tx.all(select(job_table.c.args).where(job_table.c.kind == DELIVERY).order_by(job_table.c.id))
            told = []
            for row in rows:
                args = msgspec.json.decode(row.args)
                body = await tx.scalar(select(rendering.c.body).where(rendering.c.id == args["rendering"]))
                said = msgspec.json.decode(body)
                if said["type"] == "Accept":  # of the follow
                    continue
                about = said["object"]
                told.append((said["type"], about if isinstance(about, str) else about["id"]))
        return told


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> World:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
        await make_follow(tx, bob.id, alice.id)
    return World(server_of(database, tmp_path), alice, bob, carol)


async def write(tx: Transaction, author: Persona, text: str = "Hello", **changes: Any) -> read.Post:
    values: dict[str, Any] = {"audience": "public", "source": text, "content_html": f"<p>{text}</p>", "may_wait": True}
    values["now"] = clock.now()
    return await read.known(tx, await publish(tx, author_id=author.id, addresses=ADDRESSES, **(values | changes)))


async def upload(tx: Transaction, author: Persona, state: str = WAITING) -> int:
    return await make_medium(tx, author.id, state=state, **({} if state == READY else {"files": []}))


async def end(tx: Transaction, number: int, why: str = "") -> None:
    """The job of an upload ends as it does: it is ready, or failed for this reason."""
    job = make.Job(number, MEDIA, MEDIA, {"medium": number}, 1, "", "", 0.0, 0.0, 0.0)
    made = make.Made("image", (), 9, 9, None, "UBL", "#102030", animated=False, removed=(), peak=0, cpu=0.0)
    files = ({"role": "original", "name": f"{'x' * 22}.jpg", "media_type": "image/jpeg", "width": 9, "bytes": 9},)
    await make.write(ADDRESSES, tx, job, make.Stored(None, why=why) if why else make.Stored(made, files), clock.now())


async def test_it_is_its_authors_alone_until_its_media_are_ready(database: Database, world: World) -> None:
    async with database.write() as tx:
        number = await upload(tx, world.alice)
        post = await write(tx, world.alice, media=[number], mentions=[world.bob.id, world.carol.id])
        assert (post.audience, post.attachments[0]["url"]) == ("held", None)
    await world.run()
    async with database.read() as tx:
        for viewer in (None, world.bob.id, world.carol.id):
            assert not await may_see_now(tx, post, viewer)
            assert await tx.all(select(posts.c.id).where(seen_by(viewer))) == []
        assert await may_see_now(tx, post, world.alice.id)
        assert [each.id for each in await at_home(tx, world.alice.id)] == [post.id]
        assert await at_home(tx, world.bob.id) == []
        assert await tx.all(select(notification).where(notification.c.kind != "follow")) == []
        assert await read.count_public(tx, world.alice.id) == 0
        assert await read.count_local_public(tx) == 0
    assert await world.sent() == []
    async with serving(database) as sut:
        assert (await sut.get(post.uri, accept=DOCUMENT)).status == 404
        assert (await sut.get(post.uri, accept=DOCUMENT, by=world.carol)).status == 404
        assert (await sut.get(post.activity_uri or "", accept=DOCUMENT)).status == 404
        assert (await sut.get(post.uri, accept=HTML)).status == 404
        assert "Hello" not in (await sut.get("/@alice", accept=HTML)).text
        assert (await sut.get(f"{world.alice.actor.uri}/outbox", accept=DOCUMENT)).json["totalItems"] == 0
    async with database.write() as tx:
        await end(tx, number)
    await world.run()
    assert await world.sent() == [("Create", post.uri)]
    async with database.read() as tx:
        gone = await read.known(tx, post.id)
        assert gone.audience == "public"
        assert gone.attachments[0]["url"] == ADDRESSES.medium(f"{'x' * 22}.jpg")
        assert (gone.attachments[0]["alt"], gone.attachments[0]["width"]) == ("a cat", 9)
        assert (await read.recipient_ids(tx, [post.id]))[post.id] == tuple(sorted([world.bob.id, world.carol.id]))
        assert [each.id for each in await at_home(tx, world.bob.id)] == [post.id]
        assert len(await tx.all(select(notification).where(notification.c.kind != "follow"))) == 1
        assert await tx.all(select(held_post)) == []
    async with serving(database) as sut:
        assert "Hello" in (await sut.get(post.uri, accept=HTML)).text


async def test_without_the_switch_only_what_is_ready_is_attached(database: Database, world: World) -> None:
    async with database.write() as tx:
        number, failed = await upload(tx, world.alice), await upload(tx, world.alice, FAILED)
        with pytest.raises(InvalidInput, match="no such upload"):
            await write(tx, world.alice, media=[number], may_wait=False)
        with pytest.raises(InvalidInput, match="no such upload"):
            await write(tx, world.alice, media=[failed])


async def test_what_is_written_later_goes_later(database: Database, world: World) -> None:
    async with database.write() as tx:
        numbers = [await upload(tx, world.alice) for _ in range(2)]
        ready = await upload(tx, world.alice, READY)
        first = await write(tx, world.alice, "one")
        waiting = await write(tx, world.alice, "two", media=[numbers[0]])
        # Also where it waits for nothing itself, whether or not it may wait.
        behind = await write(tx, world.alice, "three", may_wait=False)
        other = await write(tx, world.alice, "four", media=[ready, numbers[1]], audience="followers")
        last = await write(tx, world.alice, "five", audience="unlisted")
        elsewhere = await write(tx, world.bob, "of another persona")
        assert [each.audience == "held" for each in (first, waiting, behind, other, last, elsewhere)] == [
            False, True, True, True, True, False,
        ]  # fmt: skip
    await world.run()
    assert await world.sent() == [("Create", first.uri)]
    async with database.write() as tx:
        await end(tx, numbers[1])
    await world.run()
    assert await world.sent() == [("Create", first.uri)]
    async with database.write() as tx:
        await end(tx, numbers[0])
    await world.run()
    assert await world.sent() == [("Create", each.uri) for each in (first, waiting, behind, other, last)]
    async with database.write() as tx:
        assert [(await read.known(tx, each.id)).audience for each in (waiting, behind, other, last)] == [
            "public", "public", "followers", "unlisted",
        ]  # fmt: skip
        assert (await write(tx, world.alice, "six")).audience == "public"


async def test_many_go_some_at_a_time(database: Database, world: World) -> None:
    async with database.write() as tx:
        number = await upload(tx, world.alice)
        written = [await write(tx, world.alice, "first", media=[number])]
        written += [await write(tx, world.alice, str(at)) for at in range(hold.AT_ONCE * 2)]
        await end(tx, number)
    await world.run()
    assert await world.sent() == [("Create", each.uri) for each in written]


async def test_what_failed_is_not_sent_and_says_why_and_nothing_waits_behind_it(
    database: Database, world: World
) -> None:
    async with database.write() as tx:
        failing, fine = await upload(tx, world.alice), await upload(tx, world.alice, READY)
        post = await write(tx, world.alice, "one", media=[failing, fine])
        behind = await write(tx, world.alice, "two")
        await end(tx, failing, "The picture is damaged.")
    await world.run()
    assert await world.sent() == [("Create", behind.uri)]
    async with database.write() as tx:
        told = (await hold.of_posts(tx, [await read.known(tx, post.id), await read.known(tx, behind.id)]))[post.id]
        assert (told.audience, told.why) == ("public", "The picture is damaged.")
        assert (await write(tx, world.alice, "three")).audience == "public"
        how = {"source": "one", "content_html": "<p>one</p>", "now": clock.now()}
        await edit(tx, post.id, world.alice.id, **how, alts=["broken", "whole"])  # type: ignore[arg-type]  # as named
    await world.run()
    assert post.uri not in {uri for _, uri in await world.sent()}
    async with database.write() as tx:
        await edit(tx, post.id, world.alice.id, **how, drop_failed=True)  # type: ignore[arg-type]  # as named
    await world.run()
    assert next(kind for kind, uri in await world.sent() if uri == post.uri) == "Create"
    async with database.read() as tx:
        gone = await read.known(tx, post.id)
        assert [each["alt"] for each in gone.attachments] == ["whole"]
        assert [row.id for row in await tx.all(select(medium.c.id).where(medium.c.post_id == post.id))] == [fine]


async def test_nothing_but_a_picture_that_failed_is_no_post(database: Database, world: World) -> None:
    async with database.write() as tx:
        failing = await upload(tx, world.alice)
        post = await write(tx, world.alice, "", media=[failing])
        await end(tx, failing, "The picture is damaged.")
        with pytest.raises(InvalidInput, match="needs a text"):
            await edit(tx, post.id, world.alice.id, source="", content_html="", drop_failed=True, now=clock.now())


async def test_what_is_deleted_goes_nowhere_and_lets_the_next_go(database: Database, world: World) -> None:
    async with database.write() as tx:
        number = await upload(tx, world.alice)
        post = await write(tx, world.alice, "one", media=[number])
        behind = await write(tx, world.alice, "two")
        await delete(tx, post.id, world.alice.id, clock.now())
        await end(tx, number)
    await world.run()
    assert await world.sent() == [("Create", behind.uri)]
    async with database.read() as tx:
        assert await tx.all(select(held_post)) == []
        assert await tx.all(select(medium.c.id)) == []


async def test_what_is_edited_meanwhile_goes_as_it_reads_then(database: Database, world: World) -> None:
    async with database.write() as tx:
        number = await upload(tx, world.alice)
        post = await write(tx, world.alice, "one", media=[number], audience="followers")
        await edit(
            tx, post.id, world.alice.id, source="new", content_html="<p>new</p>", mentions=[world.carol.id],
            alts=["a dog"], now=clock.now(),
        )  # fmt: skip
    await world.run()
    assert await world.sent() == []
    async with database.write() as tx:
        assert (await read.recipient_ids(tx, [post.id]))[post.id] == ()
        await end(tx, number)
    await world.run()
    assert await world.sent() == [("Create", post.uri)]
    async with database.read() as tx:
        gone = await read.known(tx, post.id)
        assert (gone.content, gone.attachments[0]["alt"]) == ("<p>new</p>", "a dog")
        # What nobody has read before is told to nobody.
        assert gone.edited_at is None
        assert [each.content for each in await versions.of(tx, gone)] == ["<p>new</p>"]
        assert (await read.recipient_ids(tx, [post.id]))[post.id] == (world.carol.id,)


async def test_who_is_quoted_is_asked_when_it_goes(database: Database, world: World) -> None:
    async with database.write() as tx:
        theirs = await make_post(tx, world.carol.id, "public", "theirs")
        number = await upload(tx, world.alice)
        post = await write(tx, world.alice, media=[number])
        await quotes.ask(tx, post.id, theirs.uri, ADDRESSES, clock.now())
    await world.run()
    assert await world.sent() == []
    async with database.write() as tx:
        await end(tx, number)
    await world.run()
    assert [kind for kind, _ in await world.sent()] == ["Create", "QuoteRequest"]


async def test_nothing_is_lost_between_two_lines(database: Database, world: World) -> None:
    async with database.write() as tx:
        number = await upload(tx, world.alice)
        post = await write(tx, world.alice, media=[number])
    with pytest.raises(KeyboardInterrupt):
        async with database.write() as tx:
            await end(tx, number)
            assert await facts(tx, "media_settled") == [{"persona_id": world.alice.id}]
            raise KeyboardInterrupt
    async with database.read() as tx:
        assert await facts(tx, "media_settled") == []
        assert (await read.known(tx, post.id)).audience == "held"
    async with database.write() as tx:
        await end(tx, number)
    with pytest.raises(KeyboardInterrupt):
        async with database.write() as tx:
            await hold.release(tx, world.alice.id, ADDRESSES)
            raise KeyboardInterrupt
    await world.run()
    assert await world.sent() == [("Create", post.uri)]


async def test_who_writes_while_the_former_goes_waits_for_nothing_in_vain(database: Database, world: World) -> None:
    for released_first in (True, False):
        async with database.write() as tx:
            number = await upload(tx, world.alice)
            first = await write(tx, world.alice, "one", media=[number])
            await end(tx, number)
        second: list[read.Post] = []

        async def publishes(tx: Transaction, into: list[read.Post] = second) -> None:
            into.append(await write(tx, world.alice, "two", may_wait=False))

        async def goes(tx: Transaction) -> None:
            await media_settled(tx, MediaSettled(world.alice.id), ADDRESSES, clock.now())

        await at_once(database, *((goes, publishes) if released_first else (publishes, goes)))
        await world.run()
        ours = [(kind, uri) for kind, uri in await world.sent() if uri in {first.uri, second[0].uri}]
        assert ours == [("Create", first.uri), ("Create", second[0].uri)]
        async with database.read() as tx:
            assert await tx.all(select(held_post)) == []


async def test_what_is_ready_while_it_is_attached_is_waited_for_by_nobody(database: Database, world: World) -> None:
    for ended_first in (True, False):
        async with database.write() as tx:
            number = await upload(tx, world.alice)

        async def attaches(tx: Transaction, number: int = number) -> None:
            await write(tx, world.alice, media=[number])

        async def ends(tx: Transaction, number: int = number) -> None:
            await end(tx, number)

        await at_once(database, *((ends, attaches) if ended_first else (attaches, ends)))
        await world.run()
        async with database.read() as tx:
            assert await tx.all(select(held_post)) == []
    assert [kind for kind, _ in await world.sent()] == ["Create", "Create"]


async def test_what_is_edited_while_it_goes_is_told(database: Database, world: World) -> None:
    how: dict[str, Any] = {"source": "new", "content_html": "<p>new</p>"}
    for released_first in (True, False):
        async with database.write() as tx:
            number = await upload(tx, world.alice)
            post = await write(tx, world.alice, "old", media=[number])
            await end(tx, number)

        async def edits(tx: Transaction, post: read.Post = post) -> None:
            await edit(tx, post.id, world.alice.id, **how, mentions=[world.carol.id], alts=["a dog"], now=clock.now())

        async def goes(tx: Transaction) -> None:
            await media_settled(tx, MediaSettled(world.alice.id), ADDRESSES, clock.now())

        await at_once(database, *((goes, edits) if released_first else (edits, goes)))
        await world.run()
        async with database.read() as tx:
            gone = await read.known(tx, post.id)
            assert (gone.audience, gone.content) == ("public", "<p>new</p>")
            assert [(each["alt"], each["width"]) for each in gone.attachments] == [("a dog", 9)]
            assert (await read.recipient_ids(tx, [post.id]))[post.id] == (world.carol.id,)
