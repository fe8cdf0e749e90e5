"""How each host likes its signatures: what worked is remembered for 30 days."""

from collections.abc import Collection

from sqlalchemy import bindparam, delete, select

from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction
from privapub.federation.fetching.tables import host_scheme
from privapub.federation.signatures.claim import Scheme

REMEMBERED = 30 * 86400.0
MOST = 100_000
# Most servers read only the draft: a host gets it until it has shown that it takes the standard.
FIRST: Scheme = "cavage"


def other(scheme: Scheme) -> Scheme:
    """The one to knock with when this one was refused."""
    return "cavage" if scheme == "rfc9421" else "rfc9421"


async def of_host(tx: Transaction, host: str, now: float) -> Scheme:
    """The scheme to begin with at this host."""
    return (await of_hosts(tx, [host], now))[host]


async def of_hosts(tx: Transaction, hosts: Collection[str], now: float) -> dict[str, Scheme]:
    """The scheme to begin with at each of these hosts."""
    found = {row.host for row in await tx.all(_STANDARD, hosts=sorted(hosts), since=now - REMEMBERED)}
    return {host: "rfc9421" if host in found else FIRST for host in hosts}


async def remember(tx: Transaction, host: str, scheme: Scheme, now: float) -> None:
    """This host took a request signed in this scheme."""
    statement = tx.insert(host_scheme).values(host=host, scheme=scheme, at=now)
    await tx.execute(
        statement.on_conflict_do_update(
            index_elements=["host"], set_={"scheme": statement.excluded.scheme, "at": statement.excluded.at}
        )
    )


async def suppose(tx: Transaction, host: str, scheme: Scheme, now: float) -> None:
    """This host signed in this scheme towards us: begin with it there, unless something is known of it already."""
    if scheme != FIRST:
        statement = tx.insert(host_scheme).values(host=host, scheme=scheme, at=now)
        await tx.execute(statement.on_conflict_do_nothing(index_elements=["host"]))


async def prune(tx: Transaction, now: float) -> None:
    """Forget what is older than is believed, and of very many hosts those that are known longest."""
    await tx.execute(delete(host_scheme).where(host_scheme.c.at <= now - REMEMBERED))
    await keep_newest(tx, host_scheme, host_scheme.c.at, MOST)


# Asked for before every delivery: put together once.
_STANDARD = select(host_scheme.c.host).where(
    host_scheme.c.host.in_(bindparam("hosts", expanding=True)),
    host_scheme.c.scheme == "rfc9421",
    host_scheme.c.at > bindparam("since"),
)
