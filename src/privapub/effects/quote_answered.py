"""A persona was asked whether it may be quoted: the answer goes to whoever asked, and the persona is told of a yes."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_quote import answer
from privapub.notifications.notify import of_quote
from privapub.posts.facts import QuoteAnswered
from privapub.posts.read import by_id, by_uri


async def quote_answered(tx: Transaction, fact: QuoteAnswered, addresses: Addresses, now: float) -> None:
    """An Accept with the stamp's address, or a Reject; either names the question by its own id."""
    quoted = await by_id(tx, fact.post_id)
    if quoted is None:
        return
    author, asker = await known(tx, quoted.author_id), await known(tx, fact.asker_id)
    stamp = None if fact.token is None else addresses.stamp(fact.token)
    asked = {"id": fact.request, "actor": asker.uri, "instrument": fact.quoting}
    await deliver(
        tx,
        author.id,
        answer(addresses.activity(identifiers.token()), quoted, author, asked, stamp),
        await inboxes.of_actors(tx, [asker.id], shared=False),
        about=f"{fact.quoting} quotes",
        now=now,
    )
    quoting = await by_uri(tx, fact.quoting)
    if stamp is not None and quoting is not None:
        await of_quote(tx, quoting, author.id, now)
