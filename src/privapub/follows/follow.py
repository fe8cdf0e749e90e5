"""Following and being followed: every change of a follow's state."""

import re
from collections.abc import Collection

from sqlalchemy import ColumnElement, and_, case, delete, func, or_, update

from privapub import identifiers
from privapub.actors import blocks, domain_blocks
from privapub.actors.read import Actor, by_id
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.follows import read
from privapub.follows.facts import FollowAnswered, FollowAsked, Followed, FollowWithdrawn
from privapub.follows.read import ACCEPTED, PENDING, REJECTED, Follow
from privapub.follows.tables import follow
from privapub.jobs.enqueue import put_fact

MOST_LANGUAGES = 50
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})?")


async def ask(tx: Transaction, follower_id: int, followed_id: int, uri: str, now: float) -> str:
    """A persona wants to follow somebody: "pending" or "accepted".

    `uri` is a fresh id for the Follow activity. Towards a remote actor: pending, fact FollowAsked. Between two personas
    it is settled at once: accepted, or pending where the followed one is locked. What is pending or accepted already
    stays as it is, under its own uri; after a Reject it is asked anew.
    Raises NotFound for an actor that is unknown or gone, InvalidInput for oneself, NotAllowed where either of the two
    blocks the other, or the persona or the server here blocks the other's server.
    """
    if follower_id == followed_id:
        raise InvalidInput("Nobody can follow themselves.")
    followed = await _still_here(tx, followed_id)
    if followed.is_blocked:
        raise NotAllowed("There is no contact with their server.")
    await _unblocked(tx, follower_id, followed_id)
    await _open_to(tx, follower_id, followed_id)
    state = PENDING if not followed.local or followed.locked else ACCEPTED
    asked = await _put(tx, follower_id, followed_id, uri, state, now, only_after=REJECTED)
    if asked is None:
        standing = await read.between(tx, follower_id, followed_id)
        if standing is None:
            raise NotFound("The follow ended while it was asked for.")
        return standing.state
    fact = Followed(asked.id) if followed.local else FollowAsked(asked.id)
    await put_fact(tx, fact, about=_pair(follower_id, followed_id))
    return asked.state


async def receive(tx: Transaction, follower_id: int, followed_id: int, uri: str, now: float) -> str:
    """Somebody wants to follow a persona of ours: "accepted" or "pending", by the persona's lock.

    Who follows already, or comes after a Reject or an Undo, is answered (again), with this uri as the one in force; a
    second question to a locked persona keeps waiting. Fact Followed, and FollowAnswered where accepted.
    Raises NotFound where the followed one is none of ours, NotAllowed where either of the two blocks the other, or the
    persona blocks their server.
    """
    followed = await _still_here(tx, followed_id)
    if not followed.local or follower_id == followed_id:
        raise NotFound("There is nobody here to follow.")
    await _unblocked(tx, follower_id, followed_id)
    await _open_to(tx, followed_id, follower_id)
    received = await _put(tx, follower_id, followed_id, uri, PENDING if followed.locked else ACCEPTED, now)
    if received is None:
        raise NotFound("The follow ended while it was received.")
    if received.state == ACCEPTED:
        await _tell_answer(tx, received, accepted=True)
    await put_fact(tx, Followed(received.id), about=_pair(follower_id, followed_id))
    return received.state


async def answer(tx: Transaction, follow_id: int, accept: bool, now: float) -> bool:
    """The followed persona decides: accepts who waits, or rejects who waits or follows. Fact FollowAnswered,
    and Followed for a yes.

    False, and no fact, where it is so already, or an accept comes after a reject (they must ask again).
    Raises NotFound where there is no such follow to a persona.
    """
    known = await read.by_id(tx, follow_id)
    if known is None or not (await _still_here(tx, known.followed_id)).local:
        raise NotFound("Nobody asked for this.")
    changed = await _move(tx, known.follower_id, known.followed_id, *_decision(accept=accept), now)
    if changed is not None:
        await _tell_answer(tx, changed, accepted=accept)
    if changed is not None and accept:
        await put_fact(tx, Followed(changed.id), about=_pair(known.follower_id, known.followed_id))
    return changed is not None


async def accepted(tx: Transaction, follower_id: int, followed_id: int, now: float) -> bool:
    """Whom our persona asked said yes. Counts only while we wait for it: an Accept of nothing is nothing."""
    return await _move(tx, follower_id, followed_id, *_decision(accept=True), now) is not None


async def prefer(
    tx: Transaction,
    follower_id: int,
    followed_id: int,
    *,
    boosts: bool | None = None,
    notify: bool | None = None,
    languages: Collection[str] | None = None,
) -> bool:
    """What a persona wants of whom it follows or asks to follow: what is given changes, the rest stays.

    `boosts`: in its timelines what they boost; `notify`: to be told of each of their posts; `languages`: only those
    (none: all). False where there is no follow. Raises InvalidInput for what is no language.
    """
    codes = None if languages is None else sorted({each.strip().lower() for each in languages if each.strip()})
    if codes is not None and (len(codes) > MOST_LANGUAGES or not all(_LANGUAGE.fullmatch(each) for each in codes)):
        raise InvalidInput("These are no languages.", "A language is a code such as en.")
    given = {
        "boosts": boosts,
        "notify": notify,
        "languages": None if codes is None else f",{','.join(codes)}," if codes else "",
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        return await read.between(tx, follower_id, followed_id) is not None
    done = await tx.execute(update(follow).where(_between(follower_id, followed_id)).values(**changes))
    return bool(done.rowcount)


async def endorse(tx: Transaction, follower_id: int, followed_id: int, now: float) -> bool:
    """A persona names in its profile somebody whom it follows, for as long as it does; False where it does not."""
    done = await tx.execute(
        update(follow)
        .where(_between(follower_id, followed_id), follow.c.state == ACCEPTED)
        .values(endorsed_at=func.coalesce(follow.c.endorsed_at, now))
    )
    return bool(done.rowcount)


async def unendorse(tx: Transaction, follower_id: int, followed_id: int) -> bool:
    """It names them no more; False where it did not."""
    done = await tx.execute(
        update(follow)
        .where(_between(follower_id, followed_id), follow.c.endorsed_at.is_not(None))
        .values(endorsed_at=None)
    )
    return bool(done.rowcount)


def _between(follower_id: int, followed_id: int) -> ColumnElement[bool]:
    return and_(follow.c.follower_id == follower_id, follow.c.followed_id == followed_id)


async def rejected(tx: Transaction, follower_id: int, followed_id: int, now: float) -> bool:
    """Whom our persona asked said no, now or after a yes: it follows no more. A Reject of nothing is nothing."""
    return await _move(tx, follower_id, followed_id, *_decision(accept=False), now) is not None


async def withdraw(tx: Transaction, follower_id: int, followed_id: int, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """A persona follows somebody no more, or takes its question back. Fact FollowWithdrawn towards a remote actor.

    False where there was nothing; after a Reject nobody needs to be told.
    """
    ended = await _end(tx, follower_id, followed_id)
    if ended is None:
        return False
    followed = await by_id(tx, followed_id)
    if followed is not None and not followed.local and ended.state != REJECTED:
        await put_fact(tx, FollowWithdrawn(follower_id, followed_id, ended.uri), about=_pair(follower_id, followed_id))
    return True


async def undo(tx: Transaction, follower_id: int, followed_id: int, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """Somebody follows our persona no more; False where they did not. The id they used is free again."""
    return await _end(tx, follower_id, followed_id) is not None


async def end_all(tx: Transaction, actor_id: int, now: float) -> int:  # noqa: ARG001 - as all verbs
    """An actor is gone: no follow to it or from it remains. Returns how many there were."""
    ended = await tx.execute(
        delete(follow).where(or_(follow.c.follower_id == actor_id, follow.c.followed_id == actor_id))
    )
    return ended.rowcount


def _decision(*, accept: bool) -> tuple[tuple[str, ...], str]:
    return ((PENDING,), ACCEPTED) if accept else ((PENDING, ACCEPTED), REJECTED)


async def _still_here(tx: Transaction, actor_id: int) -> Actor:
    known = await by_id(tx, actor_id)
    if known is None or known.is_gone:
        raise NotFound("There is no such actor.")
    return known


async def _unblocked(tx: Transaction, follower_id: int, followed_id: int) -> None:
    await blocks.alone(tx, follower_id, followed_id)
    if await blocks.either_way(tx, follower_id, [followed_id]):
        raise NotAllowed("One of the two blocks the other.", "A block of one's own can be taken back.")


async def _open_to(tx: Transaction, persona_id: int, other_id: int) -> None:
    if await domain_blocks.covered(tx, persona_id, [other_id]):
        raise NotAllowed("The persona blocks their server.", "That can be taken back.")


async def _put(
    tx: Transaction, follower_id: int, followed_id: int, uri: str, state: str, now: float, only_after: str | None = None
) -> Follow | None:
    """Make the follow, or bring the one there is to this uri; one that is accepted stays so."""
    insert = tx.insert(follow).values(
        id=identifiers.sortable(now),
        follower_id=follower_id,
        followed_id=followed_id,
        uri=uri,
        state=state,
        created_at=now,
        answered_at=now if state == ACCEPTED else None,
    )
    kept = follow.c.state == ACCEPTED
    row = await tx.first(
        insert.on_conflict_do_update(
            index_elements=[follow.c.follower_id, follow.c.followed_id],
            set_={
                "uri": insert.excluded.uri,
                "state": case((kept, follow.c.state), else_=insert.excluded.state),
                "answered_at": case((kept, follow.c.answered_at), else_=insert.excluded.answered_at),
            },
            where=None if only_after is None else follow.c.state == only_after,
        ).returning(*follow.c)
    )
    return None if row is None else read.from_row(row)


async def _move(
    tx: Transaction, follower_id: int, followed_id: int, before: tuple[str, ...], after: str, now: float
) -> Follow | None:
    row = await tx.first(
        update(follow)
        .where(follow.c.follower_id == follower_id, follow.c.followed_id == followed_id, follow.c.state.in_(before))
        .values(state=after, answered_at=now)
        .returning(*follow.c)
    )
    return None if row is None else read.from_row(row)


def _pair(follower_id: int, followed_id: int) -> str:
    return f"follow {follower_id} {followed_id}"


async def _end(tx: Transaction, follower_id: int, followed_id: int) -> Follow | None:
    row = await tx.first(
        delete(follow)
        .where(follow.c.follower_id == follower_id, follow.c.followed_id == followed_id)
        .returning(*follow.c)
    )
    return None if row is None else read.from_row(row)


async def _tell_answer(tx: Transaction, answered: Follow, *, accepted: bool) -> None:
    follower = await by_id(tx, answered.follower_id)
    if follower is not None and not follower.local:
        await put_fact(
            tx,
            FollowAnswered(answered.follower_id, answered.followed_id, answered.uri, accepted),
            about=_pair(answered.follower_id, answered.followed_id),
        )
