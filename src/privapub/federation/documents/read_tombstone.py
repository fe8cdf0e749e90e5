"""What is left of something that was deleted (ActivityStreams Vocabulary, section 3.3: Tombstone)."""

from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.fields import opened
from privapub.federation.documents.limits import MAX_NAME
from privapub.federation.documents.problems import Note
from privapub.federation.documents.properties import line, web_id


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The id that was deleted, what it was ("" where that is not said), and when (seconds since 1970)."""

    uri: str
    former_type: str = ""
    deleted_at: float | None = None
    notes: tuple[Note, ...] = ()


def read_tombstone(document: dict[str, Any]) -> Tombstone:
    """The Tombstone in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `not-activitystreams`, `wrong-type` or `bad-id`.
    """
    fields = opened(document)
    if "Tombstone" not in fields.types():
        raise fields.refusal("wrong-type", "This is no Tombstone.")
    uri = web_id(fields.raw.get("id"))
    if uri is None:
        raise fields.refusal("bad-id", "It has no id that is an http(s) URL.")
    former = line(fields.get("formerType", "former_type"), MAX_NAME)
    return Tombstone(uri, former, fields.moment("deleted"), fields.notes)
