"""What the cases say of addresses that must not be connected to, and of all the ways by which one is named."""

import asyncio
import socket
from contextlib import suppress
from html import escape
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from cases import clients, later, verbs
from cases.given import field, look_up
from cases.play import MUST, MUST_NOT, Play, Sentence
from cases.words import Unknown, Words
from fakes import ports
from fakes.activities import create, note, of
from fakes.internet import Site
from fakes.world import Person
from makers import make_follow
from privapub import clock
from privapub.outbound.address import is_public

ENTRY = Words("entry point")
ANSWER = Words("answer of the DNS")
PEER = "https://peer.test"
LATER = 300.0


@field("entry_points")
async def entry_points(play: Play, value: Any, due: list[Sentence]) -> None:
    """Every address, by its notation and by its name, is brought in every way; whatever is connected to is noted."""
    del due
    for host, said in play.take("dns", {}).items():
        await _named(play, host, said)
    play.notes["urls"] = [*play.take("urls"), *(f"https://{host}/" for host in play.given["dns"])]
    _as_a_system_knows(play)
    play.notes["actor"], play.notes["post"], play.notes["connected"] = [], [], []
    acts = [act for each in value if (rest := later.trim(each, play.waits)) for _, act in ENTRY.read(rest)]
    with pytest.MonkeyPatch.context() as patch:
        _watch(play, patch)
        for act in acts:
            await act(play)
        await _brought(play)
        play.notes["texts"] = await _texts(play)


def _as_a_system_knows(play: Play) -> None:
    """Of numbers in odd notation and of localhost; our own name is public, so that its port alone decides."""
    names = play.world.internet.names
    for host in {urlsplit(url).hostname or "" for url in play.notes["urls"]}:
        with suppress(OSError):
            names.say(host, [socket.inet_ntoa(socket.inet_aton(host))])
    names.say("localhost", ["127.0.0.1", "::1"])
    names.say("sut.test", ["93.184.216.34"])


def _watch(play: Play, patch: pytest.MonkeyPatch) -> None:
    """Every address that a connection is begun to, but for the requests to the server under test."""
    connect = asyncio.SelectorEventLoop.sock_connect

    async def seen(self: Any, sock: Any, address: Any) -> None:
        if isinstance(address, tuple) and address != ("127.0.0.1", play.world.port):
            play.notes["connected"].append(address[0])
        await connect(self, sock, address)

    patch.setattr(asyncio.SelectorEventLoop, "sock_connect", seen)


async def _named(play: Play, host: str, said: list[str]) -> None:
    """What the DNS says of a name: all at once, or one after the other."""
    play.notes["answers"], play.notes["in turn"] = [], False
    for each in said:
        for _, meaning in ANSWER.read(each):
            await meaning(play)
    found = play.notes["answers"]
    play.world.internet.names.say(host, *([each] for each in found) if play.notes["in turn"] else [found])
    if play.notes["in turn"]:
        play.notes["rebound"] = host


@ANSWER.on(r"(?:AAAA )?([0-9a-f:.]+)", r"second answer ([0-9a-f:.]+)")
async def literal(play: Play, address: str) -> None:
    play.notes["answers"].append(address)


@ANSWER.on(r"\{harness public ip\}")
async def public(play: Play) -> None:
    """Where the peers are: the one address that is let through as if it were public."""
    play.notes["answers"].append(play.world.address)


@ANSWER.on(r"first answer \{harness public ip\}")
async def first_public(play: Play) -> None:
    play.notes["in turn"] = True
    play.notes["answers"].append(play.world.address)


@ANSWER.on(r"TTL 0")
async def no_ttl(play: Play) -> None:
    """Nothing keeps what was looked up."""


# What is in the document of somebody, and in a post: gathered first, and brought together


ON_ACTOR = {
    "url": lambda url: {"url": url},
    "icon": lambda url: {"icon": {"type": "Image", "url": url}},
    "sharedInbox": lambda url: {"endpoints": {"sharedInbox": url}},
    "featured collection": lambda url: {"featured": url},
}
ON_POST = {
    "inReplyTo": lambda url: {"inReplyTo": url},
    "url": lambda url: {"url": url},
    "attachment": lambda url: {"attachment": [{"type": "Image", "mediaType": "image/png", "url": url}]},
    "emoji icon": lambda url: {"tag": [{"type": "Emoji", "name": ":x:", "icon": {"type": "Image", "url": url}}]},
}


@ENTRY.on(r"(url|icon|sharedInbox|featured collection|inReplyTo|attachment|emoji icon)")
async def in_a_document(play: Play, name: str) -> None:
    for what, table in (("actor", ON_ACTOR), ("post", ON_POST)):
        if name in table:
            play.notes[what].append(table[name])


async def _brought(play: Play) -> None:
    """Somebody with all of it follows alice and is followed by her, and sends a post with all of it; she writes too."""
    key = play.on.named("carol").uri
    for number, url in enumerate(play.notes["urls"]):
        changes, fields = ({} for _ in range(2))
        for build in play.notes["actor"]:
            changes |= build(url)
        for build in play.notes["post"]:
            fields |= build(url)
        them = play.world.person(f"{PEER}/u/p{number}", changes=changes, key_name=key)
        known = await play.world.learnt(them)
        async with play.world.database.write() as tx:
            await make_follow(tx, known.id, play.on.alice.id)
            await make_follow(tx, play.on.alice.id, known.id)
        said = create(them, note(them, f"{PEER}/n/p{number}", **fields), f"{PEER}/a/p{number}")
        assert (await play.world.post(play.on.alice.inbox, said, by=them)).status == 202, url
    await verbs.post(play.world, play.on.alice, "to all of them")
    await play.drain()
    clock.advance(LATER)  # files and pages are asked for after a while
    await play.drain()


# Ways of their own


@ENTRY.on(r"keyId of an unsigned-by-anyone POST to the shared inbox")
async def as_key(play: Play) -> None:
    """Some are answered as what is none of ours, others as what nobody signed: nobody is learnt."""
    for url in play.notes["urls"]:
        await _with_key(play, url)
        assert await play.world.actor(url) is None


async def _with_key(play: Play, url: str) -> tuple[int, str]:
    """What is answered to a request whose key is said to be there."""
    them = Person(url, "x", key_name="nobody")
    answer = await play.world.post(
        play.on.placeholders["sut.shared_inbox"],
        of("Like", them, play.on.alice.uri, f"{url}#like"),
        by=them,
        key_id=url,
    )
    assert answer.status != 500, url
    return answer.status, answer.body


@ENTRY.on(r"actor")
async def as_actor(play: Play) -> None:
    """Signed by carol, and said to be done by whoever is there."""
    carol = play.on.named("carol")
    for number, url in enumerate(play.notes["urls"]):
        said = {**of("Like", carol, play.on.alice.uri, f"{PEER}/likes/{number}"), "actor": url}
        assert (await play.world.post(play.on.alice.inbox, said, by=carol)).status != 500, url
        assert await play.world.actor(url) is None


@ENTRY.on(r"object")
async def as_object(play: Play) -> None:
    """Boosted by somebody whom alice follows, and brought by a Create that names it alone."""
    carol = play.on.named("carol")
    known = await play.world.learnt(carol)
    async with play.world.database.write() as tx:
        await make_follow(tx, play.on.alice.id, known.id)
    for number, url in enumerate(play.notes["urls"]):
        for kind in ("Announce", "Create"):
            said = {**of(kind, carol, url, f"{PEER}/{kind}/{number}"), "to": note(carol)["to"]}
            assert (await play.world.post(play.on.alice.inbox, said, by=carol)).status // 100 in (2, 4), url
    await play.drain()


@ENTRY.on(r"link preview")
async def as_link(play: Play) -> None:
    """In a post of alice's: a page is asked for because it stands in one."""
    for url in play.notes["urls"]:
        await verbs.post(play.world, play.on.alice, f"look: {url}")


@ENTRY.on(r"(oEmbed endpoint|og:image)")
async def in_a_page(play: Play, what: str) -> None:
    """A page of a peer names it, and a post leads to the page."""
    for number, url in enumerate(play.notes["urls"]):
        at = f"{PEER}/{what.replace(':', '-').replace(' ', '-')}/{number}"
        said = escape(url)
        link = f'<link rel="alternate" type="application/json+oembed" href="{said}">'
        told = f'<meta property="og:image" content="{said}">' if what == "og:image" else link
        play.world.serve(at, f"<html><head><title>x</title>{told}</head></html>".encode(), content_type="text/html")
        await verbs.post(play.world, play.on.alice, f"look: {at}")


@ENTRY.on(r"search by URL in the API")
async def by_search(play: Play) -> None:
    """By the search itself, and by a reader who wants it resolved: nobody is found, and nothing fails."""
    for url in play.notes["urls"]:
        await look_up(play, url)
        assert isinstance(play.known[url], Exception), url
        assert await _searched(play, url) == '{"accounts":[],"statuses":[],"hashtags":[]}', url


async def _searched(play: Play, url: str) -> str:
    reply = await clients.ask(
        play.world, play.on.alice, "GET", f"/api/v2/search?resolve=true&type=statuses&q={quote(url, safe='')}"
    )
    assert reply.status == 200, f"{url}: {reply.body}"
    return reply.body


@ENTRY.on(r"webfinger host")
async def by_address(play: Play) -> None:
    for url in play.notes["urls"]:
        await look_up(play, f"@x@{url.partition('://')[2].partition('/')[0]}")


async def _texts(play: Play) -> list[Any]:
    """What is said of a port that is open, one that is closed and one that does not answer, without their names."""
    found = []
    async with Site() as open_site:
        with ports.bound() as closed:
            places = [f"127.0.0.1:{open_site.port}", f"127.0.0.1:{closed.getsockname()[1]}", "10.255.255.1:8443"]
            for place in places:
                url = f"https://{place}/x"
                status, body = await _with_key(play, url)
                await look_up(play, url)
                host = place.partition(":")[0]
                texts = (body, str(play.known[url]), await _searched(play, url))
                said = [text.replace(place, "*").replace(host, "*") for text in texts]
                found.append((status, *said, type(play.known[url])))
        assert open_site.received == []
    return found


# What must be so


@MUST.on(r"(\d+) TCP connections to non-global addresses from any entry point")
async def none_inside(play: Play, count: str) -> None:
    inside = [each for each in play.notes["connected"] if each != play.world.address and not is_public(each)]
    assert len(inside) <= int(count), inside


@MUST.on(r"the connection is made to the very address that was checked")
@MUST_NOT.on(r"check the name, then let the HTTP client resolve it again")
async def as_checked(play: Play) -> None:
    """A name that has a public address first is connected to there, and asked again it is not connected to."""
    host = play.notes.get("rebound")
    if host is None:
        raise Unknown("answer of the DNS", "none that changes")
    asked = play.world.internet.names.asked
    assert asked.count(host) > 1, "its second answer was never heard"
    assert set(play.notes["connected"]) == {play.world.address}


@MUST.on(r"answers do not differ in time or text between closed, open and filtered ports")
async def alike(play: Play) -> None:
    """In text they do not; and what was never connected to cannot make a difference in time."""
    assert len(set(play.notes["texts"])) == 1, play.notes["texts"]
    await none_inside(play, "0")
