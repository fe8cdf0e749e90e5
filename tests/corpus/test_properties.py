"""No property that a reader would miss is dropped: each is read, or stands in `ignored.tsv` with the reason why not.

Read means that a record differs when the property is taken away. A property is named with the type of the object that
it stands in (`Event.startTime`); a name alone in `ignored.tsv` counts in every object, `Type.*` for all of one.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from corpus.rows import NAMES, corpus
from privapub.federation.documents import strict_json
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import types
from privapub.federation.documents.read_activity import Activity
from privapub.federation.documents.read_document import read_document
from privapub.federation.documents.read_post import KINDS, read_post
from privapub.federation.documents.terms import compacted

IGNORED = Path(__file__).with_name("ignored.tsv")
Place = tuple[str | int, ...]


def ignored() -> dict[str, str]:
    """The names that no reader looks at, and why."""
    lines = IGNORED.read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


def properties(value: Any, whose: str, at: Place = (), leave: Collection[str] = ()) -> Iterator[tuple[str, str, Place]]:
    """Every property of a document: (type of its object, name, place); not those in `leave`, nor what is in them."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from properties(item, whose, (*at, number), leave)
    elif isinstance(value, dict):
        kind = next(iter(types(value)), whose)
        for name, item in value.items():
            if name != "@context" and not {name, f"{kind}.{name}", f"{kind}.*"}.intersection(leave):
                yield kind, name, (*at, name)
                yield from properties(item, name, (*at, name), leave)


def without(document: Any, place: Place) -> Any:
    """The document with one property taken away."""
    first, *rest = place
    copy = list(document) if isinstance(document, list) else dict(document)
    if rest:
        copy[first] = without(copy[first], tuple(rest))
    else:
        del copy[first]
    return copy


def record(document: dict[str, Any]) -> Any:
    """All that is read of a document, that of the post within an activity too; or why nothing is."""
    try:
        found = read_document(document)
    except BadDocument as bad:
        return bad.reason
    if isinstance(found, Activity) and set(types(found.object or {})) & KINDS:
        return [_told(found), record(found.object or {})]
    return _told(found)


def _told(found: Any) -> str:
    # What was embedded is compared as it is read, not as it stands there; notes are not seen by readers.
    left_out = {"object", "target_object", "instrument", "notes"}
    if type(found) not in NAMES:
        return repr(found)
    return repr([(name, getattr(found, name)) for name in found.__slots__ if name not in left_out])


def unread() -> dict[str, str]:
    """The properties that change no record of the corpus and are not listed, and a document that has each."""
    listed = ignored()
    missing: dict[str, str] = {}
    seen: set[str] = set()
    for path, _project, kind in corpus():
        if kind in {"webfinger", "nodeinfo", "nodeinfo-discovery", "as2-must-fail"}:
            continue
        try:
            document = compacted(strict_json.read(path.read_bytes()))
        except BadDocument:
            continue
        whole = record(document)
        if isinstance(whole, str) and not whole.startswith("["):
            continue  # what is refused shows no property of it
        for holder, name, place in properties(document, "", leave=listed.keys()):
            full = f"{holder}.{name}"
            if full in seen:
                continue
            if record(without(document, place)) != whole:
                seen.add(full)
                missing.pop(full, None)
            else:
                missing.setdefault(full, path.name)
    return missing


def test_every_property_of_the_corpus_is_read_or_listed_as_ignored() -> None:
    assert unread() == {}


def test_every_ignored_property_has_a_reason_and_is_in_the_corpus() -> None:
    there: set[str] = set()
    for path, _project, _kind in corpus():
        try:
            document = compacted(strict_json.read(path.read_bytes()))
        except BadDocument:
            continue
        for holder, name, _place in properties(document, ""):
            there |= {name, f"{holder}.{name}", f"{holder}.*"}
    listed = ignored()
    assert [name for name, reason in listed.items() if len(reason) < 15] == []
    assert sorted(listed.keys() - there) == []


def test_a_property_that_is_not_read_would_be_found() -> None:
    note = {"id": "https://a.test/1", "type": "Note", "attributedTo": "https://a.test/u", "content": "hi", "mood": "x"}
    assert record(without(note, ("mood",))) == record(note)
    assert record(without(note, ("content",))) != record(note)
    assert read_post(note).notes == ()
