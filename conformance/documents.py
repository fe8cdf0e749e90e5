"""What is documented of the API of Mastodon: read where the shared data of the tests are, and never kept here."""

import csv
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SERVED = ("core", "expected")  # the classes of endpoints that are ours to serve
VERBS = ("get", "post", "put", "patch", "delete")


def place() -> Path:
    """The folder of the documents."""
    return Path(os.environ.get("PRIVAPUB_TEST_SHARED") or HERE.parents[1] / "shared") / "api"


def plain(path: str) -> str:
    """A path by which others are found whose parameters have other names."""
    return re.sub(r"\{[^}]*\}", "{}", path.rstrip("/"))


def rows(name: str) -> list[dict[str, str]]:
    """The lines of a table."""
    with (place() / name).open(newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def served() -> set[tuple[str, str]]:
    """The endpoints that are served: verb and plain path."""
    return {
        (verb, plain(row["path"]))
        for row in rows("endpoints.tsv")
        if row["class"] in SERVED
        for verb in row["method"].split("/")
    }


def openapi() -> dict[str, Any]:
    """The document of all shapes; what has to be "one of" several is any of them, as `left-out.tsv` says."""
    return dict(_any_of(json.loads((place() / "mastodon-openapi-4.7.0.json").read_text())))


def _any_of(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_any_of(it) for it in schema]
    if isinstance(schema, dict):
        return {"anyOf" if name == "oneOf" else name: _any_of(it) for name, it in schema.items()}
    return schema


@dataclass(frozen=True)
class Documented:
    """An endpoint as it is documented."""

    method: str
    path: str
    operation: dict[str, Any]

    @property
    def fits(self) -> re.Pattern[str]:
        """What its paths look like."""
        pieces = re.split(r"\{[^}]*\}", self.path.rstrip("/"))
        return re.compile("[^/]+".join(re.escape(it) for it in pieces) + "/?")


def documented(document: dict[str, Any]) -> Iterator[Documented]:
    """All of its endpoints; those with fewer parameters in their paths come first, as they win."""
    for path, item in sorted(document["paths"].items(), key=lambda it: (it[0].count("{"), it[0])):
        for verb in VERBS:
            if verb in item:
                yield Documented(verb.upper(), path, item[verb])


@dataclass(frozen=True)
class LeftOut:
    """What a judge is not asked, and why."""

    judge: str
    name: str
    reason: str


def left_out() -> list[LeftOut]:
    """The lines of `left-out.tsv`."""
    with (HERE / "left-out.tsv").open(newline="") as table:
        return [LeftOut(**row) for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)]
