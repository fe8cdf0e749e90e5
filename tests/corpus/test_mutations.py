"""Whatever one property is made of, a document is read or refused, and soon.

The suite takes one change of each property, another one for each; `PRIVAPUB_ALL_MUTATIONS=1` takes all of them.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from zlib import crc32

from corpus.mutations import CHANGES, REMOVED, changed, places
from corpus.rows import corpus
from privapub.federation.documents import strict_json
from privapub.federation.documents.problems import BadDocument, Note
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_document import read_document
from privapub.federation.documents.read_post import read_post

BOUND = 2.0  # seconds of work for one document, however it is made
ALL = bool(os.environ.get("PRIVAPUB_ALL_MUTATIONS"))
EVERY = 1 if ALL else 3


def mutations() -> Iterator[tuple[str, dict[str, Any]]]:
    """A name and a document: every change of every property, or some of them, the same each time."""
    kinds = [REMOVED, *CHANGES]
    for path, _project, kind in corpus():
        try:
            document = strict_json.read(path.read_bytes())
        except BadDocument:
            continue
        for number, place in enumerate(places(document)):
            start = crc32(f"{path.name}{place}".encode())
            if start % EVERY:
                continue
            for change in kinds if ALL else [kinds[start // EVERY % len(kinds)]]:
                yield f"{path.name} {place} {change} ({kind}, {number})", changed(document, place, change)


def outcome(document: dict[str, Any]) -> tuple[Note, ...]:
    """The notes of a record or a refusal; anything else that is raised is raised."""
    try:
        return read_document(document).notes
    except BadDocument as bad:
        return bad.notes


def test_no_change_of_one_property_is_an_error_or_takes_long() -> None:
    slow, tried = [], 0
    for name, document in mutations():
        begun = time.process_time()
        try:
            notes = outcome(document)
        except Exception as error:
            error.add_note(name)
            raise
        if time.process_time() - begun > BOUND:
            slow.append(name)
        assert len(notes) <= 50
        tried += 1
    assert slow == []
    assert tried > 5000


def test_each_reader_takes_what_it_was_not_made_for() -> None:
    for path, _project, _kind in corpus():
        with suppress(BadDocument):
            document = strict_json.read(path.read_bytes())
            for read in (read_activity, read_actor, read_post):
                with suppress(BadDocument):
                    assert isinstance(read(document).notes, tuple)


def test_the_rest_of_a_post_survives_one_bad_property() -> None:
    whole = {
        "id": "https://a.test/1", "type": "Note", "attributedTo": "https://a.test/u", "content": "<p>hi",
        "to": "Public", "published": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z",
        "url": "https://a.test/@u/1",
        "summary": "tea", "sensitive": True, "inReplyTo": "https://a.test/0", "tag": {"type": "Hashtag", "name": "#a"},
        "attachment": {"type": "Image", "url": "https://a.test/i.png"}, "replies": "https://a.test/1/r",
        "quote": "https://a.test/2", "oneOf": [{"name": "a"}], "location": {"type": "Place", "name": "Here"},
        "duration": "PT1S", "context": "https://a.test/c", "conversation": "tag:a", "contentMap": {"en": "<p>hi"},
    }  # fmt: skip
    needed = {"id", "type", "attributedTo"}
    for name in whole.keys() - needed:
        for change in CHANGES:
            post = read_post(changed(whole, (name,), change))
            assert post.uri == whole["id"]
            assert name == "content" or "hi" in post.content
