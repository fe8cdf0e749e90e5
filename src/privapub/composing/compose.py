"""Find whom a text names, turn it into HTML, and publish it or the change."""

from collections.abc import Sequence
from dataclasses import dataclass

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
class Draft:
    """A post made ready to be published: what it names is found. See `prepare`."""

    persona_id: int
    audience: str
    source: str
    text_format: Format
    ready: Written
    summary: str = ""
    sensitive: bool = False
    language: str | None = None
    reply_to: str | None = None
    quote: str | None = None
    quote_policy: str = PUBLIC
    poll: NewPoll | None = None
    media: Sequence[int] = ()
    may_wait: bool = False
    may_name_nobody: bool = False
    program: Program | None = None


async def prepare(
    server: Server,
    persona_id: int,
    text: str,
    audience: str,
    *,
    reply_to: str | None = None,
    summary: str = "",
    sensitive: bool = False,
    language: str | None = None,
    text_format: Format | None = None,
    poll: NewPoll | None = None,
    quote: str | None = None,
    quote_policy: str = PUBLIC,
    media: Sequence[int] = (),
    may_wait: bool = False,
    may_name_nobody: bool = False,
    program: Program | None = None,
) -> Draft:
    """What `write_post` publishes: all that is found out before a transaction may begin. Raises as it does."""
    check_text(text, summary, bare=not media)
    me = await _writer(server, persona_id)
    if me.actor.moved_to is not None:
        raise NotAllowed(f"This persona has moved to {me.actor.moved_to}: it writes nothing new.", _BACK)
    liked = text_format or me.text_format
    quoted = None if quote is None else await seen_post(server, persona_id, quote)
    poll = None if poll is None else checked(poll)
    parent = None if reply_to is None else await seen_post(server, persona_id, reply_to)
    beside = (summary, *(() if poll is None else poll.options))
    ready = await written(server, text, liked, () if parent is None else (parent.author_id,), beside)
    return Draft(
        persona_id,
        audience,
        text,
        liked,
        ready,
        summary,
        sensitive,
        language,
        None if parent is None else parent.uri,
        None if quoted is None else quoted.uri,
        quote_policy,
        poll,
        tuple(media),
        may_wait,
        may_name_nobody,
        program,
    )


async def publish_draft(tx: Transaction, server: Server, draft: Draft, now: float, scheduled: int | None = None) -> int:
    """The number of the post; `scheduled` is that of the post for later that it was. Raises as `write_post`."""
    addresses = Addresses(server.base_url, server.media_base_url)
    post_id = await publish(
        tx,
        author_id=draft.persona_id,
        audience=draft.audience,
        source=draft.source,
        content_html=draft.ready.html,
        summary=draft.summary,
        sensitive=draft.sensitive,
        language=draft.language,
        mentions=draft.ready.named,
        tags=draft.ready.tags,
        in_reply_to=draft.reply_to,
        text_format=draft.text_format,
        poll=draft.poll,
        media=draft.media,
        may_wait=draft.may_wait,
        may_name_nobody=draft.may_name_nobody,
        quote_policy=draft.quote_policy,
        program=draft.program,
        scheduled=scheduled,
        addresses=addresses,
        now=now,
    )
    if draft.quote is not None:
        await quotes.ask(tx, post_id, draft.quote, addresses, now)
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
    draft = await prepare(
        server,
        persona_id,
        text,
        audience,
        reply_to=reply_to,
        summary=summary,
        language=language,
        text_format=text_format,
        poll=poll,
        quote=quote,
        media=media,
        may_wait=may_wait,
    )
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
