"""The time of a poll is over: nobody can vote any more, its last counts go out, and who voted is told."""

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.effects.poll_counted import tell_counts
from privapub.notifications.notify import of_poll_end
from privapub.posts import polls
from privapub.posts.facts import PollEnded
from privapub.posts.read import by_id as post_by_id


async def poll_ended(tx: Transaction, fact: PollEnded, addresses: Addresses, now: float) -> None:
    """Unless it was taken back or asked anew meanwhile. A poll from elsewhere is asked for its last counts."""
    if not await polls.close(tx, fact.post_id, fact.ends_at):
        return
    post = await post_by_id(tx, fact.post_id)
    if post is None or post.deleted_at is not None:
        return
    if post.local:
        await tell_counts(tx, post, addresses, now)
    else:
        await polls.read_later(tx, post, now)
    await of_poll_end(tx, post, now)
