"""What is typed against the form of a command: said as every other error is, a sentence and a hint."""

import re
import sys
from difflib import get_close_matches
from typing import Any, get_args

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from privapub.cli.output import fail
from privapub.errors import InvalidInput
from privapub.identifiers import LARGEST

STATUS = 2
_EXTRA = re.compile(r"unexpected extra argument\S* \((.*)\)", re.DOTALL)


def run(app: typer.Typer) -> None:
    """Run the command that was typed; what is not of its form ends with status 2."""
    try:
        status = get_command(app).main(prog_name="privapub", standalone_mode=False)
    except typer.Abort:
        status = 1
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]  # typer gives its errors this and does not say so
        else:
            fail(in_words(error), as_json="--json" in sys.argv)
        status = STATUS
    if isinstance(status, int) and status:
        sys.exit(status)


def in_words(error: Any) -> InvalidInput:
    """An error of the command line in our words."""
    more = f"`{error.ctx.command_path} --help` says more." if getattr(error, "ctx", None) is not None else ""
    if getattr(error, "param", None) is not None:
        return _of_parameter(error, more)
    if getattr(error, "option_name", None) is not None:
        return _of_option(error, more)
    if error.message.startswith("No such command"):
        word = error.message.split("'")[1]
        near = get_close_matches(word, getattr(error.ctx.command, "commands", {}), n=2)
        return InvalidInput(f"There is no command {word!r} here.", _near(near) or more)
    extra = _EXTRA.search(error.message)
    if extra is not None:
        return InvalidInput(
            f"Too many words: {extra[1]}.", f"A text of several words stands in quotation marks. {more}"
        )
    return InvalidInput(error.format_message(), more)


def _of_parameter(error: Any, more: str) -> InvalidInput:
    parameter = error.param
    argument = parameter.param_type_name == "argument"
    name = (parameter.metavar or str(parameter.name).upper()) if argument else max(parameter.opts, key=len)
    help_ = " ".join((getattr(parameter, "help", None) or "").split())
    what = "is missing" if type(error).__name__ == "MissingParameter" else f"takes {_wanted(parameter, error)}"
    return InvalidInput(f"{name} {what}.", f"{help_} {more}".strip())


def _of_option(error: Any, more: str) -> InvalidInput:
    if type(error).__name__ == "NoSuchOption":
        return InvalidInput(f"There is no option {error.option_name}.", _near(error.possibilities or ()) or more)
    if "requires" in error.message:
        return InvalidInput(f"{error.option_name} needs a value.", f"Write it as {error.option_name} VALUE.")
    return InvalidInput(f"{error.option_name} takes no value.", f"Write {error.option_name} alone.")


def _wanted(parameter: Any, error: Any) -> str:
    """What a parameter takes, in words."""
    kind = parameter.type_descriptor.annotation
    if not {int, float} & {kind, *get_args(kind)}:
        return f"something else ({error.message.rstrip('.')})"
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if high is not None and high < LARGEST:
        return f"a number from {low or 0} to {high}"
    return "a number" if not low else f"a number from {low}"


def _near(names: Any) -> str:
    return f"Did you mean {' or '.join(names)}?" if names else ""
