"""Activities as they come in (ActivityPub, section 7)."""

from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import each, fit_for_id, identities, identity, moment, types, web_id


@dataclass(frozen=True)
class Activity:
    """What an activity says. `object` is there if it was embedded; ids are verbatim; Public has its full spelling."""

    id: str | None
    kind: str
    actor: str
    object_id: str | None
    object: dict[str, Any] | None
    target: str | None
    to: tuple[str, ...]
    cc: tuple[str, ...]
    published: float | None


def read_activity(document: dict[str, Any]) -> Activity:
    """The activity in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `no-type`, `no-actor` or `bad-id` (of the activity or of an embedded object).
    """
    kinds = types(document)
    if not kinds:
        raise BadDocument("no-type")
    actor = web_id(document.get("actor"))
    if actor is None:
        raise BadDocument("no-actor")
    embedded = next((item for item in each(document.get("object")) if isinstance(item, dict)), None)
    if embedded is not None:
        own_id(embedded)
    return Activity(
        id=own_id(document),
        kind=kinds[0],
        actor=actor,
        object_id=identity(document.get("object")),
        object=embedded,
        target=identity(document.get("target")),
        to=identities(document.get("to")),
        cc=identities(document.get("cc")),
        published=moment(document.get("published")),
    )


def own_id(document: dict[str, Any]) -> str | None:
    """The object's own id, None where it has none; raises BadDocument("bad-id") for one that cannot be an id."""
    found = document.get("id", document.get("@id"))
    if found is None:
        return None
    if not fit_for_id(found):
        raise BadDocument("bad-id")
    return str(found)
