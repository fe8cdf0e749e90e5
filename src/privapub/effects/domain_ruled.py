"""A rule about a domain was made, changed or taken away: what is kept of a blocked host is to be cleaned away,
and of one whose media are rejected, these.
"""

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.effects import clean_domain
from privapub.follows import domains
from privapub.moderation import rules
from privapub.moderation.domain_rules import BLOCK, Rule
from privapub.moderation.facts import DomainRuled


async def domain_ruled(tx: Transaction, fact: DomainRuled, _addresses: Addresses, now: float) -> None:
    """Whoever was learnt while the rule was changed is put right; done again without harm."""
    rule = await rules.by_domain(tx, fact.domain)
    await domains.settle(tx, [rule or Rule(fact.domain, "none")], now)
    if rule is not None and (rule.severity == BLOCK or rule.reject_media):
        await clean_domain.plan(tx, rule.domain, now + clean_domain.AFTER)
