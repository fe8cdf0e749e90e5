"""What became of deliveries: counts for each day, host, outcome and reason, and nothing of what was in them."""

from privapub.database.connect import Database
from privapub.telemetry.tables import departure
from privapub.telemetry.tally import HostTally

FLUSH_EVERY = 5.0  # seconds
TAKEN = "taken"
LATER = "later"  # it will be tried again
GIVEN_UP = "given-up"


class DepartureRecorder(HostTally):
    """Counts in memory; `flush` adds them to the table."""

    def __init__(self, database: Database) -> None:
        """Count for this database."""
        super().__init__(database, departure, FLUSH_EVERY)
