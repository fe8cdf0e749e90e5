"""Kinds of activities as reports name them (ActivityStreams Vocabulary, section 3, and what others add). Pure."""

KNOWN = frozenset(
    {
        "Accept", "Add", "Announce", "Arrive", "Bite", "Block", "Create", "Delete", "Dislike", "EmojiReact", "Flag",
        "Follow", "Ignore", "Invite", "Join", "Leave", "Like", "Listen", "Move", "Offer", "Question", "QuoteRequest",
        "Read", "Reject", "Remove", "TentativeAccept", "TentativeReject", "Travel", "Undo", "Update", "View",
    }
)  # fmt: skip
OTHER = "other"


def named(kind: str) -> str:
    """The kind where it is a known one, else "other": a stranger does not choose how many lines a report has."""
    return kind if kind in KNOWN else OTHER
