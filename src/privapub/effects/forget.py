"""What came here of people elsewhere and nobody here has asked for is forgotten again.

A post stays while it stands in somebody's timeline, was for one of ours, answers one of ours, or one of ours did
something with it, and while its author is followed from here. An actor stays while anything ties them to one of ours or
something of theirs is kept. What is forgotten may come again.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, delete, exists, func, or_, select, update

from privapub.actors.tables import actor, block, mute
from privapub.database.transaction import Transaction
from privapub.federation.inbox.tables import incoming
from privapub.follows.tables import follow
from privapub.moderation.tables import report
from privapub.notifications.tables import notification
from privapub.posts import text_index, tombstones
from privapub.posts.sweep import is_also_ours
from privapub.posts.tables import boost, poll_vote, post, post_recipient, reaction
from privapub.timelines.tables import list_member, timeline_entry

DAY, HOUR = 86400.0, 3600.0
KEPT = 30 * DAY
KEPT_OF_TOO_MANY = HOUR
MOST = 2_000_000  # posts, and actors; beyond it what nobody asked for goes sooner
LOOKED_AT = 20_000  # at a time, since whoever writes waits meanwhile
AT_ONCE = 1000  # forgotten at a time

_TIES = (
    post.c.author_id, follow.c.follower_id, follow.c.followed_id, block.c.blocker_id, block.c.blocked_id,
    list_member.c.actor_id, notification.c.actor_id, post_recipient.c.actor_id, reaction.c.actor_id, boost.c.actor_id,
    poll_vote.c.actor_id,
)  # fmt: skip
_FEW = (mute.c.muted_id, report.c.reporter_id, report.c.target_id)


async def forget(tx: Transaction, now: float, place: Mapping[str, Any]) -> dict[str, Any] | None:
    """Look at the next of all posts, then of all actors, and forget some.

    `place` is where the look before ended, and {} the beginning; returns where this one ended, None at the end of all.
    """
    of_actors = place.get("actors", False)
    table = actor if of_actors else post
    kept: float = place.get("kept") or await _kept(tx, table)
    after = place.get("after", 0)
    looked_at = select(table.c.id).where(table.c.id > after).order_by(table.c.id).limit(LOOKED_AT).subquery()
    last = await tx.scalar(select(func.max(looked_at.c.id)))
    if last is None:
        return None if of_actors else {"actors": True}
    among = and_(table.c.id > after, table.c.id <= last, ~table.c.local)
    forgotten = await (_actors if of_actors else _posts)(tx, now - kept, among)
    return {"actors": of_actors, "kept": kept, "after": forgotten[-1] if len(forgotten) == AT_ONCE else last}


async def _posts(tx: Transaction, before: float, among: ColumnElement[bool]) -> list[int]:
    answered = post.alias()
    wanted = or_(
        is_also_ours(),
        _has(timeline_entry, timeline_entry.c.post_id == post.c.id),
        _has(notification, notification.c.post_id == post.c.id),
        _has(post_recipient, and_(post_recipient.c.post_id == post.c.id, _is_local(post_recipient.c.actor_id))),
        exists().where(answered.c.id == post.c.in_reply_to_id, answered.c.local).correlate_except(answered),
        _has(follow, and_(follow.c.followed_id == post.c.author_id, _is_local(follow.c.follower_id))),
    )
    ids = await _ids(tx, select(post.c.id).where(among, post.c.received_at < before, ~wanted).order_by(post.c.id))
    await tx.execute(update(post).where(post.c.in_reply_to_id.in_(ids)).values(in_reply_to_id=None))
    await tombstones.remain(tx, ids)
    await text_index.drop(tx, ids)
    await tx.execute(delete(post).where(post.c.id.in_(ids)))
    return ids


async def _actors(tx: Transaction, before: float, among: ColumnElement[bool]) -> list[int]:
    tied = [_has(column.table, column == actor.c.id) for column in _TIES]
    # There are few of these, and no index by whom they are of.
    tied += [actor.c.id.in_(select(column).where(column.is_not(None))) for column in _FEW]
    tied.append(actor.c.id.in_(select(incoming.c.actor_id).where(incoming.c.handled_at.is_(None))))
    known = func.coalesce(actor.c.fetched_at, actor.c.created_at)
    ids = await _ids(tx, select(actor.c.id).where(among, known < before, ~or_(*tied)).order_by(actor.c.id))
    await tx.execute(delete(actor).where(actor.c.id.in_(ids)))
    return ids


async def _ids(tx: Transaction, old: Select[Any]) -> list[int]:
    return [row.id for row in await tx.all(old.limit(AT_ONCE))]


async def _kept(tx: Transaction, table: Table) -> float:
    count = await tx.scalar(select(func.count()).select_from(table))
    return KEPT_OF_TOO_MANY if count > MOST else KEPT


def _has(table: Table, condition: Any) -> ColumnElement[bool]:
    return exists(select(1).select_from(table).where(condition)).correlate_except(table)


def _is_local(number: Any) -> ColumnElement[bool]:
    who = actor.alias()
    return exists().where(who.c.id == number, who.c.local).correlate_except(who)
