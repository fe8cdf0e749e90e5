"""Rules about domains, with all that follows from them at once.

In the transaction that changes a rule the actors of its hosts get their standing, by which `posts.audience` and the
timelines hide what a blocked server wrote, and the follows to and from a blocked server are suspended: the state that
they had is kept, and comes back when nothing blocks the server any more. The server is told nothing, as it is not
contacted. What is kept of it is cleaned up by a job after a while (fact DomainRuled).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, or_, select, update

from privapub.actors import standing
from privapub.actors.standing import Server
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, NotFound
from privapub.follows.read import ACCEPTED, PENDING, SUSPENDED
from privapub.follows.tables import follow
from privapub.jobs.enqueue import put_fact
from privapub.moderation import rules
from privapub.moderation.domain_rules import Rule, Rules
from privapub.moderation.facts import DomainRuled


@dataclass(frozen=True)
class Ties:
    """What there is between personas of ours and some servers.

    `followers`: their people who follow ours; `following`: whom ours follow there; both count the questions that wait.
    `suspended` counts both ways.
    """

    followers: int = 0
    following: int = 0
    suspended: int = 0

    @property
    def follows(self) -> int:
        """Those that are in force or asked for, both ways."""
        return self.followers + self.following

    def __add__(self, other: "Ties") -> "Ties":
        """Both together."""
        return Ties(
            self.followers + other.followers, self.following + other.following, self.suspended + other.suspended
        )


async def keep(tx: Transaction, new: Sequence[Rule], ours: Collection[str], now: float) -> None:
    """These rules hold from now on, each in place of the one for the same domain. Fact DomainRuled for each.

    `ours` are the hosts of this server. Raises Conflict for a rule about one of them.
    """
    for rule in new:
        if rule.domain in ours:
            raise Conflict(f"{rule.domain} is this server itself.")
        await rules.keep(tx, rule, now)
    await settle(tx, new, now)
    for rule in new:
        await put_fact(tx, DomainRuled(rule.domain), about=f"domain {rule.top}")


async def drop(tx: Transaction, domain: str, now: float) -> Rule:
    """There is no rule for this very domain any more; the one that there was. Raises NotFound."""
    rule = await rules.drop(tx, domain)
    if rule is None:
        raise NotFound(f"There is no rule for {domain}.", "`privapub domain list` shows those there are.")
    await settle(tx, [rule], now)
    await put_fact(tx, DomainRuled(domain), about=f"domain {rule.top}")
    return rule


async def allow_only(tx: Transaction, only_allowed: bool, now: float) -> bool:
    """From now on only allowed hosts are spoken with, or all that are not blocked; False where that was so already."""
    if not await rules.allow_only(tx, only_allowed):
        return False
    await settle(tx, None, now)
    return True


async def settle(tx: Transaction, changed: Iterable[Rule] | None, now: float) -> None:  # noqa: ARG001 - as all verbs
    """Actors and follows are as the rules say now: those that these rules are about, or (None) all."""
    which = await standing.servers(tx, changed)
    await standing.settle(tx, await rules.in_force(tx), which)
    await tx.execute(_SUSPEND)
    await tx.execute(_RESUME)


async def ties(tx: Transaction) -> dict[tuple[str, str], Ties]:
    """What there is between ours and each server, by (origin, host) of its actors."""
    found: dict[tuple[str, str], Ties] = {}
    for theirs, name in ((follow.c.follower_id, "followers"), (follow.c.followed_id, "following")):
        counted = (
            select(actor.c.origin, actor.c.host, follow.c.state, func.count().label("number"))
            .join(actor, actor.c.id == theirs)
            .where(~actor.c.local, follow.c.state.in_([PENDING, ACCEPTED, SUSPENDED]))
            .group_by(actor.c.origin, actor.c.host, follow.c.state)
        )
        for row in await tx.all(counted):
            one = Ties(**{"suspended" if row.state == SUSPENDED else name: row.number})
            found[row.origin, row.host] = found.get((row.origin, row.host), Ties()) + one
    return found


def total(between: dict[tuple[str, str], Ties], which: Iterable[Server]) -> Ties:
    """What there is between ours and these servers. Pure."""
    return sum((between.get((each.origin, each.host), Ties()) for each in which), Ties())


def decided_by(in_force: Rules, rule: Rule, which: Iterable[Server]) -> list[Server]:
    """Those of the servers about one of whose hosts this rule decides. Pure."""
    return [
        each
        for each in which
        if any((found := in_force.rule_for(host)) and found.domain == rule.domain for host in each.hosts)
    ]


# Asked of all follows: they are few beside the people of other servers, and what is so already is left as it is.
_PARTED = or_(standing.is_blocked(follow.c.follower_id), standing.is_blocked(follow.c.followed_id))
_SUSPEND = (
    update(follow)
    .where(follow.c.state.in_([PENDING, ACCEPTED]), _PARTED)
    .values(state_before=follow.c.state, state=SUSPENDED)
)
_RESUME = (
    update(follow).where(follow.c.state == SUSPENDED, ~_PARTED).values(state=follow.c.state_before, state_before=None)
)
