"""What the names in our documents mean: contexts that every server ships, and terms spelled out.

A context URL that a server neither ships nor can fetch makes it drop the document (Friendica), so only two are named,
and a third beside a proof: whoever reads proofs as linked data ships that one, and so does Friendica.
"""

from typing import Any

ACTIVITYSTREAMS = "https://www.w3.org/ns/activitystreams"
SECURITY = "https://w3id.org/security/v1"
DATA_INTEGRITY = "https://w3id.org/security/data-integrity/v1"
WEBFINGER = "https://purl.archive.org/socialweb/webfinger"

_MASTODON = {
    "toot": "http://joinmastodon.org/ns#",
    "discoverable": "toot:discoverable",
    "indexable": "toot:indexable",
    "featured": {"@id": "toot:featured", "@type": "@id"},
    "featuredTags": {"@id": "toot:featuredTags", "@type": "@id"},
    "attributionDomains": {"@id": "toot:attributionDomains", "@type": "@id"},
    "Emoji": "toot:Emoji",
}
_PROFILE = {
    "schema": "http://schema.org#",
    "PropertyValue": "schema:PropertyValue",
    "webfinger": "https://purl.archive.org/socialweb/webfinger#webfinger",
    "value": "schema:value",
    "manuallyApprovesFollowers": "as:manuallyApprovesFollowers",
    "alsoKnownAs": {"@id": "as:alsoKnownAs", "@type": "@id"},
    "movedTo": {"@id": "as:movedTo", "@type": "@id"},
}
# https://w3id.org/security/multikey/v1, spelled out.
_MULTIKEY = {
    "sec": "https://w3id.org/security#",
    "Multikey": "sec:Multikey",
    "assertionMethod": {"@id": "sec:assertionMethod", "@type": "@id", "@container": "@set"},
    "controller": {"@id": "sec:controller", "@type": "@id"},
    "publicKeyMultibase": {"@id": "sec:publicKeyMultibase", "@type": "sec:multibase"},
}

OF_ACTOR: list[Any] = [ACTIVITYSTREAMS, SECURITY, {**_MASTODON, **_PROFILE, **_MULTIKEY}]
# Quotes and who may quote (FEP-044f, GoToSocial), and the spellings of Misskey and Fedibird.
QUOTES: dict[str, Any] = {
    "quote": {"@id": "https://w3id.org/fep/044f#quote", "@type": "@id"},
    "quoteAuthorization": {"@id": "https://w3id.org/fep/044f#quoteAuthorization", "@type": "@id"},
    "quoteUrl": "as:quoteUrl",
    "quoteUri": "http://fedibird.com/ns#quoteUri",
    "_misskey_quote": "https://misskey-hub.net/ns/#_misskey_quote",
    "gts": "https://gotosocial.org/ns#",
    "interactionPolicy": {"@id": "gts:interactionPolicy", "@type": "@id"},
    "canQuote": {"@id": "gts:canQuote", "@type": "@id"},
    "automaticApproval": {"@id": "gts:automaticApproval", "@type": "@id"},
}
OF_POST: list[Any] = [
    ACTIVITYSTREAMS,
    {
        "sensitive": "as:sensitive",
        "Hashtag": "as:Hashtag",
        "ostatus": "http://ostatus.org#",
        "conversation": "ostatus:conversation",
        "toot": "http://joinmastodon.org/ns#",
        "votersCount": "toot:votersCount",
        "blurhash": "toot:blurhash",
        "Emoji": "toot:Emoji",
        "focalPoint": {"@container": "@list", "@id": "toot:focalPoint"},
        **QUOTES,
    },
]
PLAIN = ACTIVITYSTREAMS
