"""What was asked of the house: how often each kind of answer was given, for each day.

By kind, method, status and whether the request was signed, and by nothing else: no address, no host, no persona. What
only some may read is a `collection`, whoever it is for: that there are circles is nobody's business.
The groups of endpoints of the client API are kinds of their own (`api:accounts`), with the class of a status (200,
400 …) in place of the status: more of what a program is told is the business of its persona.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.telemetry.tables import traffic
from privapub.telemetry.tally import Tally

FLUSH_EVERY = 10.0  # seconds

PAGE = "page"
ASSET = "asset"
MEDIA = "media"
PROXY = "proxy"
COLLECTION = "collection"
OTHER = "other"  # no address of ours, or not by this method
API = "api:"
API_GROUPS = frozenset(
    {
        "accounts", "instance", "media", "notifications", "oauth", "other", "push", "search", "statuses", "streaming",
        "timelines",
    }
)  # fmt: skip
KINDS = frozenset(
    {
        "actor", "outbox", "followers", "followers-of-host", "following", "featured", "featured-tags", COLLECTION,
        "post", "replies", "context", "likes", "shares", "activity", "stamp",
        "webfinger", "host-meta", "nodeinfo", "inbox", PAGE, ASSET, MEDIA, PROXY, OTHER,
        *(API + group for group in API_GROUPS),
    }
)  # fmt: skip
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@dataclass(frozen=True)
class Traffic:
    """How often an answer of this kind was given on a day."""

    day: str
    kind: str
    method: str
    status: int
    signed: bool
    count: int


class TrafficMeter(Tally):
    """Counts answers in memory; `flush` adds them to the table."""

    def __init__(self, database: Database) -> None:
        """Count for this database."""
        super().__init__(database, traffic, FLUSH_EVERY)

    def note(self, kind: str, method: str, status: int, at: float, *, signed: bool) -> None:
        """One more answer. A method that nothing here knows counts as `other`: a stranger invents no rows."""
        if kind.startswith(API):
            status = status // 100 * 100
        self.count((clock.iso_day(at), kind, method if method in _METHODS else OTHER, status, signed))


async def since(tx: Transaction, day: str) -> Sequence[Traffic]:
    """What was answered on this day (as clock.iso_day writes it) and later."""
    key = tuple(traffic.primary_key)
    rows = await tx.all(select(*key, traffic.c.count.label("number")).where(traffic.c.day >= day).order_by(*key))
    return [Traffic(row.day, row.kind, row.method, row.status, row.signed, row.number) for row in rows]
