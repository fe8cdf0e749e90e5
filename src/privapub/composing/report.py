"""Reporting somebody: whom and what is looked up, then the report is filed and, if they are elsewhere, forwarded."""

from collections.abc import Sequence

from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.composing.learn import seen_post
from privapub.errors import InvalidInput
from privapub.federation.fetching.signer import application_key
from privapub.moderation import reports
from privapub.moderation.reports import Report
from privapub.server import Server


async def report(
    server: Server,
    persona_id: int,
    target: Actor,
    posts: Sequence[str] = (),
    comment: str = "",
    *,
    forward: bool = True,
    category: str = reports.OTHER,
    rule_ids: Sequence[str] = (),
) -> Report:
    """File a report of an actor, and of posts of theirs by uri, page or number.

    Raises NotFound for a post that the persona may not see, InvalidInput for one by somebody else and for too much.
    """
    found = [await seen_post(server, persona_id, which) for which in posts]
    if any(post.author_id != target.id for post in found):
        raise InvalidInput(f"Not all of these posts are by @{target.address}.")
    forward = forward and not target.local
    if forward:
        await application_key(server)  # it signs the Flag; where there is none yet it is made
    async with server.database.write() as tx:
        number = await reports.file(
            tx,
            persona_id,
            target.id,
            Addresses(server.base_url).activity(identifiers.token()),
            post_uris=[post.uri for post in found],
            comment=comment,
            forward=forward,
            category=category,
            rule_ids=rule_ids,
            now=clock.now(),
        )
        return await reports.known(tx, number)
