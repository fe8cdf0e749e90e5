"""What personas here are told of what a persona here did."""

from makers import ADDRESSES, make_follow, make_persona, make_post
from privapub import clock
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.effects.persona_moved import persona_moved
from privapub.effects.post_edited import post_edited
from privapub.effects.post_published import post_published
from privapub.notifications import read
from privapub.personas import move
from privapub.personas.facts import PersonaMoved
from privapub.posts import boost, quotes
from privapub.posts.edit import edit
from privapub.posts.facts import PostEdited, PostPublished


async def told(tx: Transaction, persona_id: int) -> list[str]:
    return [one.kind for one in (await read.of(tx, persona_id, Window(), clock.now())).items]


async def test_whose_post_is_quoted_here_is_told_once_and_nobody_of_a_quote_of_their_own(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        theirs, quoting, own = [await make_post(tx, each) for each in (alice.id, bob.id, alice.id)]
        for post in (quoting, own):
            await quotes.ask(tx, post.id, theirs.uri, ADDRESSES, clock.now())
            for _ in range(2):
                await post_published(tx, PostPublished(post.id), ADDRESSES, clock.now())
        assert (await told(tx, alice.id), await told(tx, bob.id)) == (["quote"], [])


async def test_who_boosted_is_told_of_another_text_and_not_of_who_may_quote_it(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carl = [await make_persona(tx, name) for name in ("alice", "bob", "carl")]
        post = await make_post(tx, alice.id)
        await boost.boost(tx, bob.id, post.id, "https://sut.test/activities/1", clock.now())

        async def changed() -> None:
            await post_edited(tx, PostEdited(post.id), ADDRESSES, clock.now())

        await quotes.set_policy(tx, post.id, alice.id, "nobody", clock.now())
        await changed()
        assert await told(tx, bob.id) == []
        clock.advance(1)
        await edit(tx, post.id, alice.id, source="other", content_html="<p>other</p>", now=clock.now())
        await changed()
        clock.advance(1)
        await boost.boost(tx, carl.id, post.id, "https://sut.test/activities/2", clock.now())
        await quotes.set_policy(tx, post.id, alice.id, "public", clock.now())
        await changed()
        assert (await told(tx, bob.id), await told(tx, carl.id)) == (["update"], [])


async def test_followers_here_are_told_of_a_move(database: Database) -> None:
    async with database.write() as tx:
        alice, other, bob = [await make_persona(tx, name) for name in ("alice", "other", "bob")]
        await make_follow(tx, bob.id, alice.id)
        await move.add_alias(tx, other.id, alice.actor.uri, clock.now())
        await move.move(tx, alice.id, other.id, clock.now())
        for _ in range(2):
            await persona_moved(tx, PersonaMoved(alice.id, other.id), ADDRESSES, clock.now())
        assert await told(tx, bob.id) == ["move"]
