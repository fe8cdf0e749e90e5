"""Polls; their numbers are those of their posts."""

from privapub import clock, scope
from privapub.client_api import show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.poll import Poll
from privapub.client_api.statuses import seen
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.identifiers import number_in
from privapub.posts import poll_read
from privapub.posts import polls as polling
from privapub.posts.read import Post


async def one(call: Call) -> Poll:
    """`GET /api/v1/polls/{id}`; the counts of one from elsewhere are asked for, every few minutes at most."""
    async with call.server.database.read() as tx:
        found = await _asking(tx, call)
        shown = await _shown(tx, call, found)
    if call.reader is not None and not found.local:
        async with call.server.database.write() as tx:
            await polling.read_later(tx, found, clock.now(), trigger=scope.READER)
    return shown


async def vote(call: Call) -> Poll:
    """`POST /api/v1/polls/{id}/votes`."""
    said = call.texts("choices")
    places = [number_in(text) for text in said]
    async with call.server.database.write() as tx:
        found = await _asking(tx, call)
        assert found.poll is not None  # noqa: S101 - it asks something
        now = clock.now()
        if found.author_id == call.me:
            raise InvalidInput("You cannot vote in your own polls")
        if found.poll.is_over(now):
            raise InvalidInput("The poll has already ended")
        chosen = [place for place in places if place is not None and place < len(found.poll.options)]
        if not said or len(chosen) < len(places):
            raise InvalidInput("The chosen vote option does not exist")
        await polling.alone(tx, found.id)
        second = len(set(chosen)) > 1 and not found.poll.multiple  # to Mastodon the second of two at once is one again
        if second or await poll_read.choices(tx, found.id, call.me):
            raise InvalidInput("You have already voted on this poll")
        await polling.cast(tx, found.id, call.me, chosen, now)
    async with call.server.database.read() as tx:
        return await _shown(tx, call, await _asking(tx, call))


async def _asking(tx: Transaction, call: Call) -> Post:
    found = await seen(tx, call.id(), call.reader)
    if found.poll is None:
        raise NotFound
    return found


async def _shown(tx: Transaction, call: Call, found: Post) -> Poll:
    shown = (await show_statuses.one(tx, call.server, found, call.reader)).poll
    if shown is None:
        raise NotFound
    return shown


ENDPOINTS = (
    Endpoint("GET", "/api/v1/polls/{id}", one, ("read:statuses",), who="anyone"),
    Endpoint("POST", "/api/v1/polls/{id}/votes", vote, ("write:statuses",)),
)
