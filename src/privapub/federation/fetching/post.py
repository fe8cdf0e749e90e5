"""A post from its own host."""

from privapub.errors import NotAllowed
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.document import document
from privapub.federation.fetching.origin import same_origin
from privapub.server import Server


async def fetch_post(server: Server, uri: str) -> RemotePost:
    """What the post's origin says it is.

    Raises FetchProblem, InvalidInput where it is no post, NotAllowed where its author is of another host.
    """
    record = read_post(await document(server, uri, "object"))
    if not same_origin(record.uri, record.author):
        raise NotAllowed("This post says that it was written on another server.")
    return record
