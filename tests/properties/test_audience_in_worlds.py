"""recipients(post) = {a : may_see(a, post)} in whole worlds: follows in any state, blocks either way, mutes.

What is asked is every way on which a post goes out by itself: timelines, inboxes, notifications.
"""

from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select

from makers import at_home, make_persona, make_post, make_remote
from privapub.actors import mutes
from privapub.actors.tables import block
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.effects.post_published import targets
from privapub.follows.tables import follow
from privapub.notifications import notify
from privapub.notifications import read as notifications
from privapub.posts import audience
from privapub.posts.audience import OPEN
from privapub.timelines.fill import fill
from privapub.timelines.tables import timeline_entry

NOW = 1_800_000_000.0
HERE, THERE = ("ann", "ben", "cleo"), ("dan@d.test", "eve@e.test", "flo@f.test")
OTHERS = HERE + THERE


@dataclass(frozen=True)
class Tie:
    """How somebody stands to the author of a post."""

    follows: str
    named: bool
    blocks: bool
    is_blocked: bool
    mutes: bool


class Undone(Exception):
    """Nothing of an example stays."""


ties = st.builds(
    Tie,
    follows=st.sampled_from(["", "pending", "accepted", "accepted", "rejected"]),
    named=st.booleans(),
    blocks=st.integers(0, 3).map(lambda n: n == 0),
    is_blocked=st.integers(0, 3).map(lambda n: n == 0),
    mutes=st.booleans(),
)


async def put(tx: Transaction, who: int, author: int, tie: Tie, local: bool) -> None:
    """The rows of a tie, also of what the verbs would not let stand together."""
    if tie.follows:
        uri = f"https://sut.test/f/{who}"
        row = {
            "id": who,
            "follower_id": who,
            "followed_id": author,
            "uri": uri,
            "state": tie.follows,
            "created_at": NOW,
        }
        await tx.execute(insert(follow).values(row))
    for blocker, blocked, there in ((who, author, tie.blocks), (author, who, tie.is_blocked)):
        if there:
            row = {"blocker_id": blocker, "blocked_id": blocked, "uri": f"b{blocker}", "created_at": NOW}
            await tx.execute(insert(block).values(row))
    if tie.mutes and local:
        await mutes.add(tx, who, author, now=NOW)


async def check(tx: Transaction, by: str, whom: str, how: dict[str, Tie]) -> None:
    ids = {name: (await make_persona(tx, name)).id for name in HERE} | {
        address: (await make_remote(tx, address)).id for address in THERE
    }
    author = (await make_persona(tx, "author")).id if by == "here" else (await make_remote(tx)).id
    named = [ids[name] for name in OTHERS if how[name].named]
    if whom == "direct" and not named:
        return
    post = await make_post(tx, author, whom, named=named)
    for name in OTHERS:
        await put(tx, ids[name], author, how[name], name in HERE)
    sees = {name for name in OTHERS if await audience.may_see_now(tx, post, ids[name])}
    for name, tie in how.items():
        parted, tied = tie.blocks or tie.is_blocked, tie.named or (tie.follows == "accepted" and whom != "direct")
        assert (name in sees) == (not parted and (tied or whom in OPEN)), name
    wanted = {name for name in sees if how[name].named or how[name].follows == "accepted"}
    assert wanted == sees or whom in OPEN

    await fill(tx, post, NOW)
    entries = await tx.all(select(timeline_entry.c.persona_id).where(timeline_entry.c.post_id == post.id))
    assert {row.persona_id for row in entries} - {author} == {ids[name] for name in wanted & set(HERE)}
    for name in HERE:
        shown = post.id in {one.id for one in await at_home(tx, ids[name])}
        assert shown == (name in wanted and not how[name].mutes), name
    if by == "here":
        to = await audience.recipients(tx, post)
        reached = {target.inbox.split("/")[2] for target in await targets(tx, post, to)}
        assert reached == {name.partition("@")[2] for name in wanted & set(THERE)}
    await notify.of_post(tx, post, NOW)
    for name in HERE:
        told = len((await notifications.of(tx, ids[name], Window(), NOW)).items)
        assert told == (name in sees and how[name].named and not how[name].mutes), name


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    by=st.sampled_from(["here", "elsewhere"]),
    whom=st.sampled_from(["public", "unlisted", "followers", "direct"]),
    how=st.fixed_dictionaries(dict.fromkeys(OTHERS, ties)),
)
async def test_who_gets_a_post_is_who_may_see_it(database: Database, by: str, whom: str, how: dict[str, Tie]) -> None:
    try:
        async with database.write() as tx:
            await check(tx, by, whom, how)
            raise Undone  # noqa: TRY301 - so is a transaction rolled back
    except Undone:
        pass
