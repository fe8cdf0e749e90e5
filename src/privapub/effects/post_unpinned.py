"""A persona took a pinned post off: its followers' servers are told."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_featured import remove
from privapub.posts.facts import PostUnpinned
from privapub.posts.read import by_id


async def post_unpinned(tx: Transaction, fact: PostUnpinned, addresses: Addresses, now: float) -> None:
    """The Remove never overtakes the Add at any inbox."""
    post = await by_id(tx, fact.post_id)
    if post is None or post.deleted_at is not None:
        return
    author = await known(tx, post.author_id)
    await deliver(
        tx,
        author.id,
        remove(addresses.activity(identifiers.token()), author, post.uri),
        await inboxes.of_followers(tx, author.id),
        about=f"{post.uri} pinned",
        now=now,
    )
