"""Every reason that the code gives for a refusal is explained, and nothing else is."""

import ast
import re
from collections.abc import Iterator

import pytest

import write_reference
from privapub import errors
from privapub.cli.reasons import KIND, PREFIXES, REASONS, meaning
from privapub.federation.delivery import reason as of_deliveries
from privapub.federation.inbox.dispatch import HANDLINGS
from privapub.outbound import answers
from rules.house import PACKAGE, ROOT, syntax

# What takes a reason, and as which of its arguments.
GIVEN = {
    "BadSignature": 0,
    "BadDocument": 0,
    "refusal": 0,
    "Refused": 0,
    "Undecided": 0,
    "_Stop": 2,
    "_Verdict": 2,
    "_turned_away": 2,
}
WORD = re.compile(r"[a-z]+(-[a-z]+)*")


def constants(node: ast.expr) -> Iterator[str]:
    """The words that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*constants(node.body), *constants(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from constants(value)


def given(tree: ast.AST, *, handling: bool) -> Iterator[str]:
    """The reasons in a file; in one of `handling` also what functions return that give a reason or something else."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in GIVEN and len(node.args) > GIVEN[name]:
                yield from constants(node.args[GIVEN[name]])
        if handling and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            parts = {part.strip() for part in ast.unparse(node.returns).split("|")}
            if len(parts) > 1 and "str" in parts:
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        yield from constants(inner.value)


def all_reasons() -> set[str]:
    """What may stand as a reason in a report, but for statuses and what is put together."""
    found = {*answers.REFUSED, *answers.FAILED, *of_deliveries.WORDS}
    for path in (PACKAGE / "federation").rglob("*.py"):
        found |= {word for word in given(syntax(path), handling="inbox" in path.parts) if WORD.fullmatch(word)}
    # What a handling refuses without a word of its own is named by its class; what is for the operator is not refused.
    found |= {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and kind.__base__ is errors.PrivaPubError and kind is not errors.OperatorError
    }
    return found


def test_every_reason_is_explained_and_no_other() -> None:
    found = all_reasons()
    assert found - set(REASONS) == set(), "say in cli/reasons.py what these mean, and run `make docs`"
    assert set(REASONS) - found == set(), "nothing gives these reasons any more"


def test_the_page_of_the_reference_is_as_the_table() -> None:
    page = (ROOT / "docs/reference/reasons.md").read_text(encoding="utf-8")
    assert page == write_reference.reasons_page(), "run `make docs`"
    assert [word for word in REASONS if f"| `{word}` |" not in page] == []


@pytest.mark.parametrize(
    ("source", "handling", "found"),
    [
        ('raise BadSignature("too-old", "It is too old.")', False, {"too-old"}),
        ('raise _Stop(401, "refused", "our-actor", "No.")', False, {"our-actor"}),
        ('raise fields.refusal("no-type" if one else "wrong-type")', False, {"no-type", "wrong-type"}),
        ('def f() -> str | None: return "not-for-us"', True, {"not-for-us"}),
        ('def f() -> Post | str: return fetched.problem or "not-for-us"', True, {"not-for-us"}),
        ('def f() -> str | None: return "not-for-us"', False, set()),
        ('def f() -> str: return "public"', True, set()),
    ],
)
def test_the_rule_finds_what_is_given(source: str, handling: bool, found: set[str]) -> None:
    assert set(given(ast.parse(source), handling=handling)) == found


def test_what_is_put_together_is_explained_too() -> None:
    assert meaning("404") == "The other server answered 404 (Not Found)."
    assert meaning("799") == "The other server answered 799."
    assert meaning("key-timeout") == "The key that it names could not be fetched: it took too long."
    assert meaning("not-fetched: 410") == "What it names could not be fetched: the other server answered 410 (Gone)."
    assert meaning("kind-Travel") == "Nothing is done here with what is of the kind Travel."
    assert [meaning(kind) for kind in ("", *HANDLINGS)] == [""] * (len(HANDLINGS) + 1)
    assert [word for word in REASONS if any(word.startswith(prefix) for prefix in (*PREFIXES, KIND))] == []
