"""A persona changed a post: the new text goes to whoever got the old one, and to whom it may go since."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.effects.post_published import targets
from privapub.federation.delivery import inboxes, sent
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_activity import update
from privapub.federation.documents.write_post import note
from privapub.posts.facts import PostEdited
from privapub.posts.read import by_id as post_by_id
from privapub.timelines.fill import fill


async def post_edited(tx: Transaction, fact: PostEdited, addresses: Addresses, now: float) -> None:
    """Unless it was taken back meanwhile. Several edits that wait together each send what the post says by then."""
    post = await post_by_id(tx, fact.post_id)
    if post is None or post.deleted_at is not None:
        return
    await fill(tx, post, now)
    author = await known(tx, post.author_id)
    await deliver(
        tx,
        author.id,
        update(note(post, author), addresses.activity(identifiers.token())),
        inboxes.unique([*await sent.targets_of(tx, post.id), *await targets(tx, post)]),
        about=post.uri,
        post_id=post.id,
        now=now,
    )
