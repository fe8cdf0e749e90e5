"""Votes came for a poll of ours: whoever got it gets the counts."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import sent
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_activity import update
from privapub.federation.documents.write_post import note
from privapub.posts import polls
from privapub.posts.facts import PollCounted
from privapub.posts.read import Post
from privapub.posts.read import by_id as post_by_id


async def poll_counted(tx: Transaction, fact: PollCounted, addresses: Addresses, now: float) -> None:
    """Unless it was taken back meanwhile, or has ended: then they have gone out for the last time."""
    # The end may come at the same time: what goes out last are the counts that are the last.
    await polls.alone(tx, fact.post_id)
    post = await post_by_id(tx, fact.post_id)
    if post is not None and post.poll is not None and post.poll.closed_at is None:
        await tell_counts(tx, post, addresses, now)


async def tell_counts(tx: Transaction, post: Post, addresses: Addresses, now: float) -> None:
    """An Update that changes no text, and so no `updated`."""
    author = await known(tx, post.author_id)
    await deliver(
        tx,
        author.id,
        update(note(post, author), addresses.activity(identifiers.token())),
        await sent.targets_of(tx, post.id),
        about=post.uri,
        post_id=post.id,
        now=now,
    )
