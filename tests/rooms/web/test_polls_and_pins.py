"""A poll on the page of its post; pinned posts and a move on the page of a persona."""

from asgi import HTML, serving
from makers import ADDRESSES, make_persona, make_post
from privapub import clock
from privapub.database.connect import Database
from privapub.personas import move
from privapub.posts import pin, polls, quotes
from privapub.posts.edit import edit
from privapub.posts.polls import NewPoll

TEA = NewPoll(("Tea <b>", "Milk"), multiple=False, lasts=3600.0)


async def test_a_poll_shows_its_answers_their_votes_and_its_end(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        asked, quoting = await make_post(tx, alice.id), await make_post(tx, bob.id)
        await edit(tx, asked.id, alice.id, source="Which?", content_html="<p>Which?", poll=TEA, now=clock.now())
        await polls.cast(tx, asked.id, bob.id, [1], clock.now())
        await quotes.ask(tx, quoting.id, asked.uri, ADDRESSES, clock.now())
    async with serving(database) as sut:
        for uri in (asked.uri, quoting.uri):
            text = (await sut.get(uri, accept=HTML)).text
            assert "Poll: one answer, open until " in text
            assert ", 1 voted</caption>" in text
            assert '<th scope="row" dir="auto">Tea &lt;b&gt;</th><td>0' in text
            assert '<th scope="row" dir="auto">Milk</th><td>1' in text
        clock.advance(3601)
        assert "Poll: one answer, closed, 1 voted" in (await sut.get(asked.uri, accept=HTML)).text


async def test_pinned_posts_stand_first_and_once(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        first, quiet = await make_post(tx, alice.id, text="first"), await make_post(tx, alice.id, "unlisted", "quiet")
        clock.advance(1)
        await make_post(tx, alice.id, text="later")
        for post in (first, quiet):
            await pin.pin(tx, post.id, alice.id, clock.now())
    async with serving(database) as sut:
        text = (await sut.get("/@alice", accept=HTML)).text
        assert text.index('id="pinned"') < text.index("<p>first") < text.index("<p>later")
        assert (text.count("<p>first"), text.count("<p>quiet")) == (1, 1)
        assert 'id="pinned"' not in (await sut.get("/@alice?before=1", accept=HTML)).text


async def test_a_profile_says_where_its_persona_has_moved(database: Database) -> None:
    async with database.write() as tx:
        alice, other = await make_persona(tx), await make_persona(tx, "other")
        await move.add_alias(tx, other.id, alice.actor.uri, clock.now())
        await move.move(tx, alice.id, other.id, clock.now())
    async with serving(database) as sut:
        text = (await sut.get("/@alice", accept=HTML)).text
        assert "has moved to" in text
        assert f"@{other.actor.address}</bdi>" in text
        assert "To follow" not in text
        assert "has moved" not in (await sut.get("/@other", accept=HTML)).text
