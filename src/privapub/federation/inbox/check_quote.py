"""Looking whether a remote post may quote what it quotes (FEP-044f, Verifying third-party quote posts).

The job of kind `quote`, lane `quote`, has one argument, the number of the post that quotes. The quoted post comes from
its origin where it is not known, and the stamp from the host of its author: neither is believed from anybody else.
"""

from dataclasses import dataclass

from privapub import scope
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.actors.read import by_id as actor_by_id
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.documents.properties import identity, types
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.fetching.actor import fetch_author
from privapub.federation.fetching.document import document, final
from privapub.federation.fetching.origin import same_origin
from privapub.federation.fetching.post import fetch_post
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.received import keep
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome, Retry
from privapub.notifications.notify import of_quote
from privapub.outbound.answers import FetchProblem
from privapub.posts import quotes, read, stamps
from privapub.posts.read import Post
from privapub.server import Server

QUOTE = "quote"


@dataclass(frozen=True)
class Looked:
    """What was found: the quoted post with its author where it was not known yet, and whether the stamp is one."""

    quoted_uri: str
    stamp: str | None
    valid: bool
    record: RemotePost | None = None
    author: Actor | None = None


async def plan(tx: Transaction, post: Post, author_uri: str) -> None:
    """Have a post's quote looked at, if it waits for that: one with a stamp, or one that may quote its own author."""
    if post.local or post.quote is None or post.quote_state != quotes.PENDING:
        return
    if post.quote_stamp is None and not same_origin(post.quote, author_uri):
        return
    # What a reader caused leaves no trace.
    trigger = scope.READER if scope.current().trigger == scope.READER else ""
    key = f"{QUOTE} {post.id} {post.quote_stamp or ''}"
    job = NewJob(QUOTE, QUOTE, {"post": post.id}, dedupe_key=key, unique_while_waiting=True, trigger=trigger)
    await put(tx, [job])


async def fetch(server: Server, job: Job) -> Looked | Outcome:
    """Get the quoted post and the stamp. A host that does not answer now is asked again later (Retry)."""
    async with server.database.read() as tx:
        post = await read.by_id(tx, job.args["post"])
        if post is None or post.deleted_at is not None or post.quote is None or post.quote_state != quotes.PENDING:
            return Done()
        quoted = await read.by_uri(tx, post.quote)
        author = None if quoted is None else await actor_by_id(tx, quoted.author_id)
    record = None
    try:
        if quoted is None:
            record = await fetch_post(server, post.quote)
            author = await fetch_author(server, record.author)
        if author is None:
            return Done()
        valid = author.id == post.author_id or await _stamped(server, post, author)
    except FetchProblem as problem:
        if not final(problem):
            return Retry(None, str(problem))
        return Looked(post.quote, post.quote_stamp, valid=False, record=record, author=author)
    except PrivaPubError:
        return Looked(post.quote, post.quote_stamp, valid=False)
    return Looked(post.quote, post.quote_stamp, valid=valid, record=record, author=author)


async def write(tx: Transaction, job: Job, looked: Looked, now: float) -> Outcome | None:
    """Keep what was found. Without a stamp, a quote of somebody else goes on waiting for one."""
    if looked.valid and looked.record is not None and looked.author is not None:
        whom = await concerned(tx, looked.record, looked.author, "")
        await keep(tx, looked.record, looked.author, whom, now, quoted=True)
    if looked.valid or looked.stamp is not None:
        settled = await quotes.verified(tx, job.args["post"], looked.quoted_uri, looked.stamp, valid=looked.valid)
        if settled and looked.valid:
            await _tell(tx, job.args["post"], looked.quoted_uri, now)
    return None


async def _tell(tx: Transaction, post_id: int, quoted_uri: str, now: float) -> None:
    """Whose post is quoted is told, if they are ours."""
    quoting, quoted = await read.by_id(tx, post_id), await read.by_uri(tx, quoted_uri)
    if quoting is not None and quoted is not None and quoted.local:
        await of_quote(tx, quoting, quoted.author_id, now)


async def _stamped(server: Server, post: Post, author: Actor) -> bool:
    """Whether the stamp that a post names is the word of the quoted author, for this quote of this post."""
    if post.quote_stamp is None or not same_origin(post.quote_stamp, author.uri):
        return False
    if author.local:
        return await _ours(server, post, post.quote_stamp)
    found = await document(server, post.quote_stamp, "object", fresh=True)
    return (
        "QuoteAuthorization" in types(found)
        and identity(found.get("attributedTo")) == author.uri
        and identity(found.get("interactingObject")) == post.uri
        and identity(found.get("interactionTarget")) == post.quote
    )


async def _ours(server: Server, post: Post, stamp: str) -> bool:
    async with server.database.read() as tx:
        quoted = await read.by_uri(tx, post.quote or "")
        given = None if quoted is None else await stamps.of_quote(tx, quoted.id, post.uri)
    if given is None or given.revoked_at is not None:
        return False
    return Addresses(server.base_url).stamp(given.token) == stamp
