"""A persona publishes a post."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.jobs.enqueue import put_fact
from privapub.markup.render import Format
from privapub.media.attach import attach, attachment, choose
from privapub.posts import audience as audiences
from privapub.posts import hold, read, text_index
from privapub.posts.facts import PostPublished
from privapub.posts.polls import NewPoll, ask
from privapub.posts.quotes import POLICIES
from privapub.posts.read import DIRECT, HELD, PUBLIC, QUESTION, Post
from privapub.posts.recipients import name
from privapub.posts.tables import post, post_program
from privapub.posts.tags import replace as replace_tags

SOURCE_LENGTH, SUMMARY_LENGTH = 5000, 500


@dataclass(frozen=True)
class Program:
    """With what a post was written: what it is called, and its page."""

    name: str
    website: str | None = None


def check_text(source: str, summary: str, *, bare: bool = True) -> None:
    """InvalidInput for a text that is too long, or empty where there is nothing else (`bare`) to read (pure)."""
    if bare and not source.strip():
        raise InvalidInput("A post needs a text.")
    if len(source) > SOURCE_LENGTH or len(summary) > SUMMARY_LENGTH:
        raise InvalidInput(
            "This is too long.", f"A text has up to {SOURCE_LENGTH} characters, its warning {SUMMARY_LENGTH}."
        )


async def publish(
    tx: Transaction,
    *,
    author_id: int,
    audience: str,
    source: str,
    content_html: str,
    summary: str = "",
    language: str | None = None,
    mentions: Collection[int] = (),
    tags: Sequence[Mapping[str, Any]] = (),
    in_reply_to: str | None = None,
    text_format: Format = "plain",
    poll: NewPoll | None = None,
    media: Sequence[int] = (),
    may_wait: bool = False,
    sensitive: bool = False,
    quote_policy: str = PUBLIC,
    program: Program | None = None,
    scheduled: int | None = None,
    may_name_nobody: bool = False,
    addresses: Addresses,
    now: float,
) -> int:
    """A new post's number; fact PostPublished.

    `source` is as typed, in `text_format`, and `content_html` what became of it; `mentions` are the numbers of the
    actors it names: each of them may see it, whatever the audience. `in_reply_to` is the uri of what it answers. With
    a `poll` it is a Question. `media` are numbers of uploads of the author: with any it needs no text. With
    `may_wait` they may still be processed: then the post is its author's alone until they are ready, and so is what the
    author writes after it (see `hold`). `sensitive` hides its media though it has no warning; `quote_policy` says who
    may quote it; `program` is with what it was written, which its author alone is told; `scheduled` is the post for
    later that it was, for which its media are kept. With `may_name_nobody` a direct post is for its author alone.
    Raises InvalidInput for an audience that there is not, no text or too much of it, a direct post to nobody, and
    media that cannot be attached; NotFound for an answer to what the author may not see.
    """
    check_text(source, summary, bare=not media)
    if audience not in audiences.CHOICES:
        raise InvalidInput(f"There is no audience “{audience[:40]}”.", f"Use {', '.join(audiences.CHOICES)}.")
    named = set(mentions) - {author_id}
    if quote_policy not in POLICIES:
        raise InvalidInput(f"There is no policy “{quote_policy[:40]}”.", f"Use {', '.join(POLICIES)}.")
    if audience == DIRECT and not named and not may_name_nobody:
        raise InvalidInput("A direct post goes to those it mentions, and it mentions nobody.", "Write @name@host.")
    answered = await _answered(tx, in_reply_to, author_id)
    chosen = await choose(tx, author_id, media, waiting=may_wait, scheduled=scheduled)
    waits = await hold.waits(tx, author_id, chosen)
    post_id, uri = identifiers.sortable(now), addresses.post(identifiers.token())
    await tx.execute(
        post.insert().values(
            id=post_id,
            uri=uri,
            activity_uri=addresses.activity(identifiers.token()),
            author_id=author_id,
            local=True,
            kind="Note" if poll is None else QUESTION,
            audience=HELD if waits else audience,
            source=source,
            text_format=text_format,
            content=content_html,
            summary=summary,
            sensitive=bool(summary) or sensitive,
            quote_policy=quote_policy,
            language=language,
            url=uri,
            in_reply_to=in_reply_to,
            in_reply_to_id=None if answered is None else answered.id,
            context=None if answered is None else _thread_of(answered),
            conversation=None if answered is None else answered.conversation or _thread_of(answered),
            tags=[dict(tag) for tag in tags],
            attachments=[attachment(each, addresses) for each in chosen],
            published_at=now,
            received_at=now,
        )
    )
    await attach(tx, post_id, chosen)
    if waits:
        await hold.keep(tx, post_id, author_id, audience, named)
    else:
        await name(tx, post_id, named)
    await replace_tags(tx, post_id, tags, new=True)
    if poll is not None:
        await ask(tx, post_id, poll, now)
    if program is not None:
        with_it = {"post_id": post_id, "name": program.name, "website": program.website}
        await tx.execute(post_program.insert().values(**with_it))
    await text_index.keep(tx, post_id)
    await put_fact(tx, PostPublished(post_id), about=f"post {post_id}")
    return post_id


async def _answered(tx: Transaction, uri: str | None, author_id: int) -> Post | None:
    if uri is None:
        return None
    found = await read.by_uri(tx, uri)
    if found is None:
        return None
    if not await audiences.may_see_now(tx, found, author_id):
        raise NotFound("There is no such post to answer.")
    return found


def _thread_of(answered: Post) -> str | None:
    """The collection that lists the thread: as it is called by what is answered, where that names one (FEP-7888)."""
    return answered.context or (f"{answered.uri}/context" if answered.local else None)
