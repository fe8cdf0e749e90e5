"""Filters of a persona: made, changed, over; what they do to its timelines and to nobody else's."""

from dataclasses import replace

import pytest

from makers import at_home, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.errors import InvalidInput, NotFound
from privapub.posts.poll_read import Option, Poll
from privapub.timelines import filters
from privapub.timelines.fill import fill
from privapub.timelines.home import home
from privapub.timelines.read import public

NOW = 1_800_000_000.0


async def test_what_is_hidden_is_gone_and_what_is_warned_of_says_so(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        for reader in (alice, bob):
            await make_follow(tx, reader.id, carol.id)
        cats, dogs, cows = [await make_post(tx, carol.id, text=f"About {what}") for what in ("cats", "dogs", "cows")]
        own = await make_post(tx, alice.id, text="My cats")
        for post in (cats, dogs, cows, own):
            await fill(tx, post, NOW)
        await filters.add(
            tx, alice.id, "No cats", places=["home"], action="hide", words=[("cats", True)], now=clock.now()
        )
        await filters.add(
            tx, alice.id, "Dogs", places=["home"], words=[("dog", False)], post_ids=[cows.id], now=clock.now()
        )
        page = await home(tx, alice.id, Window(), clock.now())
        assert {entry.post.id: [match.filter.title for match in entry.matches] for entry in page.items} == {
            dogs.id: ["Dogs"],
            cows.id: ["Dogs"],
            own.id: [],
        }
        # In another place, and for another persona, nothing is filtered.
        assert len((await public(tx, alice.id, Window(), clock.now())).items) == 4
        assert {post.id for post in await at_home(tx, bob.id)} == {cats.id, dogs.id, cows.id}


async def test_a_page_is_full_though_much_of_it_is_hidden(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        shown = []
        for number in range(12):
            post = await make_post(tx, carol.id, text="cats" if number % 3 else "dogs")
            await fill(tx, post, NOW)
            if not number % 3:
                shown.append(post.id)
            clock.advance(1)
        await filters.add(tx, alice.id, "cats", places=["home"], action="hide", words=[("cats", True)], now=NOW)
        first = await home(tx, alice.id, Window(limit=2), clock.now())
        second = await home(tx, alice.id, Window(before=first.older, limit=2), clock.now())
        assert [entry.id for entry in first.items + second.items] == sorted(shown, reverse=True)
        back = await home(tx, alice.id, Window(just_after=second.newer, limit=2), clock.now())
        assert [entry.id for entry in back.items] == [entry.id for entry in first.items]


async def test_a_filter_ends(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        made = await filters.add(
            tx, alice.id, "x", places=["home", "public"], words=[("x", True)], ends_at=NOW + 60, now=NOW
        )
        assert [one.id for one in await filters.in_force(tx, alice.id, "home", NOW)] == [made]
        assert await filters.in_force(tx, alice.id, "thread", NOW) == []
        assert await filters.in_force(tx, alice.id, "home", NOW + 60) == []
        await filters.expire(tx, alice.id, made, None)
        assert len(await filters.in_force(tx, alice.id, "home", NOW + 60)) == 1


async def test_a_filter_is_changed_by_its_own_persona_alone(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        made = await filters.add(tx, alice.id, "x", places=["home"], words=[("x", True)], now=NOW)
        for mine in (filters.by_id(tx, bob.id, made), filters.change(tx, bob.id, made, title="y", now=NOW)):
            with pytest.raises(NotFound):
                await mine
        assert not await filters.remove(tx, bob.id, made)
        before = await filters.by_id(tx, alice.id, made)
        await filters.change(tx, alice.id, made, title="y", action="blur", now=NOW)
        assert await filters.by_id(tx, alice.id, made) == replace(before, title="y", action="blur")
        await filters.change(tx, alice.id, made, words=[("z", False)], places=["thread"], post_ids=[5], now=NOW)
        changed = await filters.by_id(tx, alice.id, made)
        assert [(word.word, word.whole) for word in changed.words] == [("z", False)]
        assert (changed.places, [post for _, post in changed.post_ids]) == (("thread",), [5])
        assert await filters.remove(tx, alice.id, made)
        assert await filters.of(tx, alice.id) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": ""}, {"title": "x" * 201}, {"places": []}, {"places": ["moon"]}, {"action": "burn"},
        {"words": [(" ", True)]}, {"words": [("x" * 201, True)]}, {"words": [("x", True)] * 201},
    ],
)  # fmt: skip
async def test_what_cannot_be_a_filter_is_refused(database: Database, wrong: dict[str, object]) -> None:
    values: dict[str, object] = {"title": "x", "places": ["home"], "words": [("x", True)], **wrong}
    async with database.write() as tx:
        alice = await make_persona(tx)
        with pytest.raises(InvalidInput):
            await filters.add(tx, alice.id, now=NOW, **values)  # type: ignore[arg-type]  # the values are of many types


async def test_the_options_of_a_poll_and_the_words_of_files_are_looked_at(database: Database) -> None:
    async with database.write() as tx:
        post = await make_post(tx, (await make_remote(tx)).id, text="Which one?")
    poll = Poll(
        post.id, multiple=False, options=(Option("cats", None),), voters=None, ends_at=None, closed_at=None, read_at=NOW
    )
    assert "cats" in filters.text_in(replace(post, poll=poll)).split()
    assert "a cat" in filters.text_in(replace(post, attachments=({"type": "Image", "alt": "a cat"},))).split("\n")
    assert filters.text_in(replace(post, summary="warned")).startswith("warned\nWhich one?")
