"""A persona pinned a post, or took it off: its followers' servers are told."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_featured import add, remove
from privapub.posts.facts import PostPinned
from privapub.posts.read import by_id


async def post_pinned(tx: Transaction, fact: PostPinned, addresses: Addresses, now: float) -> None:
    """An Add or a Remove names the post, which those servers have or can fetch; unless it was deleted meanwhile.

    The Remove never overtakes the Add at any inbox.
    """
    post = await by_id(tx, fact.post_id)
    if post is None or post.deleted_at is not None:
        return
    tell = add if fact.pinned else remove
    author = await known(tx, post.author_id)
    await deliver(
        tx,
        author.id,
        tell(addresses.activity(identifiers.token()), author, post.uri),
        await inboxes.of_followers(tx, author.id),
        about=f"{post.uri} pinned",
        now=now,
    )
