"""What follows at once from a rule about a domain, and what comes back when it is taken away."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from makers import ADDRESSES, at_home, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import read as actors
from privapub.actors import standing as standings
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.effects.domain_ruled import domain_ruled
from privapub.errors import Conflict, InvalidInput, NotAllowed, NotFound
from privapub.follows import domains, follow, read
from privapub.follows.domains import Ties
from privapub.moderation.domain_rules import Rule, Severity
from privapub.moderation.facts import DomainRuled
from privapub.notifications import notify
from privapub.notifications import read as notifications
from privapub.posts import audience, boost, boost_read, react, reaction_read, threads
from privapub.timelines.fill import fill, fill_boost
from privapub.timelines.read import mentions, public, tagged

NOW = 1_800_000_000.0


async def rule(tx: Transaction, domain: str = "peer.test", severity: Severity = "block") -> None:
    await domains.keep(tx, [Rule(domain, severity)], ("sut.test",), NOW)


async def standing(tx: Transaction, actor: Actor) -> str:
    found = await actors.by_id(tx, actor.id)
    assert found is not None
    return found.standing


async def state(tx: Transaction, follower: int, followed: int) -> str | None:
    found = await read.between(tx, follower, followed)
    return None if found is None else found.state


async def told(tx: Transaction, persona_id: int) -> list[str]:
    return [one.kind for one in (await notifications.of(tx, persona_id, Window(), clock.now())).items]


async def seen_publicly(tx: Transaction, reader: int | None) -> list[int]:
    return [entry.post.id for entry in (await public(tx, reader, Window(), clock.now())).items]


async def test_follows_of_a_blocked_server_are_suspended_both_ways_and_come_back_as_they_were(
    database: Database,
) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob", locked=True)
        carol, dave = await make_remote(tx), await make_remote(tx, "dave@sub.peer.test")
        eve = await make_remote(tx, "eve@other.test")
        await make_follow(tx, alice.id, carol.id)
        await make_follow(tx, carol.id, alice.id)
        await make_follow(tx, alice.id, dave.id, "pending")
        await make_follow(tx, dave.id, bob.id, "pending")
        await make_follow(tx, bob.id, carol.id, "rejected")
        await make_follow(tx, eve.id, alice.id)
        pairs = [(alice, carol), (carol, alice), (alice, dave), (dave, bob), (bob, carol), (eve, alice)]
        before = [await read.between(tx, one.id, other.id) for one, other in pairs]
        await rule(tx)
        states = [await state(tx, one.id, other.id) for one, other in pairs]
        assert states == ["suspended"] * 4 + ["rejected", "accepted"]
        assert await read.counts(tx, alice.id) == read.Counts(followers=1, following=0)
        assert await read.follower_ids(tx, carol.id) == []
        await rule(tx)
        assert [await state(tx, one.id, other.id) for one, other in pairs] == states
        await domains.drop(tx, "peer.test", NOW)
        assert [await read.between(tx, one.id, other.id) for one, other in pairs] == before


async def test_a_suspended_follow_is_ended_by_who_made_it_and_nobody_asks_anew(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        await rule(tx)
        with pytest.raises(NotAllowed):
            await follow.ask(tx, bob.id, carol.id, "https://sut.test/activities/1", NOW)
        assert not await follow.accepted(tx, alice.id, carol.id, NOW)
        assert not await follow.rejected(tx, alice.id, carol.id, NOW)
        assert await follow.withdraw(tx, alice.id, carol.id, NOW)
        await domains.drop(tx, "peer.test", NOW)
        assert await state(tx, alice.id, carol.id) is None


async def test_the_worse_of_two_hosts_counts_and_a_more_precise_rule(database: Database) -> None:
    async with database.write() as tx:
        await rule(tx, "*.peer.test")
        await rule(tx, "good.peer.test", "allow")
        await rule(tx, "loud.test", "limit")
        carol = await make_remote(tx)
        assert await standing(tx, carol) == "open"
        assert await standing(tx, await make_remote(tx, "a@bad.peer.test")) == "blocked"
        assert await standing(tx, await make_remote(tx, "a@x.good.peer.test")) == "open"
        split = await make_remote(tx, "s@loud.test", uri="https://bad.peer.test/u/s")
        assert await standing(tx, split) == "blocked"
        await domains.drop(tx, "*.peer.test", NOW)
        assert await standing(tx, split) == "limited"
        await rule(tx, "LOUD.test".lower(), "block")
        assert await standing(tx, split) == "blocked"
        assert await standing(tx, await make_remote(tx, "b@loud.test:8443")) == "blocked"


async def test_what_a_blocked_server_wrote_is_seen_nowhere_at_once(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@other.test")
        await make_follow(tx, alice.id, carol.id)
        await make_follow(tx, alice.id, dave.id)
        ours = await make_post(tx, alice.id)
        theirs = await make_post(tx, carol.id, text="hi", named=[alice.id])
        await fill(tx, theirs, NOW)
        await notify.of_post(tx, theirs, NOW)
        await boost.receive(tx, dave.id, theirs.id, "public", "https://other.test/b/1", NOW, NOW)
        await boost.receive(tx, carol.id, ours.id, "public", "https://peer.test/b/1", NOW, NOW)
        await react.receive(tx, carol.id, ours.id, "", None, "https://peer.test/l/1", NOW)
        for found in await boost_read.of_post(tx, theirs.id) + await boost_read.of_post(tx, ours.id):
            await fill_boost(tx, found.id, NOW)
        await notify.of_reaction(tx, ours, carol.id, "", NOW)

        async def seen() -> list[object]:
            return [
                [post.id for post in await at_home(tx, alice.id)],
                await seen_publicly(tx, None),
                await seen_publicly(tx, alice.id),
                [entry.post.id for entry in (await mentions(tx, alice.id, Window(), NOW)).items],
                sorted(await told(tx, alice.id)),
                [await audience.may_see_now(tx, theirs, viewer) for viewer in (None, alice.id, carol.id)],
                (await reaction_read.counts(tx, [ours.id]), await boost_read.counts(tx, [ours.id])),
                await threads.count_below(tx, theirs.id),
            ]

        before = await seen()
        assert before[0]
        assert before[4] == ["favourite", "mention"]
        await rule(tx)
        assert await seen() == [
            [], [ours.id], [ours.id], [], [], [False] * 3, ({ours.id: {}}, {ours.id: 0}), 0,
        ]  # fmt: skip
        await notify.of_boost(tx, ours, carol.id, NOW)
        await domains.drop(tx, "peer.test", NOW)
        assert await seen() == before


@pytest.mark.parametrize("follows", [False, True])
async def test_what_comes_from_a_limited_server_is_shown_to_followers_alone(database: Database, follows: bool) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@other.test")
        await make_follow(tx, alice.id, dave.id)
        await rule(tx, severity="limit")
        if follows:
            await make_follow(tx, alice.id, carol.id)
        post = await make_post(tx, carol.id, named=[alice.id])
        await fill(tx, post, NOW)
        await boost.receive(tx, dave.id, post.id, "public", "https://other.test/b/1", NOW, NOW)
        await notify.of_post(tx, post, NOW)
        shown = [post.id] if follows else []
        assert await seen_publicly(tx, None) == []
        assert await seen_publicly(tx, alice.id) == shown
        assert [each.id for each in await at_home(tx, alice.id)] == shown
        assert [entry.post.id for entry in (await mentions(tx, alice.id, Window(), NOW)).items] == shown
        assert await told(tx, alice.id) == (["mention"] if follows else [])
        assert (await tagged(tx, "x", None, Window(), NOW)).items == ()
        # Who asks for it by name, and may see it, sees it.
        assert await audience.may_see_now(tx, post, alice.id)
        assert await audience.may_see_now(tx, post, None)


async def test_a_booster_of_a_blocked_or_limited_server_brings_nothing_to_strangers(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@other.test")
        await make_follow(tx, alice.id, carol.id)
        post = await make_post(tx, dave.id)
        await boost.receive(tx, carol.id, post.id, "public", "https://peer.test/b/1", NOW, NOW)
        (found,) = await boost_read.of_post(tx, post.id)
        await fill_boost(tx, found.id, NOW)
        assert [each.id for each in await at_home(tx, alice.id)] == [post.id]
        await rule(tx, severity="limit")
        assert [each.id for each in await at_home(tx, alice.id)] == [post.id], "alice follows carol"
        await rule(tx, severity="block")
        assert await at_home(tx, alice.id) == []


async def test_where_only_allowed_hosts_are_spoken_with_all_others_are_blocked_until_it_ends(
    database: Database,
) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@other.test")
        for theirs in (carol, dave):
            await make_follow(tx, theirs.id, alice.id)
        await rule(tx, severity="allow")
        assert await domains.allow_only(tx, True, NOW)
        assert not await domains.allow_only(tx, True, NOW)
        assert [await standing(tx, each) for each in (carol, dave)] == ["open", "blocked"]
        assert [await state(tx, each.id, alice.id) for each in (carol, dave)] == ["accepted", "suspended"]
        eve = await make_remote(tx, "eve@third.test")
        assert await standing(tx, eve) == "blocked"
        await rule(tx, "other.test", "allow")
        assert await state(tx, dave.id, alice.id) == "accepted"
        assert await domains.allow_only(tx, False, NOW)
        assert await standing(tx, eve) == "open"
        assert (await make_post(tx, alice.id)).local


async def test_whoever_was_learnt_while_a_rule_was_changed_is_put_right_by_what_follows(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
        await rule(tx)
        await tx.execute(actors.actor.update().where(actors.actor.c.id == carol.id).values(standing="open"))
        await domain_ruled(tx, DomainRuled("peer.test"), ADDRESSES, NOW)
        assert await standing(tx, carol) == "blocked"
        await domains.drop(tx, "peer.test", NOW)
        await domain_ruled(tx, DomainRuled("peer.test"), ADDRESSES, NOW)
        assert (await standing(tx, carol), await state(tx, carol.id, alice.id)) == ("open", "accepted")


async def test_what_there_is_between_ours_and_theirs_is_counted(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        await make_follow(tx, bob.id, carol.id, "pending")
        await make_follow(tx, carol.id, bob.id)
        assert await domains.ties(tx) == {("peer.test", "peer.test"): Ties(followers=1, following=2)}
        await rule(tx)
        assert await domains.ties(tx) == {("peer.test", "peer.test"): Ties(suspended=3)}


async def test_a_rule_that_cannot_be_is_refused(database: Database) -> None:
    async with database.write() as tx:
        with pytest.raises(Conflict):
            await rule(tx, "sut.test")
        with pytest.raises(NotFound):
            await domains.drop(tx, "peer.test", NOW)
        with pytest.raises(InvalidInput):
            await domains.keep(tx, [Rule("peer.test", "block", private_comment="x" * 2001)], (), NOW)


steps = st.lists(
    st.tuples(
        st.sampled_from(["peer.test", "*.peer.test", "a.peer.test", "test"]),
        st.sampled_from(["allow", "limit", "block", "remove", "only", "any"]),
    ),
    max_size=8,
)


class Undone(Exception):
    """Nothing of an example stays."""


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.booleans())
async def test_after_any_rules_nothing_of_ours_is_lost(
    database: Database, what: list[tuple[str, str]], many: bool
) -> None:
    with pytest.raises(Undone), pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr(standings, "FEW", 0)
            patch.setattr(standings, "AT_ONCE", 2)
        async with database.write() as tx:
            alice = await make_persona(tx)
            theirs = [await make_remote(tx, f"carol@{host}") for host in ("peer.test", "a.peer.test", "b.a.peer.test")]
            for each, how in zip(theirs, ("accepted", "pending", "rejected"), strict=True):
                await make_follow(tx, alice.id, each.id, how)
                await make_follow(tx, each.id, alice.id)
            before = [await read.between(tx, alice.id, each.id) for each in theirs]
            for domain, verb in what:
                if verb in ("only", "any"):
                    await domains.allow_only(tx, verb == "only", NOW)
                elif verb == "remove":
                    if await domains.rules.by_domain(tx, domain):
                        await domains.drop(tx, domain, NOW)
                else:
                    await domains.keep(tx, [Rule(domain, verb)], (), NOW)  # type: ignore[arg-type]  # one of three
                in_force = await domains.rules.in_force(tx)
                for each in theirs:
                    wanted = in_force.standing([each.host])
                    assert await standing(tx, each) == wanted
                    assert (await state(tx, each.id, alice.id) == "suspended") is (wanted == "blocked")
            await domains.allow_only(tx, False, NOW)
            for one in await domains.rules.everything(tx):
                await domains.drop(tx, one.domain, NOW)
            assert [await read.between(tx, alice.id, each.id) for each in theirs] == before
            raise Undone
