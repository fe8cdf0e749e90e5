"""Handing work from one mechanism to another: each piece of it is in one of the two at every moment, never in both.

For the steps in `versions/`. An after half calls `hand_over` in `upgrade`, from the older to the newer mechanism, and
in `downgrade`, from the newer to the older one. What is made and what is marked is one transaction, and as much must
be marked as was made. The mark is one that the other release has always passed over (a state of which it takes
nothing, or no row at all): it was written before anybody thought of a newer mechanism.
"""

from typing import Any

from alembic.util import CommandError
from sqlalchemy import Connection, CursorResult, text

from privapub import clock
from privapub.jobs.moment import POSTGRESQL_NOW


def hand_over(connection: Connection, *, source: str, held: str, make: str, mark: str) -> int:
    """Make new rows of what waits in the table `source`, and mark it there; how many there were.

    `held` counts what somebody is at: while there is any, the hand-over is refused. `make` inserts (or frees) a row of
    the other mechanism for each that waits, `mark` marks the same ones. All three are SQL, in which `:now` is the
    present moment. Raises CommandError, which undoes the whole step, where something is held or the numbers differ.
    """
    sqlite = connection.dialect.name == "sqlite"
    if not sqlite:
        # Whoever writes to it, or holds rows of it, has ended, and whoever comes waits; it may still be read. (On
        # SQLite a transaction that takes steps is the only one that writes.)
        connection.execute(text(f'LOCK TABLE "{source}" IN EXCLUSIVE MODE'))
    now = clock.now() if sqlite else float(connection.execute(text(POSTGRESQL_NOW)).scalar_one()) + clock.offset()

    def run(sql: str) -> CursorResult[Any]:
        return connection.execute(text(sql), {"now": now} if ":now" in sql else {})

    if busy := run(held).scalar_one():
        raise CommandError(
            f"somebody is still at work on {busy} of {source}: stop every PrivaPub that uses the database, and try "
            "again once what they held has been let go of"
        )
    made, marked = run(make).rowcount, run(mark).rowcount
    if made != marked:
        raise CommandError(f"of {source}, {marked} were to be handed over, and {made} could be made")
    return made
