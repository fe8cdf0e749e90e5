"""The map of the house shows the house: its rooms, its floors and its files are the tree's."""

import re
from collections.abc import Iterator

import pytest

from rules.house import PACKAGE, ROOT, modules, room
from rules.test_floors import FEDERATION, FLOORS

MAP = ROOT / "docs" / "explanation" / "the-house.md"
NAME = re.compile(r"`([^`]+)`")


def section(title: str) -> str:
    """What stands below a heading of the map, up to the next one."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", MAP.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"the map has no part {title!r}"
    return found[1]


def rows(title: str) -> Iterator[list[str]]:
    """The cells of the table below a heading, its head left out."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    yield from ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])


def rooms_on_the_map() -> dict[str, tuple[str, ...]]:
    """The rooms in the first column, and the files named in the last one."""
    return {NAME.findall(cells[0])[0].strip("/"): tuple(NAME.findall(cells[-1])) for cells in rows("Rooms")}


def rooms_in_the_tree() -> set[str]:
    """Folders and ground-floor files; those of federation count for themselves."""
    found = set()
    for path in modules().values():
        parts = path.relative_to(PACKAGE).parts
        depth = 2 if parts[0] == "federation" and len(parts) > 1 else 1
        found.add("/".join(parts[:depth]))
    return {name for name in found if not name.endswith("__init__.py")}


def test_every_room_is_on_the_map_and_the_map_shows_no_other() -> None:
    assert set(rooms_on_the_map()) == rooms_in_the_tree()


def test_every_file_on_the_map_is_there() -> None:
    wrong = [
        f"{place}/{name}"
        for place, names in rooms_on_the_map().items()
        for name in names
        if not ((PACKAGE / place / f"{name}.py").exists() or (PACKAGE / place / name).exists())
    ]
    assert wrong == []


def test_every_file_of_a_room_is_on_the_map() -> None:
    missing = []
    for place, names in rooms_on_the_map().items():
        if (PACKAGE / place).is_dir():
            there = {path.stem for path in (PACKAGE / place).glob("*.py") if path.stem != "__init__"}
            missing += [f"{place}/{name}" for name in sorted(there - set(names))]
    assert missing == []


def test_who_wants_to_change_something_is_sent_to_a_file_that_is_there() -> None:
    targets = [name for cells in rows("I want to change …") for name in NAME.findall(cells[-1])]
    assert len(targets) > 8
    assert [name for name in targets if not (PACKAGE / name).exists()] == []


@pytest.mark.parametrize("flow", ["One incoming activity", "One outgoing post"])
def test_the_flows_name_files_that_are_there(flow: str) -> None:
    named = [name for name in NAME.findall(section(flow)) if "/" in name or name.endswith(".py")]
    assert len(named) > 5
    assert [name for name in named if not (PACKAGE / name).exists() and not (PACKAGE / f"{name}.py").exists()] == []


def test_the_floors_on_the_map_are_those_that_are_kept() -> None:
    drawn = [re.findall(r"[a-z_]{2,}", line) for line in section("Floors").split("```")[1].strip().splitlines()]
    standing = {room(module) for module in modules()} - {""}
    kept = [[name for name in rooms if name in standing] for rooms in FLOORS]
    kept[3] = ["federation", *(name for name in FEDERATION if f"privapub.federation.{name}" in modules())]
    assert drawn == [rooms for rooms in kept if rooms]
