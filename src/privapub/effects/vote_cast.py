"""A persona voted in a poll from elsewhere: each vote goes to the poll's author alone, into their own inbox."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_poll import vote
from privapub.posts import polls
from privapub.posts.facts import VoteCast
from privapub.posts.read import by_id as post_by_id


async def vote_cast(tx: Transaction, fact: VoteCast, _addresses: Addresses, now: float) -> None:
    """Unless the poll is gone or was asked anew meanwhile. Soon after, its counts are asked for."""
    post = await post_by_id(tx, fact.post_id)
    if post is None or post.poll is None:
        return
    voter, author = await known(tx, fact.persona_id), await known(tx, post.author_id)
    to = await inboxes.of_actors(tx, [author.id], shared=False)
    for place, uri in await polls.votes_of(tx, post.id, voter.id):
        document = vote(uri, voter.uri, post.uri, author.uri, post.poll.options[place].name)
        await deliver(tx, voter.id, document, to, about=post.uri, now=now)
    await polls.read_later(tx, post, now)
