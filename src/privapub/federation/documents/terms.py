"""The names in a document, made plain (JSON-LD 1.1, sections 3 and 4, as far as names go).

Nearly all servers write the plain names of ActivityStreams. Some write them with a prefix (`as:sensitive`), spelled
out (`http://schema.org/name`) or under a name that their own `@context` gives them; values may be wrapped (`@value`,
`@list`). The vocabularies below are known here and what a document defines within itself is read; no context is ever
fetched. The names of ActivityStreams mean what they mean, whatever a document says they do (AS2 Core, section 2.1).
"""

from typing import Any

from privapub.federation.documents.limits import MAX_LANGUAGES, MAX_NAME

# Vocabularies whose names are read as if they were ActivityStreams' own.
_VOCABULARIES = (
    "https://www.w3.org/ns/activitystreams#",
    "http://www.w3.org/ns/activitystreams#",
    "http://www.w3.org/ns/ldp#",
    "https://w3id.org/security#",
    "https://w3id.org/security/v1#",
    "http://joinmastodon.org/ns#",
    "http://schema.org#",
    "http://schema.org/",
    "https://schema.org#",
    "https://schema.org/",
    "http://litepub.social/ns#",
    "http://ostatus.org#",
    "https://misskey-hub.net/ns#",
    "https://misskey-hub.net/ns/#",
    "https://misskey.io/ns#",
    "http://fedibird.com/ns#",
    "https://w3id.org/fep/044f#",
    "https://gotosocial.org/ns#",
    "https://joinpeertube.org/ns#",
    "https://join-lemmy.org/ns#",
    "https://joinmobilizon.org/ns#",
)
_PREFIXES = {
    "as": _VOCABULARIES[0],
    "ldp": "http://www.w3.org/ns/ldp#",
    "sec": "https://w3id.org/security#",
    "toot": "http://joinmastodon.org/ns#",
    "schema": "http://schema.org#",
    "sc": "http://schema.org#",
    "litepub": "http://litepub.social/ns#",
    "ostatus": "http://ostatus.org#",
    "misskey": "https://misskey-hub.net/ns#",
}
_KEYWORDS = {"@id": "id", "@type": "type"}
# Names that no document gives another meaning.
_FIXED = frozenset(
    {
        "actor", "alsoKnownAs", "assertionMethod", "attachment", "attributedTo", "audience", "bcc", "bto", "cc",
        "content", "contentMap", "context", "endTime", "endpoints", "first", "followers", "following", "href", "icon",
        "id", "image", "inReplyTo", "inbox", "instrument", "items", "last", "likes", "location", "mediaType",
        "movedTo", "name", "nameMap", "next", "object", "oneOf", "anyOf", "orderedItems", "origin", "outbox", "owner",
        "partOf", "preferredUsername", "prev", "publicKey", "publicKeyPem", "published", "replies", "result",
        "sharedInbox", "shares", "startTime", "summary", "summaryMap", "tag", "target", "to", "type", "updated", "url",
    }
)  # fmt: skip
_MAP = "Map"  # of texts by their language (`nameMap`): the names in it are none of any vocabulary
_MOST_TERMS = 500
Terms = dict[str, str]


def compacted(document: dict[str, Any]) -> dict[str, Any]:
    """The document under plain names, values unwrapped, `@context` as it was; doing it again changes nothing."""
    return _object(document, {})


def default_language(document: dict[str, Any]) -> Any:
    """What the document's own `@context` says its texts are written in; the last one counts."""
    said = None
    for entry in _entries(document.get("@context")):
        if isinstance(entry, dict):
            said = entry.get("@language", said)
    return said


def is_foreign(document: dict[str, Any]) -> bool:
    """Whether its `@context` says that this is no ActivityStreams: something other than names, or schema.org alone."""
    context = document.get("@context")
    if context is None or context == []:
        return False
    entries = _entries(context)
    if not any(isinstance(entry, str | dict) for entry in entries):
        return True
    return all(isinstance(entry, str) and entry.rstrip("/#").endswith("://schema.org") for entry in entries)


def plain_name(name: str, terms: Terms | None = None) -> str:
    """A property's or a type's name without the vocabulary that it comes from; others stay as they are."""
    if ":" not in name:
        return _KEYWORDS.get(name, name)
    prefix, _, rest = name.partition(":")
    spelled = name
    if not rest.startswith("//"):
        vocabulary = (terms or {}).get(prefix) or _PREFIXES.get(prefix)
        spelled = name if vocabulary is None else vocabulary + rest
    for vocabulary in _VOCABULARIES:
        rest = spelled.removeprefix(vocabulary)
        if rest not in (spelled, "") and ":" not in rest:  # no name of these vocabularies has a prefix of its own
            return rest
    return name


def _entries(context: Any) -> list[Any]:
    return context if isinstance(context, list) else [context]


def _defined(context: Any, above: Terms) -> Terms:
    """What the names mean that this `@context` defines within itself, beside those defined above it."""
    terms = above
    for entry in _entries(context):
        if not isinstance(entry, dict) or not entry:
            continue
        if terms is above:
            terms = dict(above)
        for name, meaning in entry.items():
            said = meaning.get("@id") if isinstance(meaning, dict) else meaning
            if isinstance(said, str) and len(terms) < _MOST_TERMS and not name.startswith("@"):
                terms[name] = said[:MAX_NAME]
    return terms


def _object(document: dict[str, Any], above: Terms) -> dict[str, Any]:
    terms = _defined(document["@context"], above) if "@context" in document else above
    plain: dict[str, Any] = {}
    renamed: list[tuple[str, Any]] = []
    for name, value in document.items():
        if name == "@context":
            plain[name] = value
            continue
        known = _name(name, terms)
        if known == name:
            if isinstance(value, dict | list) and not name.endswith(_MAP):
                _put(plain, name, _value(value, terms))
            else:
                plain[name] = value
        elif not known.startswith("@"):
            renamed.append((known, value if known.endswith(_MAP) else _value(value, terms)))
    for name, value in renamed:
        # Said under its plain name too: that one is what every reader sees.
        if name not in plain:
            _put(plain, name, value)
    if "type" in plain:
        plain["type"] = _types(plain["type"], terms)
    return plain


def _name(name: str, terms: Terms) -> str:
    if name in terms and name not in _FIXED:
        known = plain_name(terms[name], terms)
        if known == terms[name] or ":" in known:
            return name
    else:
        known = plain_name(name, terms) if ":" in name or name[:1] == "@" else name
    # Under a plain name that means something else in this document it would be taken for that.
    taken = known in terms and known not in _FIXED and plain_name(terms[known], terms) != known
    return name if taken else known


def _put(plain: dict[str, Any], name: str, value: Any) -> None:
    """The value under its name; texts that tell their language go into the name's map."""
    spoken = [item for item in (value if isinstance(value, list) else [value]) if _is_spoken(item)]
    if not spoken or ":" in name:  # a name that stays as it is has no such map
        plain[name] = value
        return
    entries = {item["@language"]: item["@value"] for item in reversed(spoken[:MAX_LANGUAGES])}
    plain.setdefault(f"{name}{_MAP}", dict(reversed(entries.items())))
    rest = [item for item in value if not _is_spoken(item)] if isinstance(value, list) else []
    if rest:
        plain[name] = rest


def _is_spoken(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("@language"), str) and isinstance(item.get("@value"), str)


def _value(value: Any, terms: Terms) -> Any:
    if isinstance(value, list):
        return [_value(item, terms) for item in value]
    if not isinstance(value, dict):
        return value
    for wrapper in ("@list", "@set"):
        if wrapper in value:
            return _value(value[wrapper], terms)
    if "@value" in value:
        if isinstance(value.get("@language"), str):
            return value
        # What is wrapped so is a scalar (JSON-LD 1.1, section 4.1).
        return None if isinstance(value["@value"], dict | list) else value["@value"]
    return _object(value, terms)


def _types(value: Any, terms: Terms) -> Any:
    if isinstance(value, list):
        return [_type(item, terms) for item in value]
    return _type(value, terms)


def _type(value: Any, terms: Terms) -> Any:
    known = plain_name(value, terms) if isinstance(value, str) else value
    return value if isinstance(known, str) and known.startswith("@") else known
