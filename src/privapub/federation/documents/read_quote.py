"""Quotes in the spellings that are in use, and who may quote (FEP-044f, FEP-e232, Misskey, Fedibird)."""

from dataclasses import dataclass

from privapub.federation.documents.fields import Fields
from privapub.federation.documents.properties import identities, objects
from privapub.federation.documents.read_tags import Tag

# In the order in which they are believed; the first is the only one with a consent.
SPELLINGS = ("quote", "quoteUrl", "quoteUri", "quoteURL", "_misskey_quote")
_QUOTE_RELATIONS = ("#_misskey_quote", "#quoteUrl", "/044f#quote", "/e232#quote", "ns/quote")
_MOST_ALLOWED = 100


@dataclass(frozen=True, slots=True)
class QuotePolicy:
    """Who may quote a post (FEP-044f): ids of actors, collections or Public, at once or after being asked."""

    automatic: tuple[str, ...] = ()
    manual: tuple[str, ...] = ()


def read_quote(fields: Fields, tags: tuple[Tag, ...]) -> str | None:
    """The id of the post that this one quotes. A Link among the tags counts by its relation, or by its `RE:`."""
    for name in SPELLINGS:
        found = fields.web_id(name)
        if found is not None:
            return found
    return next((tag.href for tag in tags if tag.type == "Link" and _is_quote(tag)), None)


def read_quote_policy(fields: Fields) -> QuotePolicy | None:
    """What the author's `interactionPolicy` says of quotes; None where it says nothing."""
    for policy in objects(fields.raw.get("interactionPolicy")):
        for quotes in objects(policy.get("canQuote")):
            automatic = identities(quotes.get("automaticApproval", quotes.get("always")), _MOST_ALLOWED)
            return QuotePolicy(automatic, identities(quotes.get("manualApproval"), _MOST_ALLOWED))
    return None


def _is_quote(tag: Tag) -> bool:
    return tag.name.startswith("RE:") or any(rel.endswith(_QUOTE_RELATIONS) for rel in tag.rel)
