"""Quotes on the wire: FEP-044f, and beside it the spellings of other programs (FEP-e232, Misskey, Fedibird).

None of these documents holds the quoted post itself: who may see it is asked where it is fetched.
"""

from html import escape
from typing import Any

from privapub.actors.read import Actor
from privapub.federation.documents import context
from privapub.federation.documents.members import without_context, without_nothing
from privapub.federation.documents.properties import PUBLIC
from privapub.posts.audience import OPEN
from privapub.posts.read import Post

_REQUEST: list[Any] = [
    context.ACTIVITYSTREAMS,
    {"QuoteRequest": "https://w3id.org/fep/044f#QuoteRequest", "sensitive": "as:sensitive", "Hashtag": "as:Hashtag"}
    | context.QUOTES,
]
_STAMP: list[Any] = [
    context.ACTIVITYSTREAMS,
    {
        "QuoteAuthorization": "https://w3id.org/fep/044f#QuoteAuthorization",
        "gts": "https://gotosocial.org/ns#",
        "interactingObject": {"@id": "gts:interactingObject", "@type": "@id"},
        "interactionTarget": {"@id": "gts:interactionTarget", "@type": "@id"},
    },
]
_OBJECT = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
_REQUESTED = "#quote"


def quote_fields(post: Post, author: Actor) -> dict[str, Any]:
    """What a note says of the post that it quotes, and of who may quote it. A quote that was refused is none."""
    found: dict[str, Any] = {}
    if quotes(post):
        found = dict.fromkeys(("quote", "quoteUrl", "quoteUri", "_misskey_quote"), post.quote)
        if post.quote_stamp:
            found["quoteAuthorization"] = post.quote_stamp
    if post.audience in OPEN:
        found["interactionPolicy"] = {"canQuote": {"automaticApproval": _may_quote(post, author)}}
    return found


def quote_tag(post: Post) -> list[dict[str, str]]:
    """The Link to what is quoted (FEP-e232), as one more tag."""
    if not quotes(post):
        return []
    quoted = str(post.quote)
    rel = "https://misskey-hub.net/ns#_misskey_quote"
    return [{"type": "Link", "mediaType": _OBJECT, "rel": rel, "href": quoted, "name": f"RE: {quoted}"}]


def with_fallback(content: str, post: Post) -> str:
    """The content, and for programs that know no quotes a line that leads to the quoted post; others hide it."""
    if not quotes(post):
        return content
    quoted = escape(str(post.quote))
    return f'{content}<p class="quote-inline">RE: <a href="{quoted}">{quoted}</a></p>'


def quotes(post: Post) -> bool:
    """Whether the post quotes another, as far as others are told."""
    return post.quote is not None and post.quote_state in ("pending", "accepted")


def request_id(post_uri: str) -> str:
    """The id of the QuoteRequest of a post of ours, by which a bare answer is known."""
    return f"{post_uri}{_REQUESTED}"


def requested(uri: str) -> str | None:
    """The post of ours whose QuoteRequest has this id."""
    return uri.removesuffix(_REQUESTED) if uri.endswith(_REQUESTED) else None


def request(post: Post, author: Actor, quoted_author: Actor, instrument: Any) -> dict[str, Any]:
    """The question to the author of the quoted post; `instrument` is the note that quotes, whole or its id."""
    embedded = without_context(instrument) if isinstance(instrument, dict) else instrument
    return {
        "@context": _REQUEST,
        "id": request_id(post.uri),
        "type": "QuoteRequest",
        "actor": author.uri,
        "to": [quoted_author.uri],
        "object": post.quote,
        "instrument": embedded,
    }


def answer(uri: str, quoted: Post, author: Actor, asked: dict[str, str], stamp: str | None) -> dict[str, Any]:
    """The Accept with its stamp, or without one the Reject; `asked` is what is known of the QuoteRequest.

    `asked` has the members `id`, `actor` and `instrument`, all of them ids.
    """
    document = {
        "@context": _REQUEST,
        "id": uri,
        "type": "Accept" if stamp else "Reject",
        "actor": author.uri,
        "to": [asked["actor"]],
        "object": {"type": "QuoteRequest", **asked, "object": quoted.uri},
        "result": stamp,
    }
    return without_nothing(document)


def authorization(uri: str, quoted: Post, author: Actor, quoting: str) -> dict[str, Any]:
    """The stamp itself."""
    return {
        "@context": _STAMP,
        "id": uri,
        "type": "QuoteAuthorization",
        "attributedTo": author.uri,
        "interactingObject": quoting,
        "interactionTarget": quoted.uri,
    }


def revocation(uri: str, author: Actor, stamp: str, quoting_actor: str) -> dict[str, Any]:
    """The Delete of a stamp, which tells neither the quote nor what it quoted."""
    return {
        "@context": context.PLAIN,
        "id": uri,
        "type": "Delete",
        "actor": author.uri,
        "to": [PUBLIC],
        "cc": [quoting_actor],
        "object": stamp,
    }


def _may_quote(post: Post, author: Actor) -> list[str]:
    if post.quote_policy == "public":
        return [PUBLIC]
    if post.quote_policy == "followers" and author.followers:
        return [author.followers]
    # An empty list would be no policy at all (FEP-044f).
    return [author.uri]
