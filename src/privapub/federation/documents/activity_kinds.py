"""The kinds of activities (ActivityStreams Vocabulary, section 3, and what programs add): the one table of them."""

# What somebody here may be told of (SPEC 2.4); every other kind is kept out by its name.
HANDLED = frozenset(
    {
        "Accept", "Add", "Announce", "Block", "Create", "Delete", "EmojiReact", "Flag", "Follow", "Like", "Move",
        "QuoteRequest", "Reject", "Remove", "Undo", "Update",
    }
)  # fmt: skip
# Other activities of the vocabulary (section 3.1) and of programs, which nobody here is told of.
OTHERS = frozenset(
    {
        "Activity", "ApproveReply", "Arrive", "Bite", "Dislike", "Ignore", "IntransitiveActivity", "Invite", "Join",
        "Leave", "Listen", "Lock", "Offer", "Read", "RejectReply", "TentativeAccept", "TentativeReject", "Travel",
        "View",
    }
)  # fmt: skip
KNOWN = HANDLED | OTHERS


def named(kind: str) -> str:
    """The kind where it is a known one, else "other": a stranger does not choose how many lines a report has. Pure."""
    return kind if kind in KNOWN else "other"
