"""`privapub settings`."""

import os

from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.settings import load


def settings(*, as_json: Json = False) -> None:
    """Show every setting: its value, where it comes from, and what it means."""
    rows = load(os.environ).rows
    data = [
        {"name": row.variable, "key": row.field, "value": row.value, "source": row.source, "meaning": row.meaning}
        for row in rows
    ]
    text = "\n\n".join(f"{row.variable} = {row.value}\n  ({row.source}) {row.meaning}" for row in rows)
    say(data, text, as_json=as_json)
