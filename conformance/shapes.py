"""Hold the answers that were written down against the documented shapes.

usage: python conformance/shapes.py RECORDS INTO

RECORDS is what the recorder wrote; INTO becomes a list of {judge, method, path, status, at, what, times}.
"""

import base64
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from documents import Documented, documented, left_out, openapi
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry
from referencing.jsonschema import DRAFT202012

NAME = "urn:documented"
LONG = 160  # letters after which a sentence about an answer holds too much of it
REFUSALS = 400  # from here on a status refuses
JUDGED = ("mastodon.py", "toot")


class Shapes:
    """The shapes of a document."""

    def __init__(self) -> None:
        """Read it."""
        document = openapi()
        self.all = [(it, it.fits) for it in documented(document)]
        self.registry: Any = Registry().with_resource(NAME, DRAFT202012.create_resource(document))
        self.validators: dict[tuple[str, str, str], Draft202012Validator | None] = {}
        # Those that Mastodon itself gives without `details`; `left-out.tsv` says why.
        self.left_out = {it.name for it in left_out() if it.judge == "shapes"}

    def of(self, method: str, path: str) -> Documented | None:
        """The endpoint that a request is for."""
        return next((it for it, fits in self.all if it.method == method and fits.fullmatch(path)), None)

    def wrong(self, it: Documented, record: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Where and how an answer is not as documented."""
        status = str(record["status"])
        answers = it.operation["responses"]
        if status not in answers:
            yield "", f"the status {status} is not documented, but {' '.join(answers)}"
            return
        if f"{it.method} {it.path} {status}" in self.left_out or "application/json" not in answers[status].get(
            "content", {}
        ):
            return
        if not record["type"].startswith("application/json"):
            yield "", f"is {record['type'] or 'of no type'}, not JSON"
            return
        try:
            said = json.loads(base64.b64decode(record["body"]))
        except ValueError:
            yield "", "is not JSON, and says it is"
            return
        seen = set()
        for error in self._validator(it, status).iter_errors(said):
            deepest = best_match([error]) or error
            said_of = str(deepest.message)
            found = (where(deepest), said_of if len(said_of) < LONG else f"… {said_of[-LONG:]}")
            if found not in seen:
                seen.add(found)
                yield found

    def _validator(self, it: Documented, status: str) -> Draft202012Validator:
        key = (it.method, it.path, status)
        if key not in self.validators:
            path = it.path.replace("~", "~0").replace("/", "~1")
            pointer = f"#/paths/{path}/{it.method.lower()}/responses/{status}/content/application~1json/schema"
            schema: dict[str, Any] = {"$ref": NAME + pointer}
            if int(status) >= REFUSALS and "422" in self.left_out:
                schema = {"$ref": f"{NAME}#/components/schemas/Error"}
            self.validators[key] = Draft202012Validator(schema, registry=self.registry, format_checker=FormatChecker())
        found = self.validators[key]
        assert found is not None
        return found


def where(error: ValidationError) -> str:
    """The place in an answer, the same for every item of a list."""
    return "/".join("*" if isinstance(it, int) else str(it) for it in error.absolute_path)


def main() -> None:
    """Judge all of them."""
    records, into = (Path(it) for it in sys.argv[1:])
    shapes = Shapes()
    found: Counter[tuple[str, ...]] = Counter()
    judged = 0
    for line in records.read_text().splitlines():
        record = json.loads(line)
        if record["judge"] not in JUDGED:
            continue
        it = shapes.of(record["method"], record["path"])
        if it is None:
            continue
        judged += 1
        for at, what in shapes.wrong(it, record):
            found[record["judge"], it.method, it.path, str(record["status"]), at, what] += 1
    names = ("judge", "method", "path", "status", "at", "what")
    wrong = [dict(zip(names, it, strict=True)) | {"times": times} for it, times in sorted(found.items())]
    into.write_text(json.dumps({"judged": judged, "wrong": wrong}, indent=1))


if __name__ == "__main__":
    main()
