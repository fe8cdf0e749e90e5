"""Find whom a text names, turn it into HTML, and publish it or the change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.composing import name_later
from privapub.composing.learn import seen_post
from privapub.composing.text import Written, beside_text, written
from privapub.database.transaction import Transaction
from privapub.errors import NotAllowed, NotFound
from privapub.markup.render import Format
from privapub.personas import read as personas
from privapub.personas.read import Persona
from privapub.posts import quotes
from privapub.posts.edit import edit
from privapub.posts.polls import NewPoll, checked
from privapub.posts.publish import Program, check_text, publish
from privapub.posts.read import PUBLIC, Post, by_id, known
from privapub.server import Server

_BACK = "Write there, or take the move back first."


@dataclass(frozen=True)
class Asked:
    """A post that is to be written: `reply_to` and `quote` are the uri, page or number of another. See `write_post`."""

    text: str
    audience: str
    summary: str = ""
    sensitive: bool = False
    language: str | None = None
    text_format: Format | None = None
    reply_to: str | None = None
    quote: str | None = None
    quote_policy: str = PUBLIC
    poll: NewPoll | None = None
    media: tuple[int, ...] = ()
    may_wait: bool = False
    may_name_nobody: bool = False
    program: Program | None = None


@dataclass(frozen=True)
class Draft:
    """A post made ready to be published: what it names is found, by its uri. See `prepare`."""

    persona_id: int
    asked: Asked
    text_format: Format
    ready: Written


async def prepare(server: Server, persona_id: int, asked: Asked) -> Draft:
    """What `write_post` publishes: all that is found out before a transaction may begin. Raises as it does."""
    check_text(asked.text, asked.summary, bare=not asked.media)
    me = await _writer(server, persona_id)
    if me.actor.moved_to is not None:
        raise NotAllowed(f"This persona has moved to {me.actor.moved_to}: it writes nothing new.", _BACK)
    liked = asked.text_format or me.text_format
    quoted = None if asked.quote is None else await seen_post(server, persona_id, asked.quote)
    poll = None if asked.poll is None else checked(asked.poll)
    parent = None if asked.reply_to is None else await seen_post(server, persona_id, asked.reply_to)
    beside = (asked.summary, *(() if poll is None else poll.options))
    ready = await written(server, asked.text, liked, () if parent is None else (parent.author_id,), beside)
    found = replace(
        asked,
        reply_to=None if parent is None else parent.uri,
        quote=None if quoted is None else quoted.uri,
        poll=poll,
    )
    return Draft(persona_id, found, liked, ready)


async def publish_draft(tx: Transaction, server: Server, draft: Draft, now: float, scheduled: int | None = None) -> int:
    """The number of the post; `scheduled` is that of the post for later that it was. Raises as `write_post`."""
    addresses = Addresses(server.base_url, server.media_base_url)
    asked = draft.asked
    post_id = await publish(
        tx,
        author_id=draft.persona_id,
        audience=asked.audience,
        source=asked.text,
        content_html=draft.ready.html,
        summary=asked.summary,
        sensitive=asked.sensitive,
        language=asked.language,
        mentions=draft.ready.named,
        tags=draft.ready.tags,
        in_reply_to=asked.reply_to,
        text_format=draft.text_format,
        poll=asked.poll,
        media=asked.media,
        may_wait=asked.may_wait,
        may_name_nobody=asked.may_name_nobody,
        quote_policy=asked.quote_policy,
        program=asked.program,
        scheduled=scheduled,
        addresses=addresses,
        now=now,
    )
    if asked.quote is not None:
        await quotes.ask(tx, post_id, asked.quote, addresses, now)
    await name_later.plan(tx, post_id, draft.ready, now)
    return post_id


async def write_post(
    server: Server,
    persona_id: int,
    text: str,
    audience: str,
    *,
    reply_to: str | None = None,
    summary: str = "",
    language: str | None = None,
    text_format: Format | None = None,
    poll: NewPoll | None = None,
    quote: str | None = None,
    media: Sequence[int] = (),
    may_wait: bool = False,
) -> Post:
    """Publish a post of a persona to "public", "unlisted", "followers" or "direct" (those whom the text names).

    `reply_to` is the uri or page of the post that it answers, whose author is named too. The text is in `text_format`,
    else in the one that the persona likes. Raises InvalidInput for an empty or too long text, for a direct post that
    names nobody and for a poll that cannot be, NotFound where the answered post cannot be seen. `quote` is the uri,
    page or number of a post that it quotes: NotAllowed where its author lets nobody do that. `media` are the numbers of
    uploads to attach: InvalidInput where that cannot be, and with any there may be no text; with `may_wait` they may
    still be processed, and the post goes when they are ready. A persona that has moved
    writes nothing new (as on Mastodon): NotAllowed.
    """
    asked = Asked(
        text,
        audience,
        summary=summary,
        language=language,
        text_format=text_format,
        reply_to=reply_to,
        quote=quote,
        poll=poll,
        media=tuple(media),
        may_wait=may_wait,
    )
    draft = await prepare(server, persona_id, asked)
    async with server.database.write() as tx:
        return await known(tx, await publish_draft(tx, server, draft, clock.now()))


async def edit_post(
    server: Server,
    persona_id: int,
    post_id: int,
    text: str | None = None,
    *,
    summary: str | None = None,
    text_format: Format | None = None,
    poll: NewPoll | None = None,
    alts: Sequence[str] = (),
    focals: Sequence[tuple[float, float] | None] = (),
    drop_failed: bool = False,
    sensitive: bool | None = None,
    language: str | None = None,
    media: Sequence[int] | None = None,
) -> Post:
    """Change a persona's own post; what is not given stays, and whoever it named before keeps being named.

    `alts` are the descriptions of its files, from the first on; with `drop_failed` one that waits gives up those of
    them that could not be processed. `focals`, `sensitive`, `language` and `media` as of `edit`.

    Raises NotFound where there is none, InvalidInput as `write_post`.
    """
    async with server.database.read() as tx:
        post = await by_id(tx, post_id)
        if post is None or post.author_id != persona_id or post.deleted_at is not None:
            raise NotFound("There is no such post.")
        text = post.source or "" if text is None else text
        check_text(text, summary or "", bare=not (post.attachments if media is None else media))
        parent = await by_id(tx, post.in_reply_to_id) if post.in_reply_to_id else None
    liked = text_format or post.text_format
    beside = beside_text(post, summary, poll)
    ready = await written(server, text, liked, () if parent is None else (parent.author_id,), beside)
    async with server.database.write() as tx:
        now = clock.now()
        await edit(
            tx,
            post_id,
            persona_id,
            source=text,
            content_html=ready.html,
            summary=summary,
            mentions=ready.named,
            tags=ready.tags,
            text_format=liked,
            poll=poll,
            alts=alts,
            focals=focals,
            drop_failed=drop_failed,
            sensitive=sensitive,
            language=language,
            media=media,
            addresses=Addresses(server.base_url, server.media_base_url),
            now=now,
        )
        await name_later.plan(tx, post_id, ready, now)
        return await known(tx, post_id)


async def _writer(server: Server, persona_id: int) -> Persona:
    async with server.database.read() as tx:
        return await personas.known(tx, persona_id)
