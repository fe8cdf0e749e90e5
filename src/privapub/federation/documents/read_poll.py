"""Questions (ActivityStreams Vocabulary, section 3.1; counts and `votersCount` as Mastodon and Pleroma write them)."""

from dataclasses import dataclass

from privapub.federation.documents.fields import Fields
from privapub.federation.documents.limits import MAX_OPTION, MAX_OPTIONS
from privapub.federation.documents.properties import count, flag


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that can be chosen, as plain text, and how many chose it, if that is said."""

    name: str
    votes: int | None = None


@dataclass(frozen=True, slots=True)
class Poll:
    """A question's answers.

    `ends_at` is when it ends or has ended, in seconds since 1970: `endTime`, or the earlier `closed` (Pleroma writes
    that alone). `closed` is true only where that is said without a moment.
    """

    options: tuple[Option, ...]
    multiple: bool = False
    voters: int | None = None
    ends_at: float | None = None
    closed: bool = False


def read_poll(fields: Fields) -> Poll | None:
    """The poll in an object, None where it has none."""
    chosen = _options(fields, "oneOf")
    options = chosen or _options(fields, "anyOf")
    if not options:
        return None
    value = fields.raw.get("closed")
    closed = flag(value)
    moments = (fields.moment("endTime"), None if closed or value is False else fields.moment("closed"))
    return Poll(
        options=options,
        multiple=not chosen,
        voters=_voters(fields),
        ends_at=min((at for at in moments if at is not None), default=None),
        closed=closed,
    )


def _options(fields: Fields, name: str) -> tuple[Option, ...]:
    """The answers with different names; servers count votes by the name."""
    found: dict[str, Option] = {}
    for item in fields.objects(name, MAX_OPTIONS):
        said = item.line("name", MAX_OPTION) or item.line("content", MAX_OPTION)
        votes = count(item.raw.get("replies"))
        if not said:
            fields.note(name, "One of these answers has no name.")
        else:
            found.setdefault(said, Option(said, count(item.raw.get("_misskey_votes")) if votes is None else votes))
    return tuple(found.values())


def _voters(fields: Fields) -> int | None:
    """How many people voted: a number, or (Pleroma) their list."""
    said = fields.count("votersCount")
    voters = fields.raw.get("voters")
    return len(voters) if said is None and isinstance(voters, list) else said
