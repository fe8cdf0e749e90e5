"""Blocking somebody and being blocked: whichever of the two does it, no follow between them remains.

A block stands until it is undone; a follow that it ended does not come back with that. What is already so changes
nothing and is told to nobody.
"""

from sqlalchemy import and_, delete, or_, select

from privapub.actors import blocks, domain_blocks
from privapub.actors.facts import ActorBlocked, ActorUnblocked
from privapub.actors.read import Actor, by_id
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.follows import follow, read
from privapub.follows.facts import FollowAnswered
from privapub.follows.read import REJECTED
from privapub.follows.tables import follow as follow_table
from privapub.jobs.enqueue import put_fact


async def block(tx: Transaction, blocker_id: int, blocked_id: int, uri: str, now: float) -> bool:
    """A persona blocks somebody; False where it does already. `uri` is a fresh id for the Block activity.

    Facts towards a remote actor: FollowAnswered (no) of their follow, FollowWithdrawn of ours, ActorBlocked.
    Raises NotFound for an actor that there is not, InvalidInput for oneself.
    """
    if blocker_id == blocked_id:
        raise InvalidInput("Nobody can block themselves.")
    other = await _known(tx, blocked_id)
    if not await blocks.keep(tx, blocker_id, blocked_id, uri, now):
        return False
    await end_following(tx, blocked_id, blocker_id, now)
    await follow.withdraw(tx, blocker_id, blocked_id, now)
    if not other.local:
        await put_fact(tx, ActorBlocked(blocker_id, blocked_id, uri), about=_pair(blocker_id, blocked_id))
    return True


async def unblock(tx: Transaction, blocker_id: int, blocked_id: int, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """A persona blocks somebody no more; False where it did not. Fact ActorUnblocked towards a remote actor."""
    other = await _known(tx, blocked_id)
    ended = await blocks.drop(tx, blocker_id, blocked_id)
    if ended is not None and not other.local:
        await put_fact(tx, ActorUnblocked(blocker_id, blocked_id, ended.uri), about=_pair(blocker_id, blocked_id))
    return ended is not None


async def receive_block(tx: Transaction, blocker_id: int, blocked_id: int, uri: str, now: float) -> bool:
    """A remote actor blocks a persona of ours; False where it does already. The last uri is the one in force.

    The follows end without a word: who blocks knows.
    """
    if not await blocks.keep(tx, blocker_id, blocked_id, uri, now):
        await blocks.rename(tx, blocker_id, blocked_id, uri)
        return False
    for one, other in ((blocker_id, blocked_id), (blocked_id, blocker_id)):
        await tx.execute(
            delete(follow_table).where(follow_table.c.follower_id == one, follow_table.c.followed_id == other)
        )
    return True


async def receive_unblock(tx: Transaction, blocker_id: int, blocked_id: int, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """A remote actor blocks a persona of ours no more; False where it did not."""
    return await blocks.drop(tx, blocker_id, blocked_id) is not None


async def block_domain(tx: Transaction, persona_id: int, domain: str, now: float) -> bool:
    """A persona wants nothing of a server any more; False where that was so already.

    Its follows with people there end, in both directions, as one by one: facts FollowAnswered (no) and FollowWithdrawn.
    """
    if not await domain_blocks.keep(tx, persona_id, domain, now):
        return False
    there = and_(~actor.c.local, or_(actor.c.host == domain, actor.c.origin == domain))
    theirs = (
        select(follow_table.c.follower_id)
        .join(actor, actor.c.id == follow_table.c.follower_id)
        .where(follow_table.c.followed_id == persona_id, there)
    )
    ours = (
        select(follow_table.c.followed_id)
        .join(actor, actor.c.id == follow_table.c.followed_id)
        .where(follow_table.c.follower_id == persona_id, there)
    )
    for row in await tx.all(theirs):
        await end_following(tx, row.follower_id, persona_id, now)
    for row in await tx.all(ours):
        await follow.withdraw(tx, persona_id, row.followed_id, now)
    return True


async def end_following(tx: Transaction, follower_id: int, persona_id: int, now: float) -> bool:
    """Somebody follows a persona no more, by its own word, and may ask again; False where they did not.

    Fact FollowAnswered (no) where they are elsewhere.
    """
    theirs = await read.between(tx, follower_id, persona_id)
    if theirs is None:
        return False
    await follow.undo(tx, follower_id, persona_id, now)
    other = await by_id(tx, follower_id)
    if other is not None and not other.local and theirs.state != REJECTED:
        told = FollowAnswered(follower_id, persona_id, theirs.uri, accepted=False)
        await put_fact(tx, told, about=f"follow {follower_id} {persona_id}")
    return True


async def _known(tx: Transaction, actor_id: int) -> Actor:
    found = await by_id(tx, actor_id)
    if found is None:
        raise NotFound("There is no such actor.")
    return found


def _pair(blocker_id: int, blocked_id: int) -> str:
    return f"block {blocker_id} {blocked_id}"
