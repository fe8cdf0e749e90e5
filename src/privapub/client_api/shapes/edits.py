"""How posts read before, how they were typed, and posts for later."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from privapub import clock
from privapub.client_api.shapes.account import Account, visibility
from privapub.client_api.shapes.emoji import CustomEmoji, of_tags
from privapub.client_api.shapes.media import MediaAttachment, attachment
from privapub.client_api.shapes.pictures import Pictures
from privapub.client_api.shapes.status import Status
from privapub.composing.scheduled import Scheduled
from privapub.markup.clean import clean, plain
from privapub.posts.polls import NewPoll
from privapub.posts.versions import Version


class PastOption(Struct):
    """An answer of a poll."""

    title: str


class PastPoll(Struct):
    """What a poll asked."""

    options: list[PastOption]


class StatusEdit(Struct):
    """Entity `StatusEdit`: how a post read from a moment on."""

    content: str
    spoiler_text: str
    sensitive: bool
    created_at: str
    account: Account
    media_attachments: list[MediaAttachment]
    emojis: list[CustomEmoji]
    poll: PastPoll | UnsetType = UNSET


class StatusSource(Struct):
    """Entity `StatusSource`: a post as it was typed."""

    id: str
    text: str
    spoiler_text: str


class Context(Struct):
    """Entity `Context`: what a post answers, and what answers it."""

    ancestors: list[Status]
    descendants: list[Status]


class ScheduledPoll(Struct):
    """The poll of a post for later."""

    options: list[str]
    expires_in: int
    multiple: bool
    hide_totals: bool = False


class ScheduledParams(Struct, kw_only=True):
    """What was asked for when a post for later was made."""

    text: str
    visibility: str
    application_id: int
    with_rate_limit: bool = False
    idempotency: str | None = None
    in_reply_to_id: int | None
    language: str | None
    media_ids: list[str] | None
    poll: ScheduledPoll | None
    quoted_status_id: str | None
    quote_approval_policy: str
    scheduled_at: str | None = None
    sensitive: bool
    spoiler_text: str


class ScheduledStatus(Struct):
    """Entity `ScheduledStatus`."""

    id: str
    scheduled_at: str
    params: ScheduledParams
    media_attachments: list[MediaAttachment]


def edit(of: Version, account: Account, emojis: Sequence[CustomEmoji], number: int, pictures: Pictures) -> StatusEdit:
    """How a post with this number read (pure); `emojis` are those of this server."""
    shown = StatusEdit(
        clean(of.content),
        plain(of.summary),
        of.sensitive or bool(of.summary),
        clock.iso(of.at),
        account,
        [attachment(item, f"{number}{place}", pictures) for place, item in enumerate(of.attachments)],
        [*emojis, *of_tags(of.tags, pictures)],
    )
    if of.options is not None:
        shown.poll = PastPoll([PastOption(plain(option)) for option in of.options])
    return shown


def scheduled(of: Scheduled, media: Sequence[MediaAttachment]) -> ScheduledStatus:
    """A post for later (pure)."""
    it = of.params.asked
    poll = None if it.poll is None else _poll(it.poll)
    params = ScheduledParams(
        text=it.text,
        visibility=visibility(it.audience),
        application_id=of.params.application_id,
        in_reply_to_id=None if it.reply_to is None else int(it.reply_to),
        language=it.language,
        media_ids=[str(each) for each in it.media] or None,
        poll=poll,
        quoted_status_id=it.quote,
        quote_approval_policy=it.quote_policy,
        sensitive=it.sensitive,
        spoiler_text=it.summary,
    )
    return ScheduledStatus(str(of.id), clock.iso(of.scheduled_at), params, list(media))


def _poll(of: NewPoll) -> ScheduledPoll:
    return ScheduledPoll(list(of.options), int(of.lasts), of.multiple, bool(of.hides))
