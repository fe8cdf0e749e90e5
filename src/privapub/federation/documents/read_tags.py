"""What a text marks: whom it mentions, hashtags, pictures that stand for a shortcode, objects that it points to.

ActivityStreams Vocabulary (Mention), Mastodon (Hashtag, Emoji), FEP-e232 (Link to an object, a quote among them).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from privapub.federation.documents.fields import Fields
from privapub.federation.documents.limits import MAX_TAGS
from privapub.federation.documents.properties import each, link, media_type, types, web_id
from privapub.markup.characters import REPLACEMENT
from privapub.markup.clean import plain

TagType = Literal["Mention", "Hashtag", "Emoji", "Link"]
_KINDS = ("Mention", "Hashtag", "Emoji", "Link")
_MAX_TAG_NAME = 300
_OBJECT_TYPES = frozenset({"application/activity+json", "application/ld+json"})


@dataclass(frozen=True, slots=True)
class Tag:
    """One of them; `name` is one line of plain text.

    Mention: `href` is the id of the actor. Hashtag: `name` with its #, `href` a page or "". Emoji: `name` with its
    colons, `href` the picture, `media_type` of it or "". Link: `href` is the id of an object, `rel` how it relates.
    """

    type: TagType
    name: str
    href: str
    media_type: str = ""
    rel: tuple[str, ...] = ()


def read_tags(fields: Fields) -> tuple[Tag, ...]:
    """The tags in the property `tag` (Prismo writes `tags`)."""
    name = "tags" if fields.get("tag") is None and fields.get("tags") is not None else "tag"
    if any(isinstance(item, str) for item in each(fields.raw.get(name))):
        fields.note(name, "One of these is a string and no tag.")
    return tuple(_each(fields, name))


def _each(fields: Fields, name: str) -> Iterator[Tag]:
    for item in fields.objects(name, MAX_TAGS):
        kind = next((found for found in types(item.raw) if found in _KINDS), None)
        tag = None if kind is None else _READERS[kind](item)
        if tag is not None:
            yield tag
        elif kind is not None:
            fields.note(name, f"This {kind} names nothing that it could stand for.")
        else:
            said = next(iter(types(item.raw)), "something")
            fields.note(name, f"What a tag of the type {said[:40]} means is not known.")


def _mention(item: Fields) -> Tag | None:
    href = web_id(item.raw.get("href")) or web_id(item.raw.get("id"))
    return None if href is None else Tag("Mention", _name(item), href)


def _hashtag(item: Fields) -> Tag | None:
    # What stood for a NUL or half a character is no part of a word.
    name = _name(item).lstrip("#").replace(REPLACEMENT, "")
    return Tag("Hashtag", f"#{name}", link(item.raw.get("href")) or "") if name else None


def _emoji(item: Fields) -> Tag | None:
    name, icon = _name(item).strip(":"), item.raw.get("icon")
    href = link(icon)
    if not name or href is None:
        return None
    kind = next((media_type(one) for one in each(icon) if isinstance(one, dict)), "")
    return Tag("Emoji", f":{name}:", href, kind)


def _link(item: Fields) -> Tag | None:
    href = web_id(item.raw.get("href"))
    if href is None or media_type(item.raw) not in _OBJECT_TYPES:
        return None
    rel = tuple(one[:_MAX_TAG_NAME] for one in each(item.raw.get("rel"))[:10] if isinstance(one, str))
    return Tag("Link", _name(item), href, media_type(item.raw), rel)


def _name(item: Fields) -> str:
    # Lemmy's tags of a community have a preferredUsername alone.
    said = item.text("name", 4 * _MAX_TAG_NAME).said
    return plain(said)[:_MAX_TAG_NAME].rstrip()


_READERS = {"Mention": _mention, "Hashtag": _hashtag, "Emoji": _emoji, "Link": _link}
