"""What time it is for the queue: the database's clock where there is one, so that no process' clock can mislead it."""

from privapub import clock
from privapub.database.transaction import Transaction

_CLOCK = "extract(epoch FROM clock_timestamp())::float8"
POSTGRESQL_NOW = f"SELECT {_CLOCK}"
NOW = f"{_CLOCK} + {{}}"  # within a statement to PostgreSQL, given the value of `known`


def known(tx: Transaction) -> float:
    """What is known here of the moment: on SQLite all of it, on PostgreSQL the clock's offset."""
    return clock.now() if tx.dialect == "sqlite" else clock.offset()


async def moment(tx: Transaction) -> float:
    """Seconds since 1970 by PostgreSQL's clock plus the clock's offset, or by our own on SQLite."""
    if tx.dialect == "sqlite":
        return clock.now()
    return float((await tx.raw(POSTGRESQL_NOW))[0][0]) + clock.offset()
