"""Whether an incoming post concerns anybody here, and whom it names."""

from collections.abc import Collection
from dataclasses import dataclass

from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import PUBLIC, identity
from privapub.federation.documents.read_activity import Activity
from privapub.federation.documents.read_post import RemotePost, audience_of
from privapub.federation.inbox.arrived import DIRECTLY, RELAYED, Through
from privapub.follows import read as follows
from privapub.posts import read as posts
from privapub.posts.audience import OPEN
from privapub.posts.read import DIRECT


@dataclass(frozen=True)
class Concerned:
    """A post's audience, and the numbers of the actors that it names; whether it concerns anybody here."""

    audience: str
    recipient_ids: tuple[int, ...]
    anybody: bool


async def concerned(
    tx: Transaction, record: RemotePost, author: Actor, owner: str, through: Through = DIRECTLY
) -> Concerned:
    """Whom the post concerns. `owner` is the persona (as text) whose own inbox it came to, or "".

    It concerns us if it names one of ours, answers one of ours, or is for the followers of somebody whom one of ours
    follows. What names nobody and came to somebody's own inbox is theirs: of a circle the members are not named. One
    that somebody else brought concerns us too if it answers somebody whom one of ours follows, and of what a relay
    brings all that is for everybody.
    """
    audience = audience_of(record, author.followers)
    mentioned = [tag.href for tag in record.tags if tag.type == "Mention"]
    named = await actors.numbers(tx, _people((*record.to, *record.cc), author))
    ours = any(local for _, local in named)
    recipients = {number for number, _ in named}
    if audience == DIRECT and owner:
        recipients.add(int(owner))
        ours = True
    anybody = bool(
        ours
        or (audience != DIRECT and (owner or await follows.is_followed_here(tx, author.id)))
        or (audience != DIRECT and await _local_among(tx, mentioned))
        or await _answers_ours(tx, record.in_reply_to)
        or (through == RELAYED and audience in OPEN)
        or (through and audience != DIRECT and await _answers_followed(tx, record.in_reply_to))
    )
    return Concerned(audience, tuple(sorted(recipients - {author.id})), anybody)


async def may_concern(tx: Transaction, addressed: Collection[str], author: Actor, owner: str) -> bool:
    """The same as far as it can be told before the post itself is fetched, so that nothing is fetched for strangers."""
    if owner or await follows.is_followed_here(tx, author.id):
        return True
    return await _local_among(tx, _people(addressed, author))


async def may_concern_brought(tx: Transaction, activity: Activity, through: Through) -> bool:
    """The same of what somebody brings that somebody else did: whether it is worth a look, as it claims itself."""
    if through == RELAYED:
        return True
    author = await actors.by_uri(tx, activity.actor)
    if author is not None and await follows.is_followed_here(tx, author.id):
        return True
    if await _local_among(tx, {*activity.to, *activity.cc} - {PUBLIC}):
        return True
    answered = identity((activity.object or {}).get("inReplyTo"))
    return await _answers_ours(tx, answered) or await _answers_followed(tx, answered)


def _people(addressed: Collection[str], author: Actor) -> set[str]:
    """Those of the ids that may be actors'."""
    return set(addressed) - {PUBLIC, author.followers}


async def _local_among(tx: Transaction, uris: Collection[str]) -> bool:
    return any(local for _, local in await actors.numbers(tx, uris))


async def _answers_ours(tx: Transaction, uri: str | None) -> bool:
    answered = await posts.by_uri(tx, uri) if uri else None
    return answered is not None and answered.local and answered.deleted_at is None


async def _answers_followed(tx: Transaction, uri: str | None) -> bool:
    answered = await posts.by_uri(tx, uri) if uri else None
    if answered is None or answered.deleted_at is not None or answered.audience == DIRECT:
        return False
    return await follows.is_followed_here(tx, answered.author_id)
