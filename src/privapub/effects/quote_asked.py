"""A persona quotes somebody elsewhere: they are asked."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_post import note
from privapub.federation.documents.write_quote import request
from privapub.posts import audience, quotes
from privapub.posts.facts import QuoteAsked
from privapub.posts.read import HELD, by_id, by_uri


async def quote_asked(tx: Transaction, fact: QuoteAsked, _addresses: Addresses, now: float) -> None:
    """The question holds the whole note where its reader may see that, else its id alone."""
    post = await by_id(tx, fact.post_id)
    quoted = None if post is None or post.quote is None else await by_uri(tx, post.quote)
    if post is None or quoted is None or post.deleted_at is not None or post.quote_state != quotes.PENDING:
        return
    if post.audience == HELD:  # it is asked when the post goes
        return
    author, quoted_author = await known(tx, post.author_id), await known(tx, quoted.author_id)
    instrument = note(post, author) if await audience.may_see_now(tx, post, quoted_author.id) else post.uri
    await deliver(
        tx,
        author.id,
        request(post, author, quoted_author, instrument),
        await inboxes.of_actors(tx, [quoted_author.id], shared=False),
        about=f"{post.uri} quotes",
        now=now,
    )
