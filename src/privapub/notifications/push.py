"""Waking the programs of a persona: which of them want to hear of what, and the jobs that tell them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Executable, and_, bindparam, delete, or_, select, update

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.jobs.enqueue import put
from privapub.jobs.hosts import HOST
from privapub.jobs.job import NewJob
from privapub.notifications.tables import push_key, push_subscription
from privapub.outbound import target

PUSH = "push"
HOLD = 86_400.0  # seconds after which nobody needs to be woken any more
ALL, FOLLOWED, FOLLOWER, NONE = "all", "followed", "follower", "none"
POLICIES = (ALL, FOLLOWED, FOLLOWER, NONE)
# What programs may ask to hear of; to them a reaction is a favourite.
ALERTS = (
    "mention", "status", "reblog", "follow", "follow_request", "favourite", "poll", "update", "quote", "quoted_update"
)  # fmt: skip
_CALLED = {"reaction": "favourite"}
LONGEST = 2048


@dataclass(frozen=True)
class Subscription:
    """Where a program is woken, and of what it wants to hear of whom."""

    id: int
    token_id: int
    persona_id: int
    endpoint: str
    p256dh: str
    auth: str
    standard: bool
    alerts: tuple[str, ...]
    policy: str


async def subscribe(
    tx: Transaction,
    token_id: int,
    persona_id: int,
    endpoint: str,
    keys: tuple[str, str],
    *,
    standard: bool,
    alerts: Mapping[str, bool],
    policy: str,
    now: float,
) -> Subscription:
    """The program of this token is woken there, and nowhere else. `keys` (p256dh, auth) have been checked.

    InvalidInput for an address that can be asked for nothing.
    """
    try:
        target.read(endpoint)
    except ValueError:
        raise InvalidInput("Endpoint is invalid") from None
    if len(endpoint) > LONGEST:
        raise InvalidInput("Endpoint is too long")
    await tx.execute(delete(push_subscription).where(push_subscription.c.token_id == token_id))
    new = tx.insert(push_subscription).values(
        id=identifiers.sortable(now),
        token_id=token_id,
        persona_id=persona_id,
        endpoint=endpoint,
        p256dh=keys[0],
        auth=keys[1],
        standard=standard,
        alerts=_alerts(alerts),
        policy=_policy(policy),
        created_at=now,
    )
    given = {name: new.excluded[name] for name in push_subscription.c.keys() if name != "token_id"}  # noqa: SIM118 - of columns
    await tx.execute(new.on_conflict_do_update(index_elements=["token_id"], set_=given))
    return await of_token(tx, token_id)


async def of_token(tx: Transaction, token_id: int) -> Subscription:
    """Where the program of this token is woken; NotFound."""
    row = await tx.first(select(push_subscription).where(push_subscription.c.token_id == token_id))
    if row is None:
        raise NotFound
    return _subscription(row)


async def by_id(tx: Transaction, subscription_id: int) -> Subscription | None:
    """The subscription with this number."""
    row = await tx.first(select(push_subscription).where(push_subscription.c.id == subscription_id))
    return None if row is None else _subscription(row)


async def change(tx: Transaction, token_id: int, alerts: Mapping[str, bool], policy: str | None) -> Subscription:
    """It hears of these things, and of these people where a policy is given. NotFound where it is not woken at all."""
    values: dict[str, Any] = {"alerts": _alerts(alerts)} | ({} if policy is None else {"policy": _policy(policy)})
    await tx.execute(update(push_subscription).where(push_subscription.c.token_id == token_id).values(**values))
    return await of_token(tx, token_id)


async def unsubscribe(tx: Transaction, token_id: int) -> None:
    """It is woken no more."""
    await tx.execute(delete(push_subscription).where(push_subscription.c.token_id == token_id))


async def gone(tx: Transaction, subscription_id: int) -> None:
    """Its push service says that there is no such program any more."""
    await tx.execute(delete(push_subscription).where(push_subscription.c.id == subscription_id))


async def ensure_key(tx: Transaction, private: str) -> None:
    """The server has a key: this one, if it has none yet."""
    await tx.execute(tx.insert(push_key).values(id=1, private=private).on_conflict_do_nothing())


async def key(tx: Transaction) -> str | None:
    """The private key of the server; None where it has none yet."""
    found: str | None = await tx.scalar(select(push_key.c.private))
    return found


async def plan(tx: Transaction, notification_id: int, persona_id: int, kind: str, actor_id: int) -> None:
    """The persona was told something: whatever program wants to hear of it is woken by a job."""
    rows = await tx.all(_listening(), persona=persona_id, who=actor_id)
    wanted = _CALLED.get(kind, kind)
    await put(
        tx,
        [
            NewJob(
                PUSH,
                f"{HOST}{target.read(row.endpoint).host}",
                {"subscription": row.id, "notification": notification_id},
                dedupe_key=f"{PUSH} {row.id} {notification_id}",
            )
            for row in rows
            if wanted in row.alerts
        ],
    )


@cache
def _listening() -> Executable:
    """Who of a persona's programs hears of what this actor does."""
    to, who = bindparam("persona", type_=BigInteger), bindparam("who", type_=BigInteger)

    def follows(follower: Any, followed: Any) -> Any:
        this = follow.alias()
        accepted = this.c.follower_id == follower, this.c.followed_id == followed, this.c.state == ACCEPTED
        return select(this.c.id).where(*accepted).exists()

    policy = push_subscription.c.policy
    return select(push_subscription.c.id, push_subscription.c.endpoint, push_subscription.c.alerts).where(
        push_subscription.c.persona_id == to,
        or_(
            policy == ALL,
            and_(policy == FOLLOWED, follows(to, who)),
            and_(policy == FOLLOWER, follows(who, to)),
        ),
    )


def _alerts(wanted: Mapping[str, bool]) -> list[str]:
    return [name for name in ALERTS if wanted.get(name)]


def _policy(policy: str) -> str:
    if policy not in POLICIES:
        raise InvalidInput("Policy is not included in the list")
    return policy


def _subscription(row: Any) -> Subscription:
    return Subscription(
        row.id, row.token_id, row.persona_id, row.endpoint, row.p256dh, row.auth, bool(row.standard),
        tuple(row.alerts), row.policy,
    )  # fmt: skip
