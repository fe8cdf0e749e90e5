"""The docs say what the code does: settings, commands, dependencies, changes."""

import re
import tomllib
from dataclasses import fields

import pytest

import write_reference
from privapub.cli.main import app
from privapub.settings import Settings, variable
from rules.house import PACKAGE, ROOT, files, modules, relative, used

DECISIONS = ROOT / "docs" / "decisions"
CHANGES = ROOT / "changes"
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)#\s]+)(#[^)]*)?\)")
PATH = re.compile(r"`((?:src|docs|tests|house|town|changes|bench|conformance)/[\w./-]*\w)`")


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_every_setting_is_described_as_it_is() -> None:
    page = text("docs/reference/settings.md")
    assert all(f"## `{variable(item.name)}`" in page for item in fields(Settings))
    assert page == write_reference.settings_page(), "run `make docs`"


def test_every_setting_is_used() -> None:
    names = [name.split(".")[-2:] for path in modules().values() for name, _ in used(path)]
    read = {parts[1] for parts in names if len(parts) == 2 and parts[0] in {"settings", "what"}}
    # By way of `about_folder`, `cache_folder`, `database` and `storage`.
    read |= {"about", "cache", "database_url", "storage_url"}
    assert [item.name for item in fields(Settings) if item.name not in read] == []


def test_every_command_is_described_as_it_is() -> None:
    commands = dict(write_reference.commands(app))
    assert len(commands) > 10
    page = text("docs/reference/commands.md")
    assert all(f"## `{words}`" in page for words in commands)
    assert page == write_reference.commands_page(app), "run `make docs`"


def test_how_long_failures_are_remembered_is_described_as_it_is() -> None:
    assert text("docs/reference/remembered.md") == write_reference.remembered_page(), "run `make docs`"


def test_every_command_says_what_it_does() -> None:
    assert [words for words, command in write_reference.commands(app) if not command.help] == []


def test_every_command_can_write_json() -> None:
    lasting = {"privapub serve", "privapub web", "privapub work"}
    ending = [(words, command) for words, command in write_reference.commands(app) if words not in lasting]
    assert [words for words, command in ending if "--json" not in {o for p in command.params for o in p.opts}] == []


def package(requirement: str) -> str:
    """The name in a requirement: `sqlalchemy[asyncio]>=2.1` → `sqlalchemy`."""
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]


def dependencies() -> list[str]:
    project = tomllib.loads(text("pyproject.toml"))
    groups = [*project["dependency-groups"].values(), project["project"]["dependencies"]]
    return sorted({package(requirement) for group in groups for requirement in group})


@pytest.mark.parametrize("name", dependencies())
def test_each_dependency_has_a_decision(name: str) -> None:
    pages = [path for path in DECISIONS.glob("*.md") if f"`{name}`" in path.read_text(encoding="utf-8")]
    assert pages, f"no page in docs/decisions says why `{name}`"


def test_decisions_are_numbered_and_say_what_why_and_what_was_refused() -> None:
    pages = sorted(path.name for path in DECISIONS.glob("[0-9]*.md"))
    assert [page[:4] for page in pages] == [f"{number:04}" for number in range(1, len(pages) + 1)]
    for page in pages:
        content = text(f"docs/decisions/{page}")
        assert content.startswith("# "), page
        for part in ("**What.**", "**Why.**", "**Refused.**"):
            assert part in content, f"{page} lacks {part}"


def test_changes_are_written_as_fragments() -> None:
    fragments = [path for path in CHANGES.glob("*.md") if path.name != "README.md"]
    assert fragments
    kinds = set(re.findall(r"^- `([a-z]+)`", text("changes/README.md"), re.MULTILINE))
    wrong = [
        path.name for path in fragments if path.stem.rpartition(".")[2] not in kinds or not path.read_text().strip()
    ]
    assert wrong == []


def test_links_and_paths_in_the_docs_lead_somewhere() -> None:
    wrong = []
    for path in files(""):
        if path.suffix == ".md":
            content = path.read_text(encoding="utf-8")
            links = [found[0] for found in LINK.findall(content) if "://" not in found[0] and "mailto:" not in found[0]]
            wrong += [f"{relative(path)}: {link}" for link in links if not (path.parent / link).exists()]
            wrong += [f"{relative(path)}: {name}" for name in PATH.findall(content) if not (ROOT / name).exists()]
    assert wrong == []


def test_the_readme_sets_up_with_two_commands() -> None:
    commands = re.findall(r"^(make \w+|pip .*|\S*python.*)$", text("README.md"), re.MULTILINE)
    assert set(commands) == {"make run", "make test"}
    targets = re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE)
    assert {"run", "test", "check", "format", "bench", "conformance", "town"} <= set(targets)


def test_the_package_is_where_the_metadata_says() -> None:
    project = tomllib.loads(text("pyproject.toml"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [relative(PACKAGE)]
    assert project["project"]["license"] == "AGPL-3.0-or-later"
