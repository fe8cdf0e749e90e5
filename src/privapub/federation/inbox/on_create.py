"""Somebody wrote a post (ActivityPub, section 7.2)."""

from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import types
from privapub.federation.documents.read_actor import KINDS as ACTORS
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import DIRECTLY, Arrived, Through, Wanted
from privapub.federation.inbox.audience import concerned, may_concern, may_concern_brought
from privapub.federation.inbox.received import is_vote, keep
from privapub.posts import polls, threads
from privapub.posts import read as posts


async def on_create(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """Taken in if the signer wrote it and it concerns anybody here."""
    record = told(arrived)
    if isinstance(record, str):
        return record
    return await take_in(tx, record, arrived.signer, arrived.owner, now, arrived.through)


async def want(tx: Transaction, arrived: Arrived) -> Wanted | None:
    """A post that is only named is fetched, where it may concern somebody here."""
    activity = arrived.activity
    if activity.object is not None or activity.object_id is None:
        return None
    return Wanted("post", activity.object_id, shared=True) if await may_be_for_us(tx, arrived) else None


async def may_be_for_us(tx: Transaction, arrived: Arrived) -> bool:
    """Whether what the activity only names may concern somebody here."""
    activity = arrived.activity
    if arrived.through:
        return await may_concern_brought(tx, activity, arrived.through)
    return await may_concern(tx, (*activity.to, *activity.cc), arrived.signer, arrived.owner)


def told(arrived: Arrived) -> RemotePost | str:
    """The post that the activity is about, fetched or embedded; else the reason why there is none (pure)."""
    activity, fetched = arrived.activity, arrived.fetched
    if fetched.problem is not None and (activity.object is None or fetched.problem == "gone"):
        return fetched.problem
    if activity.object is not None and set(types(activity.object)) & ACTORS:
        return "not-theirs"
    if fetched.post is not None and fetched.post.uri != activity.object_id:
        return "not-theirs"
    if fetched.post is not None:
        return fetched.post
    return "not-for-us" if activity.object is None else read_post(activity.object)


async def take_in(
    tx: Transaction, record: RemotePost, signer: Actor, owner: str, now: float, through: Through = DIRECTLY
) -> str | None:
    """Keep the post if the signer wrote it and it concerns anybody here."""
    if record.author != signer.uri or not same_origin(record.uri, signer.uri):
        return "not-theirs"
    if is_vote(record):
        return "vote" if through else await _vote(tx, record, signer, now)
    whom = await concerned(tx, record, signer, owner, through)
    if not whom.anybody:
        return "not-for-us"
    if await keep(tx, record, signer, whom, now) is None:
        return "deleted-before"
    await threads.answered(tx, record.in_reply_to, whom.audience, now)
    return None


async def _vote(tx: Transaction, record: RemotePost, signer: Actor, now: float) -> str | None:
    """It is counted, and kept nowhere as a post."""
    asked = await posts.by_uri(tx, record.in_reply_to or "")
    if asked is None:
        return "no-poll"
    return await polls.take_vote(tx, asked, signer.id, record.name, record.uri, now)
