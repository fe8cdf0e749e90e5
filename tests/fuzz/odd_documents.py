"""Documents that are nearly right: real ones with values that stand in the wrong place, and such as nobody wrote."""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from fuzz import seeds

Place = tuple[str | int, ...]

NAMES = (
    "id", "@id", "type", "@type", "actor", "object", "target", "result", "instrument", "origin", "to", "cc", "bto",
    "audience", "published", "updated", "deleted", "name", "nameMap", "content", "contentMap", "summary", "summaryMap",
    "source", "mediaType", "mimeType", "url", "href", "rel", "icon", "image", "tag", "attachment", "value", "inbox",
    "outbox", "followers", "featured", "endpoints", "sharedInbox", "publicKey", "assertionMethod", "owner",
    "controller", "publicKeyPem", "publicKeyMultibase", "attributedTo", "inReplyTo", "sensitive", "language", "width",
    "height", "blurhash", "focalPoint", "duration", "preferredUsername", "manuallyApprovesFollowers", "alsoKnownAs",
    "movedTo", "@context", "proof", "signature", "signatureValue", "creator", "created", "proofValue", "cryptosuite",
    "oneOf", "anyOf", "endTime", "closed", "votersCount", "replies", "totalItems", "items", "orderedItems", "first",
    "next", "location", "latitude", "startTime", "formerType", "quote", "quoteUrl", "_misskey_quote",
    "_misskey_reaction", "interactionPolicy", "canQuote", "automaticApproval", "context", "conversation", "@value",
    "@language", "@graph", "@list", "links", "subject", "software", "version",
    "https://www.w3.org/ns/activitystreams#content",
)  # fmt: skip
KINDS = (
    "Note", "Question", "Article", "Page", "Event", "Video", "Audio", "Image", "Document", "Person", "Service", "Group",
    "Application", "Organization", "Create", "Update", "Delete", "Announce", "Like", "EmojiReact", "Follow", "Accept",
    "Reject", "Undo", "Add", "Remove", "Move", "Flag", "Block", "QuoteRequest", "QuoteAuthorization", "Collection",
    "OrderedCollection", "CollectionPage", "OrderedCollectionPage", "Tombstone", "Mention", "Hashtag", "Emoji", "Link",
    "PropertyValue", "Multikey", "Place", "View", "as:Note", "https://www.w3.org/ns/activitystreams#Note", "Odd",
)  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(KINDS),
    st.sampled_from(
        [
            "https://peer.test/u/carol", "as:Public", "2026-03-01T10:00:00Z", "2026-03-01T25:61:61+99:99", "P1DT2H",
            "0000-00-00T00:00:00Z", "text/plain", "text/html; charset=x", "<p>hi", "<math><mi>x", "z6Mk", "https://",
            "http://[", "https://[::1%25lo]/", "https://peer.test:99999/", "https://\u212a.test/", "en", "x-\u0000",
            "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----", "\ud800", "1e400", ":cup:", "\U0001f44d",
            "#", "@", "acct:", "acct:carol@peer.test", "true", "-1", "9" * 30, "https://w3id.org/security/v1",
        ]
    ),
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.sampled_from(NAMES), below, max_size=6),
    max_leaves=12,
)
_MADE = st.builds(
    lambda kind, more: {"id": "https://peer.test/x", "type": kind, **more},
    st.sampled_from(KINDS) | st.lists(st.sampled_from(KINDS), max_size=3),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8),
)


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Where the values of a document stand."""
    pairs = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, item in pairs:
        yield (*at, key)
        yield from places(item, (*at, key))


def put(document: Any, place: Place, value: Any) -> Any:
    """The document with another value at a place."""
    first, *rest = place
    copy = list(document) if isinstance(document, list) else dict(document)
    copy[first] = put(copy[first], tuple(rest), value) if rest else value
    return copy


def value_at(document: Any, place: Place) -> Any:
    for key in place:
        document = document[key]
    return document


@st.composite
def _real(draw: st.DrawFn) -> dict[str, Any]:
    known = seeds.documents()
    document: dict[str, Any] = known[draw(st.integers(0, len(known) - 1))]
    for _ in range(draw(st.integers(0, 4))):
        there = list(places(document))
        if not there:
            break
        place = there[draw(st.integers(0, len(there) - 1))]
        value = value_at(document, place)
        change = draw(st.sampled_from(["other", "listed", "twice", "wrapped", "itself", "named"]))
        if change == "other":
            value = draw(VALUES)
        elif change == "listed":
            value = [draw(VALUES), value]
        elif change == "twice":
            value = [value, value]
        elif change == "wrapped":
            value = {draw(st.sampled_from(NAMES)): value, "type": draw(st.sampled_from(KINDS))}
        elif change == "itself":
            value = value_at(document, there[draw(st.integers(0, len(there) - 1))])
        else:
            document = {**document, draw(st.sampled_from(NAMES)): value}
            continue
        document = put(document, place, value)
    return document


DOCUMENTS: st.SearchStrategy[dict[str, Any]] = _real() | _MADE
