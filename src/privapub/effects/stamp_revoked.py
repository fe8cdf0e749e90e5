"""A persona takes its yes to a quote back: the one who quotes is told, and whoever got the quoted post."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import by_uri as actor_by_uri
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes, sent
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_quote import revocation
from privapub.posts import stamps
from privapub.posts.facts import StampRevoked
from privapub.posts.read import by_id


async def stamp_revoked(tx: Transaction, fact: StampRevoked, addresses: Addresses, now: float) -> None:
    """The Delete names the stamp alone: neither the quote nor what it quotes."""
    stamp = await stamps.by_token(tx, fact.token)
    quoted = None if stamp is None else await by_id(tx, stamp.post_id)
    if stamp is None or quoted is None:
        return
    author, quoting_actor = await known(tx, quoted.author_id), await actor_by_uri(tx, stamp.actor_uri)
    asker = [] if quoting_actor is None else [quoting_actor.id]
    await deliver(
        tx,
        author.id,
        revocation(addresses.activity(identifiers.token()), author, addresses.stamp(stamp.token), stamp.actor_uri),
        inboxes.unique([*await inboxes.of_actors(tx, asker, shared=False), *await sent.targets_of(tx, quoted.id)]),
        about=f"{stamp.quoting} quotes",
        now=now,
    )
