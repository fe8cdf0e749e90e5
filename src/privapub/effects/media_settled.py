"""Media of a post are ready, failed or gone: those posts of its author that wait for nothing any more go."""

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.effects.post_published import post_published
from privapub.effects.quote_asked import quote_asked
from privapub.media.facts import MediaSettled, settled
from privapub.posts import hold
from privapub.posts.facts import PostPublished, QuoteAsked


async def media_settled(tx: Transaction, fact: MediaSettled, addresses: Addresses, now: float) -> None:
    """All that follows from each is written here and now, so that no later post is put on its way before it."""
    gone, more = await hold.release(tx, fact.persona_id, addresses)
    for post_id in gone:
        await post_published(tx, PostPublished(post_id), addresses, now)
        await quote_asked(tx, QuoteAsked(post_id), addresses, now)
    if more:
        await settled(tx, fact.persona_id)
