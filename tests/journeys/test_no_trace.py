"""A day's life of one server, run as its people run it; then its database, files and log are searched for readers.

Nothing that was read, and nobody who read it, may be found: no path, no query, no host of a reader but in the one count
that may have it, no persona or post in what is counted and logged.
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import anyio
from aiohttp import web

from fakes import ports
from fakes.internet import Site
from fakes.world import Person
from privapub import clock
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from rules.house import SOURCE

PRIVAPUB = [sys.executable, "-m", "privapub.cli.entry"]
DOCUMENT, PAGE = "application/activity+json", "text/html"
COUNTED = ("fetch", "reader_fetch", "arrival", "departure", "traffic")
BROWSER, FROM, FOUND = "a-browser-that-tells", "198.51.100.77", "what-somebody-looked-for"
CURSOR = "8888888888888888888"
SECRETS = ("for-followers-only", "for-everybody-to-read")


class House:
    """`privapub serve` on a folder of its own, with the commands beside it."""

    def __init__(self, folder: Path) -> None:
        port = ports.free()
        self.folder, self.url, self.log = folder / "data", f"http://localhost:{port}", folder / "log"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PRIVAPUB_")}
        self.environ = {
            **kept,
            "PYTHONPATH": str(SOURCE),
            "PRIVAPUB_DATA": str(self.folder),
            "PRIVAPUB_LISTEN": f"localhost:{port}",
            "PRIVAPUB_ALLOW_ADDRESSES": "127.0.0.0/8",
            "PRIVAPUB_LOG_LEVEL": "debug",
        }

    async def type(self, *words: str) -> Any:
        typed = [*PRIVAPUB, *words, "--json"]
        done = await anyio.run_process(typed, input=b"a long enough pass phrase\n", check=False, env=self.environ)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Until it has ended in order, and has written down all that it counted."""
        with self.log.open("ab") as log:
            async with await anyio.open_process(
                [*PRIVAPUB, "serve"], stdout=subprocess.PIPE, stderr=log, env=self.environ
            ) as process:
                try:
                    assert process.stdout is not None
                    with anyio.fail_after(120):
                        said = b""
                        while b"account create" not in said:
                            said += await process.stdout.receive()
                    yield
                    process.send_signal(signal.SIGTERM)
                    with anyio.fail_after(60):
                        assert await process.wait() == 0
                finally:
                    if process.returncode is None:
                        process.kill()

    async def ask(self, url: str, accept: str, by: Person | None = None) -> tuple[int, bytes]:
        headers: tuple[tuple[str, str], ...] = (("Host", self.url.removeprefix("http://")), ("Accept", accept))
        if by is not None:
            headers += sign(HttpRequest("GET", url, headers), _key(by), "cavage", clock.now())
        headers += (("User-Agent", BROWSER), ("X-Forwarded-For", FROM), ("Referer", f"https://{FOUND}.example/"))
        async with aiohttp.ClientSession() as session, session.get(url, headers=list(headers)) as answer:
            return answer.status, await answer.read()

    async def send(self, to: str, activity: dict[str, Any], by: Person) -> int:
        body = json.dumps(activity).encode()
        named = (("Host", self.url.removeprefix("http://")), ("Content-Type", DOCUMENT))
        request = HttpRequest("POST", to, named, body)
        headers = [*named, *sign(request, _key(by), "cavage", clock.now())]
        async with aiohttp.ClientSession() as session, session.post(to, data=body, headers=headers) as answer:
            return answer.status


def _key(of: Person) -> PrivateKey:
    return PrivateKey.from_pem(of.key_id, of.private)


@asynccontextmanager
async def somebody(address: str, handle: str) -> AsyncIterator[tuple[Person, Site]]:
    """A person of a server at this address of loopback, who is found and whose key can be had."""
    site = Site(address=address)
    async with site:
        person = Person(f"{site.url}/u/{handle}", handle)

        async def answer(request: web.Request) -> web.StreamResponse:
            if request.method == "POST":
                return web.Response(status=202)
            if request.path == f"/u/{handle}":
                return web.Response(text=json.dumps(person.document()), content_type=DOCUMENT)
            if request.path == "/.well-known/webfinger":
                links = [{"rel": "self", "type": DOCUMENT, "href": person.uri}]
                jrd = {"subject": f"acct:{handle}@{person.host}", "links": links}
                return web.Response(text=json.dumps(jrd), content_type="application/jrd+json")
            return web.Response(status=404)

        site.answer = answer
        yield person, site


def tables(file: Path) -> Iterator[tuple[str, str]]:
    """Each table with all that is in it."""
    with sqlite3.connect(file) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            yield name, repr(database.execute(f'SELECT * FROM "{name}"').fetchall())  # noqa: S608 - our own tables
    database.close()


async def test_after_a_day_nothing_tells_who_read_what(tmp_path: Path) -> None:
    house, readings = House(tmp_path), 0
    async with (
        somebody("127.0.0.2", "carol") as (carol, hers),
        somebody("127.0.0.3", "rita-reads") as (rita, _),
        house.running(),
    ):
        await house.type("account", "create", "anna@example.org", "--password-stdin")
        anna = await house.type("persona", "create", "annalivia", "--account", "anna@example.org")
        follow = {"@context": "https://www.w3.org/ns/activitystreams", "type": "Follow", "id": f"{carol.uri}/f",
                  "actor": carol.uri, "object": anna["id"]}  # fmt: skip
        assert await house.send(f"{anna['id']}/inbox", follow, carol) == 202
        while not any(b'"Accept"' in each.body for each in hers.received):
            await hers.wait_for(len(hers.received) + 1, timeout=60)
        posts = [
            await house.type("post", "create", text, "--persona", "annalivia", "--audience", audience)
            for text, audience in zip(SECRETS, ("followers", "public"), strict=True)
        ]
        while sum(b'"Create"' in each.body for each in hers.received) < 2:
            await hers.wait_for(len(hers.received) + 1, timeout=60)

        of_anna = [
            anna["id"] + path
            for path in ("", f"/outbox?page=true&before={CURSOR}", "/followers", "/following", "/featured")
        ]
        of_posts = [post["uri"] + path for post in posts for path in ("", "/replies?page=true", "/context", "/likes")]
        for by in (rita, carol, None):
            for url in (*of_anna, *of_posts):
                status, body = await house.ask(url, DOCUMENT, by)
                readings += 1
                closed = url.startswith(posts[0]["uri"])
                assert status == (404 if closed and by is not carol else 200), (url, by)
                assert closed or SECRETS[0].encode() not in body
        for path in ("/", "/@annalivia", f"/no/such/{FOUND}", "/.well-known/webfinger?resource=acct:rita-reads@x"):
            await house.ask(house.url + path, PAGE)
            readings += 1
    found = dict(tables(house.folder / "privapub.sqlite3"))
    # Every reading was counted, also those of the last ten seconds.
    with sqlite3.connect(house.folder / "privapub.sqlite3") as database:
        assert database.execute("SELECT sum(count) FROM traffic WHERE method = 'GET'").fetchone() == (readings,)
    database.close()

    log = house.log.read_text()
    files = b"".join(each.read_bytes() for each in sorted(house.folder.rglob("*")) if each.is_file())
    tokens = [uri.rpartition("/")[2] for uri in (anna["id"], *(post["uri"] for post in posts))]

    # The search does find what may be there.
    assert b"for-followers-only" in files
    assert "127.0.0.2" in found["arrival"]
    assert {name for name, rows in found.items() if rita.host in rows or "127.0.0.3" in rows} == {"reader_fetch"}

    # Of who read: only that a key was once asked of their host.
    for word in ("rita-reads", BROWSER, FROM, FOUND, CURSOR):
        assert word.encode() not in files, word
        assert word not in log, word
    assert "127.0.0.3" not in log
    # In what is counted and logged: no persona, no post, no path, no text, no audience.
    counted = " ".join(found[name] for name in COUNTED)
    paths = ("/actors", "/posts", "/u/", "/@", "/inbox", "/outbox", "resource=")
    for word in (*tokens, "annalivia", "carol", "anna@example.org", *SECRETS, *paths):
        assert word not in counted, word
        assert word not in log, word
    assert not re.search(r"\b(direct|circle)\b", counted)
