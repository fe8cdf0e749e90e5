"""What posts quote, and who lets them."""

import pytest

from makers import ADDRESSES, facts, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import blocks
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.posts import delete, quotes, read, stamps
from privapub.posts.read import Post

STAMP = "https://peer.test/stamps/1"
QUOTING = "https://peer.test/n/quote"


async def again(tx: Transaction, post: Post) -> Post:
    found = await read.by_id(tx, post.id)
    assert found is not None
    return found


async def test_a_quote_of_a_remote_post_waits_until_its_author_says_yes(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@peer.test")
        theirs, ours = await make_post(tx, carol.id), await make_post(tx, alice.id)
        assert await quotes.ask(tx, ours.id, theirs.uri, ADDRESSES, clock.now()) == "pending"
        assert await facts(tx, "quote_asked") == [{"post_id": ours.id}]
        assert await quotes.shown(tx, [await again(tx, ours)], alice.id) == {}
        assert not await quotes.accepted(tx, ours.id, dave.id, STAMP, clock.now())
        assert [await quotes.accepted(tx, ours.id, carol.id, STAMP, clock.now()) for _ in range(2)] == [True, False]
        kept = await again(tx, ours)
        assert (kept.quote, kept.quote_state, kept.quote_stamp) == (theirs.uri, "accepted", STAMP)
        assert {key: post.id for key, post in (await quotes.shown(tx, [kept], None)).items()} == {ours.id: theirs.id}
        assert len(await facts(tx, "post_edited")) == 1


async def test_a_no_takes_the_quote_away_also_after_a_yes(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        theirs, ours = await make_post(tx, carol.id), await make_post(tx, alice.id)
        await quotes.ask(tx, ours.id, theirs.uri, ADDRESSES, clock.now())
        await quotes.accepted(tx, ours.id, carol.id, STAMP, clock.now())
        assert [await quotes.rejected(tx, ours.id, carol.id) for _ in range(2)] == [True, False]
        assert (await again(tx, ours)).quote_state == "rejected"
        assert await quotes.shown(tx, [await again(tx, ours)], alice.id) == {}


async def test_whoever_quotes_themselves_asks_nobody(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        first, second = await make_post(tx, alice.id, "followers"), await make_post(tx, alice.id)
        assert await quotes.ask(tx, second.id, first.uri, ADDRESSES, clock.now()) == "accepted"
        assert await facts(tx, "quote_asked") == []
        kept = [await again(tx, second)]
        assert list(await quotes.shown(tx, kept, alice.id)) == [second.id]
        # Whoever may not see what is quoted sees nothing there.
        assert await quotes.shown(tx, kept, None) == {}
        await delete.delete(tx, first.id, alice.id, clock.now())
        assert await quotes.shown(tx, kept, alice.id) == {}


async def test_what_is_for_a_few_is_not_quoted(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        ours = await make_post(tx, alice.id)
        for hidden in (await make_post(tx, carol.id, "direct"), await make_post(tx, bob.id, "followers")):
            with pytest.raises(NotFound):
                await quotes.ask(tx, ours.id, hidden.uri, ADDRESSES, clock.now())
        for few in (
            await make_post(tx, carol.id, "followers"),
            await make_post(tx, alice.id, "direct", named=[bob.id]),
        ):
            with pytest.raises(NotAllowed):
                await quotes.ask(tx, ours.id, few.uri, ADDRESSES, clock.now())
        with pytest.raises(NotFound):
            await quotes.ask(tx, ours.id, "https://peer.test/n/unknown", ADDRESSES, clock.now())


async def test_between_two_personas_it_is_settled_at_once(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        theirs, ours = await make_post(tx, bob.id), await make_post(tx, alice.id)
        assert await quotes.ask(tx, ours.id, theirs.uri, ADDRESSES, clock.now()) == "accepted"
        stamp = await stamps.of_quote(tx, theirs.id, ours.uri)
        assert stamp is not None
        assert (await again(tx, ours)).quote_stamp == ADDRESSES.stamp(stamp.token)
        await quotes.set_policy(tx, theirs.id, bob.id, "nobody", clock.now())
        other = await make_post(tx, alice.id)
        with pytest.raises(NotAllowed):
            await quotes.ask(tx, other.id, theirs.uri, ADDRESSES, clock.now())
        # What was allowed stays allowed, until it is revoked.
        assert list(await quotes.shown(tx, [await again(tx, ours)], None)) == [ours.id]
        assert [await stamps.revoke(tx, theirs.id, bob.id, ours.uri, clock.now()) for _ in range(2)] == [True, False]
        assert await quotes.shown(tx, [await again(tx, ours)], None) == {}


@pytest.mark.parametrize(
    ("policy", "follows", "may"),
    [("public", False, True), ("followers", False, False), ("followers", True, True), ("nobody", True, False)],
)
async def test_the_posts_policy_answers(database: Database, policy: str, follows: bool, may: bool) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        post = await make_post(tx, alice.id)
        await quotes.set_policy(tx, post.id, alice.id, policy, clock.now())
        if follows:
            await make_follow(tx, carol.id, alice.id)
        for _ in range(2):
            assert await stamps.answer(tx, post.id, carol.id, QUOTING, "https://peer.test/ask/1", clock.now()) is may
        told = await facts(tx, "quote_answered")
        assert [(fact["token"] is not None, fact["request"]) for fact in told] == [(may, "https://peer.test/ask/1")] * 2
        assert len({fact["token"] for fact in told}) == 1


async def test_who_is_blocked_has_nothing_to_quote(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        post = await make_post(tx, alice.id)
        await blocks.keep(tx, alice.id, carol.id, "https://sut.test/activities/b", clock.now())
        with pytest.raises(NotFound):
            await stamps.answer(tx, post.id, carol.id, QUOTING, "https://peer.test/ask/1", clock.now())
        assert await facts(tx, "quote_answered") == []


async def test_a_revoked_stamp_is_not_given_again_and_a_foreign_quote_gets_none(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@peer.test")
        post = await make_post(tx, alice.id)
        assert await stamps.give(tx, post, carol.id, QUOTING, clock.now())
        assert await stamps.give(tx, post, dave.id, QUOTING, clock.now()) is None
        await stamps.revoke(tx, post.id, alice.id, QUOTING, clock.now())
        assert await stamps.give(tx, post, carol.id, QUOTING, clock.now()) is None
        with pytest.raises(NotFound):
            await stamps.revoke(tx, post.id, alice.id, "https://peer.test/n/other", clock.now())


async def test_only_the_quoted_author_revokes_and_of_our_quote_others_are_told(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@peer.test")
        theirs, ours = await make_post(tx, carol.id), await make_post(tx, alice.id)
        await quotes.ask(tx, ours.id, theirs.uri, ADDRESSES, clock.now())
        await quotes.accepted(tx, ours.id, carol.id, STAMP, clock.now())
        assert await quotes.revoked(tx, STAMP, dave.id) == 0
        assert [await quotes.revoked(tx, STAMP, carol.id) for _ in range(2)] == [1, 0]
        assert (await again(tx, ours)).quote_state == "rejected"
        assert len(await facts(tx, "post_edited")) == 2


async def test_a_policy_is_one_of_three_and_the_authors_to_set(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        post = await make_post(tx, alice.id)
        with pytest.raises(InvalidInput):
            await quotes.set_policy(tx, post.id, alice.id, "friends", clock.now())
        with pytest.raises(NotFound):
            await quotes.set_policy(tx, post.id, bob.id, "nobody", clock.now())
        changed = [await quotes.set_policy(tx, post.id, alice.id, "nobody", clock.now()) for _ in range(2)]
        assert changed == [True, False]
