"""Where this server's own media are found today, whatever address they were given when they were uploaded (pure)."""

from collections.abc import Iterable, Mapping
from typing import Any

from privapub.actors.read import Actor
from privapub.media import names

_ADDRESSES = ("url", "small", "preview")


def at(address: object, base: str) -> str:
    """The address of a stored file below `base`, which has no slash at its end; "" for what is none of them."""
    name = str(address or "").rpartition("/")[2]
    return "" if names.content_type(name) is None else f"{base}/{name}"


def attachments_at(attachments: Iterable[Mapping[str, Any]], base: str) -> tuple[Mapping[str, Any], ...]:
    """What a post of ours has attached, with today's addresses."""
    return tuple(
        {**each, **{name: at(each.get(name), base) or each.get(name) for name in _ADDRESSES}} for each in attachments
    )


def avatar(actor: Actor, base: str) -> str:
    """The picture of a persona; "" where it has none, and for others."""
    return at(actor.icon, base) if actor.local else ""


def header(actor: Actor, base: str) -> str:
    """The wide picture of a persona, likewise."""
    return at(actor.image, base) if actor.local else ""


def emojis(actor: Actor, base: str) -> dict[str, str]:
    """Which emojis of ours an actor elsewhere uses, by name: the same name at another address is another emoji."""
    tags = [tag for tag in actor.tags if tag.get("type") == "Emoji"]
    kept = [tag for tag in tags if str(tag.get("href") or "").startswith(f"{base}/")]
    return {str(tag.get("name") or "").strip(":"): at(tag["href"], base) for tag in kept}
