"""One door to the network, one clock, one source of ids and chance."""

import re
from pathlib import Path

import pytest

from rules.house import PACKAGE, imported, modules, relative, used

CLIENT = "outbound/client.py"
LETTERS = "outbound/mail.py"  # speaks SMTP, with the server that the operator names
# Other ways to speak HTTP, or to open a connection by hand.
OTHER_CLIENTS = (
    "httpx", "requests", "urllib3", "urllib.request", "http.client", "niquests", "websockets", "pycurl", "ftplib",
    "smtplib", "telnetlib", "xmlrpc", "asyncio.open_connection", "socket.create_connection",
)  # fmt: skip
CLOCKS = re.compile(
    r"(time|datetime)\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|sleep)"
    r"|datetime\.(datetime\.|date\.)?(now|utcnow|today)"
)
CHANCE = ("random", "secrets", "uuid", "os.urandom", "os.getrandom", "ssl.RAND_bytes")
# Who may touch sockets at all, and what for.
SOCKETS = {
    "outbound": "judges the address that is about to be connected",
    "jobs": "wakes the workers of other processes of this machine by datagrams",
    "cli": "listens for those who come, and holds the line between a parent and its child",
    "app.py": "hands the sockets on",
}


def names_in(path: Path) -> list[tuple[str, int]]:
    module = next((name for name, found in modules().items() if found == path), path.stem)
    return [*imported(path, module), *used(path)]


def is_or_below(name: str, of: str) -> bool:
    return name == of or name.startswith(of + ".")


def breaches(path: Path, where: str) -> list[str]:
    """What in a file goes past a door; `where` is its path within the package."""
    wrong = [
        f"{where}:{line} {name}(): the network is reached through {CLIENT} alone"
        for name, line in used(path, called=True)
        if name in {"aiohttp.ClientSession", "aiohttp.request"} and where != CLIENT
    ]
    for name, line in names_in(path):
        other = any(is_or_below(name, client) for client in OTHER_CLIENTS)
        other = other and not (where == LETTERS and is_or_below(name, "smtplib"))
        if other or (is_or_below(name, "aiohttp") and not where.startswith("outbound/")):
            wrong.append(f"{where}:{line} {name}: the network is reached through {CLIENT} alone")
        if CLOCKS.fullmatch(name) and where != "clock.py":
            wrong.append(f"{where}:{line} {name}: the time comes from clock.py alone")
        if any(is_or_below(name, source) for source in CHANCE) and where != "identifiers.py":
            wrong.append(f"{where}:{line} {name}: ids and chance come from identifiers.py alone")
        if is_or_below(name, "socket") and where.split("/", maxsplit=1)[0] not in SOCKETS:
            wrong.append(f"{where}:{line} {name}: sockets are opened by {', '.join(SOCKETS)} alone")
    return wrong


def test_nothing_goes_past_a_door() -> None:
    wrong = [breach for path in modules().values() for breach in breaches(path, path.relative_to(PACKAGE).as_posix())]
    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "import httpx",
        "from aiohttp import ClientSession",
        "import aiohttp",
        "from urllib import request",
        "import urllib.request",
        "import asyncio\nasync def f(): await asyncio.open_connection('x', 1)",
        "import socket",
        "import time\ntime.time()",
        "from time import monotonic",
        "from datetime import datetime as d\nd.now()",
        "import datetime\ndatetime.datetime.now()",
        "from datetime import date\ndate.today()",
        "import random",
        "from uuid import uuid4",
        "from secrets import token_urlsafe",
        "import os\nos.urandom(3)",
    ],
)
def test_the_rule_knows_a_breach(tmp_path: Path, line: str) -> None:
    file = tmp_path / "sample.py"
    file.write_text(line)
    assert breaches(file, "posts/sample.py") != []


def test_a_second_session_is_a_breach_also_beside_the_client(tmp_path: Path) -> None:
    file = tmp_path / "sample.py"
    file.write_text("import aiohttp\ndef f(session: aiohttp.ClientSession) -> None: ...")
    assert breaches(file, "outbound/guard.py") == []
    second = tmp_path / "second.py"
    second.write_text("from aiohttp import ClientSession as S\nS()")
    assert breaches(second, "outbound/guard.py") != []


@pytest.mark.parametrize(
    "line",
    [
        "from urllib.parse import urlsplit",
        "from datetime import datetime, UTC\ndatetime.fromtimestamp(0, UTC)",
        "from privapub import clock\nclock.now()",
        "import asyncio\nasync def f(): await asyncio.sleep(0)",
    ],
)
def test_the_rule_lets_the_rest_alone(tmp_path: Path, line: str) -> None:
    file = tmp_path / "sample.py"
    file.write_text(line)
    assert breaches(file, "posts/sample.py") == []


def test_the_doors_are_where_the_rule_says() -> None:
    for door in (CLIENT, LETTERS, "clock.py", "identifiers.py"):
        assert (PACKAGE / door).exists(), f"{relative(PACKAGE / door)} is gone: change the rule with it"
