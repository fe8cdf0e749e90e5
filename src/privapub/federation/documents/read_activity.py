"""Activities as they come in (ActivityPub, section 7; EmojiReact of Litepub, QuoteRequest of FEP-044f)."""

from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.activity_kinds import HANDLED
from privapub.federation.documents.fields import Fields, opened, own_id
from privapub.federation.documents.limits import MAX_OBJECTS, MAX_SUMMARY
from privapub.federation.documents.problems import Note
from privapub.federation.documents.properties import each, identities, identity, objects, web_id
from privapub.federation.documents.read_tags import Tag, read_tags
from privapub.markup.clean import plain
from privapub.markup.text import text_of


@dataclass(frozen=True, slots=True)
class Activity:
    """What an activity says. Ids are verbatim; Public has its full spelling; moments are seconds since 1970.

    `object`, `instrument` and `target_object` are there if they were embedded, under plain names.
    """

    id: str | None
    kind: str
    actor: str
    object_id: str | None = None
    object: dict[str, Any] | None = None
    object_ids: tuple[str, ...] = ()  # every object: a Flag names an actor and posts
    target: str | None = None
    target_object: dict[str, Any] | None = None
    origin: str | None = None
    result: str | None = None  # of the Accept of a QuoteRequest: the stamp
    instrument_id: str | None = None  # of a QuoteRequest: the post that quotes
    instrument: dict[str, Any] | None = None
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()
    content: str = ""  # of an EmojiReact or a Like: the emoji; of a Flag: what is said of it; raw
    summary: str = ""  # why it was done, as plain text: Lemmy's Flag, Block and Delete
    tags: tuple[Tag, ...] = ()  # the picture of the emoji
    context: str | None = None
    published: float | None = None
    notes: tuple[Note, ...] = ()  # what could not be read, or not whole: (property, sentence)


def read_activity(document: dict[str, Any]) -> Activity:
    """The activity in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `not-activitystreams`, `no-type`, `no-actor`, `bad-object` (neither an id nor
    an object) or `bad-id` (of the activity or of an embedded object).
    """
    fields = opened(document)
    kinds = fields.types()
    if not kinds:
        raise fields.refusal("no-type", "It does not say what it is.")
    actor = web_id(fields.raw.get("actor"))
    if actor is None:
        raise fields.refusal("no-actor", "It does not say who did it.")
    embedded = _embedded(fields, "object")
    object_id = identity(fields.raw.get("object"))
    if object_id is None and embedded is None and each(fields.raw.get("object")):
        raise fields.refusal("bad-object", "Its object is neither an id nor an object.")
    return Activity(
        id=own_id(fields),
        kind=next((name for name in kinds if name in HANDLED), kinds[0]),
        actor=actor,
        object_id=object_id,
        object=embedded,
        object_ids=_object_ids(fields),
        target=_id(fields, "target"),
        target_object=_embedded(fields, "target"),
        origin=_id(fields, "origin"),
        result=_id(fields, "result"),
        instrument_id=identity(fields.raw.get("instrument")),
        instrument=_embedded(fields, "instrument"),
        to=fields.identities("to"),
        cc=fields.identities("cc"),
        audience=fields.identities("audience"),
        content=fields.text("content", MAX_SUMMARY).said or fields.string("_misskey_reaction", MAX_SUMMARY),
        summary=plain(text_of(fields.text("summary", MAX_SUMMARY).said)),
        tags=read_tags(fields),
        context=_id(fields, "context"),
        published=fields.moment("published"),
        notes=fields.notes,
    )


def _id(fields: Fields, name: str) -> str | None:
    """The id in a property; what was embedded without one is seen elsewhere."""
    value = fields.raw.get(name)
    if value is None:
        return None
    return identity(value) if objects(value) else fields.identity(name)


def _object_ids(fields: Fields) -> tuple[str, ...]:
    value = fields.raw.get("object")
    return identities(value, MAX_OBJECTS) if objects(value) else fields.identities("object", MAX_OBJECTS)


def _embedded(fields: Fields, name: str) -> dict[str, Any] | None:
    """The object within an activity, in the language of the whole; BadDocument("bad-id") where its id is none.

    It is what the property names: beside the id of something else it counts for nothing.
    """
    value = fields.raw.get(name)
    if value is None:
        return None
    found = next(iter(objects(value)), None)
    if found is None:
        return None
    if name == "object":
        own_id(Fields(found, fields))
    if identity(found) != identity(value):
        fields.note(name, "The object in this is not the one that is named first.")
        return None
    if fields.default is not None and "@context" not in found:
        return {"@context": {"@language": fields.default}, **found}
    return found
