"""Somebody asks to quote a post of ours (FEP-044f, QuoteRequest).

The author of the quote asks, for a post of their own host. The post's policy answers at once: an Accept with a stamp or
a Reject. A question that comes again is answered by what holds by then.
"""

from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.documents.read_activity import Activity
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Arrived
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.received import keep
from privapub.posts import read, stamps


async def on_quote_request(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """Answered for a post of ours that the asker may see; of any other nobody is told whether there is one."""
    activity, signer = arrived.activity, arrived.signer
    quoting = activity.instrument_id
    if activity.object_id is None or quoting is None or activity.id is None:
        return "no-object"
    record = _embedded(activity)
    if not same_origin(quoting, signer.uri) or not _says_so(record, activity):
        return "not-theirs"
    quoted = await read.by_uri(tx, activity.object_id)
    if quoted is None or not quoted.local:
        return "no-such-post"
    try:
        allowed = await stamps.answer(tx, quoted.id, signer.id, quoting, activity.id, now)
    except NotFound:
        return "no-such-post"
    if allowed and record is not None:
        await keep(tx, record, signer, await concerned(tx, record, signer, arrived.owner), now)
    return None


def _embedded(activity: Activity) -> RemotePost | None:
    """The quote where it is embedded; raises BadDocument where that is no post."""
    if activity.instrument is None or set(activity.instrument) <= {"id", "type"}:
        return None
    return read_post(activity.instrument)


def _says_so(record: RemotePost | None, activity: Activity) -> bool:
    """Whether the embedded quote, if there is one, is the asker's own and quotes what they ask for."""
    return record is None or (
        record.uri == activity.instrument_id and record.author == activity.actor and record.quote == activity.object_id
    )
