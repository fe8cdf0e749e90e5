"""Each line of the security checklist that is about what there is has its tests, and what they name is there."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
# 13 has a test beside each table and cache.
LINES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18)
# Named in a docstring: a file of tests, perhaps without its folder where the one before it had the same.
NAMED = re.compile(r"`((?:rooms|rules|properties|cases|journeys)/[\w/]+)(\.py)?`")


@pytest.mark.parametrize("line", LINES)
def test_each_line_has_its_file(line: int) -> None:
    files = list(HERE.glob(f"test_line_{line:02}_*.py"))
    assert files != []
    assert all(re.search(r"^(?:async )?def test_", file.read_text(), re.MULTILINE) for file in files)
    assert all(file.read_text().startswith(f'"""Line {line},') for file in files)


def test_what_they_name_is_there() -> None:
    named = {
        (file.name, found[1]) for file in HERE.glob("test_line_*.py") for found in NAMED.finditer(file.read_text())
    }
    assert len(named) > 20
    assert [each for each in named if not (TESTS / f"{each[1]}.py").exists() and not (TESTS / each[1]).is_dir()] == []
