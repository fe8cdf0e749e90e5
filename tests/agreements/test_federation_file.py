"""FEDERATION.md and the code say the same: what either lists and the other lacks fails here."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from privapub.actors import application
from privapub.federation.documents import (
    activity_kinds,
    context,
    read_actor,
    read_attachments,
    read_collection,
    read_post,
    read_tags,
)
from privapub.federation.inbox.dispatch import HANDLINGS
from privapub.federation.inbox.forwarded import BROUGHT
from privapub.federation.routes import routes
from privapub.federation.signatures import ld_shape
from privapub.outbound import remembered
from rules.house import ROOT, SOURCE

FILE = (ROOT / "FEDERATION.md").read_text(encoding="utf-8")
WORD = re.compile(r"\b[A-Z][A-Za-z]+\b")
FEP = re.compile(r"FEP-[0-9a-f]{4}")
# The file is one; no code does it.
THIS_FILE = "FEP-67ff"


def section(title: str) -> str:
    """What stands under a heading, as far as the next of its height; it begins with a line's end."""
    marks, _, _ = title.partition(" ")
    found = re.search(rf"^{re.escape(title)}(\n.*?)(?=^#{{1,{len(marks)}}} |\Z)", FILE, re.MULTILINE | re.DOTALL)
    assert found, f"FEDERATION.md has no section {title}"
    return found[1]


def first_table(text: str) -> list[list[str]]:
    """The rows of the first table of a text, without its head."""
    lines = text[text.index("\n| ") :].strip().split("\n\n")[0].split("\n")
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[2:]]


def sentence(text: str, beginning: str) -> set[str]:
    """The types that a sentence names, which begins so; its own first words are none."""
    found = re.search(rf"{re.escape(beginning)}(.*?)[.;](?=\s|$)", text, re.DOTALL)
    assert found, f"no sentence begins with {beginning}"
    return set(WORD.findall(found[1]))


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [
        (file.relative_to(SOURCE).as_posix(), ast.parse(file.read_text(encoding="utf-8")))
        for file in sorted(SOURCE.rglob("*.py"))
    ]


def written() -> set[str]:
    """Whatever the writers of documents give as a `type`, or name where an activity is made."""
    found = set()
    for name, tree in trees():
        writes = "/federation/documents/write_" in f"/{name}"
        for node in ast.walk(tree):
            if writes and isinstance(node, ast.Constant) and node.value in activity_kinds.KNOWN:
                found.add(node.value)
            if isinstance(node, ast.Dict):
                found |= set(_types(node))
    # What stands beside a JRD's link is a media type.
    return {kind for kind in found if "/" not in kind}


def _types(document: ast.Dict) -> Iterator[str]:
    for key, value in zip(document.keys, document.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == "type":
            yield from (str(each.value) for each in ast.walk(value) if isinstance(each, ast.Constant))


def test_what_is_sent() -> None:
    told = section("## What we send")
    activities = {word for row in first_table(told) for word in WORD.findall(row[0])}
    objects = sentence(told, "The objects that we write are ") | sentence(told, "Within them: ")
    objects |= sentence(told, "Collections are ") | sentence(told, "A proof is a ")
    kinds = {application.KIND, *_kinds_of_personas()}
    proof = {"DataIntegrityProof"}  # made of a constant
    assert activities == written() & activity_kinds.KNOWN
    assert objects == (written() - activity_kinds.KNOWN) | kinds | proof


def _kinds_of_personas() -> set[str]:
    (create,) = [tree for name, tree in trees() if name.endswith("personas/create.py")]
    calls = [node for node in ast.walk(create) if isinstance(node, ast.keyword) and node.arg == "kind"]
    return {str(node.value.value) for node in calls if isinstance(node.value, ast.Constant)}


def test_what_is_read() -> None:
    told = section("## What we take")
    activities = {word for row in first_table(told) for word in WORD.findall(row[0])}
    assert activities == set(HANDLINGS) == activity_kinds.HANDLED
    assert sentence(told, "Posts are ") == read_post.KINDS
    assert sentence(told, "Actors are ") == read_actor.KINDS
    assert sentence(told, "Collections are ") == read_collection.KINDS
    assert sentence(told, "Attachments are ") == read_attachments.MEDIA
    assert sentence(told, "tags are ") == set(read_tags._KINDS)
    assert sentence(told, "Of these only ") == BROUGHT


def test_statuses() -> None:
    """What an inbox answers, as `receive` and `admit` have it, but for what only a sender that gives up would see."""
    told = {
        int(row[0].split()[0])
        for row in first_table("\n| answer |" + section("## What we take").split("| answer |", 1)[1])
    }
    doors = [tree for name, tree in trees() if name.endswith(("inbox/receive.py", "inbox/admit.py"))]
    numbers = {node.value for tree in doors for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert told == {number for number in numbers if isinstance(number, int) and 202 <= number <= 503 and number != 300}


def test_contexts() -> None:
    told = section("## Contexts")
    sent, read = (set(re.findall(r"^- `(\S+)`", part, re.MULTILINE)) for part in told.split("Every server ships"))
    assert sent == {context.ACTIVITYSTREAMS, context.SECURITY, context.DATA_INTEGRITY}
    assert sent == set(_context_urls())
    assert read == ld_shape.CONTEXTS


def _context_urls() -> Iterator[str]:
    """The URLs that stand in a `@context` of ours: what the constants of `context` name as strings by themselves."""
    yield from (url for url in (*context.OF_ACTOR, *context.OF_POST, context.PLAIN) if isinstance(url, str))
    yield context.DATA_INTEGRITY


def test_proposals() -> None:
    listed = {fep for line in section("## Proposals (FEP)").splitlines() for fep in FEP.findall(line)}
    in_code = {fep for file in SOURCE.rglob("*.py") for fep in FEP.findall(file.read_text(encoding="utf-8"))}
    assert listed - {THIS_FILE} == in_code
    assert set(FEP.findall(FILE)) == listed


def test_addresses() -> None:
    """Every address of a document that is in the code is in the table of addresses, by its last word."""
    told = section("## Addresses")
    ways = {route.path for route in routes(None)}  # type: ignore[arg-type]  # a server is asked by requests alone
    ways = {way for way in ways if not way.startswith(("/.well-known/", "/nodeinfo/"))}
    for way in ways:
        word = [part for part in way.split("/") if part and not part.startswith("{")][-1]
        named = re.sub(r"-(\w)", lambda found: found[1].upper(), word)
        assert re.search(rf"\b{named}\b", told), way


def test_how_long_a_failure_is_believed() -> None:
    assert (remembered.how_long("404"), remembered.how_long("401"), remembered.how_long("500")) == (86400, 3600, 600)
    assert "a day after a 404, an hour after a 401, ten minutes after a 500" in " ".join(FILE.split())
