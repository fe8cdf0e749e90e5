"""What the cases say of fetching: ways by which a document is asked for, pages for people, and who signed what."""

import re
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from cases.builds import memory
from cases.given import DO, field, look_up
from cases.play import MUST, MUST_NOT, Play, Sentence
from cases.setup import follows, is_signed
from cases.words import Words
from fakes.activities import create, note, of, post_at
from fakes.internet import Received
from fakes.world import Person
from privapub.actors.read import Actor
from privapub.errors import PrivaPubError
from privapub.outbound.client import PAGE_LIMIT
from privapub.posts.read import Post

WAY = Words("way to a document")
RECIPE = Words("recipe of a body")
ON_PAGE = "https://peer.test/page"  # where the page is; it is pasted under an address of another host that leads there
PASTED = "https://other.test/page"
PROFILE = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
MANY = 1000
PART = 1 << 16


# One document, asked for in several ways


@DO.on(r"each of: (.+)")
async def each_way(play: Play, ways: str) -> None:
    """Each way gets a copy of the document under an id of its own, so that none profits from another."""
    (stub,) = play.given["serve"]
    await follows(play, "alice", "mallory")
    play.before = await play.on.state()
    play.notes["brought"] = []
    for number, way in enumerate(ways.split("; ")):
        url = f"{stub['url']}/{number}"
        _copy(play, stub["url"], url, {**play.on.fill(stub["json"]), "id": url})
        for _, meaning in WAY.read(way):
            play.notes["url"] = url
            await meaning(play)
        await play.drain()


def _copy(play: Play, url: str, to: str, document: dict[str, Any]) -> None:
    """The same answer at another URL, but for the document."""
    play.world.pages[to] = replace(play.world.serve(to, document), **_form(play, url))


def _form(play: Play, url: str) -> dict[str, Any]:
    page = play.world.pages[url]
    return {"status": page.status, "content_type": page.content_type, "headers": page.headers}


@WAY.on(r"search by URL")
async def by_search(play: Play) -> None:
    await look_up(play, play.notes["url"])
    play.notes["brought"].append(play.notes["url"])


@WAY.on(r"Announce of the URL by (\w+)")
async def by_boost(play: Play, name: str) -> None:
    them, url = play.on.named(name), play.notes["url"]
    boost = {**of("Announce", them, url, f"{them.uri}/boosts/1"), "to": note(them)["to"]}
    assert (await play.world.post(play.on.alice.inbox, boost, by=them)).status == 202
    play.notes["brought"].append(url)


@WAY.on(r"inReplyTo pointing to it")
async def by_answer(play: Play) -> None:
    them, url = play.on.named("mallory"), play.notes["url"]
    reply = note(them, f"https://{them.host}/n/answer", inReplyTo=url)
    answer = await play.world.post(play.on.alice.inbox, create(them, reply, f"https://{them.host}/a/answer"), by=them)
    assert answer.status == 202
    play.notes["brought"].append(url)


@WAY.on(r"keyId pointing to it")
async def by_key(play: Play) -> None:
    """A post is no key, whatever its type; and an actor so served is one only where its type is right."""
    url, stub = play.notes["url"], play.given["serve"][0]["url"]
    forger = Person(url, "forger")
    said = of("Like", forger, play.on.alice.uri, f"{url}/like")
    for key_id in (url, f"{url}#main-key"):
        assert (await play.world.post(play.on.alice.inbox, said, by=forger, key_id=key_id)).status // 100 == 4
    uploader = Person(f"{url}-actor", "uploader")
    _copy(play, stub, uploader.uri, uploader.document())
    play.world.serve_jrd(f"uploader@{uploader.host}", uploader.uri)
    said = of("Like", uploader, play.on.alice.uri, f"{uploader.uri}/like")
    play.notes["key status"] = (await play.world.post(play.on.alice.inbox, said, by=uploader)).status
    play.notes["uploader"] = uploader.uri


@MUST.on(r"object is stored only where ok is true")
@MUST_NOT.on(r"sniff the body")
async def stored_where_ok(play: Play) -> None:
    stored = {url: await post_at(play.world, url) is not None for url in play.notes["brought"]}
    assert set(stored.values()) == {play.given["ok"]}, stored


@MUST.on(r"a refused document leaves no row and no notification")
async def no_row(play: Play) -> None:
    if play.given["ok"]:
        return
    (stub,) = play.given["serve"]
    state = await play.on.state()
    assert state["notification"] == play.before["notification"]
    for name, rows in state.items():
        new = [row for row in rows if row not in play.before[name]]
        held = [row for row in new if play.on.fill(stub["json"])["content"] in map(str, row)]
        assert held == [], f"{name}: {held}"


@MUST_NOT.on(r"skip the check on the key or the actor fetch path")
async def key_path(play: Play) -> None:
    taken = play.notes["key status"] // 100 == 2
    assert taken is play.given["ok"], play.notes["key status"]
    known = await play.world.actor(play.notes["uploader"])
    assert play.given["ok"] or known is None


# Redirects, and what a request is like


@DO.on(r"resolve both")
async def resolve_both(play: Play) -> None:
    """Whatever is served and is not only where another leads."""
    served = play.given["serve"]
    led_to = {stub.get("headers", {}).get("Location") for stub in served}
    first, second = (stub["url"] for stub in served if stub["url"] not in led_to)
    play.notes["redirected"] = play.on.fill(next(stub["headers"]["Location"] for stub in served if "headers" in stub))
    await look_up(play, first)
    await look_up(play, second)
    play.notes["resolved"] = (first, second)


@MUST.on(r"second request has a fresh signature over its own path, query, host and date")
async def signed_afresh(play: Play) -> None:
    """The stubs answer only to what is signed for them; here it is looked at once more."""
    first, second = play.notes["resolved"][0], play.notes["redirected"]
    found = play.known[first]
    assert isinstance(found, Actor), found
    assert found.uri == second
    for url in (first, second):
        (asked,) = _asked(play, url)
        assert is_signed(play, asked, url), asked.headers


@MUST.on(r"Accept lists both AP media types")
async def both_types(play: Play) -> None:
    """Also to the strict one, which by that is answered, be it with nothing of use."""
    for url in (*play.notes["resolved"], play.notes["redirected"]):
        (asked,) = _asked(play, url)
        assert {"application/activity+json", PROFILE} <= set(re.split(r",\s*", asked.headers["Accept"])), asked.headers
    assert "406" not in str(play.known[play.notes["resolved"][1]])


@MUST_NOT.on(r"re-send the first Signature header")
async def other_signature(play: Play) -> None:
    (first,), (second,) = (_asked(play, url) for url in (play.notes["resolved"][0], play.notes["redirected"]))
    assert first.headers["Signature"] != second.headers["Signature"]


def _asked(play: Play, url: str) -> list[Received]:
    parts = urlsplit(url)
    wanted = url.removeprefix(f"https://{parts.netloc}")
    return [each for each in play.received(parts.netloc, method="GET") if each.path == wanted]


# Pages for people


@field("content_type")
async def a_page(play: Play, value: Any, due: list[Sentence]) -> None:
    """The page of the variant, and what its links may lead to."""
    del due
    body = play.take("body")
    if body is None:
        play.notes["body"] = None
        for _, meaning in RECIPE.read(play.take("body_recipe")):
            await meaning(play)
        body = play.notes["body"]
    carol, dave = play.on.named("carol"), play.on.named("dave")
    for them in (carol, dave):
        await play.world.learnt(them)
    for number in range(MANY):
        uri = f"https://peer.test/n/{number}"
        play.world.serve(uri, note(carol, uri))
    play.world.serve("https://other.test/x", note(dave, "https://other.test/x"))
    play.world.serve(PASTED, status=302, headers={"Location": ON_PAGE})
    play.world.serve(ON_PAGE, body.encode(), content_type=value)
    _in_parts(play)
    play.forget_what_was_received()


def _in_parts(play: Play) -> None:
    """The peer sends the page a part at a time: it is in our process, and what it would hold at once is not ours."""
    site = play.world.peer
    others = site.answer

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path != urlsplit(ON_PAGE).path:
            return await others(request)
        page = play.world.pages[ON_PAGE]
        response = web.StreamResponse(headers={"Content-Type": page.content_type})
        await response.prepare(request)
        with suppress(ConnectionError):  # whoever has read enough goes
            for start in range(0, len(page.body), PART):
                await response.write(page.body[start : start + PART])
            await response.write_eof()
        return response

    site.answer = answer


@RECIPE.on(r"'([^']*)' \+ '([^']*)' \* (\d+)(?: \(no closing '>'\))?")
async def repeated(play: Play, head: str, again: str, count: str) -> None:
    play.notes["body"] = head + again * int(count)


@RECIPE.on(r"(\d+) MB of text, then a correct <link rel=alternate type=(\S+) href=\.\.\.>")
async def late(play: Play, megabytes: str, kind: str) -> None:
    play.notes["body"] = "text " * (int(megabytes) * 200_000) + f'<link rel=alternate type="{kind}" href="/n/1">'


@RECIPE.on(r"(\d+) alternate links")
async def many_links(play: Play, count: str) -> None:
    link = '<link rel=alternate type="application/activity+json" href="/n/{}">'
    play.notes["body"] = "".join(link.format(number) for number in range(int(count)))


@DO.on(r"paste the page URL into search")
async def paste(play: Play) -> None:
    before = memory("VmRSS", begin=True)
    began = time.process_time()
    await look_up(play, PASTED)
    play.notes["seconds"] = time.process_time() - began
    play.notes["grown"] = memory("VmHWM") - before


@MUST.on(r"answer in under (\d+) s and under (\d+) MB")
async def soon_and_small(play: Play, seconds: str, megabytes: str) -> None:
    """By the processor's time, and by what the process grew meanwhile."""
    assert play.notes["seconds"] < int(seconds), f"{play.notes['seconds']} s"
    assert play.notes["grown"] < int(megabytes) * 1_000_000, f"{play.notes['grown']} bytes"


@MUST.on(r"at most one follow-up fetch")
async def one_more(play: Play) -> None:
    pages = [urlsplit(url).path for url in (PASTED, ON_PAGE)]
    more = [each.path for each in play.received(method="GET") if each.path not in pages]
    assert len(more) <= 1, more


@MUST.on(r"(\S+) resolves against the final page URL")
async def resolves(play: Play, variant: str) -> None:
    if play.name == variant:
        found = play.known[PASTED]
        assert isinstance(found, Post), found
        assert found.uri == "https://peer.test/n/5"


@MUST.on(r"(\S+): the object is judged by its own id")
async def own_id(play: Play, variant: str) -> None:
    """One of the host to which the link leads is taken, one that only says to be of another host is not."""
    if play.name != variant:
        return
    found = play.known[PASTED]
    assert isinstance(found, Post), found
    assert found.uri == "https://other.test/x"
    forged = note(play.on.named("carol"), "https://peer.test/n/forged")
    play.world.serve("https://other.test/y", forged)
    page = play.world.pages[ON_PAGE]
    play.world.pages[f"{ON_PAGE}/2"] = replace(page, body=page.body.replace(b"other.test/x", b"other.test/y"))
    await look_up(play, f"{ON_PAGE}/2")
    assert isinstance(play.known[f"{ON_PAGE}/2"], PrivaPubError)
    assert await post_at(play.world, "https://peer.test/n/forged") is None


@MUST_NOT.on(r"regular-expression scan over unbounded HTML")
async def no_scan(play: Play) -> None:
    """A link that comes after the part that is read leads nowhere."""
    if len(play.world.pages[ON_PAGE].body) > PAGE_LIMIT:
        assert isinstance(play.known[PASTED], PrivaPubError), play.known[PASTED]
