"""`privapub domain import` and `export`: rules as lists that other servers have too."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors import standing
from privapub.cli.domain import ours, tied
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import Progress, say, table
from privapub.errors import InvalidInput
from privapub.follows import domains
from privapub.follows.domains import Ties
from privapub.moderation import block_list, rules
from privapub.moderation.block_list import Line
from privapub.moderation.domain_rules import BLOCKED, SEVERITIES, Rule, Rules, Severity
from privapub.server import Server

AT_ONCE = 200  # rules in a transaction
SHOWN = 40
LARGEST = 64 << 20  # bytes of a file
NEW, CHANGED, SAME, LEFT, OWN, BAD = "new", "changed", "same", "left as it is", "this server", "no rule"


def import_(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A CSV of Mastodon, or a list of domains; -: from the standard input."),
    ],
    *,
    severity: Annotated[
        str, typer.Option("--as", help=f"What a row says that names no severity: {', '.join(SEVERITIES)}.")
    ] = "block",
    change: Annotated[bool, typer.Option("--replace", help="Also where there is another rule already.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it, it is only said what would be done.")] = False,
    as_json: Json = False,
) -> None:
    """Take rules from a list: first see what each would do, and how many follows it cuts."""
    if severity not in SEVERITIES:
        raise InvalidInput(f"{severity!r} is no severity.", f"It may be {', '.join(SEVERITIES)}.")
    said: Severity = severity
    listed = block_list.read(_text(file), said)

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            before = await rules.everything(tx)
            only_allowed = (await rules.policy(tx))[1]
            servers, ties = await standing.servers(tx), await domains.ties(tx)
        known = {rule.domain: rule for rule in before}
        planned = [(line, *_planned(line, known, ours(server), change=change)) for line in listed]
        wanted = [rule for _, does, rule in planned if rule is not None and does in (NEW, CHANGED)]
        after = known | {rule.domain: rule for rule in wanted}
        cut = _cut(
            Rules(before, only_allowed=only_allowed), Rules(after.values(), only_allowed=only_allowed),
            {each: ties[each.origin, each.host] for each in servers if (each.origin, each.host) in ties},
        )  # fmt: skip
        if yes:
            with Progress() as progress:
                for start in range(0, len(wanted), AT_ONCE):
                    progress("rules", start, len(wanted))
                    async with server.database.write() as tx:
                        await domains.keep(tx, wanted[start : start + AT_ONCE], ours(server), clock.now())
        return [_row(line, does, rule, cut.get(rule.domain if rule else "", Ties())) for line, does, rule in planned]

    rows = with_server(work)
    say({"done": yes, "rows": rows}, _said(rows, yes=yes), as_json=as_json)


def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The file to write. Absent: to the standard output.")
    ] = None,
    *,
    allowed: Annotated[bool, typer.Option("--allowed", help="The domains that are allowed, instead.")] = False,
    as_json: Json = False,
) -> None:
    """Write the rules as the CSV that Mastodon takes; private comments stay here."""

    async def work(server: Server) -> list[Rule]:
        async with server.database.read() as tx:
            return list(await rules.everything(tx))

    found = sorted(with_server(work), key=lambda rule: (rule.top, rule.domain))
    text = block_list.write_allowed(found) if allowed else block_list.write(found)
    number = text.count("\n") - 1
    if file is None:
        say({"rows": number, "csv": text}, text.removesuffix("\n"), as_json=as_json)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}.") from None
    say({"rows": number, "file": str(file)}, f"{file} holds {number} rules.", as_json=as_json)


def _text(file: Path) -> str:
    try:
        content = sys.stdin.buffer.read(LARGEST + 1) if str(file) == "-" else _read(file)
        if len(content) > LARGEST:
            raise InvalidInput(f"{file} is too large for a list of domains.")
        return content.decode("utf-8")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8.") from None


def _read(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(LARGEST + 1)


def _planned(line: Line, known: dict[str, Rule], own: frozenset[str], *, change: bool) -> tuple[str, Rule | None]:
    """What is to be done with a row, and the rule that comes of it. A private comment is kept. Pure."""
    if line.rule is None:
        return BAD, None
    if line.rule.domain in own:
        return OWN, line.rule
    there = known.get(line.rule.domain)
    if there is None:
        return NEW, line.rule
    rule = replace(line.rule, private_comment=there.private_comment)
    if rule == there:
        return SAME, rule
    return (CHANGED if change else LEFT), rule


def _cut(before: Rules, after: Rules, ties: dict[standing.Server, Ties]) -> dict[str, Ties]:
    """What each rule would suspend, by its domain. Pure."""
    cut: dict[str, Ties] = {}
    for each, between in ties.items():
        if before.standing(each.hosts) == BLOCKED or after.standing(each.hosts) != BLOCKED:
            continue
        decisions = [after.decide(host) for host in sorted(each.hosts)]
        rule = next((one.rule for one in decisions if one.standing == BLOCKED and one.rule is not None), None)
        if rule is not None:
            cut[rule.domain] = cut.get(rule.domain, Ties()) + between
    return cut


def _row(line: Line, does: str, rule: Rule | None, ties: Ties) -> dict[str, Any]:
    return {
        "row": line.number,
        "domain": rule.domain if rule else line.text,
        "severity": rule.severity if rule else None,
        "what": does,
        "follows": ties.follows if does in (NEW, CHANGED) else 0,
        **{name: value if does in (NEW, CHANGED) else 0 for name, value in tied(ties).items() if name != "suspended"},
        "problem": line.problem,
    }


def _said(rows: list[dict[str, Any]], *, yes: bool) -> str:
    """The rows that do most, and all in numbers. Pure."""
    if not rows:
        return "There is no row in this list."
    telling = [row for row in rows if row["what"] != SAME]
    telling.sort(key=lambda row: (row["what"] != BAD, -row["follows"], row["row"]))
    columns = ["row", "domain", "severity", "what", "followers", "following", "problem"]
    shown = table(telling[:SHOWN], columns, "Nothing in this list is new.")
    more = f"\n… and {len(telling) - SHOWN} more: --json shows all." if len(telling) > SHOWN else ""
    counts = Counter(row["what"] for row in rows)
    told = ", ".join(f"{number} {what}" for what, number in counts.most_common()) or "no rows"
    cut = sum(row["follows"] for row in rows)
    end = (
        f"Done: {told}; {cut} follows suspended."
        if yes
        else f"{told}; {cut} follows would be suspended. Nothing was done: --yes does it."
    )
    if counts[LEFT]:
        end += "\nWhat is left as it is has another rule already: --replace changes that too."
    return f"{shown}{more}\n{end}"
