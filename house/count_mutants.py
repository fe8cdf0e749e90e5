"""Put small faults into what guards the house, one at a time, and count those for which no test fails.

make mutants                                            all modules that guard
make mutants ARGS="outbound/address posts/audience"     some of them
make mutants ARGS="--on posts/audience"                 what is left of a run that was stopped

mutmut makes the faults (`docs/decisions`) in a copy below `.mutants/`, and runs for each the tests that reach it. What
changes nothing that anybody could see stands in `equivalent_mutants.tsv` beside this, with the reason. The status is 1
where fewer than 95 of 100 of a module's other mutants are killed.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIES = ROOT / ".mutants"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.tsv")
NEEDED = 0.95
MOST_BYTES = 2 << 30  # of memory for a mutant: some never stop to fill it

_ROOM = "tests/rooms/federation/signatures"
# Examples alone: what is drawn by lot takes ten times as long for each mutant, and kills few that these let live.
_OF_REQUESTS = tuple(
    f"{_ROOM}/test_{name}.py"
    for name in [
        "refusals",
        "components",
        "digest",
        "sign",
        "keys",
        "structured",
        "presented",
        "vectors",
        "cases",
        "wire",
    ]
)
_OF_DOCUMENTS = tuple(
    f"{_ROOM}/test_{name}.py"
    for name in ("refusals", "signed_inside", "proof", "ld_shape", "ld_quads", "ld_reading", "ld_signature")
)
# Each module, from the small to the large, and the tests that look at it.
GUARDS: dict[str, tuple[str, ...]] = {
    "outbound/address": ("tests/rooms/outbound/test_address.py",),
    "moderation/domain_rules": ("tests/rooms/moderation/test_domain_rules.py",),
    "posts/audience": ("tests/properties/test_audience.py", "tests/rooms/posts/test_audience.py"),
    "federation/asker": (
        "tests/rooms/federation/test_asker.py",
        "tests/rooms/federation/inbox/test_admit.py",
        "tests/rooms/federation/inbox/test_forwarded_in.py",
        "tests/security/test_line_05_signatures.py",
        "tests/security/test_line_13_state_capped.py",
    ),
    **{
        f"federation/signatures/{name}": _OF_REQUESTS
        for name in (
            "claim", "digest", "request", "components", "structured", "cavage", "message_signature", "presented",
            "sign", "keys",
        )
    },
    **{
        f"federation/signatures/{name}": _OF_DOCUMENTS
        for name in ("owner", "signed_inside", "proof", "ld_shape", "ld_signature", "ld_quads", "ld_reading")
    },
}  # fmt: skip
# What both databases do alike is asked of one.
_OPTIONS = ("-n", "0", "-p", "no:randomly", "-x", "-k", "not postgresql")
# Nobody reads how small an input is that kills a mutant, and a slow machine kills none. What takes long and is the same
# for every mutant is made once, and the quick tests come first.
_CONFTEST = """
import itertools
import json
from fakes import keys as pairs
from hypothesis import HealthCheck, Phase, settings
settings.register_profile(
    "mutants",
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("mutants")

if not hasattr(pairs, "made"):
    kept = Path("keys.json").absolute()
    if not kept.exists():
        kept.write_text(json.dumps([pairs.new_rsa() for _ in range(64)]))  # more than a run has names for
    pairs.made = itertools.cycle(json.loads(kept.read_text()))
    pairs.new_rsa = lambda: next(pairs.made)

@pytest.fixture(scope="session")
async def sqlite_template(anyio_backend):
    path = Path("template.sqlite3").absolute()
    if not path.exists():
        await upgrade(f"sqlite:///{path}")
    return path

_bound = pytest_collection_modifyitems

def pytest_collection_modifyitems(items):
    _bound(items)
    items.sort(key=lambda item: ("database_url" in item.fixturenames, hasattr(item.obj, "hypothesis")))
"""
_SETTINGS = """
[tool.mutmut]
source_paths = ["src/"]
only_mutate = [{module}]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = {options}
also_copy = ["house", "docs", "town", "Makefile"]
process_isolation = "forkserver"
"""


@dataclass
class Count:
    """What became of a module's mutants; `alive` are the differences that no test minds, by their names."""

    killed: int = 0
    equivalent: int = 0
    alive: dict[str, str] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The killed of those that can be."""
        return self.killed / max(1, self.killed + len(self.alive))


def _equivalent() -> set[tuple[str, str, str]]:
    """What is known to change nothing: module, the line, and what becomes of it."""
    rows = [line.split("\t") for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()[1:]]
    return {(module, line, instead) for module, line, instead, _why in rows}


def main() -> int:
    """The table of all modules, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # Where none is named, argparse looks for the empty list among the choices.
    parser.add_argument("modules", nargs="*", choices=[*GUARDS, []], help="such as outbound/address")
    parser.add_argument("--on", action="store_true", help="go on with the copies of a run that was stopped")
    wanted = parser.parse_args()
    counts: dict[str, Count] = {}
    for module in wanted.modules or GUARDS:
        counts[module] = _count(module, on=wanted.on)
        sys.stdout.write(_row(module, counts[module]))
        sys.stdout.writelines(f"  alive: {name}\n{_indented(said)}" for name, said in counts[module].alive.items())
        sys.stdout.flush()
    sys.stdout.write("\n" + "".join(_row(module, count) for module, count in counts.items()))
    return 0 if all(count.share >= NEEDED for count in counts.values()) else 1


def _row(module: str, count: Count) -> str:
    alive, made = len(count.alive), count.killed + count.equivalent + len(count.alive)
    return (
        f"{module:36} {made:5} made {count.killed:5} killed {alive:4} survived {count.equivalent:3} equivalent"
        f" {count.share:7.1%}\n"
    )


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _copied(module: str, copy: Path) -> None:
    """The tree without what is not needed, and set up for the mutants of this module."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in ("src", "tests", "house", "docs", "town"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.lock"))
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    with (copy / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(
            _SETTINGS.format(
                module=json.dumps(f"src/privapub/{module}.py"),
                tests=json.dumps(GUARDS[module]),
                options=json.dumps(_OPTIONS),
            )
        )
    with (copy / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(_CONFTEST)


def _count(module: str, *, on: bool) -> Count:
    copy = COPIES / module.replace("/", "-")
    if not (on and copy.exists()):
        _copied(module, copy)
    made = _mutmut(copy, "run", "--max-children", "1")
    verdicts = dict(line.strip().rsplit(": ", 1) for line in _mutmut(copy, "results", "--all", "true").splitlines())
    if not verdicts:
        raise SystemExit(f"No mutant of {module} was made:\n{made[-3000:]}")
    return _judged(module, copy, verdicts)


def _judged(module: str, copy: Path, verdicts: dict[str, str]) -> Count:
    known, count = _equivalent(), Count()
    for name, verdict in verdicts.items():
        if verdict in {"killed", "timeout", "segfault"}:
            count.killed += 1
            continue
        said = _mutmut(copy, "show", name)
        if (module, *_change(said)) in known:
            count.equivalent += 1
        else:
            count.alive[name] = f"{verdict}\n{said}"
    odd = Counter(verdicts.values()).keys() - {"killed", "timeout", "segfault", "survived", "no tests"}
    if odd:
        raise SystemExit(f"Some mutants of {module} were not tried: {', '.join(sorted(odd))}")
    return count


def _change(difference: str) -> tuple[str, str]:
    """The lines that go and the lines that come instead, each as one text."""
    lines = difference.splitlines()
    gone, come = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign) and not line.startswith(sign * 3))
        for sign in "-+"
    )
    return gone, come


def _mutmut(copy: Path, *words: str) -> str:
    shared = os.environ.get("PRIVAPUB_TEST_SHARED") or str(ROOT.parent / "shared")
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *words],
        cwd=copy,
        env={**os.environ, "PRIVAPUB_TEST_SHARED": shared, "HYPOTHESIS_STORAGE_DIRECTORY": str(copy / ".hypothesis")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES)),
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
