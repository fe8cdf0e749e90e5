"""Documents that other servers wrote: reading one may refuse it, and may never fail."""

import json
from collections import Counter
from contextlib import suppress

import pytest

from corpus.rows import corpus, kept, made
from privapub.federation.documents import strict_json
from privapub.federation.documents.canonical import digest
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import types
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_post import KINDS, audience_of, read_post
from privapub.markup.clean import clean

READERS = (read_activity, read_actor, read_post)


def test_nothing_but_a_bad_document_is_ever_raised() -> None:
    seen = 0
    for path, _project, _kind in corpus():
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
    for path, whose, kind in corpus():
        if whose != project or kind != "actor" or "noinbox" in path.name:
            continue
        actor = read_actor(strict_json.read(path.read_bytes()))
        assert actor.handle
        outcomes["read"] += 1
        outcomes["with a key"] += bool(actor.keys)
    assert outcomes["read"] >= 1


def test_posts_of_every_software_are_read_and_their_html_cleaned() -> None:
    outcomes: Counter[str] = Counter()
    for path, project, kind in corpus():
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
    for path, _project, _kind in corpus():
        try:
            document = strict_json.read(path.read_bytes())
        except BadDocument:
            continue
        again = json.dumps(dict(reversed(document.items())), indent=3).encode()
        assert digest(strict_json.read(again)) == digest(document)


def test_every_document_is_read_as_the_table_says() -> None:
    now, before = list(made()), kept()
    assert len(now) == len(before)
    changed = [(row["file"], name, row[name], new.get(name, "")) for row, new in zip(before, now, strict=True)
               for name in row if row[name] != new.get(name, "")]  # fmt: skip
    assert changed == []


def test_what_must_fail_is_refused_and_its_fault_is_named() -> None:
    rows = [row for row in kept() if "__test_fail_" in row["file"]]
    assert len(rows) == 16
    assert [row["file"] for row in rows if row["verdict"] != "refused"] == []
    # A fault that costs a property alone stands in the notes, whatever else is missing.
    named = [row for row in rows if row["notes"] or row["reason"] not in {"no-author", "wrong-type"}]
    assert [row["file"] for row in rows if row not in named] == []


def test_three_documents_say_one_name_twice_and_are_refused_for_it() -> None:
    assert len([row for row in kept() if row["reason"] == "duplicate-key"]) == 3


def test_what_programs_sent_is_refused_for_few_reasons() -> None:
    """Examples of the standards are mostly fragments; of what programs sent, each reason was looked at by eye."""
    refused = Counter(
        row["reason"] for row in kept()
        if row["verdict"] == "refused" and not row["file"].startswith(("fep-examples/", "w3c-as2-tests/"))
    )  # fmt: skip
    assert refused == {
        "duplicate-key": 3,  # poll_attachment: `a` twice in @context's terms
        "kind-Dislike": 2, "kind-Invite": 1, "kind-Join": 1, "kind-Leave": 1, "kind-Lock": 2,
        "no-actor": 2,  # what a client posts to its own outbox
        "no-actor-named": 1, "no-inbox": 1, "no-nodeinfo": 1,  # made to be refused
        "wrong-type": 2,  # verifiable credentials
    }  # fmt: skip
