"""Somebody reports one of ours, or posts of theirs (ActivityStreams Vocabulary: Flag; Mastodon, Lemmy, Misskey).

Whoever signs it reports: mostly the actor of a server, for a person whom it does not name. Nothing changes but that the
admins here find it; the persona is told nothing.
"""

from privapub.actors import read as actors
from privapub.actors.application import KIND
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.errors import Conflict
from privapub.federation.documents.read_activity import Activity
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Arrived
from privapub.markup.clean import plain
from privapub.markup.text import text_of
from privapub.moderation import reports
from privapub.posts import read as posts
from privapub.posts.read import Post


async def on_flag(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """One report of one of ours: the actor that is named, else the author of the first post. Others are left out."""
    activity, signer = arrived.activity, arrived.signer
    target, named = await _target(tx, activity)
    if target is None:
        return "nobody-to-report"
    comment = plain(text_of(activity.content)) or activity.summary
    uris = [post.uri for post in named if post.author_id == target.id]
    try:
        kept = await reports.receive(tx, _key(activity, signer), signer.id, target.id, uris, comment, now)
    except Conflict:
        return "too-many-reports"
    return None if kept else "reported-before"


async def _target(tx: Transaction, activity: Activity) -> tuple[Actor | None, list[Post]]:
    people = await actors.by_uris(tx, activity.object_ids)
    found = [await posts.by_uri(tx, uri) for uri in activity.object_ids[: reports.MOST_POSTS] if uri not in people]
    ours = [post for post in found if post is not None and post.local]
    named = next((people[uri] for uri in activity.object_ids if uri in people and people[uri].local), None)
    if named is None and ours:
        named = await actors.by_id(tx, ours[0].author_id)
    return (None if named is None or named.kind == KIND else named), ours


def _key(activity: Activity, signer: Actor) -> str:
    """By what a report is known: its id, which counts for its actor alone; else who reports what."""
    if activity.id is not None:
        return activity.id if same_origin(activity.id, signer.uri) else f"{signer.uri} {activity.id}"
    return " ".join((signer.uri, *activity.object_ids))
