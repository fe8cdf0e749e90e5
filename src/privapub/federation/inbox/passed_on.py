"""What a group passes on of its members: an activity within an Announce (FEP-1b12; Lemmy, PieFed, NodeBB).

The group is not who did it, and nothing of what is embedded is believed: it only says where to look. What was created
or changed is fetched from its own host; what was deleted is gone if its own host says so. A host that answers 404 says
nothing: it does so too for what is there and not for us to see. What is not for everyone no group speaks of.
"""

from privapub.actors.read import Actor, known
from privapub.database.transaction import Transaction
from privapub.federation.documents.activity_kinds import KNOWN, named
from privapub.federation.documents.properties import identity, types
from privapub.federation.documents.read_activity import Activity
from privapub.federation.fetching.origin import origin
from privapub.federation.inbox.arrived import Arrived, Fetched, Wanted
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.received import is_vote, keep, received
from privapub.follows import read as follows
from privapub.follows import relays
from privapub.link_previews import plan as previews
from privapub.outbound.gate import DISALLOWED
from privapub.posts import audience as audiences
from privapub.posts import read as posts
from privapub.posts import receive
from privapub.posts.read import Post

PASSED_ON = frozenset({"Create", "Update", "Delete"})
_GONE = frozenset({"gone", "not-fetched: 410"})


def inner(activity: Activity) -> tuple[str, str | None]:
    """The kind of the activity that is announced and the id of its object; ("", id) for a boost of a post (pure)."""
    document = activity.object
    kind = None if document is None else next((name for name in types(document) if name in KNOWN), None)
    if document is None or kind is None:
        return "", activity.object_id
    return kind, identity(document.get("object"))


async def followed_here(tx: Transaction, signer: Actor) -> bool:
    """Whether one of ours follows them, or the server does, as a relay."""
    return await follows.is_followed_here(tx, signer.id) or await relays.is_one(tx, signer.uri)


async def want(tx: Transaction, arrived: Arrived, kind: str, uri: str) -> Wanted | None:
    """What its own host says of it now, unless that can change nothing here."""
    if kind not in PASSED_ON or not await followed_here(tx, arrived.signer):
        return None
    post = await posts.by_uri(tx, uri)
    if post is None:
        return None if kind == "Delete" else Wanted("post", uri, shared=kind == "Create")
    if kind == "Create" or post.local or post.deleted_at is not None or post.audience not in audiences.OPEN:
        return None
    return Wanted("post", uri)


async def take_in(tx: Transaction, arrived: Arrived, kind: str, uri: str, now: float) -> str | None:
    """A post that is new is kept, and boosted by nobody; one that we have is changed or deleted as its host says."""
    if kind not in PASSED_ON:
        return f"announce-of-{named(kind)}"
    if not await followed_here(tx, arrived.signer):
        return "not-for-us"
    post = await posts.by_uri(tx, uri)
    if post is not None and post.audience not in audiences.OPEN:
        return "not-for-us"
    if kind == "Delete":
        return await _deleted(tx, post, arrived.fetched, now)
    if post is not None and (kind == "Create" or post.local):
        return None
    found = await taken(tx, arrived.fetched, now)
    return found if isinstance(found, str) else await _changed(tx, post, arrived.fetched, now)


async def _changed(tx: Transaction, post: Post | None, fetched: Fetched, now: float) -> str | None:
    if post is None or fetched.post is None:
        return None
    author = await known(tx, post.author_id)
    changed = await receive.receive_edit(tx, received(fetched.post, author), author.id, (), now)
    if changed and (edited := await posts.by_id(tx, post.id)) is not None:
        await previews.plan(tx, edited, now)
    return None if changed else "not-newer"


async def taken(tx: Transaction, fetched: Fetched, now: float) -> Post | str:
    """The post that was fetched, kept from now on; or the reason why it is not. Only one that is for everybody."""
    record, author = fetched.post, fetched.actor
    if record is None or author is None:
        return fetched.problem or "not-for-us"
    if author.is_gone or record.author != author.uri:
        return "gone-actor" if author.is_gone else "not-theirs"
    if author.is_blocked:
        return DISALLOWED
    if is_vote(record):
        return "vote"
    whom = await concerned(tx, record, author, "")
    if whom.audience not in audiences.OPEN:
        return "not-to-be-boosted"
    kept = await keep(tx, record, author, whom, now)
    post = None if kept is None else await posts.by_id(tx, kept)
    return "deleted-before" if post is None else post


async def _deleted(tx: Transaction, post: Post | None, fetched: Fetched, now: float) -> str | None:
    if post is None or post.local or post.deleted_at is not None:
        return "nothing-to-delete"
    if fetched.problem not in _GONE:
        return fetched.problem or "not-deleted"
    author = await known(tx, post.author_id)
    await receive.receive_delete(tx, post.uri, author.id, author.uri, origin(author.uri), now)
    return None
