"""Have programs that others wrote judge a served PrivaPub, on each database.

usage: PYTHONPATH=town python conformance/run.py [--database sqlite|postgresql] [--only JUDGE …] [--examples N]

The judges: Mastodon.py, by every method whose endpoint is served; toot, by the tests of its source package; the
documented shapes, held against every answer that those two got; schemathesis, which makes up what to ask. What failed
is told one by one, and the last line counts; the exit status is 1 if anything did.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from documents import LeftOut, documented, left_out, openapi, plain, served
from processes import ROOT, ending, stop_when_told
from recorder import Recorder
from served import DATABASES, Failed, Served, database_url

HERE = Path(__file__).parent
VENV = ROOT / ".venv-conformance"
PYTHON = str(VENV / "bin" / "python")
TOOT = VENV / "toot"
JUDGES = ("mastodon.py", "toot", "schemathesis")
PORT = 3000  # the one of `http://localhost:3000`, which the tests of toot have by heart
LONGEST = 900  # seconds that one judge may take


@dataclass
class Verdict:
    """What the judges found on one database."""

    toot: dict[str, str] = field(default_factory=dict)  # test -> why it failed, "" where it passed
    methods: dict[str, str] = field(default_factory=dict)
    shapes: list[dict[str, Any]] = field(default_factory=list)
    judged: int = 0  # answers that were held against their shapes
    made_up: dict[str, str] = field(default_factory=dict)  # endpoint -> what was wrong with it
    broken: dict[str, str] = field(default_factory=dict)  # judge -> why it gave no verdict

    @property
    def well(self) -> bool:
        """Whether nothing failed."""
        return not (self.broken or self.shapes or self.made_up or any(self.toot.values()) or any(self.methods.values()))


@dataclass
class Court:
    """Where one database is judged."""

    folder: Path
    logs: Path
    origin: str
    confirming: str
    tokens: dict[str, str]
    examples: int
    excused: list[LeftOut]

    def excused_by(self, judge: str) -> set[str]:
        """What this judge is not asked."""
        return {it.name for it in self.excused if it.judge == judge}

    def drive(self) -> dict[str, str]:
        """By Mastodon.py: for each method why it failed."""
        tokens, into = self.folder / "tokens.json", self.folder / "methods.json"
        tokens.write_text(json.dumps(self.tokens))
        self._ask(
            [PYTHON, str(HERE / "mastodon_py.py"), self.origin, self.confirming, str(tokens), str(into)],
            "mastodon.py",
            into,
        )
        out = self.excused_by("mastodon.py")
        return {name: why for name, why in json.loads(into.read_text()).items() if name not in out}

    def toot(self) -> dict[str, str]:
        """By the tests of toot: for each why it failed."""
        into = self.logs / "toot.xml"
        self._ask(
            [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={into}", "tests/integration"],
            "toot", into, cwd=TOOT, TOOT_TEST_BASE_URL=self.origin, HOME=str(self.folder),
        )  # fmt: skip
        found = {}
        out = self.excused_by("toot")  # not by pytest, which would leave out all whose names begin so
        for case in ET.parse(into).iter("testcase"):  # noqa: S314 - written by pytest
            if f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}" in out:
                continue
            wrong = next((it for it in case if it.tag in {"failure", "error", "skipped"}), None)
            name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
            found[name] = "" if wrong is None else (wrong.get("message") or wrong.tag)
        return found

    def shapes(self, records: Path) -> dict[str, Any]:
        """By the documented shapes."""
        into = self.logs / "shapes.json"
        self._ask([PYTHON, str(HERE / "shapes.py"), str(records), str(into)], "shapes", into)
        return dict(json.loads(into.read_text()))

    def schemathesis(self) -> dict[str, str]:
        """By what is made up from the document."""
        asked, into = self.folder / "asked.json", self.logs / "schemathesis.xml"
        asked.write_text(json.dumps(asked_of(self.excused_by("schemathesis"), self.excused_by("shapes"))))
        self._ask(
            [
                str(VENV / "bin" / "schemathesis"), "run", str(asked), f"--url={self.origin}",
                f"--header=Authorization: Bearer {self.tokens['dave']}", "--phases=examples,coverage,fuzzing",
                "--checks=not_a_server_error,ignored_auth,response_schema_conformance", "--continue-on-failure",
                f"--max-examples={self.examples}", "--seed=1", "--generation-database=none", "--no-color",
                "--suppress-health-check=all", "--request-timeout=20", "--workers=1", "--report=junit",
                f"--report-junit-path={into}",
            ],
            "schemathesis", into, cwd=self.folder,
        )  # fmt: skip
        return {
            str(case.get("name")): " ".join(f"{wrong.get('message') or ''} {wrong.text or ''}".split())[:400]
            for case in ET.parse(into).iter("testcase")  # noqa: S314 - written by schemathesis
            for wrong in case
            if wrong.tag in {"failure", "error"}
        }

    def _ask(self, command: list[str], name: str, into: Path, *, cwd: Path = ROOT, **env: str) -> None:
        """Let a judge speak; whether it is content is in what it writes."""
        began = time.monotonic()
        # What tells where our own modules are is not for others.
        around = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        with (self.logs / f"{name}.log").open("ab") as log:
            judging = subprocess.Popen(
                command, env=around | env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
            ending.append(judging.kill)
            try:
                judging.wait(LONGEST)
            except subprocess.TimeoutExpired:
                judging.kill()
                judging.wait()
                raise Failed(f"{name} did not end in {LONGEST} s; see {log.name}") from None
        say(f"{name} took {time.monotonic() - began:.0f} s")
        if not into.exists():
            raise Failed(f"{name} ended with {judging.returncode} and no verdict; see {log.name}")


def asked_of(excused: set[str], shapeless: set[str]) -> dict[str, Any]:
    """The document, with the endpoints alone that are served, as schemathesis can check it."""
    document = openapi()
    ours = served()
    kept: dict[str, Any] = {}
    for it in documented(document):
        if (it.method, plain(it.path)) not in ours or f"{it.method} {it.path}" in excused:
            continue
        for status, answer in it.operation["responses"].items():
            if status.startswith("4") and "content" in answer:  # see `left-out.tsv`
                answer["content"] = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
            if f"{it.method} {it.path} {status}" in shapeless:
                answer.pop("content", None)
        if f"{it.method} {it.path} 401" in excused:
            it.operation["security"] = []
        kept.setdefault(it.path, {})[it.method.lower()] = it.operation
    document["paths"] = kept
    # It takes a token away only where it is told how one is shown.
    document["components"]["securitySchemes"] = {"OAuth2": {"type": "http", "scheme": "bearer"}}
    for item in kept.values():
        for operation in item.values():
            operation["security"] = [
                {name: [] for name in choice} for choice in operation.get("security", document["security"])
            ]
    return document


def judge(kind: str, judges: list[str], examples: int, logs: Path, excused: list[LeftOut]) -> Verdict:
    """All of them on one database."""
    verdict = Verdict()
    logs.mkdir(parents=True)
    folder = Path(tempfile.mkdtemp(prefix="conformance-"))
    ending.append(lambda: shutil.rmtree(folder, ignore_errors=True))
    records = logs / "answers.jsonl"
    origin = f"http://localhost:{PORT}"
    try:
        with database_url(kind, folder) as database, Recorder(PORT, records) as recorder:
            home = Served(folder, database, logs, origin)
            recorder.behind = home.behind
            try:
                home.begin()
                court = Court(folder, logs, origin, home.confirming, home.people(), examples, excused)
                for recorder.judge in judges:
                    say(kind, recorder.judge)
                    try:
                        if recorder.judge == "mastodon.py":
                            verdict.methods = court.drive()
                        elif recorder.judge == "toot":
                            verdict.toot = court.toot()
                        else:
                            verdict.made_up = court.schemathesis()
                    except Failed as failed:
                        verdict.broken[recorder.judge] = str(failed)
            finally:
                home.stop()
            found = court.shapes(records)
            verdict.shapes, verdict.judged = found["wrong"], found["judged"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return verdict


def told(kind: str, verdict: Verdict) -> list[str]:
    """A line for each thing that failed."""
    lines = [f"{name:12} no verdict: {why}" for name, why in verdict.broken.items()]
    lines += [f"mastodon.py  {name}: {why}" for name, why in sorted(verdict.methods.items()) if why]
    lines += [f"toot         {name}: {why}" for name, why in sorted(verdict.toot.items()) if why]
    lines += [
        f"shape        {it['method']} {it['path']} {it['status']} {it['at'] or '.'}: {it['what']}"
        f" ({it['judge']}, {it['times']}x)"
        for it in sorted(verdict.shapes, key=lambda it: (it["path"], it["method"], it["status"], it["at"]))
    ]
    lines += [f"schemathesis {name}: {why}" for name, why in sorted(verdict.made_up.items())]
    return [f"{kind:10} {' '.join(line.split())}" for line in lines]


def last_line(verdicts: list[Verdict], excused: list[LeftOut]) -> str:
    """What is counted over all databases: a thing passes that passes on each."""

    def passed(each: list[dict[str, str]]) -> str:
        names = {name for it in each for name in it}
        return f"{sum(not any(it.get(name) for it in each) for name in names)}/{len(names)}"

    shapes = {(it["method"], it["path"], it["status"], it["at"], it["what"]) for one in verdicts for it in one.shapes}
    made_up = {name for one in verdicts for name in one.made_up}
    toot, methods = passed([it.toot for it in verdicts]), passed([it.methods for it in verdicts])
    return (
        f"conformance: toot {toot}, mastodon.py {methods}, schema violations {len(shapes)}, "
        f"schemathesis {len(made_up)}, left out {len(excused)}"
    )


def say(*words: object) -> None:
    """A line of progress."""
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def main() -> None:
    """Judge, tell, count."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--database", choices=DATABASES, help="on this one alone")
    parser.add_argument("--only", action="append", choices=JUDGES, help="ask this judge alone (may be repeated)")
    parser.add_argument("--examples", type=int, default=8, help="how many things schemathesis makes up for an endpoint")
    given = parser.parse_args()
    stop_when_told()
    logs = HERE / "logs" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    excused = left_out()
    verdicts = []
    for kind in [given.database] if given.database else DATABASES:
        verdict = judge(kind, given.only or list(JUDGES), given.examples, logs / kind, excused)
        verdicts.append(verdict)
        print("\n".join(told(kind, verdict)), flush=True)
        say(
            kind,
            f"{verdict.judged} answers were held against their shapes;",
            Counter(it["path"] for it in verdict.shapes),
        )
    for it in excused:
        print(f"left out: {it.judge} {it.name}: {it.reason}")
    print(last_line(verdicts, excused))
    sys.exit(0 if all(it.well for it in verdicts) else 1)


if __name__ == "__main__":
    main()
