"""Rules about domains in the CSV that Mastodon exports and takes (pure).

    #domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate

Its severities are `suspend`, `silence` and `noop`; a list without that column, or of bare domains, is one of blocks.
"""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from privapub.errors import InvalidInput
from privapub.moderation.domain_rules import (
    ALLOW,
    BLOCK,
    COMMENT_LENGTH,
    LIMIT,
    NONE,
    Rule,
    Severity,
    spelled_domain,
)

COLUMNS = ("#domain", "#severity", "#reject_media", "#reject_reports", "#public_comment", "#obfuscate")
MOST_ROWS = 200_000
_FROM: dict[str, Severity] = {
    "suspend": "block", "silence": "limit", "noop": "none", "block": "block", "limit": "limit", "none": "none",
}  # fmt: skip
_TO = {BLOCK: "suspend", LIMIT: "silence", NONE: "noop"}
_YES, _NO = frozenset({"true", "t", "1", "yes"}), frozenset({"false", "f", "0", "no", ""})


@dataclass(frozen=True)
class Line:
    """One row of a list: the rule that it is, or why it is none."""

    number: int
    text: str
    rule: Rule | None
    problem: str = ""


def read(text: str, severity: Severity | None = None) -> list[Line]:
    """The rows of a list, the last of those for one domain alone. `severity` is for rows that do not say it (a block).

    Raises InvalidInput where it is no list: no column of domains, or too long.
    """
    try:
        rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"))) if any(map(str.strip, row))]
    except csv.Error as error:
        raise InvalidInput(f"This is no CSV: {error}.") from None
    if len(rows) > MOST_ROWS:
        raise InvalidInput(f"A list has up to {MOST_ROWS} rows.")
    names = _names(rows[0]) if rows else []
    if names is None and len(rows[0]) > 1:
        raise InvalidInput("The first row names no column “#domain”.", f"Mastodon's is {','.join(COLUMNS)}.")
    body = rows if names is None else rows[1:]
    found: dict[str, Line] = {}
    for number, row in enumerate(body, 1 if names is None else 2):
        line = _line(number, dict(zip(names or ["domain"], row, strict=False)), severity or "block")
        key = line.rule.domain if line.rule else f"row {number}"
        found.pop(key, None)
        found[key] = line
    return list(found.values())


def write(rules: Iterable[Rule]) -> str:
    """Blocks, limits and rejections as a list; what is allowed is no part of one (`write_allowed`)."""
    return _csv(
        COLUMNS,
        (
            (rule.domain, _TO[rule.severity], _word(rule.reject_media), _word(rule.reject_reports),
             rule.public_comment, _word(rule.obfuscate))
            for rule in rules
            if rule.severity != ALLOW
        ),
    )  # fmt: skip


def write_allowed(rules: Iterable[Rule]) -> str:
    """The domains that are allowed, as Mastodon exports them: one column."""
    return _csv(COLUMNS[:1], ((rule.domain,) for rule in rules if rule.severity == ALLOW))


def _names(row: list[str]) -> list[str] | None:
    names = [cell.strip().lower().removeprefix("#") for cell in row]
    return names if "domain" in names else None


def _line(number: int, row: dict[str, str], severity: Severity) -> Line:
    text = row.get("domain", "").strip()
    try:
        return Line(number, text, _rule(row, text, severity))
    except InvalidInput as problem:
        return Line(number, text, None, str(problem))


def _rule(row: dict[str, str], domain: str, severity: Severity) -> Rule:
    said = row.get("severity", "").strip().lower()
    if said and said not in _FROM:
        raise InvalidInput(f"{said!r} is no severity.")
    comment = row.get("public_comment", "").strip()
    if len(comment) > COMMENT_LENGTH:
        raise InvalidInput(f"The comment is longer than {COMMENT_LENGTH} characters.")
    return Rule(
        spelled_domain(domain),
        _FROM[said] if said else severity,
        reject_media=_flag(row, "reject_media"),
        reject_reports=_flag(row, "reject_reports"),
        public_comment=comment,
        obfuscate=_flag(row, "obfuscate"),
    )


def _flag(row: dict[str, str], name: str) -> bool:
    said = row.get(name, "").strip().lower()
    if said not in _YES | _NO:
        raise InvalidInput(f"{said!r} is neither true nor false.")
    return said in _YES


def _word(flag: bool) -> str:
    return "true" if flag else "false"


def _csv(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
