"""Our actors as documents (ActivityPub, section 4.1; keys: security/v1 and FEP-521a)."""

from collections.abc import Iterable
from typing import Any

from privapub import clock
from privapub.actors.addresses import Addresses, featured_of, featured_tags_of
from privapub.actors.keys import ED25519, RSA
from privapub.actors.read import Actor, Key
from privapub.federation.documents import context
from privapub.federation.documents.members import without_nothing
from privapub.federation.documents.write_emoji import emoji


def person(actor: Actor, keys: Iterable[Key], addresses: Addresses) -> dict[str, Any]:
    """The document of a local actor, of whatever kind it is, with its public keys.

    The day of its creation is told and not the moment, and an edit of the first day is no date at all, so that what
    was made together does not look it.
    """
    document: dict[str, Any] = {
        "@context": context.OF_ACTOR,
        "id": actor.uri,
        "type": actor.kind,
        "preferredUsername": actor.handle,
        "webfinger": actor.address,
        "name": actor.name,
        "summary": actor.summary,
        "url": actor.url or addresses.persona_page(actor.handle),
        "inbox": actor.inbox,
        "outbox": actor.outbox,
        "followers": actor.followers,
        "following": actor.following,
        "featured": featured_of(actor.uri),
        "featuredTags": featured_tags_of(actor.uri),
        "endpoints": {"sharedInbox": addresses.shared_inbox},
        "manuallyApprovesFollowers": actor.locked,
        "discoverable": actor.discoverable,
        "indexable": actor.indexable,
        "published": _day(actor.created_at),
        "updated": _updated(actor),
        "icon": _image(actor.icon, actor.icon_alt),
        "image": _image(actor.image, actor.image_alt),
        "tag": [emoji(tag) for tag in actor.tags if tag.get("type") == "Emoji"] or None,
        "attachment": [
            {"type": "PropertyValue", "name": field["name"], "value": field["value"]} for field in actor.fields
        ],
        "attributionDomains": list(actor.attribution_domains) or None,
        "alsoKnownAs": list(actor.also_known_as) or None,
        "movedTo": actor.moved_to,
    }
    for key in keys:
        if key.algorithm == RSA:
            document["publicKey"] = {"id": key.id, "owner": actor.uri, "publicKeyPem": key.public}
        elif key.algorithm == ED25519:
            document["assertionMethod"] = [
                {"id": key.id, "type": "Multikey", "controller": actor.uri, "publicKeyMultibase": key.public}
            ]
    return without_nothing(document)


def _day(moment: float) -> str:
    return f"{clock.iso_day(moment)}T00:00:00Z"


def _updated(actor: Actor) -> str | None:
    if actor.updated_at is None or clock.iso_day(actor.updated_at) == clock.iso_day(actor.created_at):
        return None
    return clock.iso(actor.updated_at)


def _image(url: str | None, alt: str) -> dict[str, str] | None:
    """A picture; what it shows is its `name` and its `summary`, as that of a post's (`write_post`)."""
    if not url:
        return None
    return {"type": "Image", "url": url, "name": alt, "summary": alt} if alt else {"type": "Image", "url": url}
