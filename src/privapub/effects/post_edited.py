"""A persona changed a post: the new text goes to whoever got the old one, and to whom it may go since."""

from privapub import identifiers
from privapub.actors import blocks
from privapub.actors.addresses import Addresses
from privapub.actors.read import by_uris, known
from privapub.database.transaction import Transaction
from privapub.effects.post_published import targets
from privapub.federation.delivery import inboxes, sent
from privapub.federation.delivery.deliver import deliver
from privapub.federation.delivery.inboxes import Target
from privapub.federation.documents.write_activity import update
from privapub.federation.documents.write_post import note
from privapub.link_previews import plan as previews
from privapub.notifications import notify
from privapub.posts import audience
from privapub.posts.facts import PostEdited
from privapub.posts.read import HELD, Post
from privapub.posts.read import by_id as post_by_id
from privapub.stream import events
from privapub.timelines.fill import fill


async def post_edited(tx: Transaction, fact: PostEdited, addresses: Addresses, now: float) -> None:
    """Unless it was taken back meanwhile, or nobody got it yet since it waits for its media.

    Several edits that wait together each send what the post says by then.
    """
    post = await post_by_id(tx, fact.post_id)
    if post is None or post.deleted_at is not None or post.audience == HELD:
        return
    to = await audience.recipients(tx, post)
    await fill(tx, post, now, to)
    await events.say(tx, events.EDIT, post.id)
    await notify.of_post(tx, post, now, to)
    await notify.of_edit(tx, post, now)
    await previews.plan(tx, post, now)
    author = await known(tx, post.author_id)
    await deliver(
        tx,
        author.id,
        update(note(post, author), addresses.activity(identifiers.token())),
        inboxes.unique([*await _still(tx, post), *await targets(tx, post, to)]),
        about=post.uri,
        post_id=post.id,
        now=now,
    )


async def _still(tx: Transaction, post: Post) -> list[Target]:
    """Where the post went, but for the own inboxes of those whom a block parts from its author since."""
    went = await sent.targets_of(tx, post.id)
    who = await by_uris(tx, {target.recipient for target in went if target.recipient})
    blocked = await blocks.either_way(tx, post.author_id, [actor.id for actor in who.values()])
    return [target for target in went if target.recipient not in who or who[target.recipient].id not in blocked]
