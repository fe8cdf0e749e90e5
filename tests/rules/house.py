"""The tree as the rules see it: its files, its modules, and who imports whom."""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "privapub"
NOT_OURS = {".git", "node_modules", "data", "dist", "__pycache__"}


def files(*folders: str) -> Iterator[Path]:
    """Every file of the project below these folders of it ("" is all of it), made and foreign ones left out."""
    for folder in folders:
        for where, below, names in os.walk(ROOT / folder):
            below[:] = sorted(name for name in below if name not in NOT_OURS and not _hidden(name))
            yield from (Path(where) / name for name in sorted(names) if not name.endswith(".pyc"))


def _hidden(folder: str) -> bool:
    return folder.startswith(".") and folder != ".ci"


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name; a package counts under its own name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(path: Path, module: str) -> Iterator[tuple[str, int]]:
    """Each dotted name that a file imports, wherever in it the import stands, and the line.

    `from a import b` gives `a.b`, which may name a module or something in one.
    """
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*parents, *([node.module] if node.module else [])])
            yield from ((f"{origin}.{alias.name}", node.lineno) for alias in node.names)


@cache
def graph() -> dict[str, frozenset[str]]:
    """For each module of ours, the modules of ours that it imports."""
    known = modules()
    edges = {}
    for module, path in known.items():
        targets = set()
        for name, _ in imported(path, module):
            found = name if name in known else name.rpartition(".")[0]
            if found in known and found != module:
                targets.add(found)
        edges[module] = frozenset(targets)
    return edges


def room(module: str) -> str:
    """The room (or file on the ground) that a module belongs to: `privapub.posts.tables` → `posts`."""
    return module.split(".")[1] if "." in module else ""


def reach(start: str) -> set[str]:
    """Every module that importing this one brings in."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        module = ahead.pop()
        if module not in seen:
            seen.add(module)
            ahead.extend(graph()[module])
    return seen


def knots(edges: dict[str, frozenset[str]]) -> list[list[str]]:
    """The groups of modules that import one another in a circle."""
    seen: dict[str, set[str]] = {}
    for start, targets in edges.items():
        found: set[str] = set()
        ahead = list(targets)
        while ahead:
            module = ahead.pop()
            if module not in found:
                found.add(module)
                ahead.extend(edges[module])
        seen[start] = found
    circles = {tuple(sorted(b for b in edges if b in seen[a] and a in seen[b])) for a in edges if a in seen[a]}
    return sorted(list(circle) for circle in circles)


def used(path: Path, *, called: bool = False) -> Iterator[tuple[str, int]]:
    """Each dotted name that is written in a file (`time.time`, `asyncio.open_connection`), and the line.

    What was imported under a name stands for where it came from, so that `from time import time as t` hides nothing.
    With `called`, only what is called.
    """
    alias: dict[str, str] = {}
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            alias.update({item.asname: item.name for item in node.names if item.asname})
        elif isinstance(node, ast.ImportFrom) and node.module:
            alias.update({item.asname or item.name: f"{node.module}.{item.name}" for item in node.names})
    for found in ast.walk(syntax(path)):
        if called and not isinstance(found, ast.Call):
            continue
        node = found.func if called and isinstance(found, ast.Call) else found
        if isinstance(node, ast.Name):
            yield alias.get(node.id, node.id), node.lineno
        elif isinstance(node, ast.Attribute) and (parts := _dotted(node)):
            yield ".".join([alias.get(parts[0], parts[0]), *parts[1:]]), node.lineno


def _dotted(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        parts = _dotted(node.value)
        return [*parts, node.attr] if parts else []
    return []


def lines(paths: Iterator[Path]) -> int:
    """How many lines there are that hold anything."""
    return sum(1 for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
