"""What knocked at the inbox, and what became of it: counts for each day, host, outcome and reason.

Nothing else is kept: no path, no actor, no address, no persona. Senders who were not verified count under the host "",
so that a stranger cannot fill the table with names; hosts beyond those that one process counts apart under "*".
"""

from privapub.database.connect import Database
from privapub.telemetry.tables import arrival
from privapub.telemetry.tally import HostTally

FLUSH_EVERY = 5.0  # seconds
UNVERIFIED = ""


class ArrivalRecorder(HostTally):
    """Counts in memory; `flush` adds them to the table."""

    def __init__(self, database: Database) -> None:
        """Count for this database."""
        super().__init__(database, arrival, FLUSH_EVERY)
