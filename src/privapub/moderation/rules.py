"""The rules about domains as they are kept.

Who changes them by `follows.domains` changes at once what follows from them; whoever only decides has a copy in memory
(`gate`). Each change announces TOPIC, and raises the version by which an old copy is known.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, select

from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.moderation.domain_rules import COMMENT_LENGTH, Rule, Rules, domains_of
from privapub.moderation.tables import domain_policy, domain_rule

TOPIC = "domain rules"
_POLICY = 1
_COLUMNS = (
    domain_rule.c.domain,
    domain_rule.c.severity,
    domain_rule.c.reject_media,
    domain_rule.c.reject_reports,
    domain_rule.c.public_comment,
    domain_rule.c.private_comment,
    domain_rule.c.obfuscate,
)


async def keep(tx: Transaction, rule: Rule, now: float) -> None:
    """The rule holds from now on, in place of the one that was there. InvalidInput for a comment that is too long."""
    if max(len(rule.public_comment), len(rule.private_comment)) > COMMENT_LENGTH:
        raise InvalidInput(f"A comment has up to {COMMENT_LENGTH} characters.")
    row = {column.name: getattr(rule, column.name) for column in _COLUMNS} | {"changed_at": now}
    insert = tx.insert(domain_rule).values(row)
    changes = {name: insert.excluded[name] for name in row if name != "domain"}
    await tx.execute(insert.on_conflict_do_update(index_elements=[domain_rule.c.domain], set_=changes))
    await _changed(tx)


async def drop(tx: Transaction, domain: str) -> Rule | None:
    """There is no rule for this domain any more; the one that there was, or None."""
    row = await tx.first(delete(domain_rule).where(domain_rule.c.domain == domain).returning(*_COLUMNS))
    if row is None:
        return None
    await _changed(tx)
    return _rule(row)


async def allow_only(tx: Transaction, only_allowed: bool) -> bool:
    """Whether from now on only allowed hosts are spoken with; False where that was so already."""
    if (await policy(tx))[1] is only_allowed:
        return False
    await _changed(tx, only_allowed=only_allowed)
    return True


async def policy(tx: Transaction) -> tuple[int, bool]:
    """The version of the rules, and whether only allowed hosts are spoken with."""
    row = await tx.first(select(domain_policy.c.version, domain_policy.c.only_allowed))
    return (0, False) if row is None else (row.version, bool(row.only_allowed))


async def by_domain(tx: Transaction, domain: str) -> Rule | None:
    """The rule for this very domain."""
    row = await tx.first(select(*_COLUMNS).where(domain_rule.c.domain == domain))
    return None if row is None else _rule(row)


async def everything(tx: Transaction) -> Sequence[Rule]:
    """Every rule, by domain."""
    return [_rule(row) for row in await tx.all(select(*_COLUMNS).order_by(domain_rule.c.domain))]


async def in_force(tx: Transaction, ours: Collection[str] = ()) -> Rules:
    """All rules, ready to decide."""
    return Rules(await everything(tx), only_allowed=(await policy(tx))[1], ours=ours)


async def about(tx: Transaction, hosts: Collection[str]) -> Rules:
    """Those rules that are about one of these hosts, ready to decide about them."""
    domains = sorted({domain for host in hosts for domain in domains_of(host)})
    rows = await tx.all(select(*_COLUMNS).where(domain_rule.c.domain.in_(domains)))
    return Rules((_rule(row) for row in rows), only_allowed=(await policy(tx))[1])


async def _changed(tx: Transaction, *, only_allowed: bool | None = None) -> None:
    insert = tx.insert(domain_policy).values(id=_POLICY, version=1, only_allowed=bool(only_allowed))
    changes: dict[str, Any] = {"version": domain_policy.c.version + 1}
    if only_allowed is not None:
        changes["only_allowed"] = only_allowed
    await tx.execute(insert.on_conflict_do_update(index_elements=[domain_policy.c.id], set_=changes))
    tx.announce(TOPIC)


def _rule(row: Any) -> Rule:
    domain, severity, media, reports, public, private, obfuscate = row
    return Rule(domain, severity, bool(media), bool(reports), public, private, bool(obfuscate))
