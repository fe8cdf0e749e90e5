"""Quads and their canonical form: the samples of RDFC-1.0, what takes too long, and what would say two things."""

import json
from contextlib import suppress
from itertools import combinations, permutations
from typing import Any

import pytest
from pyld.nquads import parse_nquads

from privapub.federation.documents.context import ACTIVITYSTREAMS, SECURITY, WEBFINGER
from privapub.federation.signatures import ld_quads
from privapub.federation.signatures.ld_quads import Canonical, canonical, quads_of
from privapub.federation.signatures.ld_shape import CONTEXTS
from privapub.federation.signatures.request import BadSignature
from shared import place, shared

FOLDER = "vectors/rdf-canon"
LANGUAGE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
TOO_HARD = "test074"  # ten nodes that all know each other: the standard itself says to refuse it

SENTENCES = {
    "malformed": "The linked data of this document cannot be understood.",
    "too-large": "What the signature within this document covers is too much to check.",
}


def samples(end: str) -> list[Any]:
    found = sorted(path.name.removesuffix(end) for path in (place() / FOLDER).glob(f"*{end}"))
    return found or [pytest.param(None, id="absent")]


def given(name: str | None) -> dict[str, Any]:
    parsed: dict[str, Any] = parse_nquads(shared(f"{FOLDER}/{name}-in.nq").read_text())
    return parsed


def refused(graphs: dict[str, Any]) -> str:
    with pytest.raises(BadSignature) as caught:
        quads_of(graphs)
    return why(caught.value)


def why(bad: BadSignature) -> str:
    """The reason, which has a sentence of its own."""
    assert str(bad) == SENTENCES[bad.reason]
    return bad.reason


@pytest.mark.parametrize("name", samples("-rdfc10.nq"))
def test_a_sample_of_the_standard(name: str | None) -> None:
    _, text = quads_of(given(name))
    assert text == shared(f"{FOLDER}/{name}-rdfc10.nq").read_text()


@pytest.mark.parametrize("name", samples("-rdfc10map.json"))
def test_nodes_get_the_names_of_the_standard(name: str | None) -> None:
    canon = Canonical()
    canon.main(given(name), {"format": "application/n-quads"})
    issued = {old.removeprefix("_:"): new.removeprefix("_:") for old, new in canon.canonical_issuer.existing.items()}
    assert issued == json.loads(shared(f"{FOLDER}/{name}-rdfc10map.json").read_text())


def test_the_sample_that_takes_for_ever_is_refused() -> None:
    assert refused(given(TOO_HARD)) == "too-large"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The nodes that are looked at from another, each time."""
    found: list[str] = []
    related = Canonical.hash_related_blank_node

    def counted(self: Canonical, name: str, *rest: Any) -> str:
        found.append(name)
        hashed: str = related(self, name, *rest)
        return hashed

    monkeypatch.setattr(Canonical, "hash_related_blank_node", counted)
    return found


def graph(edges: Any) -> dict[str, Any]:
    return parse_nquads("".join(f"_:b{one} <x:p> _:b{other} .\n" for one, other in edges))  # type: ignore[no-any-return]  # no types


@pytest.mark.parametrize(
    "edges",
    [
        list(permutations(range(8), 2)),
        [*combinations(range(12), 2), (0, 0)],
        [(hub, 100 + leaf) for hub in range(2) for leaf in range(9)],
        [(n, (n + 1) % 150) for n in range(150)],
        [(n, (n + step) % 40) for n in range(40) for step in (1, 2, 3)],
    ],
    ids=["clique", "tournament", "alike", "ring", "circulant"],
)
def test_what_could_run_for_ever_ends_after_a_number_of_steps(edges: list[tuple[int, int]], looks: list[str]) -> None:
    with suppress(BadSignature):
        quads_of(graph(edges))
    assert len(looks) <= 2 * ld_quads.STEPS


def test_a_clique_of_eight_is_refused_and_of_three_is_not() -> None:
    assert refused(graph(permutations(range(8), 2))) == "too-large"
    assert quads_of(graph(permutations(range(3), 2)))[1].count("\n") == 6


def taken(graphs: dict[str, Any]) -> int:
    """How many steps it takes to tell the nodes apart."""
    canon = Canonical()
    canon.main(graphs, {"format": "application/n-quads"})
    return ld_quads.STEPS - canon.left


def test_as_many_steps_as_there_are_may_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = [(n, (n + 1) % 8) for n in range(8)]
    steps = taken(graph(ring))
    monkeypatch.setattr(ld_quads, "STEPS", steps)
    assert quads_of(graph(ring))[1].count("\n") == len(ring)
    monkeypatch.setattr(ld_quads, "STEPS", steps - 1)
    assert refused(graph(ring)) == "too-large"


def test_every_order_of_what_is_alike_counts_before_one_is_tried(looks: list[str]) -> None:
    four, eight = ([(hub, 100 + leaf) for hub in range(2) for leaf in range(leaves)] for leaves in (4, 8))
    assert quads_of(graph(four))[1].count("\n") == len(four)
    looks.clear()
    assert refused(graph(eight)) == "too-large"
    assert len(looks) <= len(eight)


def test_what_a_node_says_counts_each_time_it_is_looked_at() -> None:
    ring = [(n, (n + 1) % 14) for n in range(14)]
    saying = graph(ring)
    for node in range(14):
        said = {"subject": {"type": "blank node", "value": f"_:b{node}"}, "predicate": iri("x:p")}
        saying["@default"] += [{**said, "object": literal(str(number))} for number in range(50)]
    assert taken(saying) > taken(graph(ring)) + 50 * 14


def test_more_quads_or_nodes_than_an_activity_has_are_refused() -> None:
    many = [quad for number in range(ld_quads.MOST_QUADS + 1) for quad in numbered(number)]
    assert quads_of({"@default": many[1:]}) == (many[1:], "".join(sorted(map(line, many[1:]))))
    assert refused({"@default": many}) == "too-large"
    assert refused({"@default": many[:2], "_:g": many[2:]}) == "too-large"
    blank = [quad for n in range(ld_quads.MOST_BLANK + 1) for quad in numbered(n, f"_:b{n}")]
    twice = [*blank[1:], *numbered(0, "_:b1")]
    assert quads_of({"@default": twice})[1].count("\n") == len(twice)
    assert refused({"@default": blank}) == "too-large"


def numbered(number: int, blank: str = "") -> list[dict[str, Any]]:
    subject = {"type": "blank node", "value": blank} if blank else iri("x:a")
    return [{"subject": subject, "predicate": iri("x:p"), "object": literal(str(number))}]


def line(quad: dict[str, Any]) -> str:
    return f'<x:a> <x:p> "{quad["object"]["value"]}" .\n'


def iri(value: str) -> dict[str, str]:
    return {"type": "IRI", "value": value}


def literal(value: Any, datatype: str = "http://www.w3.org/2001/XMLSchema#string", **more: str) -> dict[str, Any]:
    return {"type": "literal", "value": value, "datatype": datatype, **more}


@pytest.mark.parametrize(
    "change",
    [
        {"subject": iri('https://x.test/a> <x:p> "forged" .\n<https://x.test/b')},
        {"predicate": iri('x:p> "forged" .\n<x:a> <x:q')},
        {"object": iri("https://x.test/a> .\n<x:a> <x:q> <x:b")},
        {"object": iri("https://x.test/a b")},
        {"object": iri("no-scheme")},
        {"object": iri("https://x.test/\n")},
        {"object": {"type": "blank node", "value": "_:b0 .\n_:b1"}},
        {"object": literal("x", 'x:d> .\n<x:a> <x:q> "y')},
        {"object": literal("x", LANGUAGE, language='en .\n<x:a> <x:q> "y"')},
        {"object": literal("x", LANGUAGE, language="")},
        {"object": literal(None)},
    ],
)  # fmt: skip
def test_no_part_can_end_its_line_and_begin_another(change: dict[str, Any]) -> None:
    quad = {"subject": iri("https://x.test/a"), "predicate": iri("x:p"), "object": literal('a"b\\\n'), **change}
    assert refused({"@default": [quad]}) == "malformed"


@pytest.mark.parametrize(
    "part",
    [
        iri("A+z.9-:"),
        iri("https://x.test/\u00e9?a=[b]#c'~!"),
        {"type": "blank node", "value": "_:aZ09"},
        literal("x", "x:d"),
        literal("x", LANGUAGE, language="en"),
        literal("x", LANGUAGE, language="abcdefgh-Latn-1abc9"),
        literal(""),
    ],
)
def test_parts_as_they_are_written_are_taken(part: dict[str, Any]) -> None:
    quad = {"subject": iri("https://x.test/a"), "predicate": iri("x:p"), "object": part}
    assert quads_of({"@default": [quad]})[0] == [quad]


def test_what_a_text_says_stays_within_it() -> None:
    quad = {"subject": iri("https://x.test/a"), "predicate": iri("x:p"), "object": literal('a" .\n<x:a> <x:q> "b\\')}
    _, text = quads_of({"@default": [quad]})
    assert text == '<https://x.test/a> <x:p> "a\\" .\\n<x:a> <x:q> \\"b\\\\" .\n'


def test_no_context_is_ever_fetched() -> None:
    with pytest.raises(BadSignature) as caught:
        canonical({"@context": "https://peer.test/context", "id": "https://peer.test/1", "name": "x"})
    assert why(caught.value) == "malformed"


def test_what_is_relative_says_nothing() -> None:
    whole = {"@context": ACTIVITYSTREAMS, "id": "https://peer.test/1", "name": "x"}
    for said in ({"url": "/b"}, {"url": ""}, {"actor": "?a"}, {"object": {"id": "../c", "name": "y"}}):
        assert canonical({**whole, **said}) == canonical(whole)
    for name in ("/a", "", "#a", "a"):
        assert canonical({**whole, "id": name}) == ([], "")


def test_the_contexts_that_are_shipped_mean_what_they_say_and_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ld_quads, "_shipped", {})
    monkeypatch.setattr(ld_quads, "_kept", ld_quads._Kept())
    for context, name, uri in (
        (ACTIVITYSTREAMS, "name", f"{ACTIVITYSTREAMS}#name"),
        (SECURITY, "publicKeyPem", "https://w3id.org/security#publicKeyPem"),
        (WEBFINGER, "webfinger", f"{WEBFINGER}#webfinger"),
    ):
        for _ in range(2):
            document = {"@context": context, "@id": "https://peer.test/1", name: "x"}
            assert canonical(document)[1] == f'<https://peer.test/1> <{uri}> "x" .\n'
        assert "static" in ld_quads._kept[context]
    assert set(ld_quads._kept) == CONTEXTS


def test_contexts_of_others_are_not_kept() -> None:
    for number in range(3):
        terms = {f"x{number}": "https://peer.test/x"}
        _, text = canonical(
            {"@context": [ACTIVITYSTREAMS, terms], "id": "https://peer.test/1", f"x{number}": "y", "name": "z"}
        )
        assert text.count("\n") == 2
    assert ACTIVITYSTREAMS in ld_quads._kept
    assert CONTEXTS.issuperset(ld_quads._kept)
