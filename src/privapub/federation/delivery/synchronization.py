"""What a server that takes a post for followers is told of the followers that we know of there (FEP-8fcf).

Each host is told of its own alone: a digest beside the post, and who they are if it asks.
"""

from collections.abc import Sequence

from sqlalchemy import select

from privapub.actors.addresses import followers_at, followers_of
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.federation.documents import synchronization
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.synchronization import Synchronization
from privapub.federation.fetching.origin import origin
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.outbound.target import host_of


def is_for_followers(activity: dict[str, object]) -> bool:
    """Whether this is a new post that is for followers and not for everybody: then it matters who they are (pure)."""
    if activity.get("type") != "Create":
        return False
    to, cc = activity.get("to"), activity.get("cc")
    addressed = [*(to if isinstance(to, list) else ()), *(cc if isinstance(cc, list) else ())]
    return PUBLIC not in addressed and followers_of(str(activity["actor"])) in addressed


async def followers_there(tx: Transaction, persona_id: int, host: str) -> Sequence[str]:
    """The ids of those of this host (with its port where that is no usual one) who follow a persona, in their order."""
    rows = await tx.all(
        select(actor.c.uri)
        .join(follow, follow.c.follower_id == actor.c.id)
        .where(
            follow.c.followed_id == persona_id,
            follow.c.state == ACCEPTED,
            actor.c.local.is_(False),
            actor.c.origin == host_of(f"https://{host}/"),
        )
    )
    return sorted(row.uri for row in rows if origin(row.uri) == host)


async def header(tx: Transaction, persona_id: int, persona_uri: str, host: str) -> tuple[str, str]:
    """The header field for this host."""
    there = await followers_there(tx, persona_id, host)
    said = Synchronization(followers_of(persona_uri), followers_at(persona_uri, host), synchronization.digest(there))
    return synchronization.HEADER, synchronization.write(said)
