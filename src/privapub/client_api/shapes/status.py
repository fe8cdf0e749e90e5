"""Posts and boosts, as programs show them."""

from msgspec import UNSET, Struct, UnsetType

from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.card import PreviewCard
from privapub.client_api.shapes.emoji import CustomEmoji
from privapub.client_api.shapes.filter import FilterResult
from privapub.client_api.shapes.media import MediaAttachment
from privapub.client_api.shapes.poll import Poll


class Mention(Struct):
    """Somebody whom a post names."""

    id: str
    username: str
    url: str
    acct: str


class StatusTag(Struct):
    """A hashtag of a post."""

    name: str
    url: str


class QuoteApproval(Struct):
    """Who may quote a post, and whether the reader may."""

    automatic: list[str]
    manual: list[str]
    current_user: str


class Quote(Struct):
    """What a post quotes, as far as the reader may see it."""

    state: str
    quoted_status: "Status | None" = None


class WrittenWith(Struct):
    """The program with which a post was written: told to its author alone."""

    name: str
    website: str | None = None


class Status(Struct, kw_only=True):
    """Entity `Status`. What it is to the reader is told to readers who signed in."""

    id: str
    created_at: str
    in_reply_to_id: str | None
    in_reply_to_account_id: str | None
    sensitive: bool
    spoiler_text: str
    visibility: str
    language: str | None
    uri: str
    url: str
    replies_count: int
    reblogs_count: int
    favourites_count: int
    quotes_count: int
    edited_at: str | None
    content: str
    reblog: "Status | None"
    account: Account
    media_attachments: list[MediaAttachment]
    mentions: list[Mention]
    tags: list[StatusTag]
    emojis: list[CustomEmoji]
    card: PreviewCard | None
    poll: Poll | None
    quote: Quote | None
    quote_approval: QuoteApproval
    favourited: bool | UnsetType = UNSET
    reblogged: bool | UnsetType = UNSET
    muted: bool | UnsetType = UNSET
    bookmarked: bool | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    filtered: list[FilterResult] | UnsetType = UNSET
    application: WrittenWith | UnsetType = UNSET
    text: str | UnsetType = UNSET
