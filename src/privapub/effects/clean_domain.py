"""The job of the kind `clean_domain`: what is kept of blocked hosts goes, in small transactions.

Of hosts of which only the media are rejected, those go that the cache has. It begins an hour after the rule, so that
one who blocked the wrong domain loses nothing. Each step looks again whether the host is still blocked. Run again it
goes on with what is left.
"""

from collections.abc import Sequence

from sqlalchemy import select

from privapub import clock
from privapub.actors import standing
from privapub.actors.standing import Server as TheirServer
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.follows import domains
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome, Retry
from privapub.jobs.progress import report
from privapub.moderation import rules
from privapub.moderation.domain_rules import BLOCK, BLOCKED, Rules
from privapub.notifications import notify
from privapub.posts.sweep import sweep
from privapub.proxy import cache
from privapub.server import Server

CLEAN = "clean_domain"
AFTER = 3600.0  # seconds after the block
AT_ONCE = 200  # rows, and people, in a transaction
LONGEST = 300.0  # seconds before it makes room for another


async def plan(tx: Transaction, domain: str, run_at: float) -> None:
    """Clean away what is kept of the hosts about which the rule for this domain decides."""
    job = NewJob(CLEAN, CLEAN, {"domain": domain}, run_at, dedupe_key=f"{CLEAN} {domain}", unique_while_waiting=True)
    await put(tx, [job])


async def clean_domain(server: Server, job: Job) -> Outcome:
    """Delete posts, likes, boosts and notifications of their people; the people themselves and their follows stay.

    The files of theirs that the cache has go first.
    """
    begun = clock.monotonic()
    await _clean_cache(server, str(job.args["domain"]))
    async with server.database.read() as tx:
        which = await _blocked(tx, str(job.args["domain"]))
    deleted = 0
    for place, theirs in enumerate(which):
        last = 0
        while True:
            async with server.database.write() as tx:
                ids = await _people(tx, theirs, last)
                gone = await _clean(tx, ids)
            deleted += gone
            await report(server.database, job, place / len(which), f"{theirs.host}: {deleted} deleted")
            if not ids:
                break
            if gone < AT_ONCE:
                last = ids[-1]
            if gone and clock.monotonic() > begun + LONGEST:  # it will begin anew, and pass over what has nothing left
                return Retry(0.0, "there is more", spends_attempt=False)
    await report(server.database, job, 1.0, f"{deleted} deleted")
    return Done()


async def _blocked(tx: Transaction, domain: str) -> list[TheirServer]:
    """The servers about which this rule decides, if it still blocks them."""
    rule = await rules.by_domain(tx, domain)
    if rule is None or rule.severity != BLOCK:
        return []
    found = domains.decided_by(await rules.in_force(tx), rule, await standing.servers(tx, [rule]))
    return sorted(found, key=lambda each: (each.origin, each.host))


async def _clean_cache(server: Server, domain: str) -> None:
    async with server.database.read() as tx:
        in_force = await rules.in_force(tx)
        hosts = [host for host in sorted(await cache.hosts(tx)) if _rejects(in_force, host, domain)]
    for host in hosts:
        gone = 1
        while gone:
            async with server.database.write() as tx:
                rejected = _rejects(await rules.in_force(tx), host, domain)  # as things stand at each step
                gone = await cache.forget_host(tx, host) if rejected else 0
    await cache.sweep(server.database, server.proxy.folder)


def _rejects(in_force: Rules, host: str, domain: str) -> bool:
    """Whether the rule for this domain, of those in force, says that no file of the host is kept (pure)."""
    rule = in_force.rule_for(host)
    return rule is not None and rule.domain == domain and not in_force.takes_media(host)


async def _people(tx: Transaction, theirs: TheirServer, after: int) -> list[int]:
    statement = select(actor.c.id).where(
        standing.of_server(theirs.origin, theirs.host), actor.c.standing == BLOCKED, actor.c.id > after
    )
    return [row.id for row in await tx.all(statement.order_by(actor.c.id).limit(AT_ONCE))]


async def _clean(tx: Transaction, ids: Sequence[int]) -> int:
    if not ids:
        return 0
    gone = await sweep(tx, ids, AT_ONCE)
    return gone if gone >= AT_ONCE else gone + await notify.forget_actors(tx, ids, AT_ONCE - gone)
