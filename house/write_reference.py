"""Write the pages of the reference that follow from the code: settings, commands, reasons, what is remembered.

make docs
"""

import sys
from collections.abc import Iterator
from dataclasses import fields
from enum import EnumType
from pathlib import Path
from typing import Any

import typer

from privapub import budget
from privapub.cli.reasons import KIND, OF_KIND, PREFIXES, REASONS, meaning
from privapub.outbound import remembered
from privapub.settings import Settings, load, variable

_EVERYWHERE = ("help", "as_json")  # options that need no line at each command
REFERENCE = Path(__file__).parents[1] / "docs" / "reference"

SETTINGS_INTRODUCTION = """# Settings

Each is an environment variable, or a key of the TOML file that `PRIVAPUB_CONFIG` names. The variable wins; an empty one
counts as absent. `privapub settings` shows what is in force and where it came from. A name that is no setting is an
error, so that a slip of the pen is not a silent default.

A file looks like this:

```toml
base_url = "https://social.example"
allow_addresses = []
deliveries_at_once = 16
```

`make docs` writes this page from `src/privapub/settings.py`."""

COMMANDS_INTRODUCTION = """# Commands

Each ends with status 0 if it did what was asked, also where it was so already; with 2 if what was typed is not of its
form, and else with another one; and with a sentence that says why. Each but `serve`, `web` and `work` takes `--json`,
and then writes JSON instead of text. They read the same settings as the server and may run beside it.

`make docs` writes this page from the commands themselves."""

REASONS_INTRODUCTION = """# Reasons

What `privapub federation report` gives as the reason why something that arrived was refused or kept out, why a fetch
came to nothing, and why a delivery did not arrive. Not more is kept than this word, in a count for each day: no path,
no persona, and no host of whoever was not verified. Counts are kept for thirty days; of a fetch that somebody's
reading caused there is not even a word, but one more in a count of its server and day.

What ended well has no reason; what arrived and was handled shows the kind of the activity instead. What arrived ended
as `queued` and then `handled` or `kept-out`, as `copy` (it was there already), as `refused`, as `dropped` (taken with
thanks and thrown away, so that nobody sends it for days) or as `undecided` (the sender is to come again). A fetch
ended as `ok`, as `refused` (this server would not) or as `failed` (the other could not); a delivery as `taken`, as
`later` (it is tried again) or as `given-up`.

`make docs` writes this page from `src/privapub/cli/reasons.py`."""


REMEMBERED_INTRODUCTION = """# Remembered failures

A fetch that failed is not made again for a while; who asks for it meanwhile is told `remembered`. How long depends on
why it failed. All that is remembered of a server is dropped as soon as it sends us something that is verified, and one
failure when a fetch of the same succeeds. It is kept in the memory of each process, as a digest of the address: ten
thousand failures at most, the least recently met dropped first, and none of it is written down. Deliveries are not part
of it: see [the queue](../explanation/the-queue.md).

`make docs` writes this page from `src/privapub/outbound/remembered.py` and `src/privapub/budget.py`."""

BUDGETS_INTRODUCTION = """## What one cause may fetch

The run of a job, a request to this server and a command may each lead to so many fetches and not more, with all that
follows from them. What is over that is not asked, and ends as `budget`. Objects are requests and redirects for anything
but a collection or its pages, which are lists; links are those from one post to the next, where they are followed."""


def settings_page() -> str:
    """Every setting: its variable, its key, what it means, what it may be, what it is if nobody says."""
    parts = [SETTINGS_INTRODUCTION]
    initial = {row.field: row.value for row in load({}).rows}
    for item in fields(Settings):
        default = item.metadata["initial"] or f"`{initial[item.name]}`"
        parts.append(
            f"## `{variable(item.name)}`\n\n{item.metadata['doc']}\n\n"
            f"- key: `{item.name}`\n- may be: {item.metadata['allowed']}\n- absent: {default}"
        )
    return "\n\n".join(parts) + "\n"


def commands(app: typer.Typer) -> Iterator[tuple[str, Any]]:
    """Each command with its words, as a person types them: `privapub follow add`."""

    def below(words: str, command: Any) -> Iterator[tuple[str, Any]]:
        inner = getattr(command, "commands", None)
        if inner is None:
            yield words, command
        else:
            for name in sorted(inner):
                yield from below(f"{words} {name}", inner[name])

    yield from below("privapub", typer.main.get_command(app))


def commands_page(app: typer.Typer) -> str:
    """Every command: what it does, its arguments and its options."""
    parts = [COMMANDS_INTRODUCTION]
    for words, command in commands(app):
        lines = [f"## `{words}`", "", _sentence(command.help)]
        parameters = [_parameter(parameter) for parameter in command.params if parameter.name not in _EVERYWHERE]
        parts.append("\n".join([*lines, *(["", *parameters] if parameters else [])]))
    return "\n\n".join(parts) + "\n"


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())


def _parameter(parameter: Any) -> str:
    option = parameter.param_type_name == "option"
    name = (
        " / ".join([*parameter.opts, *parameter.secondary_opts])
        if option
        else parameter.metavar or str(parameter.name).upper()
    )
    kind = parameter.type_descriptor.annotation
    choices: list[Any] = list(kind) if isinstance(kind, EnumType) else []
    said = [_sentence(getattr(parameter, "help", None))]
    if choices:
        said.append("One of " + ", ".join(f"`{choice.value}`" for choice in choices) + ".")
    if option and parameter.required:
        said.append("Needed.")
    if not option and not parameter.required:
        said.append("May be left out.")
    return f"- `{name}`: {' '.join(part for part in said if part)}".rstrip(": ")


def reasons_page() -> str:
    """Every reason, and what it means."""
    rows = [
        *REASONS.items(),
        ("a number, such as 404", meaning("404")),
        *((f"{prefix}…", f"{sentence}as in the row of what follows.") for prefix, sentence in PREFIXES.items()),
        (f"{KIND}…", OF_KIND.format(kind="that follows")),
    ]
    table = "\n".join(f"| {word if word.startswith('a ') else f'`{word}`'} | {said} |" for word, said in rows)
    return f"{REASONS_INTRODUCTION}\n\n| reason | what it means |\n| --- | --- |\n{table}\n"


def remembered_page() -> str:
    """How long each failure of a fetch is remembered."""
    rows = [
        *((f"`{reason}`", seconds) for reason, seconds in remembered.HOW_LONG.items()),
        ("any other status from 400 to 499", remembered.OTHER_4XX),
        ("any other status", remembered.OTHER_STATUS),
    ]
    table = "\n".join(f"| {reason} | {_span(seconds)} |" for reason, seconds in rows)
    why = f"{REMEMBERED_INTRODUCTION}\n\n| why | for how long |\n| --- | --- |\n{table}\n"
    return f"{why}\n{BUDGETS_INTRODUCTION}\n\n{_budgets()}"


def _budgets() -> str:
    names = {budget.REQUEST: "a request", budget.COMMAND: "a command", budget.OTHER: "a job of any other kind"}
    rows = [
        f"| {names.get(kind, f'a job of the kind `{kind}`')} | {it.objects} | {it.lists} | {it.hosts} "
        f"| {it.bytes >> 20} MiB | {_span(it.seconds)} | {it.depth or 'none'} |"
        for kind, it in budget.LIMITS.items()
    ]
    head = "| cause | objects | lists | hosts | bytes | time | links |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    return head + "\n".join(rows) + "\n"


def _span(seconds: float) -> str:
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size and seconds % size == 0:
            number = int(seconds // size)
            return f"{number} {word}" + ("" if number == 1 else "s")
    return f"{seconds:g} seconds"


def main() -> None:
    """Write the pages."""
    from privapub.cli.main import app  # noqa: PLC0415 - the pages' tests import this file without the commands

    REFERENCE.mkdir(parents=True, exist_ok=True)
    (REFERENCE / "settings.md").write_text(settings_page(), encoding="utf-8")
    (REFERENCE / "commands.md").write_text(commands_page(app), encoding="utf-8")
    (REFERENCE / "reasons.md").write_text(reasons_page(), encoding="utf-8")
    (REFERENCE / "remembered.md").write_text(remembered_page(), encoding="utf-8")
    sys.stdout.write("docs/reference: settings.md, commands.md, reasons.md and remembered.md are written.\n")


if __name__ == "__main__":
    main()
