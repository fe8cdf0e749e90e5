"""Accounts: personas of ours and people elsewhere, as programs show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import UNSET, Struct, UnsetType

from privapub import clock
from privapub.actors.read import Actor
from privapub.client_api.shapes.emoji import CustomEmoji, of_tags
from privapub.client_api.shapes.pictures import Pictures
from privapub.markup.clean import clean, plain
from privapub.personas import read
from privapub.personas.read import Persona

_BOTS = frozenset({"Service", "Application"})
_PAGE_OF = {"public": "public", "unlisted": "unlisted", "followers": "private", "circle": "private", "direct": "direct"}


class Field(Struct):
    """A line of a profile; `value` is HTML. Of people elsewhere no link is checked here: `verified_at` is null."""

    name: str
    value: str
    verified_at: str | None = None


class Role(Struct):
    """What somebody may do on this server."""

    id: str = "-99"
    name: str = ""
    color: str = ""
    permissions: str = "0"
    highlighted: bool = False
    collection_limit: int = 0


class Source(Struct):
    """A profile as it was typed, and how its persona posts where it does not say."""

    note: str
    fields: list[Field]
    privacy: str = "public"
    sensitive: bool = False
    language: str | None = None
    follow_requests_count: int = 0
    hide_collections: bool | None = None
    discoverable: bool | None = None
    indexable: bool = False
    quote_policy: str = "public"
    attribution_domains: list[str] = []


class Account(Struct, kw_only=True):
    """Entity `Account`. `source` and `role` are told to the persona itself alone, the end of a mute to who mutes."""

    id: str
    username: str
    acct: str
    display_name: str
    locked: bool
    bot: bool
    discoverable: bool | None
    indexable: bool
    group: bool
    created_at: str
    note: str
    url: str
    uri: str
    avatar: str
    avatar_static: str
    avatar_description: str = ""
    header: str
    header_static: str
    header_description: str = ""
    followers_count: int
    following_count: int
    statuses_count: int
    last_status_at: str | None
    hide_collections: bool | None
    noindex: bool
    emojis: list[CustomEmoji]
    roles: list[Role] | UnsetType = UNSET
    fields: list[Field]
    moved: "Account | UnsetType" = UNSET
    memorial: bool | UnsetType = UNSET
    suspended: bool | UnsetType = UNSET
    limited: bool | UnsetType = UNSET
    source: Source | UnsetType = UNSET
    role: Role | UnsetType = UNSET
    mute_expires_at: str | UnsetType | None = UNSET


@dataclass(frozen=True)
class Counts:
    """How many follow an actor, how many it follows, how much it wrote for everybody, and when last (UTC day)."""

    followers: int = 0
    following: int = 0
    posts: int = 0
    last_at: str | None = None


def account(
    actor: Actor,
    counts: Counts,
    pictures: Pictures,
    *,
    persona: Persona | None = None,
    emojis: Sequence[CustomEmoji] = (),
    moved: Account | None = None,
) -> Account:
    """An actor as everybody sees it (pure). `persona` is what is known of it besides, where it is ours."""
    avatar, small = pictures.avatar(actor)
    header, header_small = pictures.header(actor)
    hides = persona is not None and not persona.shows_follows
    shown = Account(
        id=str(actor.id),
        username=actor.handle,
        acct=actor.handle if actor.local else actor.address,
        display_name=plain(actor.name),
        locked=actor.locked,
        bot=actor.kind in _BOTS,
        discoverable=actor.discoverable,
        indexable=actor.indexable,
        group=actor.kind == "Group",
        created_at=clock.iso(actor.created_at // 86_400 * 86_400),
        note=clean(actor.summary),
        url=actor.url or actor.uri,
        uri=actor.uri,
        avatar=avatar,
        avatar_static=small,
        avatar_description=actor.icon_alt,
        header=header,
        header_static=header_small,
        header_description=actor.image_alt,
        followers_count=0 if hides else counts.followers,
        following_count=0 if hides else counts.following,
        statuses_count=counts.posts,
        last_status_at=counts.last_at,
        hide_collections=hides if actor.local else None,
        noindex=not actor.indexable,
        emojis=[*emojis, *of_tags(actor.tags, pictures)] if not actor.local else list(emojis),
        fields=[Field(plain(each["name"]), clean(each["value"]), each.get("verified_at")) for each in actor.fields],
    )
    if actor.local:
        shown.roles = []
    if actor.memorial:
        shown.memorial = True
    if actor.suspended or actor.is_gone:
        shown.suspended = True
    if actor.standing != "open":
        shown.limited = True
    if moved is not None:
        shown.moved = moved
    return shown


def credentials(shown: Account, persona: Persona, waiting: int) -> Account:
    """The same, for the persona itself: how it typed its profile, and how many ask to follow it (pure)."""
    shown.source = Source(
        note=persona.bio,
        fields=typed_fields(persona),
        privacy=visibility(persona.audience),
        sensitive=persona.sensitive,
        language=persona.language,
        follow_requests_count=waiting,
        hide_collections=not persona.shows_follows,
        discoverable=persona.actor.discoverable,
        indexable=persona.actor.indexable,
        quote_policy=persona.quote_policy,
        attribution_domains=list(persona.actor.attribution_domains),
    )
    shown.role = Role()
    return shown


def typed_fields(persona: Persona) -> list[Field]:
    """The lines of its profile as the persona typed them (pure)."""
    return [
        Field(each["name"], each["value"], shown.get("verified_at"))
        for each, shown in zip(read.typed_fields(persona), persona.actor.fields, strict=True)
    ]


def visibility(audience: str) -> str:
    """The word of the API for an audience: nothing tells a circle from followers (pure)."""
    return _PAGE_OF.get(audience, "direct")
