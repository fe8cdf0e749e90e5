"""Names say the thing, files stay small, and what is put off is not left lying about."""

import ast
import re
from pathlib import Path

from rules.house import ROOT, files, lines, modules, relative, syntax

SHELVES = {
    "util", "utils", "helper", "helpers", "common", "misc", "base", "core", "lib", "manager", "service", "services",
    "processor", "handler", "handlers",
}  # fmt: skip
LONGEST = 600
WRITTEN_BY_HAND = {".py", ".html", ".css", ".js", ".mjs", ".md", ".toml", ".sql", ""}
PUT_OFF = re.compile(r"\b(" + "TO" + "DO|FIX" + "ME|XX" + r"X)\b")
SILENCED = re.compile(r"#\s*(noqa|type:\s*ignore)(?P<rest>.*)")
WITH_REASON = re.compile(r"(:\s*[A-Z]+[0-9]+(,\s*[A-Z]+[0-9]+)*|\[[a-z-]+(,\s*[a-z-]+)*\])\s*(-|#|—)\s*\S.{4,}")


def on_a_shelf(path: str) -> bool:
    """Whether a file or folder of this path is named after no thing."""
    words = (word for part in Path(path).parts for word in re.split(r"[_.\-\s]", part.lower()))
    return any(word in SHELVES for word in words)


def test_no_file_or_folder_is_a_shelf() -> None:
    assert [relative(path) for path in files("") if on_a_shelf(relative(path))] == []


def test_the_rule_knows_a_shelf() -> None:
    assert on_a_shelf("src/privapub/web/templates/base.html")
    assert on_a_shelf("src/privapub/post_utils.py")
    assert not on_a_shelf("src/privapub/database/connect.py")


def test_no_file_is_longer_than_six_hundred_lines() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in files("") if path.suffix in WRITTEN_BY_HAND}
    long = {
        relative(path): count
        for path, text in texts.items()
        if "`make docs` writes this page" not in text and (count := len(text.splitlines())) > LONGEST
    }
    assert long == {}


def test_there_are_at_least_as_many_lines_of_tests_as_of_code() -> None:
    code = lines(path for path in files("src") if path.suffix == ".py")
    tests = lines(path for path in files("tests") if path.suffix == ".py")
    assert tests >= code, f"{tests} lines of tests for {code} lines of code"


def test_nothing_is_put_off() -> None:
    written = (path for path in files("") if path.suffix in WRITTEN_BY_HAND)
    assert [relative(path) for path in written if PUT_OFF.search(path.read_text(encoding="utf-8"))] == []


def test_the_init_of_a_room_holds_a_docstring_and_nothing_else() -> None:
    wrong = []
    for path in modules().values():
        if path.name == "__init__.py":
            tree = syntax(path)
            if len(tree.body) != 1 or not ast.get_docstring(tree):
                wrong.append(relative(path))
    assert wrong == []


def test_every_folder_of_python_is_a_room_with_a_docstring() -> None:
    folders = {path.parent for path in modules().values()}
    assert [relative(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def unexplained(line: str) -> bool:
    """Whether a line silences a check without saying which and why."""
    found = SILENCED.search(line)
    return bool(found) and not WITH_REASON.match(found["rest"] if found else "")


def test_a_check_is_silenced_only_with_its_code_and_a_reason() -> None:
    wrong = [
        f"{relative(path)}:{number}"
        for path in files("src", "tests", "town", "bench", "house")
        if path.suffix == ".py" and path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if unexplained(line)
    ]
    assert wrong == []


def test_the_rule_knows_a_reason() -> None:
    assert not unexplained("x = y  # noqa: RUF009 - its default is immutable")
    assert not unexplained("x = y  # type: ignore[return-value]  # Core always gives one")
    assert unexplained("x = y  # noqa")
    assert unexplained("x = y  # noqa: RUF009")
    assert unexplained("x = y  # type: ignore[return-value]")


def test_no_address_of_a_package_registry_is_written_down() -> None:
    registries = re.compile("(pypi|pythonhosted|npmjs|yarnpkg)" + r"\.(org|com)")
    locks = [path for path in files("") if path.name in {"requirements.lock", "package-lock.json"}]
    assert ROOT / "requirements.lock" in locks
    for path in locks:
        address = '"resolved"' if path.suffix == ".json" else "://"
        assert address not in path.read_text(encoding="utf-8"), f"an address in {relative(path)}"
    texts = (path for path in files("") if path.suffix in WRITTEN_BY_HAND | {".json", ".lock", ".yaml"})
    assert [relative(path) for path in texts if registries.search(path.read_text(encoding="utf-8"))] == []


def test_every_package_of_the_lock_is_pinned_with_its_hashes() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    packages = re.split(r"\n(?=[^\s#])", text)
    assert len(packages) > 20
    assert [entry.split()[0] for entry in packages if "==" not in entry or "--hash=sha256:" not in entry] == []
