"""Timelines, as programs read them; and that a page of many posts costs few questions to the database."""

from typing import Any

import pytest
from sqlalchemy import update

from fakes.asked import asked
from makers import make_follow, make_medium, make_persona, make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.emojis.tables import emoji
from privapub.job_table import OF_FACTS, job_kinds
from privapub.jobs.worker import Worker
from privapub.link_previews.tables import link_preview, post_link
from privapub.posts import boost, boost_read, polls, read
from privapub.posts.receive import ReceivedPost, receive
from privapub.posts.tables import post as posts
from privapub.timelines import filters, lists
from privapub.timelines.fill import fill, fill_boost
from program import Program, Town, town

ALICE = "/api/v1/timelines"


async def write(app: Program, text: str = "hello", **given: Any) -> str:
    made = await app.told("POST", "/api/v1/statuses", {"status": text, **given})
    return str(made["id"])


async def shown(app: Program, path: str) -> list[str]:
    return [each["id"] for each in await app.get(f"{ALICE}/{path}")]


async def settle(sut: Town) -> None:
    await Worker(sut.database, job_kinds(sut.sut.server), only=tuple(OF_FACTS)).drain()


async def test_the_public_timelines_show_what_is_for_everybody(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            cat = await make_medium(tx, alice.id)
            theirs = str((await make_post(tx, (await make_remote(tx)).id)).id)
        ours = await write(app, "hello")
        seen = await write(app, "a cat", media_ids=[str(cat)])
        await write(app, "quiet", visibility="unlisted")
        await write(app, "closed", visibility="private")
        assert await shown(sut.stranger, "public") == [seen, ours, theirs]
        assert await shown(app, "public?local=true") == [seen, ours]
        assert await shown(app, "public?remote=true") == [theirs]
        assert await shown(app, "public?only_media=true") == [seen]


async def test_tags_are_combined(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        both = await write(app, "#Tea #cake")
        tea = await write(app, "#tea")
        milk = await write(app, "#milk")
        assert await shown(app, "tag/TEA") == [tea, both]
        assert await shown(app, "tag/tea?any[]=milk&any[]=cake") == [milk, tea, both]
        assert await shown(app, "tag/tea?all[]=Cake") == [both]
        assert await shown(app, "tag/tea?none[]=cake") == [tea]
        assert await shown(sut.stranger, "tag/nothing") == []
        first = await app.ask("GET", f"{ALICE}/tag/tea?any[]=milk&limit=1")
        assert "any[]=milk" in first.headers["link"]


async def test_a_page_begins_where_it_is_asked_to(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        a, b, c, d = [await write(app, text) for text in "abcd"]
        for name in ("home", "public"):
            await settle(sut)
            assert await shown(app, f"{name}?limit=2") == [d, c]
            assert await shown(app, f"{name}?limit=2&max_id={c}") == [b, a]
            assert await shown(app, f"{name}?limit=2&min_id={a}") == [c, b]
            assert await shown(app, f"{name}?limit=2&since_id={a}") == [d, c]
            assert await shown(app, f"{name}?limit=-2") == [d, c]
            assert await shown(app, f"{name}?max_id=nonsense") == []
            assert await shown(app, f"{name}?max_id={c}x") == [b, a]
            assert await shown(app, f"{name}?min_id={'9' * 40}") == await shown(app, f"{name}?since_id={2**63}") == []


async def test_a_list_shows_its_people_to_its_persona(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        _, other = await sut.program("eve")
        bob, theirs = await sut.program("bob")
        async with database.write() as tx:
            await make_follow(tx, alice.id, bob.id)
            number = await lists.add(tx, alice.id, "friends", now=clock.now())
            await lists.put_on(tx, alice.id, number, [bob.id])
        made = await write(theirs)
        await settle(sut)
        assert await shown(app, f"list/{number}") == [made]
        assert await other.refused("GET", f"{ALICE}/list/{number}") == (404, "Record not found")
        narrow = await sut.another(alice, "read:statuses")
        assert (await narrow.refused("GET", f"{ALICE}/list/{number}"))[0] == 403


async def test_what_leads_to_a_page_is_found_by_it(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made, hidden = await write(app, "look"), await write(app, "look", visibility="private")
        async with database.write() as tx:
            for number in (made, hidden):
                await tx.execute(post_link.insert().values(post_id=int(number), url="https://news.test/1"))
        assert await shown(app, "link?url=https%3A%2F%2Fnews.test%2F1") == [made]
        assert await shown(app, "link?url=https%3A%2F%2Fnews.test%2F2") == []


@pytest.mark.parametrize("path", ["trends", "trends/statuses", "trends/links", "trends/tags"])
async def test_nobody_counts_what_many_look_at(database: Database, path: str) -> None:
    async with town(database) as sut:
        assert await sut.stranger.get(f"/api/v1/{path}") == []


async def test_whoever_does_not_sign_in_has_no_home(database: Database) -> None:
    async with town(database) as sut:
        for path in ("home", "list/1"):
            assert (await sut.stranger.refused("GET", f"{ALICE}/{path}"))[0] == 401


async def test_filters_say_what_they_found_or_hide_it(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        bob, theirs = await sut.program("bob")
        async with database.write() as tx:
            await make_follow(tx, alice.id, bob.id)
            places = ["home", "public", "thread"]
            for word, action in (("spoiler", "warn"), ("rubbish", "hide")):
                await filters.add(
                    tx, alice.id, word, places=places, action=action, words=[(word, True)], now=clock.now()
                )
        made = await write(theirs, "a spoiler")
        await write(theirs, "some rubbish")
        await settle(sut)
        for path in ("home", "public"):
            (found,) = await app.get(f"{ALICE}/{path}")
            assert found["id"] == made
            (result,) = found["filtered"]
            assert (result["filter"]["title"], result["keyword_matches"]) == ("spoiler", ["spoiler"])
        (result,) = (await app.get(f"/api/v1/statuses/{made}"))["filtered"]
        assert result["filter"]["filter_action"] == "warn"
        assert (await theirs.get(f"/api/v1/statuses/{made}"))["filtered"] == []


# The cost of a page


async def furnish(database: Database, alice_id: int) -> None:
    """40 entries: people here and elsewhere, pictures, boosts, polls, quotes, cards, emojis, answers, a filter."""
    async with database.write() as tx:
        now = clock.now()
        people = [await make_remote(tx, f"p{number}@peer.test") for number in range(10)]
        bob = await make_persona(tx, "bob")
        for each in (*people, bob.actor):
            await make_follow(tx, alice_id, each.id)
        row = {"file": "x" * 22 + ".webp", "media_type": "image/webp", "bytes": 1, "added_at": now}
        await tx.execute(emoji.insert().values(shortcode="cat", **row))
        await filters.add(tx, alice_id, "w", places=["home"], words=[("spoiler", True)], now=now)
        made = []
        for number in range(35):
            author = people[number % 10]
            record = ReceivedPost(
                uri=f"https://peer.test/n/{number}",
                content=f"<p>{number} spoiler</p>",
                published_at=now - 100 + number,
                kind="Question" if number < 3 else "Note",
                poll=polls.ToldPoll((("a", 1), ("b", 2))) if number < 3 else None,
                tags=({"type": "Mention", "href": people[0].uri, "name": "@p0@peer.test"},),
                attachments=({"type": "Image", "url": "https://peer.test/i.png"},) if 5 <= number < 10 else (),
                in_reply_to=made[0].uri if number == 20 else None,
                quote=made[1].uri if number == 30 else None,
            )
            post_id = await receive(tx, record, author.id, "public", (), now)
            assert post_id is not None
            post = await read.by_id(tx, post_id)
            assert post is not None
            made.append(post)
            await fill(tx, post, now)
        for number in range(5):
            by = people[number]
            uri = f"https://peer.test/boost/{number}"
            stranger = await make_remote(tx, f"s{number}@other.test")
            note = await make_post(tx, stranger.id)
            await boost.receive(tx, by.id, note.id, "public", uri, None, now)
            found = await boost_read.by_uri(tx, uri)
            assert found is not None
            await fill_boost(tx, found.id, now)
        own = await make_post(tx, alice_id, text="a :cat:")
        await fill(tx, own, now)
        await tx.execute(update(posts).where(posts.c.quote.is_not(None)).values(quote_state="accepted"))
        url = "https://news.test/1"
        found_there = {"host": "news.test", "title": "News"}
        await tx.execute(
            link_preview.insert().values(url=url, state="card", found=found_there, fetched_at=now, expires_at=now + 9)
        )
        await tx.execute(post_link.insert().values(post_id=made[34].id, url=url))


async def test_a_page_of_home_costs_eight_questions(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await furnish(database, alice.id)
        await app.get(f"{ALICE}/home?limit=1")  # what is made once is made
        with asked(database) as one:
            assert len(await app.get(f"{ALICE}/home?limit=1")) == 1
        with asked(database) as many:
            page = await app.get(f"{ALICE}/home?limit=40")
    assert len(page) == 40
    assert any(each["quote"] for each in page)
    assert any(each["card"] for each in page)
    assert any(each["reblog"] for each in page)
    assert any(each["poll"] for each in page)
    assert any(each["filtered"] for each in page)
    assert any(each["emojis"] for each in page)
    statements = [each for each, _ in many]
    assert len(statements) <= 8, "\n\n".join(each[:200] for each in statements)
    assert len(one) <= 8
