"""A post from its own host."""

from typing import Any

from privapub.errors import NotAllowed
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.document import document
from privapub.federation.fetching.origin import same_origin
from privapub.server import Server


async def fetch_post(server: Server, uri: str, *, pages: bool = False) -> RemotePost:
    """What the post's origin says it is; with `pages` the address may be that of its page, as in `document`.

    Raises FetchProblem, InvalidInput where it is no post, NotAllowed where its author is of another host.
    """
    return believed(await document(server, uri, "object", pages=pages))


def believed(found: dict[str, Any]) -> RemotePost:
    """A post as its own document tells it. Raises InvalidInput, and NotAllowed, as `fetch_post`. Pure."""
    record = read_post(found)
    if not same_origin(record.uri, record.author):
        raise NotAllowed("This post says that it was written on another server.")
    return record
