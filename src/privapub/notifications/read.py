"""What a persona was told of. What was undone, or may not be seen any more, is not shown: the present state counts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, case, cast, delete, exists, func, or_, select, update

from privapub.actors import blocks, mutes
from privapub.database.newest import keep_newest
from privapub.database.page import Page, Window, gather
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED, PENDING
from privapub.follows.tables import follow
from privapub.notifications import policy
from privapub.notifications.groups import Counted, Group
from privapub.notifications.groups import counted as groups_counted
from privapub.notifications.notify import FAVOURITE, FOLLOW, FOLLOW_REQUEST, REACTION, REBLOG
from privapub.notifications.tables import notification
from privapub.posts import audience
from privapub.posts import read as posts
from privapub.posts.read import Post
from privapub.posts.tables import boost, post, reaction
from privapub.timelines import filters
from privapub.timelines.matching import HIDE, NOTIFICATIONS, Filter, Match

# What tells of a follow is shown while it is in this state.
_STANDS = {FOLLOW: ACCEPTED, FOLLOW_REQUEST: PENDING}
KEPT = 180 * 86400.0  # seconds
MOST = 5_000_000


@dataclass(frozen=True)
class Notification:
    """One thing that a persona was told: who did what, and about which post, if about one."""

    id: int
    kind: str
    actor_id: int
    post: Post | None
    created_at: float
    filtered: bool = False
    matches: tuple[Match, ...] = ()  # the persona's filters that are about the post

    @property
    def hidden(self) -> bool:
        """Whether one of these filters hides it."""
        return any(match.filter.action == HIDE for match in self.matches)


async def of(
    tx: Transaction,
    persona_id: int,
    window: Window,
    now: float,
    *,
    kinds: Collection[str] | None = None,
    without: Collection[str] = (),
    by: int | None = None,
    group: Group | None = None,
    filtered: bool = True,
) -> Page[Notification]:
    """What a persona was told, newest first: of these kinds (None: all) and not of those, by this actor (None: any).

    With a `group`, what is in it. Without `filtered`, not what its policy keeps apart. Nothing that a word filter of
    the persona hides.
    """
    statement = _statement(persona_id, kinds, without, now)
    if by is not None:
        statement = statement.where(notification.c.actor_id == by)
    if group is not None:
        statement = statement.where(*group.conditions)
    if not filtered:
        statement = statement.where(~notification.c.filtered)
    wanted = await filters.in_force(tx, persona_id, NOTIFICATIONS, now)

    async def look(part: Window) -> list[tuple[int, Notification | None]]:
        rows = await tx.all(part.of(statement, notification.c.id))
        shown = {one.id: one for one in await _shown(tx, persona_id, rows, wanted)}
        shown = {number: one for number, one in shown.items() if not one.hidden}
        return [(row.id, shown.get(row.id)) for row in rows]

    return await gather(window, look)


async def by_id(tx: Transaction, persona_id: int, notification_id: int, now: float) -> Notification | None:
    """One thing that this persona was told."""
    rows = await tx.all(_statement(persona_id, None, (), now).where(notification.c.id == notification_id))
    wanted = await filters.in_force(tx, persona_id, NOTIFICATIONS, now)
    return next(iter(await _shown(tx, persona_id, rows, wanted)), None)


async def latest(
    tx: Transaction, persona_id: int, kind: str, actor_ids: Collection[int], now: float
) -> list[Notification]:
    """The last that each of these actors told of this kind and that the policy keeps apart, as far as it is shown."""
    last = (
        select(func.max(notification.c.id))
        .where(*_which(persona_id, now), notification.c.kind == kind, notification.c.filtered)
        .where(notification.c.actor_id.in_(sorted(set(actor_ids))))
        .group_by(notification.c.actor_id)
    )
    rows = await tx.all(select(notification).where(notification.c.id.in_(last)))
    return await _shown(tx, persona_id, rows, await filters.in_force(tx, persona_id, NOTIFICATIONS, now))


async def counted(tx: Transaction, persona_id: int, groups: Collection[Group], now: float) -> Mapping[Group, Counted]:
    """How much there is in each of these groups, and by whom; of what the policy does not keep apart.

    What was undone, or may not be seen any more, does not count, as it is not shown.
    """
    seen = exists().where(post.c.id == notification.c.post_id, audience.visible(persona_id)).correlate_except(post)
    may_be_seen = or_(notification.c.post_id.is_(None), seen)
    which = (*_which(persona_id, now), ~notification.c.filtered, may_be_seen, _stands())
    return await groups_counted(tx, groups, which)


async def dismiss(
    tx: Transaction, persona_id: int, now: float, notification_id: int | None = None, *, group: Group | None = None
) -> int:
    """The persona does not want to see this one any more, or those of a group, or any that it was told; how many."""
    statement = update(notification).where(
        notification.c.persona_id == persona_id, notification.c.dismissed_at.is_(None)
    )
    if notification_id is not None:
        statement = statement.where(notification.c.id == notification_id)
    if group is not None:
        statement = statement.where(*group.conditions)
    return (await tx.execute(statement.values(dismissed_at=now))).rowcount


async def prune(tx: Transaction, now: float) -> int:
    """Drop what is half a year old, and of very many the oldest; returns how many."""
    old = (await tx.execute(delete(notification).where(notification.c.created_at < now - KEPT))).rowcount
    return old + await keep_newest(tx, notification, notification.c.id, MOST)


def _statement(persona_id: int, kinds: Collection[str] | None, without: Collection[str], now: float) -> Any:
    statement = select(notification).where(*_which(persona_id, now))
    if kinds is not None:
        statement = statement.where(notification.c.kind.in_(sorted(kinds)))
    return statement.where(notification.c.kind.not_in(sorted(without))) if without else statement


def _which(persona_id: int, now: float) -> tuple[ColumnElement[bool], ...]:
    """What of its notifications may be shown to a persona, whatever they are about."""
    who = notification.c.actor_id
    return (
        notification.c.persona_id == persona_id,
        notification.c.dismissed_at.is_(None),
        ~blocks.between(notification.c.persona_id, who),
        ~mutes.muted(notification.c.persona_id, who, now, notifications=True),
        ~policy.kept_out(notification.c.persona_id, who),
    )


async def _shown(tx: Transaction, persona_id: int, rows: Sequence[Any], wanted: Sequence[Filter]) -> list[Notification]:
    about = await posts.by_ids(tx, {row.post_id for row in rows if row.post_id is not None})
    visible = {post.id: post for post in await audience.visible_to(tx, list(about.values()), persona_id)}
    undone = await _undone(tx, rows)

    def made(row: Any) -> Notification:
        post = visible.get(row.post_id)
        matches = () if post is None else filters.about(wanted, post, persona_id)
        return Notification(row.id, row.kind, row.actor_id, post, row.created_at, bool(row.filtered), matches)

    return [made(row) for row in rows if (row.post_id is None or row.post_id in visible) and row.id not in undone]


def _stands() -> ColumnElement[bool]:
    """What `_undone` asks of rows, as a condition: whether what a notification tells of is so still."""
    kind, about = notification.c.kind, notification.c.about
    number = cast(notification.c.post_id, Text)
    of_boost = exists().where(boost.c.post_id == notification.c.post_id, boost.c.actor_id == notification.c.actor_id)
    told = case((reaction.c.emoji == "", number), else_=number.concat(" ").concat(reaction.c.emoji))
    of_reaction = exists().where(
        reaction.c.post_id == notification.c.post_id, reaction.c.actor_id == notification.c.actor_id, told == about
    )
    of_follow = [
        and_(
            kind == each,
            exists()
            .where(
                follow.c.follower_id == notification.c.actor_id,
                follow.c.followed_id == notification.c.persona_id,
                follow.c.state == state,
                cast(follow.c.id, Text) == about,
            )
            .correlate_except(follow),
        )
        for each, state in _STANDS.items()
    ]
    return or_(
        kind.not_in([*_STANDS, REBLOG, FAVOURITE, REACTION]),
        and_(kind == REBLOG, of_boost.correlate_except(boost)),
        and_(kind.in_([FAVOURITE, REACTION]), of_reaction.correlate_except(reaction)),
        *of_follow,
    )


async def _undone(tx: Transaction, rows: Sequence[Any]) -> set[int]:
    """Those that tell of what does not stand any more: a follow or a question, a reaction, a boost."""
    of_follow = [row for row in rows if row.kind in _STANDS]
    of_boost = [row for row in rows if row.kind == REBLOG]
    of_reaction = [row for row in rows if row.kind in {FAVOURITE, REACTION}]
    gone: set[int] = set()
    if of_follow:
        asked = select(follow.c.id, follow.c.state).where(follow.c.id.in_({int(row.about) for row in of_follow}))
        states = {str(row.id): row.state for row in await tx.all(asked)}
        gone |= {row.id for row in of_follow if states.get(row.about) != _STANDS[row.kind]}
    if of_boost:
        asked = select(boost.c.post_id, boost.c.actor_id).where(*_about(boost, of_boost))
        boosts = {(row.post_id, row.actor_id) for row in await tx.all(asked)}
        gone |= {row.id for row in of_boost if (row.post_id, row.actor_id) not in boosts}
    if of_reaction:
        asked = select(reaction.c.post_id, reaction.c.actor_id, reaction.c.emoji).where(*_about(reaction, of_reaction))
        reactions = {(row.post_id, row.actor_id, row.emoji) for row in await tx.all(asked)}
        emoji = {row.id: row.about.partition(" ")[2] for row in of_reaction}
        gone |= {row.id for row in of_reaction if (row.post_id, row.actor_id, emoji[row.id]) not in reactions}
    return gone


def _about(table: Any, rows: Sequence[Any]) -> tuple[ColumnElement[bool], ...]:
    return table.c.post_id.in_({row.post_id for row in rows}), table.c.actor_id.in_({row.actor_id for row in rows})
