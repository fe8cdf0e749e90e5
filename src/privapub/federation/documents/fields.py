"""One object of a document, property by property. What cannot be read costs that property, and a note says so."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from privapub.federation.documents.languages import Text, choose, language
from privapub.federation.documents.limits import MAX_ID, MAX_IDS, MAX_LANGUAGES, MAX_NAME, MAX_NOTES, MAX_TITLE, cut
from privapub.federation.documents.moments import moment
from privapub.federation.documents.problems import BadDocument, Note
from privapub.federation.documents.properties import (
    count,
    each,
    flag,
    identities,
    identity,
    link,
    objects,
    types,
    web_id,
)
from privapub.federation.documents.terms import compacted, default_language, is_foreign
from privapub.markup.clean import plain

Read = TypeVar("Read")


class Fields:
    """The properties of one object, and the notes on those of them that could not be read."""

    def __init__(self, document: dict[str, Any], above: "Fields | None" = None) -> None:
        """`document` has plain names; an object within another shares the notes and the language of that one."""
        self.raw = document
        self.default: str | None = language(default_language(document)) if above is None else above.default
        self._notes: dict[Note, None] = {} if above is None else above._notes  # noqa: SLF001 - of its own class

    @property
    def notes(self) -> tuple[Note, ...]:
        """What could not be read, or not whole."""
        return tuple(self._notes)

    def note(self, name: str, sentence: str) -> None:
        """Remember that a property could not be read."""
        if len(self._notes) < MAX_NOTES:
            self._notes[name[:MAX_NAME], sentence] = None

    def refusal(self, reason: str, sentence: str = "") -> BadDocument:
        """Why the whole cannot be used, with the notes so far."""
        return BadDocument(reason, sentence, self.notes)

    def get(self, *names: str) -> Any:
        """The raw value of the first of these properties that holds something."""
        return next((value for name in names if not _is_nothing(value := self.raw.get(name))), None)

    def read(self, name: str, reader: Callable[[Any], Read], wrong: str) -> Read:
        """The property as `reader` reads it; noted where something stood there and nothing came of it."""
        value = self.raw.get(name)
        found = reader(value)
        if found in (None, (), "") and not _is_nothing(value):
            self.note(name, wrong)
        return found

    def types(self) -> list[str]:
        """Every type of the object."""
        return types(self.raw)

    def identity(self, name: str) -> str | None:
        """The id in a property, verbatim."""
        return self.read(name, identity, "This is no id.")

    def web_id(self, name: str) -> str | None:
        """The id in a property that has to be an http or https URL."""
        return self.read(name, web_id, "This is no http(s) URL.")

    def identities(self, name: str, limit: int = MAX_IDS) -> tuple[str, ...]:
        """The ids in a property, each once."""
        found = self.read(name, lambda value: identities(value, limit), "There is no id in this.")
        if len(each(self.raw.get(name))) > limit:
            self.note(name, f"Only the first {limit} were read.")
        return found

    def link(self, name: str, preferred: Iterable[str] = ()) -> str | None:
        """The web address in a property."""
        return self.read(name, lambda value: link(value, preferred), "There is no http(s) URL in this.")

    def moment(self, name: str) -> float | None:
        """The date in a property, in seconds since 1970."""
        return self.read(name, moment, "This is no date.")

    def count(self, name: str) -> int | None:
        """How many things a property says there are."""
        return self.read(name, count, "This is no count.")

    def flag(self, name: str) -> bool:
        """Whether a property is true."""
        value = self.raw.get(name)
        if any(not isinstance(item, bool) and str(item).lower() not in {"true", "false"} for item in each(value)):
            self.note(name, "This is neither true nor false.")
        return flag(value)

    def objects(self, name: str, limit: int) -> list["Fields"]:
        """The objects in a property, at most `limit` of them."""
        found = objects(self.raw.get(name))
        if len(found) > limit:
            self.note(name, f"Only the first {limit} of {len(found)} were read.")
        return [Fields(item, self) for item in found[:limit]]

    def string(self, name: str, limit: int) -> str:
        """The first string of a property as it came, cut at a boundary."""
        value = self.raw.get(name)
        if _is_nothing(value):
            return ""
        said = next((item for item in each(value) if isinstance(item, str)), None)
        if said is None:
            self.note(name, "This is no text.")
            return ""
        if len(said) > limit:
            self.note(name, f"This was cut after {limit} characters.")
        return cut(said, limit)

    def text(self, name: str, limit: int) -> Text:
        """A text and its language, from the property and its map."""
        if name not in self.raw and f"{name}Map" not in self.raw:
            return Text("")
        entries = self._entries(f"{name}Map", limit)
        if isinstance(self.raw.get(name), dict):
            self.note(name, f"This is a map of languages, which belongs in {name}Map.")
            return choose("", self._entries(name, limit) | entries)
        found = choose(self.string(name, limit), entries)
        if found.said and found.language is None and not entries:
            return Text(found.said, self.default)
        return found

    def line(self, name: str, limit: int = MAX_NAME) -> str:
        """A text as one line of plain text: names and titles."""
        found = plain(self.text(name, MAX_TITLE).said)
        if len(found) > limit:
            self.note(name, f"This was cut after {limit} characters.")
        return cut(found, limit)

    def _entries(self, name: str, limit: int) -> dict[str, str]:
        """The entries of a map of languages that are texts."""
        value = self.raw.get(name)
        if _is_nothing(value):
            return {}
        if not isinstance(value, dict):
            self.note(name, "This is no map of languages.")
            return {}
        kept: dict[str, str] = {}
        for tag, said in list(value.items())[:MAX_LANGUAGES]:
            if not isinstance(said, str):
                if not _is_nothing(said):
                    self.note(name, "One of these is no text.")
                continue
            if language(tag) is None and tag != "und":
                self.note(name, f"{tag[:40]!r} is no language.")
            kept[tag] = cut(said, limit)
        return kept


def opened(document: dict[str, Any]) -> Fields:
    """A whole document that came from `strict_json.read`, under plain names.

    Raises BadDocument with the reason `not-activitystreams` where its context says that it is something else.
    """
    if is_foreign(document):
        raise BadDocument("not-activitystreams", "Its @context says that this is no ActivityStreams document.")
    return Fields(compacted(document))


def own_id(fields: Fields) -> str | None:
    """The object's own id, None where it has none; raises BadDocument("bad-id") for one that cannot be an id."""
    found = fields.raw.get("id")
    if found is None:
        return None
    if not isinstance(found, str) or identity(found) is None:
        sentence = "Its id is not a string that can be one: at most"
        raise fields.refusal("bad-id", f"{sentence} {MAX_ID} characters, without white space.")
    return found


def _is_nothing(value: Any) -> bool:
    """Whether a value says nothing: absent, empty, or a list of such."""
    if isinstance(value, list):
        return all(_is_nothing(item) for item in value)
    return value is None or value == {} or (isinstance(value, str) and not value.strip())
