"""The job `read_poll`: what a remote poll counts by now, from its origin. Its one argument is the post's number."""

from privapub.actors.read import by_id, known
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.fetching.document import final
from privapub.federation.fetching.post import fetch_post
from privapub.federation.inbox.received import received
from privapub.jobs.job import Done, GiveUp, Job, Outcome, Retry
from privapub.outbound.answers import FetchProblem
from privapub.posts import read, receive
from privapub.server import Server


async def fetch(server: Server, job: Job) -> RemotePost | Outcome:
    """The post as its origin tells it now. A host that does not answer is asked again later."""
    async with server.database.read() as tx:
        post = await read.by_id(tx, job.args["post"])
        author = None if post is None else await by_id(tx, post.author_id)
    if post is None or post.local or post.poll is None or author is None:
        return Done()
    try:
        found = await fetch_post(server, post.uri)
    except FetchProblem as problem:
        return GiveUp(problem.reason) if final(problem) else Retry(None, problem.reason)
    except PrivaPubError as problem:
        return GiveUp(str(problem))
    same = (found.uri, found.author) == (post.uri, author.uri)
    return found if same else GiveUp("it is another post by now")


async def write(tx: Transaction, job: Job, found: RemotePost, now: float) -> None:
    """Counts are taken; so is a text that was changed meanwhile, as if by its Update."""
    post = await read.by_id(tx, job.args["post"])
    if post is not None and not post.local:
        await receive.receive_edit(tx, received(found, await known(tx, post.author_id)), post.author_id, (), now)
