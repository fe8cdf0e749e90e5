"""A persona took a post back: whoever got it is told."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import sent
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_activity import delete
from privapub.link_previews import plan as previews
from privapub.posts.facts import PostDeleted
from privapub.posts.read import HELD
from privapub.posts.read import by_id as post_by_id


async def post_deleted(tx: Transaction, fact: PostDeleted, addresses: Addresses, now: float) -> None:
    """The Delete goes to each inbox to which the post was ever sent, and to nobody else."""
    post = await post_by_id(tx, fact.post_id)
    if post is None:
        return
    await previews.forget(tx, [post.id])
    if post.audience == HELD:  # it went nowhere
        return
    author = await known(tx, post.author_id)
    await deliver(
        tx,
        author.id,
        delete(post, author, addresses.activity(identifiers.token())),
        await sent.targets_of(tx, post.id),
        about=post.uri,
        post_id=post.id,
        part="last",
        now=now,
    )
