"""Write the pages of the reference that follow from the code: every setting and every command.

make docs
"""

import sys
from collections.abc import Iterator
from dataclasses import fields
from enum import EnumType
from pathlib import Path
from typing import Any

import typer

from privapub.settings import Settings, load, variable

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

Each ends with status 0 if it did what was asked, else with another one and a sentence that says why. With `--json` a
command writes JSON instead of text. They read the same settings as the server and may run beside it.

`make docs` writes this page from the commands themselves."""


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
        parameters = [_parameter(parameter) for parameter in command.params if parameter.name != "help"]
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


def main() -> None:
    """Write the pages."""
    from privapub.cli.main import app  # noqa: PLC0415 - the pages' tests import this file without the commands

    REFERENCE.mkdir(parents=True, exist_ok=True)
    (REFERENCE / "settings.md").write_text(settings_page(), encoding="utf-8")
    (REFERENCE / "commands.md").write_text(commands_page(app), encoding="utf-8")
    sys.stdout.write("docs/reference/settings.md and commands.md are written.\n")


if __name__ == "__main__":
    main()
