"""What is measured runs, and is written in its form."""

import json
import sys
from pathlib import Path

import anyio
import pytest

from rules.house import ROOT

FORM = ["name", "value", "unit", "against", "against_value", "must", "ok"]


async def run(*arguments: str) -> tuple[int, str]:
    """The exit status of a script, and what it printed."""
    done = await anyio.run_process([sys.executable, *arguments], cwd=ROOT, check=False)
    return done.returncode, done.stdout.decode()


async def test_a_quick_run_of_one_group_writes_its_rows_and_prints_them(tmp_path: Path) -> None:
    into = tmp_path / "results.json"
    status, printed = await run("bench/run.py", "--quick", "--only", "signing", "--into", str(into))
    assert status == 0
    (row,) = json.loads(into.read_text(encoding="utf-8"))
    assert list(row) == FORM
    assert row["value"] > 0
    assert row["against_value"] > 0
    assert row["must"] == ">= 0.5 x"
    assert row["name"] in printed


@pytest.mark.hangs_after(600)
async def test_a_short_soak_writes_the_same_form(tmp_path: Path) -> None:
    into = tmp_path / "soak.json"
    status, printed = await run("bench/soak.py", "--only", "days", "--jobs", "48", "--into", str(into))
    assert status in (0, 1)  # so few jobs fill no page
    rows = json.loads(into.read_text(encoding="utf-8"))
    assert [list(row) for row in rows] == [FORM] * 4
    assert all(row["name"] in printed for row in rows)


async def test_an_unknown_group_is_refused(tmp_path: Path) -> None:
    status, _ = await run("bench/run.py", "--only", "nonsense", "--into", str(tmp_path / "results.json"))
    assert status == 2
