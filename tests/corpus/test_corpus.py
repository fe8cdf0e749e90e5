"""Documents that other servers wrote: reading one may refuse it, and may never fail."""

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from privapub.federation.documents import strict_json
from privapub.federation.documents.canonical import digest
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import types
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_post import KINDS, audience_of, read_post
from privapub.markup.clean import clean
from shared import shared

READERS = (read_activity, read_actor, read_post)


def index() -> list[tuple[Path, str, str]]:
    """Each document of the corpus: its file, whose software wrote it, and what it is said to be."""
    found = shared("corpus/index.tsv")
    rows = [line.split("\t") for line in found.read_text().splitlines()[1:]]
    return [(found.parent / row[0], row[1], row[2]) for row in rows]


def test_nothing_but_a_bad_document_is_ever_raised() -> None:
    seen = 0
    for path, _project, _kind in index():
        try:
            document = strict_json.read(path.read_bytes())
            assert len(digest(document)) == 64
        except BadDocument:
            continue
        for read in READERS:
            with suppress(BadDocument):
                read(document)
        seen += 1
    assert seen > 800


@pytest.mark.parametrize("project", ["mastodon", "pleroma", "friendica", "misskey", "peertube", "lemmy", "mobilizon"])
def test_the_actors_of_well_known_software_are_read(project: str) -> None:
    outcomes: Counter[str] = Counter()
    for path, whose, kind in index():
        if whose != project or kind != "actor" or "noinbox" in path.name:
            continue
        actor = read_actor(strict_json.read(path.read_bytes()))
        assert actor.handle
        outcomes["read"] += 1
        outcomes["with a key"] += bool(actor.keys)
    assert outcomes["read"] >= 1


def test_posts_of_every_software_are_read_and_their_html_cleaned() -> None:
    outcomes: Counter[str] = Counter()
    for path, project, kind in index():
        if kind != "object" or project in {"fep-examples", "w3c-as2-tests"}:
            continue
        try:
            document = strict_json.read(path.read_bytes())
        except BadDocument:
            continue
        if not KINDS & set(types(document)):
            continue
        post = read_post(document)
        cleaned = clean(post.content)
        assert clean(cleaned) == cleaned
        assert "<script" not in cleaned
        outcomes[audience_of(post, None)] += 1
    assert outcomes["public"] > 50
    assert outcomes["unlisted"] > 5


def test_documents_read_and_written_again_have_one_canonical_content() -> None:
    for path, _project, _kind in index():
        try:
            document = strict_json.read(path.read_bytes())
        except BadDocument:
            continue
        again = json.dumps(dict(reversed(document.items())), indent=3).encode()
        assert digest(strict_json.read(again)) == digest(document)
