"""Our polls and votes as documents (ActivityStreams Vocabulary, Question; counts and votes as Mastodon writes them)."""

from typing import Any

from privapub import clock
from privapub.federation.documents import context
from privapub.federation.documents.members import without_nothing
from privapub.posts.poll_read import Poll


def question(poll: Poll) -> dict[str, Any]:
    """What a post's document has beyond that of a Note where the post asks something."""
    document: dict[str, Any] = {
        "type": "Question",
        "anyOf" if poll.multiple else "oneOf": [
            {"type": "Note", "name": option.name, "replies": _replies(option.votes)} for option in poll.options
        ],
        "votersCount": poll.voters or 0,
        "endTime": None if poll.ends_at is None else clock.iso(poll.ends_at),
        "closed": None if poll.closed_at is None else clock.iso(poll.closed_at),
    }
    return without_nothing(document)


def _replies(votes: int | None) -> dict[str, Any]:
    """How often an answer was chosen; what is not told yet is not there."""
    return {"type": "Collection"} if votes is None else {"type": "Collection", "totalItems": votes}


def vote(uri: str, voter: str, asked: str, author: str, name: str) -> dict[str, Any]:
    """The Create of a vote for the answer of this name, to the poll's author alone: a Note without a text."""
    note = {"id": uri, "type": "Note", "attributedTo": voter, "to": [author], "inReplyTo": asked, "name": name}
    return {
        "@context": context.PLAIN,
        "id": f"{uri}/activity",
        "type": "Create",
        "actor": voter,
        "to": [author],
        "object": note,
    }
