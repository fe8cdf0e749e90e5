"""`privapub federation resolve`, asking a server that really listens."""

import asyncio
import json
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest
from aiohttp import web

from fakes.internet import Site
from fakes.world import Person

Type = Callable[..., int]


class Elsewhere:
    """A peer in a thread of its own: whoever types commands waits for their end."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[str, bytes]] = {}
        self.loop = asyncio.new_event_loop()
        self.site = Site(self._answer)
        self._thread = Thread(target=self.loop.run_forever)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        kind, body = self.pages.get(request.path, ("text/plain", b""))
        return web.Response(status=200 if body else 404, body=body, headers={"Content-Type": kind})

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.site.start(), self.loop).result()

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.site.stop(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def serve(self, path: str, document: dict[str, Any]) -> str:
        self.pages[path] = ("application/activity+json", json.dumps(document).encode())
        return self.site.url + path


@pytest.fixture
def elsewhere(typed: Type, monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    del typed  # which clears the settings
    peer = Elsewhere()
    peer.start()
    monkeypatch.setenv("PRIVAPUB_ALLOW_ADDRESSES", "127.0.0.0/8")
    yield peer
    peer.stop()


def test_who_and_what_is_at_an_address(
    elsewhere: Elsewhere,
    told: Callable[..., Any],
    refused: Callable[..., str],
    typed: Type,
    capsys: pytest.CaptureFixture[str],
) -> None:
    base = elsewhere.site.url
    carol = elsewhere.serve("/u/carol", Person(f"{base}/u/carol", "carol").document())
    post = {
        "type": "Note",
        "attributedTo": carol,
        "content": "<p>tea</p>",
        "to": ["https://www.w3.org/ns/activitystreams#Public"],
    }
    uri = elsewhere.serve("/n/1", {**post, "id": f"{base}/n/1"})
    link = f'<head><link rel="alternate" type="application/activity+json" href="{uri}"></head>'
    elsewhere.pages["/@carol/1"] = ("text/html", link.encode())
    elsewhere.pages["/about"] = ("text/html", b"<p>about us</p>")
    found = told("federation", "resolve", f"{base}/@carol/1")
    assert (found["uri"], found["content"]) == (uri, "<p>tea</p>")
    assert told("federation", "show", uri)["id"] == found["id"]  # it is kept
    capsys.readouterr()
    assert typed("federation", "resolve", carol) == 0
    out = capsys.readouterr().out
    assert "handle: carol" in out
    assert "also known as: —" in out
    assert "but something else" in refused("federation", "resolve", f"{base}/about")
    assert "has nothing at this address" in refused("federation", "resolve", f"{base}/n/2")
    assert refused("federation", "resolve", " ") == "An address is missing."
    told("domain", "block", "127.0.0.1")
    assert "a rule of this server keeps it out" in refused("federation", "resolve", f"{base}/n/3")
