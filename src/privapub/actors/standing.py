"""How the rules about domains stand to the servers of remote actors, kept with each of them.

An actor belongs to two hosts, which are mostly one: that of its id and that of its address. The worse of the two
counts. Whoever looks up actors in a larger question finds the answer in their rows, and needs no rules.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, exists, select, update

from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.moderation.domain_rules import BLOCKED, Rule, Rules, Standing
from privapub.outbound.target import host_of

FEW = 100  # servers
AT_ONCE = 2000  # actors


@dataclass(frozen=True)
class Server:
    """The two hosts of some remote actors as their rows have them, and in their one spelling."""

    origin: str
    host: str
    hosts: frozenset[str]


async def servers(tx: Transaction, under: Iterable[Rule] | None = None) -> list[Server]:
    """All servers of which we know anybody; those that any of these rules is about, where some are given."""
    rows = await tx.all(select(actor.c.origin, actor.c.host).where(~actor.c.local).distinct())
    found = [Server(row.origin, row.host, frozenset({row.origin, host_of(f"https://{row.host}/")})) for row in rows]
    if under is None:
        return found
    tops = {rule.top for rule in under}
    return [each for each in found if any(not tops.isdisjoint(_ends(host)) for host in each.hosts)]


async def settle(tx: Transaction, rules: Rules, which: Collection[Server]) -> None:
    """The actors of these servers stand as the rules say."""
    now_is = {(each.origin, each.host): rules.standing(each.hosts) for each in which}
    if len(now_is) > FEW:
        await _settle_many(tx, now_is)
    elif now_is:
        rows = [{"of_origin": origin, "of_host": host, "now_is": how} for (origin, host), how in sorted(now_is.items())]
        await tx.execute(_SETTLE, rows)


async def _settle_many(tx: Transaction, now_is: Mapping[tuple[str, str], Standing]) -> None:
    """By the numbers of the actors, as they lie in the table: server by server takes thirty times as long."""
    last = 0
    while rows := await tx.all(_PEOPLE, after=last, limit=AT_ONCE):
        last = rows[-1].id
        changed: dict[str, list[int]] = {}
        for row in rows:
            how = now_is.get((row.origin, row.host), row.standing)
            if how != row.standing:
                changed.setdefault(how, []).append(row.id)
        for how, ids in sorted(changed.items()):
            await tx.execute(update(actor).where(actor.c.id.in_(ids)).values(standing=how))


_PEOPLE = (
    select(actor.c.id, actor.c.origin, actor.c.host, actor.c.standing)
    .where(~actor.c.local, actor.c.id > bindparam("after", type_=BigInteger))
    .order_by(actor.c.id)
    .limit(bindparam("limit", type_=BigInteger))
)
_SETTLE = (
    update(actor)
    .where(
        actor.c.origin == bindparam("of_origin"),
        actor.c.host == bindparam("of_host"),
        ~actor.c.local,
        actor.c.standing != bindparam("now_is"),
    )
    .values(standing=bindparam("now_is"))
)


def of_server(origin: Any, host: Any) -> ColumnElement[bool]:
    """Whether an actor is of a server: a condition on the table itself."""
    return and_(actor.c.origin == origin, actor.c.host == host, ~actor.c.local)


def is_blocked(who: Any) -> ColumnElement[bool]:
    """Whether the server of somebody (a column or a number) is blocked: a condition for larger questions."""
    this = actor.alias()
    return exists().where(this.c.id == who, this.c.standing == BLOCKED).correlate_except(this)


async def blocked_among(tx: Transaction, actor_ids: Collection[int]) -> frozenset[int]:
    """Those of these actors whose servers are blocked, in one question."""
    if not actor_ids:
        return frozenset()
    rows = await tx.all(_BLOCKED, ids=sorted(set(actor_ids)))
    return frozenset(row.id for row in rows)


_BLOCKED = select(actor.c.id).where(actor.c.id.in_(bindparam("ids", expanding=True)), actor.c.standing == BLOCKED)


def _ends(host: str) -> list[str]:
    """A host and the domains above it."""
    labels = host.split(".")
    return [".".join(labels[place:]) for place in range(len(labels))]
