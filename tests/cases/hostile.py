"""What the cases say of peers whose answers are slow, endless, or packed to deceive."""

import asyncio
import gzip
import re
import zlib

from cases import verbs
from cases.builds import memory
from cases.given import DO, SHORT, field, look_up
from cases.play import MUST, MUST_NOT, Play, Sentence
from cases.setup import follows
from cases.words import Words
from fakes.activities import of
from fakes.world import Person, Talk
from makers import make_post
from privapub import clock
from privapub.errors import PrivaPubError
from privapub.jobs.job import Job, Outcome, Retry
from privapub.link_previews import build, plan
from privapub.link_previews.tables import post_link
from privapub.media import remote
from privapub.outbound.client import LIMIT
from privapub.proxy import prefetch

BEHAVIOUR = Words("behaviour of a peer")
FETCHED = Words("kind of fetch")
HOST = "hostile.test"
TYPES = {b"/m/": b"image/png", b"/p/": b"text/html"}
PIECE = 1 << 16


@field("behaviour")
async def behaviour(play: Play, value: str, due: list[Sentence]) -> None:
    """A peer that behaves so; what it says in seconds is scaled as the total of a request is."""
    del due
    for _, meaning in BEHAVIOUR.read(value):
        await meaning(play)


async def _answers(play: Play, head: bytes, piece: bytes, pause: float = 0.0, times: int = -1) -> None:
    """After a request come this head, and this piece again and again."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        kind = TYPES.get(path[:3], b"application/activity+json")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\n" + head)
        left = times
        while left:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
            left -= 1

    await _peer(play, talk)


async def _peer(play: Play, talk: Talk, *, tls: bool = True) -> None:
    await play.world.raw(HOST, talk, tls=tls)


@BEHAVIOUR.on(r"1 byte of body every (\d+) s, forever")
async def drip(play: Play, seconds: str) -> None:
    await _answers(play, b"Content-Length: 100000\r\n\r\n", b" ", int(seconds) * SHORT / 30)
    play.notes["slow"] = True


@BEHAVIOUR.on(r"1 header line every (\d+) s")
async def drip_headers(play: Play, seconds: str) -> None:
    await _answers(play, b"", b"X-A: b\r\n", int(seconds) * SHORT / 30)
    play.notes["slow"] = True


@BEHAVIOUR.on(r"accepts TCP, never finishes the TLS handshake")
async def stall(play: Play) -> None:
    async def talk(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        while await reader.read(PIECE):
            pass

    await _peer(play, talk, tls=False)
    play.notes["slow"] = True


@BEHAVIOUR.on(r"chunked JSON string that never ends, (\d+) MB/s")
async def endless(play: Play, megabytes: str) -> None:
    """As fast as it is taken, which is no slower."""
    del megabytes
    await _answers(play, b'Transfer-Encoding: chunked\r\n\r\n1\r\n"\r\n', b"10000\r\n" + b"a" * PIECE + b"\r\n")


@BEHAVIOUR.on(r"Content-Length: (\d+), body (\d+) GB")
async def lying(play: Play, length: str, gigabytes: str) -> None:
    head = f"Content-Length: {length}\r\n\r\n".encode()
    await _answers(play, head, b"a" * PIECE, times=int(gigabytes) * (1 << 30) // PIECE)


@BEHAVIOUR.on(r"Content-Encoding: gzip, (?:\d+) MB that unpacks to (\d+) GB of zeros")
async def bomb(play: Play, gigabytes: str) -> None:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    again = squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    await _answers(play, b"Content-Encoding: gzip\r\n\r\n" + first, again, times=int(gigabytes) << 10)


@BEHAVIOUR.on(r"Content-Encoding: gzip, gzip")
async def twice(play: Play) -> None:
    body = gzip.compress(gzip.compress(b"{}"))
    await _answers(play, f"Content-Encoding: gzip, gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode(), body, times=1)


@DO.on(r"(\d+) parallel fetches of each as (.+)")
async def fetches(play: Play, count: str, kinds: str) -> None:
    """All at once; meanwhile alice writes something for somebody on another host."""
    await follows(play, "dave", "alice")
    play.forget_what_was_received()
    play.notes["count"], play.notes["fetches"] = int(count), {}
    for _, meaning in FETCHED.read(kinds):
        await meaning(play)
    before = memory("VmRSS", begin=True)
    kind_of = play.notes["fetches"]
    running = asyncio.gather(*(asyncio.gather(*each) for each in kind_of.values()))
    await verbs.post(play.world, play.on.alice, "meanwhile")
    await play.drain()
    play.notes["flowed"] = len(play.sent("Create", host="other.test"))
    async with asyncio.timeout(30):  # without a limit of its own, it has hung
        play.notes["ended"] = dict(zip(kind_of, await running, strict=True))
    play.notes["grown"] = memory("VmHWM") - before


@FETCHED.on(r"object URL")
async def as_object(play: Play) -> None:
    async def look(url: str) -> str:
        await look_up(play, url)
        error = play.known[url]
        return str(getattr(error, "reason", "")) if isinstance(error, PrivaPubError) else "taken"

    play.notes["fetches"]["object"] = [look(f"https://{HOST}/n/{number}") for number in range(play.notes["count"])]


@FETCHED.on(r"key")
async def as_key(play: Play) -> None:
    async def post(number: int) -> str:
        them = Person(f"https://{HOST}/u/{number}", "x", key_name=play.on.named("carol").uri)
        said = of("Like", them, play.on.alice.uri, f"{them.uri}/like")
        return str((await play.world.post(play.on.alice.inbox, said, by=them)).status)

    play.notes["fetches"]["key"] = [post(number) for number in range(play.notes["count"])]


@FETCHED.on(r"media")
async def as_media(play: Play) -> None:
    async def get(number: int) -> str:
        args = {"key": f"k{number}", "use": "picture", "url": f"https://{HOST}/m/{number}"}
        ended = await remote.fetch(play.world.server, _job(prefetch.REMOTE_FILE, args))
        return ended.reason if isinstance(ended, remote.Stored) else _why(ended)

    play.notes["fetches"]["media"] = [get(number) for number in range(play.notes["count"])]


@FETCHED.on(r"preview")
async def as_preview(play: Play) -> None:
    """Each page is led to by a post of somebody whom nobody follows: of what none leads to, nothing is fetched."""
    urls = [f"https://{HOST}/p/{number}" for number in range(play.notes["count"])]
    async with play.world.database.write() as tx:
        for url in urls:
            leads = await make_post(tx, play.on.ours["bob"].id)
            await tx.execute(post_link.insert().values(post_id=leads.id, url=url))

    async def get(url: str) -> str:
        ended = await build.fetch(play.world.server, _job(plan.PREVIEW, {"url": url}))
        return ended[0] if isinstance(ended, tuple) else _why(ended)

    play.notes["fetches"]["preview"] = [get(url) for url in urls]


def _why(ended: Outcome) -> str:
    """Why it is to be tried again; nothing else is the end of such a job."""
    assert isinstance(ended, Retry)
    return ended.why


def _job(kind: str, args: dict[str, str]) -> Job:
    """As if a worker had just taken it."""
    now = clock.now()
    return Job(1, kind, f"host:{HOST}", args, 1, "", "", now, now, now + 100, leased_at=now)


@MUST.on(r"each fetch ends within the total deadline \(for example \d+ s\), counted from start, not per read")
@MUST_NOT.on(r"a per-read timeout as the only limit")
async def all_ended(play: Play) -> None:
    """What comes piece by piece for ever ends by the total alone; nothing of it was taken."""
    for kind, ended in play.notes["ended"].items():
        assert len(ended) == play.notes["count"], kind
        assert all(re.fullmatch(r"[45]\d\d|[a-z-]+", each) and each != "taken" for each in ended), ended
        if play.notes.get("slow") and kind == "object":
            assert set(ended) == {"timeout"}, ended


@MUST.on(r"at most the cap \(for example (\d+) MB of JSON after decompression\) is kept in memory")
async def capped(play: Play, megabytes: str) -> None:
    """For each fetch that runs; what the peer itself holds in this process is in it too."""
    assert int(megabytes) << 20 >= LIMIT
    most = 4 * play.notes["count"] * len(play.notes["ended"]) * (int(megabytes) << 20)
    assert play.notes["grown"] < most, f"{play.notes['grown']} bytes"


@MUST.on(r"other hosts' deliveries keep flowing meanwhile")
async def flowing(play: Play) -> None:
    """What was written meanwhile came at once: with the door full, its time would have ended too, and nobody tried
    again."""
    assert play.notes["flowed"] == 1, play.notes["flowed"]
