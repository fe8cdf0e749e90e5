"""A persona's profile as it edits it, and its preferences."""

from msgspec import Struct

from privapub.client_api.shapes.account import Account, Field, typed_fields, visibility
from privapub.personas.read import Persona


class Profile(Struct, kw_only=True):
    """Entity `Profile`: texts as they were typed; a picture that is not there is null."""

    id: str
    display_name: str
    note: str
    fields: list[Field]
    avatar: str | None
    avatar_static: str | None
    avatar_description: str = ""
    header: str | None
    header_static: str | None
    header_description: str = ""
    locked: bool
    bot: bool
    hide_collections: bool | None
    discoverable: bool | None
    indexable: bool
    show_media: bool = True
    show_media_replies: bool = True
    show_featured: bool = True
    attribution_domains: list[str]


class Preferences(Struct, rename=lambda name: name.replace("__", ":")):
    """Entity `Preferences`. How media and warnings open is for the program to know."""

    posting__default__visibility: str
    posting__default__sensitive: bool
    posting__default__language: str | None
    posting__default__quote_policy: str
    reading__expand__media: str = "default"
    reading__expand__spoilers: bool = False
    reading__autoplay__gifs: bool = False


def profile(persona: Persona, shown: Account) -> Profile:
    """The profile of a persona, whose account this is (pure)."""
    has_avatar, has_header = bool(persona.actor.icon), bool(persona.actor.image)
    return Profile(
        id=shown.id,
        display_name=persona.actor.name,
        note=persona.bio,
        fields=typed_fields(persona),
        avatar=shown.avatar if has_avatar else None,
        avatar_static=shown.avatar_static if has_avatar else None,
        avatar_description=shown.avatar_description,
        header=shown.header if has_header else None,
        header_static=shown.header_static if has_header else None,
        header_description=shown.header_description,
        locked=shown.locked,
        bot=shown.bot,
        hide_collections=not persona.shows_follows,
        discoverable=shown.discoverable,
        indexable=shown.indexable,
        attribution_domains=list(persona.actor.attribution_domains),
    )


def preferences(persona: Persona) -> Preferences:
    """How a persona posts where it does not say (pure)."""
    return Preferences(visibility(persona.audience), persona.sensitive, persona.language, persona.quote_policy)
