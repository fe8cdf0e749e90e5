"""Which of our quotes an Accept or a Reject of a QuoteRequest answers (FEP-044f)."""

from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import identity, types
from privapub.federation.documents.write_quote import requested
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Arrived
from privapub.posts import quotes, read
from privapub.posts.read import Post


async def answered_quote(tx: Transaction, arrived: Arrived) -> Post | None:
    """The post of ours that asked, or None: an embedded QuoteRequest is found by its instrument, a bare id as ours."""
    embedded = arrived.activity.object or {}
    uri = identity(embedded.get("instrument")) if "QuoteRequest" in types(embedded) else None
    uri = uri or requested(arrived.activity.object_id or "")
    found = None if uri is None else await read.by_uri(tx, uri)
    return found if found is not None and found.local and found.quote is not None else None


async def take_answer(tx: Transaction, arrived: Arrived, quoting: Post, now: float) -> str | None:
    """A yes counts with a stamp on the quoted author's host, and from nobody but them; so does a no."""
    signer, stamp = arrived.signer, arrived.activity.result
    if arrived.activity.kind == "Reject":
        changed = await quotes.rejected(tx, quoting.id, signer.id)
    elif stamp is None or not same_origin(stamp, signer.uri):
        return "no-stamp"
    else:
        changed = await quotes.accepted(tx, quoting.id, signer.id, stamp, now)
    return None if changed else "not-asked"
