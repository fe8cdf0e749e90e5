"""The folder of cases: each file is one, and none is expected to be there."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from shared import place, where

MEMBERS = {"id", "kind", "title", "source", "software", "given", "expect", "severity", "evidence"}
OUTGOING = "outgoing"
OTHER_WAY = "the other way round"  # in which what is found one after the other is found once more
IN_WORDS = "variant"
EXPECTED = {"must", "must_not", "why", "basis"}


@dataclass(frozen=True)
class Case:
    """What is given, and the sentences that must hold."""

    id: str
    kind: str
    given: dict[str, Any]
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    strange: tuple[str, ...] = ()

    def _says(self, words: str) -> bool:
        return any(words in sentence for sentence in (*self.must, *self.must_not))

    @property
    def fingerprint(self) -> str:
        """Changes with every word that decides anything."""
        text = json.dumps([self.given, self.must, self.must_not], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def runs(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Independent runs from a fresh state: the name of each, and what is given for it."""
        given = {name: value for name, value in self.given.items() if name != "variants"}
        found = False
        for number, variant in enumerate(self.given.get("variants", ())):
            found = True
            if isinstance(variant, str):  # in words
                yield variant, {**given, IN_WORDS: variant}
                continue
            name = str(variant.get("name") or variant.get("status") or number + 1)
            yield name, {**given, **{key: value for key, value in variant.items() if key != "name"}}
        aside = {step["variant"] for step in given.get("steps", ()) if isinstance(step, dict) and "variant" in step}
        outgoing = given.get("outgoing")
        apart = isinstance(outgoing, dict) and "config" in given
        if not found:
            yield "", {name: value for name, value in given.items() if not (apart and name == "outgoing")}
        if apart:  # what others are asked has hosts of its own, which may be those of the settings
            yield OUTGOING, {OUTGOING: outgoing}
        if isinstance(outgoing, dict) and ", then " in outgoing.get("do", "") and self._says("whichever way"):
            yield OTHER_WAY, {OUTGOING: outgoing}
        for name in sorted(aside):
            yield name, given


def read(document: Any, path: str) -> Case:
    """A case from its document; `path` is that of its file, without the ending."""
    expect = document.get("expect", {})
    strange = (*sorted(set(document) - MEMBERS), *sorted(set(expect) - EXPECTED))
    said = document.get("id", path)
    kind = document.get("kind") or said.partition("/")[0]
    musts, nots = (tuple(expect.get(name, ())) for name in ("must", "must_not"))
    return Case(said, kind, document.get("given", {}), musts, nots, strange)


def every() -> list[Case]:
    """All cases there are, in the order of their ids."""
    folder = where("cases")
    paths = sorted(folder.glob("*/*.json"))
    return [read(json.loads(path.read_text(encoding="utf-8")), f"{path.parent.name}/{path.stem}") for path in paths]


def case(name: str) -> dict[str, Any]:
    """A case by its id, such as `inbox/01-refollow-same-id`; skips where the folder lacks it."""
    path = where(f"cases/{name}.json")
    if not path.exists():
        if os.environ.get("CI") and place().exists() and not os.environ.get("PRIVAPUB_CASES"):
            pytest.fail(f"the case {name} is missing")
        pytest.skip(f"needs the case {name}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
