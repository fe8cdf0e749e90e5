"""What the words mean that say why something was refused, kept out or came to nothing: for whoever reads a report."""

from http import HTTPStatus

# One table for what arrives, what is fetched and what is sent; `docs/reference/reasons.md` is written from it.
REASONS = {
    # What this server does not do, or does not do now.
    "disallowed": "A rule of this server keeps that host out.",
    "remembered": "It failed a short while ago and is not asked for again so soon.",
    "budget": "What caused it had led to as many fetches as one cause may.",
    "private-address": "The address is one that is not asked: inside a network, or at a port that is not for this.",
    "bad-redirect": "It sent on to an address to which it may not send on.",
    "too-many-redirects": "It sent on more than three times.",
    "content-type": "What came was of another type than what is taken here.",
    "too-large": "There was more of it than is taken.",
    "too-often": "More came from there, or in the name of that host, than is taken at a time.",
    "too-many-keys": "More keys would have to be fetched for that host, or from there, than are at a time.",
    "overload": "There was no room for it among all that was under way.",
    # What went wrong on the way.
    "bad-json": "What came could not be read.",
    "timeout": "It took too long.",
    "network": "The other server could not be reached, or the connection broke.",
    "too-slow": "The body did not come in time.",
    "cut-short": "The body did not come to its end.",
    # Signatures.
    "no-signature": "It was not signed.",
    "malformed": "The signature could not be understood.",
    "malformed-digest": "The digest of the content could not be understood.",
    "no-digest": "There was no digest of the content.",
    "unknown-digest": "The digest uses no algorithm that is known here.",
    "wrong-digest": "The content is not what was signed.",
    "not-covered": "The signature leaves out something that it must cover.",
    "missing-component": "The signature covers something that did not come with it.",
    "unsupported-component": "The signature covers something that is not understood here.",
    "wrong-algorithm": "The signature uses an algorithm that is not accepted, or not its key's.",
    "wrong-host": "It was signed for another host.",
    "wrong-signature": "The signature does not fit what came.",
    "wrong-owner": "Whoever signed it is not who it is of.",
    "too-old": "It was signed too long ago.",
    "ahead": "It was signed in the future: a clock is wrong.",
    "unknown-context": "The signature is over a document with a context that is not known here.",
    "expired": "The signature has expired.",
    "no-key": "The key that it names could not be had, or is not the actor's.",
    "signer-is-not-actor": "Whoever signed it is not who did it.",
    "our-actor": "It claims to be of somebody here.",
    # Documents.
    "not-json": "It is no JSON.",
    "not-an-object": "It is JSON, but no object.",
    "not-activitystreams": "It says itself that it is no ActivityStreams document.",
    "duplicate-key": "It says one thing twice.",
    "too-deep": "It is nested too deep.",
    "bad-number": "It holds a number that cannot be kept.",
    "bad-id": "Its id cannot be an id.",
    "bad-object": "What it is about cannot be understood.",
    "no-type": "It does not say what it is.",
    "wrong-type": "It is of another kind than what is wanted there.",
    "wrong-first": "The first page of a collection cannot be found in it.",
    "wrong-items": "The items of a collection cannot be read.",
    "no-actor": "It does not say who did it.",
    "no-author": "It does not say who wrote it.",
    "no-inbox": "The actor has no inbox.",
    "no-object": "It does not say what it is about.",
    "no-target": "It does not say where to.",
    "no-software": "The server does not say which program it runs.",
    "no-nodeinfo": "The server does not tell about itself in a form that is known here.",
    "gone": "Its own server says that it is no more.",
    # What cannot be its actor's to send.
    "id-elsewhere": "Its id is on another host than its actor.",
    "object-elsewhere": "What it is about is on another host than its actor.",
    "id-of-another": "Its id belongs to something else that is known already.",
    "gone-actor": "Whoever sent it is no more.",
    "delete-of-unknown-actor": "Somebody who was never known here is no more: there is nothing to do.",
    # What was understood and concerns nobody here, or is not its sender's to say.
    "not-for-us": "It concerns nobody here.",
    "not-theirs": "It is about something that is not its sender's.",
    "no-such-post": "The post that it is about is not known.",
    "no-such-follow": "There is no follow that it could answer.",
    "no-poll": "The post that it votes on has no poll that is open to it.",
    "no-emoji": "A reaction without a sign.",
    "no-stamp": "The permission to quote does not come with the answer.",
    "not-asked": "It answers what nobody asked.",
    "not-asked-any-more": "It answers what was taken back.",
    "not-both-ways": "The two actors do not both name each other.",
    "not-deleted": "Its own server does not say that it is gone.",
    "not-newer": "What is kept here is as new.",
    "not-featured": "It cannot be shown first in that profile.",
    "other-collection": "It changes a collection that is not kept here.",
    "other-handle": "The name of an actor does not change.",
    "not-to-be-boosted": "That post may not be boosted by them.",
    "blocked": "Somebody here blocks its sender.",
    "nobody-to-block": "Whoever is to be blocked is nobody here.",
    "nobody-to-follow": "Whoever is to be followed is nobody here.",
    "nobody-to-move": "Nobody here follows whoever moves.",
    "nobody-to-report": "Whoever is reported is nobody here.",
    "nothing-to-delete": "What is to be deleted is not kept here.",
    "nothing-to-remove": "What is to be removed is not there.",
    "nothing-to-undo": "What is to be undone is not there.",
    "deleted-before": "It was deleted before it came.",
    "undone-before": "It was undone before it came.",
    "reports-rejected": "A rule of this server takes no reports from that host.",
    "reported-before": "It was reported before.",
    "too-many-reports": "So many reports of that actor, or of its host, are open that no more are taken.",
    "vote": "A vote is its voter's to send, and nobody passes it on.",
    "too-many": "There are as many as are kept already.",
    "too-many-reactions": "They have given as many reactions to that post as are kept.",
    "InvalidInput": "It cannot be understood.",
    "NotFound": "What it is about is not there.",
    "NotAllowed": "Its sender may not do that.",
    "Conflict": "It is against what already is.",
    "Unavailable": "What it needs could not be had.",
    # Deliveries.
    "nothing-to-send": "What was to be sent is no more.",
    "inbox-moved": "The inbox is elsewhere now; it is sent there.",
    "taken-back": "It was taken back before it was sent.",
    "worker-died": "The process that was to send it ended, again and again.",
    "cancelled": "The operator cancelled it.",
    "waited-too-long": "It could not be sent for thirty days.",
    "other": "Something else: `privapub jobs list --kind delivery --state failed` tells.",
}
# Words that are put before another.
PREFIXES = {
    "key-": "The key that it names could not be fetched: ",
    "not-fetched: ": "What it names could not be fetched: ",
}
KIND = "kind-"
OF_KIND = "Nothing is done here with what is of the kind {kind}."


def meaning(reason: str) -> str:
    """A sentence for a reason; nothing for none, and for the kind of an activity that was handled."""
    for prefix, sentence in PREFIXES.items():
        if reason.startswith(prefix) and (rest := meaning(reason.removeprefix(prefix))):
            return sentence + rest[0].lower() + rest[1:]
    if reason.startswith(KIND):
        return OF_KIND.format(kind=reason.removeprefix(KIND))
    if reason.isdecimal():
        return f"The other server answered {reason}{_phrase(int(reason))}."
    return REASONS.get(reason, "")


def _phrase(status: int) -> str:
    try:
        return f" ({HTTPStatus(status).phrase})"
    except ValueError:
        return ""
