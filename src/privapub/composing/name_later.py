"""The job `name_later`: a post names somebody whose server did not answer when it was written.

Once it answers, the post is made ready again and goes out as an edit. Its one argument is the post's number.
"""

from dataclasses import dataclass

from privapub.composing.text import Written, beside_text, written
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry
from privapub.posts.edit import edit
from privapub.posts.read import Post, by_id
from privapub.server import Server

NAME_LATER = "name_later"
ATTEMPTS = 8  # over some three hours
_FIRST = 60.0  # seconds


@dataclass(frozen=True)
class Ready:
    """The post as it was read, and its text made ready."""

    post: Post
    text: Written


async def plan(tx: Transaction, post_id: int, text: Written, now: float) -> None:
    """See to it that those of whom nothing could be told are asked for again."""
    if text.waiting:
        key = f"{NAME_LATER} {post_id}"
        job = NewJob(
            NAME_LATER, NAME_LATER, {"post": post_id}, run_at=now + _FIRST, dedupe_key=key, unique_while_waiting=True
        )
        await put(tx, [job])


async def fetch(server: Server, job: Job) -> Ready | Outcome:
    """Ask again; the last time, those who still do not answer stay text."""
    async with server.database.read() as tx:
        post = await by_id(tx, job.args["post"])
        parent = await by_id(tx, post.in_reply_to_id) if post is not None and post.in_reply_to_id else None
    if post is None or post.deleted_at is not None or post.source is None:
        return Done()
    try:
        also = () if parent is None else (parent.author_id,)
        text = await written(server, post.source, post.text_format, also, beside_text(post))
    except PrivaPubError as problem:
        return GiveUp(str(problem))
    if text.waiting and job.attempt < ATTEMPTS:
        return Retry(None, f"{len(text.waiting)} of those whom it names cannot be found now")
    return Ready(post, text)


async def write(tx: Transaction, _job: Job, ready: Ready, now: float) -> None:
    """Unless it was changed meanwhile: then that edit has asked for itself."""
    post, text = ready.post, ready.text
    found = await by_id(tx, post.id)
    if found is None or found.deleted_at is not None or found.source != post.source or not post.source:
        return
    await edit(
        tx,
        post.id,
        post.author_id,
        source=post.source,
        content_html=text.html,
        mentions=text.named,
        tags=text.tags,
        now=now,
    )
