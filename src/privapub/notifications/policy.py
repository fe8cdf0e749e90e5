"""What a persona does with what people tell it whom it does not know: it is told, it is kept apart, or it is not told.

What is kept apart stands in requests, one for each who told it; accepting one is for everything that they tell later.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Double,
    Select,
    and_,
    bindparam,
    distinct,
    exists,
    func,
    or_,
    select,
    update,
)

from privapub.actors.tables import actor
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.moderation.domain_rules import BLOCKED, LIMITED
from privapub.notifications.tables import notification, notification_permission, notification_policy
from privapub.posts import audience
from privapub.posts.tables import post

ACCEPT, FILTER, DROP = "accept", "filter", "drop"
CHOICES = (ACCEPT, FILTER, DROP)
NEW_ACCOUNT, NEW_FOLLOWER = 30 * 86400.0, 3 * 86400.0  # seconds


@dataclass(frozen=True)
class Policy:
    """What is done with what whom one does not know tells one."""

    for_not_following: str = ACCEPT
    for_not_followers: str = ACCEPT
    for_new_accounts: str = ACCEPT
    for_private_mentions: str = FILTER
    for_limited_accounts: str = DROP


DEFAULT = Policy()
NAMES = tuple(field.name for field in fields(Policy))


@dataclass(frozen=True)
class Request:
    """What is kept apart of one actor: how much, since when, and the number of the newest."""

    actor_id: int
    count: int
    created_at: float
    updated_at: float
    newest: int


class Verdict(NamedTuple):
    """Conditions: it is not told, or it is kept apart."""

    dropped: ColumnElement[bool]
    filtered: ColumnElement[bool]


async def of(tx: Transaction, persona_id: int) -> Policy:
    """The policy of a persona."""
    row = await tx.first(select(notification_policy).where(notification_policy.c.persona_id == persona_id))
    return DEFAULT if row is None else Policy(**{name: getattr(row, name) for name in NAMES})


async def change(tx: Transaction, persona_id: int, changes: Mapping[str, str]) -> Policy:
    """The policy is so from now on; what is not given stays. InvalidInput for what is no choice."""
    for name, choice in changes.items():
        if name not in NAMES or choice not in CHOICES:
            raise InvalidInput(f"{name} is not included in the list")
    values = asdict(DEFAULT) | dict(changes)
    statement = tx.insert(notification_policy).values(persona_id=persona_id, **values)
    if changes:
        made = statement.on_conflict_do_update(index_elements=["persona_id"], set_=dict(changes))
        await tx.execute(made)
    return await of(tx, persona_id)


async def summary(tx: Transaction, persona_id: int) -> tuple[int, int]:
    """How many requests are waiting, and how many things in them."""
    people, things = func.count(distinct(notification.c.actor_id)), func.count()
    row = await tx.first(select(people.label("people"), things.label("things")).where(*_waiting(persona_id)))
    return (0, 0) if row is None else (row.people, row.things)


async def waiting(tx: Transaction, persona_id: int, window: Window) -> Page[Request]:
    """What is kept apart, by whom, newest first. Its numbers are those of the newest thing of each."""
    grouped = _requests(persona_id).subquery()
    rows = await tx.all(window.of(select(grouped), grouped.c.newest))
    return page_of(window, [_request(row) for row in rows], lambda each: each.newest)


async def request(tx: Transaction, persona_id: int, actor_id: int) -> Request:
    """What is kept apart of this actor; NotFound where nothing is."""
    row = await tx.first(_requests(persona_id).where(notification.c.actor_id == actor_id))
    if row is None:
        raise NotFound
    return _request(row)


async def accept(tx: Transaction, persona_id: int, actor_ids: Collection[int], now: float) -> None:
    """What is kept apart of these is told, and so is what they tell later. Who tells nothing is passed over."""
    for actor_id in sorted(set(actor_ids)):
        told = await tx.execute(update(notification).where(*_waiting(persona_id, actor_id)).values(filtered=False))
        if told.rowcount:
            allowed = tx.insert(notification_permission).values(
                persona_id=persona_id, actor_id=actor_id, created_at=now
            )
            await tx.execute(allowed.on_conflict_do_nothing())


async def dismiss(tx: Transaction, persona_id: int, actor_ids: Collection[int], now: float) -> None:
    """What is kept apart of these is not shown any more."""
    for actor_id in sorted(set(actor_ids)):
        await tx.execute(update(notification).where(*_waiting(persona_id, actor_id)).values(dismissed_at=now))


def kept_out(persona_id: Any, who: Any) -> ColumnElement[bool]:
    """Whether rules about domains keep what somebody did from a persona (columns or numbers).

    What comes from a blocked server always; what comes from a limited one where the persona does not follow who did it,
    and its policy does not ask for it.
    """
    this, ours = actor.alias(), notification_policy.alias()
    blocked = exists().where(this.c.id == who, this.c.standing == BLOCKED).correlate_except(this)
    wanted = exists().where(ours.c.persona_id == persona_id, ours.c.for_limited_accounts != DROP).correlate_except(ours)
    return and_(audience.passed_over(persona_id, who), or_(blocked, ~or_(wanted, _permitted(persona_id, who))))


def verdict(to: Any, who: Any) -> Verdict:
    """What the policy of a persona says of what somebody does; values: `direct`, `answers`, `new`, `lately`."""
    follows, follower = _follow(to, who), _follow(who, to)
    settled = follower.where(follow.c.created_at <= bindparam("lately", type_=Double))
    this, answered = actor.alias(), post.alias()
    is_new = exists().where(this.c.id == who, this.c.created_at > bindparam("new", type_=Double)).correlate_except(this)
    is_limited = exists().where(this.c.id == who, this.c.standing == LIMITED).correlate_except(this)
    is_answer = (
        exists()
        .where(answered.c.id == bindparam("answers", type_=BigInteger), answered.c.author_id == to)
        .correlate_except(answered)
    )
    cases: tuple[tuple[str, ColumnElement[bool]], ...] = (
        ("for_not_following", ~follows),
        ("for_not_followers", ~settled),
        ("for_new_accounts", and_(is_new, ~follows)),
        ("for_private_mentions", and_(bindparam("direct", type_=Boolean), ~follows, ~is_answer)),
        ("for_limited_accounts", and_(is_limited, ~follows)),
    )
    permitted = _permitted(to, who)

    def says(choice: str) -> ColumnElement[bool]:
        return and_(~permitted, or_(*(and_(_choice(to, name) == choice, case) for name, case in cases)))

    return Verdict(says(DROP), says(FILTER))


def _choice(to: Any, name: str) -> ColumnElement[str]:
    ours = notification_policy.alias()
    chosen = select(ours.c[name]).where(ours.c.persona_id == to).correlate_except(ours).scalar_subquery()
    return func.coalesce(chosen, getattr(DEFAULT, name))


def _follow(follower: Any, followed: Any) -> Any:
    return (
        exists()
        .where(follow.c.follower_id == follower, follow.c.followed_id == followed, follow.c.state == ACCEPTED)
        .correlate_except(follow)
    )


def _permitted(persona_id: Any, who: Any) -> ColumnElement[bool]:
    this = notification_permission.alias()
    return exists().where(this.c.persona_id == persona_id, this.c.actor_id == who).correlate_except(this)


def _waiting(persona_id: int, actor_id: int | None = None) -> tuple[ColumnElement[bool], ...]:
    which = (notification.c.persona_id == persona_id, notification.c.filtered, notification.c.dismissed_at.is_(None))
    return which if actor_id is None else (*which, notification.c.actor_id == actor_id)


def _requests(persona_id: int) -> Select[Any]:
    return (
        select(
            notification.c.actor_id,
            func.count().label("times"),
            func.min(notification.c.created_at).label("created_at"),
            func.max(notification.c.created_at).label("updated_at"),
            func.max(notification.c.id).label("newest"),
        )
        .where(*_waiting(persona_id))
        .group_by(notification.c.actor_id)
    )


def _request(row: Any) -> Request:
    return Request(row.actor_id, row.times, row.created_at, row.updated_at, row.newest)
