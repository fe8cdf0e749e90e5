"""Who may import whom: to a lower floor, or leftwards on the same floor; and there are no knots."""

import ast
import textwrap
from pathlib import Path

from rules.house import graph, imported, knots, modules, reach, relative, room, syntax, used

# From the top down; leftwards is allowed within a floor.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("job_table", "app", "cli"),
    ("client_api", "web"),
    ("archives", "backups", "composing", "effects"),
    ("federation",),
    (
        "moderation", "licences", "accounts", "actors", "personas", "follows", "circles", "media", "emojis", "posts",
        "link_previews", "timelines", "notifications",
    ),
    ("database", "telemetry", "jobs", "outbound", "storage", "proxy", "stream", "server", "migrations"),
    ("clock", "identifiers", "errors", "budget", "scope", "setting_texts", "settings", "limits", "markup"),
)  # fmt: skip
STRANGERS = {("client_api", "web"), ("web", "client_api")}
# Within federation, leftwards.
FEDERATION = (
    "documents",
    "signatures",
    "fetching",
    "asker",
    "delivery",
    "inbox",
    "threads",
    "served",
    "problems",
    "routes",
)


def floor(name: str) -> int:
    """The floor of a room, 0 the topmost."""
    return next(number for number, rooms in enumerate(FLOORS) if name in rooms)


def allowed(importer: str, target: str) -> bool:
    """Whether a module may import another, both as dotted names of ours."""
    ours, theirs = room(importer), room(target)
    if ours == theirs:
        return ours != "federation" or _allowed_in_federation(importer, target)
    if not theirs or (ours, theirs) in STRANGERS:
        return False
    if floor(ours) != floor(theirs):
        return floor(ours) < floor(theirs)
    order = FLOORS[floor(ours)]
    return order.index(theirs) < order.index(ours)


def _allowed_in_federation(importer: str, target: str) -> bool:
    ours, theirs = (name.split(".")[2] if name.count(".") > 1 else "" for name in (importer, target))
    return ours == theirs or (theirs != "" and FEDERATION.index(theirs) < FEDERATION.index(ours))


def test_every_room_stands_on_a_floor() -> None:
    standing = {name for rooms in FLOORS for name in rooms}
    assert {room(module) for module in modules()} - {""} <= standing
    inside = {module.split(".")[2] for module in modules() if module.startswith("privapub.federation.")}
    assert inside <= set(FEDERATION)


def test_imports_point_down_or_left() -> None:
    wrong = [
        f"{importer} imports {target}"
        for importer, targets in graph().items()
        for target in targets
        if room(importer) and not allowed(importer, target)
    ]
    assert wrong == []


def test_the_rule_knows_up_from_down() -> None:
    assert allowed("privapub.posts.publish", "privapub.database.transaction")
    assert allowed("privapub.posts.publish", "privapub.actors.read")
    assert allowed("privapub.posts.publish", "privapub.posts.tables")
    assert allowed("privapub.federation.inbox.on_like", "privapub.federation.documents.read_post")
    assert allowed("privapub.federation.routes", "privapub.federation.asker")
    assert not allowed("privapub.actors.read", "privapub.posts.publish")
    assert not allowed("privapub.database.connect", "privapub.posts.tables")
    assert not allowed("privapub.web.routes", "privapub.client_api.routes")
    assert not allowed("privapub.federation.documents.read_post", "privapub.federation.inbox.on_like")
    assert not allowed("privapub.effects.post_published", "privapub.job_table")


def test_there_are_no_knots() -> None:
    assert knots(graph()) == []


def test_a_knot_is_found() -> None:
    edges = {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": frozenset({"b"}), "d": frozenset({"a"})}
    assert knots(edges) == [["b", "c"]]


def test_nothing_that_federation_can_reach_reaches_accounts() -> None:
    reached = {
        f"{start} reaches {module}"
        for start in graph()
        if room(start) == "federation"
        for module in reach(start)
        if room(module) == "accounts"
    }
    assert reached == set()


def test_imports_are_seen_wherever_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "sample.py"
    file.write_text(
        textwrap.dedent("""
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from privapub.posts.tables import post
            def late():
                import privapub.clock
                from .beside import thing
            """)
    )
    found = {name for name, _ in imported(file, "privapub.room.sample")}
    assert {"privapub.posts.tables.post", "privapub.clock", "privapub.room.beside.thing"} <= found


def named_at_run_time(path: Path) -> list[int]:
    """The lines that import something whose name is made at run time and may be one of ours."""
    loaders = {"importlib.import_module", "__import__", "runpy.run_module", "pkgutil.resolve_name"}
    lines = [line for name, line in used(path) if name in loaders]
    foreign = {
        node.lineno
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call) and node.args and (begins := _literal_beginning(node.args[0]))
        if not begins.startswith(("privapub", "."))
    }
    return [line for line in lines if line not in foreign]


def _literal_beginning(node: ast.expr) -> str:
    first = node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def test_nothing_of_ours_is_imported_by_a_name_made_at_run_time() -> None:
    wrong = [f"{relative(path)}:{line}" for path in modules().values() for line in named_at_run_time(path)]
    assert wrong == []


def test_the_rule_knows_a_name_made_at_run_time(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.py", tmp_path / "theirs.py"
    ours.write_text("import importlib\nfrom importlib import import_module as load\nload('privapub.posts')\nload(x)")
    theirs.write_text("import importlib\nimportlib.import_module(f'sqlalchemy.dialects.{name}')")
    assert named_at_run_time(ours) == [3, 4]
    assert named_at_run_time(theirs) == []
