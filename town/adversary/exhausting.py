"""What is to use up the victim: bodies, chains without an end, floods: lines 2, 12 and 13 of the checklist."""

import asyncio
import contextlib
import gzip
import itertools
import json

import brotli
from aiohttp import web
from enemy import Enemy, attack, expected
from people import CONTEXT, JSON, PUBLIC, Host, Person, create, note, of

MOST = 600  # requests that one cause may lead to
FLOOD = 300
ENDED = 25.0  # seconds in which who asks for a fetch must have been answered: it may wait for its turn


# Line 2: bodies


async def _drip(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": JSON})
    await response.prepare(request)
    for _ in range(60):
        await response.write(b" ")
        await asyncio.sleep(1)
    return response


async def _endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": JSON})
    await response.prepare(request)
    await response.write(b'{"x": "')
    for _ in range(1000):
        await response.write(b"a" * (1 << 16))
    return response


_SPACE = b" " * (64 << 20)
_BOMBS = {
    "gzip": gzip.compress(_SPACE), "gzip, gzip": gzip.compress(gzip.compress(_SPACE)),
    "br": brotli.compress(_SPACE, quality=1),
}  # fmt: skip


async def _bombs(request: web.Request) -> web.StreamResponse:
    encoding = {"1": "gzip", "2": "gzip, gzip", "3": "br"}[request.path[-1]]
    return web.Response(body=_BOMBS[encoding], headers={"Content-Type": JSON, "Content-Encoding": encoding})


async def _headers(_request: web.Request) -> web.StreamResponse:
    return web.Response(headers={f"X-{n}": "a" * 8000 for n in range(200)} | {"Content-Type": JSON}, body=b"{}")


async def _cut(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/activity+json\r\nContent-Length: 10\r\n\r\n" + b"{" * 100_000
    )
    request.transport.close()
    return web.Response()


async def _mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while await reader.read(1 << 16):
            pass
    writer.close()


async def _a_line_a_second(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        writer.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(60):
            writer.write(b"X-%d: a\r\n" % number)
            await writer.drain()
            await asyncio.sleep(1)
    writer.close()


@attack("2 bodies: drips, bombs, endless and lying answers, and none (fetch/06)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, evil, alice = enemy.eve, enemy.evil, enemy.alice["id"]
    mute, slow = await enemy.listen(_mute), await enemy.listen(_a_line_a_second)
    never = [f"https://localhost:{mute}", f"http://localhost:{mute}", f"http://localhost:{slow}"]
    for base in never:
        await enemy.say(of("Announce", eve, f"{base}/n/1"), by=eve)
    ways = {"/drip": _drip, "/endless": _endless, "/bomb": _bombs, "/headers": _headers, "/cut": _cut}
    evil.below |= ways
    paths = ["/drip", "/endless", "/headers", "/cut", "/bomb1", "/bomb2", "/bomb3"]
    for path, number in itertools.product(paths, range(3)):
        where = f"{evil.origin}{path[:-1] if path.startswith('/bomb') else path}{number}/{path[-1]}"
        await enemy.say(of("Announce", eve, where), by=eve)
        await enemy.say(of("Create", eve, where, to=[alice]), by=eve)

    async def forged(base: str) -> str:
        forger = Person(f"{base}/u/1", "x", pem=eve.pem)
        begun = asyncio.get_running_loop().time()
        status = await enemy.say(of("Follow", forger, enemy.bob["id"]), by=forger, to=enemy.bob["inbox"])
        spent = asyncio.get_running_loop().time() - begun
        return expected(base, status, 401, 503) or ("" if spent < ENDED else f"{base}: it took {spent:.0f} s")

    bases = [evil.origin + path for path in ("/endless", "/bomb1", "/headers", "/cut")] + never
    return list(await asyncio.gather(*(forged(base) for base in bases)))


@attack("2 bodies: too large, too deep, packed, cut short (inbox/12)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, alice, got = enemy.eve, enemy.alice["id"], []
    deep = b'{"@context":"x","type":"Create","object":' + b'{"object":' * 5000 + b"1" + b"}" * 5001
    for name, body, allowed in (
        ("deep", deep, (400,)), ("lists", b"[" * 200_000, (400,)),
        ("twice", b'{"type":"Like","type":"Delete"}', (400,)),
        ("packed", gzip.compress(b" " * (32 << 20)), (400,)), ("large", b" " * (3 << 20), (413, 0)),
        ("no text", b"\xff\xfe{}", (400,)),
    ):  # fmt: skip
        got.append(expected(name, await enemy.say(body, by=eve), *allowed))
    many = 5000
    for number, changes in enumerate(
        (
            {"tag": [{"type": "Mention", "href": f"{enemy.evil.origin}/u/m{n}"} for n in range(many)]},
            {"to": [PUBLIC, alice, *(f"{enemy.evil.origin}/u/t{n}" for n in range(many))]},
            {"type": "Question", "oneOf": [{"name": f"o{n}"} for n in range(many)]},
            {"content": "<b>" * 200_000},
            {"attachment": [{"type": "Image", "url": "https://x.test/i", "name": "a" * 100_000}] * 8},
            {"likes": {"type": "Collection", "totalItems": 10**400}, "published": "9999999999-01-01T00:00:00Z"},
        )
    ):  # fmt: skip
        post = {**note(eve, f"{eve.uri}/many/{number}", to=[PUBLIC, alice]), **changes}
        got.append(expected(f"many {number}", await enemy.say(create(eve, post), by=eve), 202, 400))
    asked = sum(enemy.evil.asked[f"/u/{kind}{n}"] for kind in "mt" for n in range(many))
    return [*got, expected("people who were only named were asked for", asked, 0)]


def costly_pages(enemy: Enemy) -> list[str]:
    """Pages in which one looks for the address of a document, and that make that hard."""
    evil, link = enemy.evil, '<link rel="alternate" type="application/activity+json" href="{}">'
    pages = {
        "redos": "<link " + "rel=alternate " * 200_000, "quotes": '<a "' * 250_000, "opened": "<" * 1_000_000,
        "late": "<p>" * 300_000 + link.format(f"{evil.origin}/u/eve"),
        "many": "".join(link.format(f"http://127.0.0.2/{n}") for n in range(1000)),
        "foreign": link.format(f"{enemy.innocent.origin}/media/0"), "ours": link.format(enemy.alice["id"]),
        "comment": "<!--" * 200_000, "nested": "<div>" * 200_000, "attributes": "<link " + "a=b " * 250_000 + ">",
    }  # fmt: skip
    return [
        evil.serve(f"{evil.origin}/page/{name}", text.encode(), kind="text/html; charset=utf-8")
        for name, text in pages.items()
    ]


# Line 12: recursion


def _chain(host: Host, path: str, by: Person, **more: str) -> None:
    """At each number a note that names the next by these properties."""

    async def answer(request: web.Request) -> web.StreamResponse:
        number = int(request.path.rpartition("/")[2])
        here = f"{host.origin}{path}/{number}"
        changes = {name: value.format(f"{host.origin}{path}/{number + 1}") for name, value in more.items()}
        body = json.dumps({"@context": CONTEXT, **note(by, here, **changes)})
        return web.Response(body=body, content_type=JSON)

    host.below[path] = answer


def _spent(enemy: Enemy, path: str) -> str:
    asked = sum(count for asked, count in enemy.evil.asked.items() if asked.startswith(path))
    return "" if asked <= MOST else f"{path}: asked {asked} times"


async def _pages(request: web.Request) -> web.StreamResponse:
    host, number = f"http://{request.host}", int(request.path.rpartition("/")[2])
    page = {"type": "OrderedCollectionPage", "id": f"{host}/pages/{number}", "next": f"{host}/pages/{number + 1}",
            "orderedItems": [f"{host}/items/{number}/{n}" for n in range(200)]}  # fmt: skip
    return web.Response(body=json.dumps({"@context": CONTEXT, **page}), content_type=JSON)


async def _itself(request: web.Request) -> web.StreamResponse:
    here = f"http://{request.host}{request.path}"
    page = {"@context": CONTEXT, "type": "CollectionPage", "id": here, "next": here, "items": [here]}
    return web.Response(body=json.dumps(page), content_type=JSON)


CHAINS = ("/quotes", "/above", "/boosted", "/pages", "/itself", "/keys", "/items")


@attack("12 recursion: quotes, threads, pages, boosts, keys without an end (fetch/07)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, evil, alice = enemy.eve, enemy.evil, enemy.alice["id"]
    _chain(evil, "/quotes", eve, quote="{}")
    _chain(evil, "/above", eve, inReplyTo="{}")
    _chain(evil, "/boosted", eve, type="Announce", object="{}")
    evil.below |= {"/pages": _pages, "/itself": _itself}
    lists = {"replies": f"{evil.origin}/pages/1", "context": f"{evil.origin}/itself/1"}
    listed = evil.serve(f"{evil.origin}/listing", {"@context": CONTEXT, **note(eve, f"{evil.origin}/listing", **lists)})

    async def keys(request: web.Request) -> web.StreamResponse:
        number = int(request.path.rpartition("/")[2])
        key = {"@context": CONTEXT, "id": f"{evil.origin}/keys/{number}", "owner": f"{evil.origin}/keys/{number + 1}",
               "publicKeyPem": eve.public}  # fmt: skip
        return web.Response(body=json.dumps(key), content_type=JSON)

    evil.below["/keys"] = keys
    for number, changes in enumerate(
        (
            {"quote": f"{evil.origin}/quotes/1"}, {"inReplyTo": f"{evil.origin}/above/1"},
            {**lists, "inReplyTo": listed},
        )
    ):  # fmt: skip
        post = note(eve, f"{eve.uri}/chain/{number}", to=[PUBLIC, alice], **changes)
        await enemy.say(create(eve, post), by=eve)
    await enemy.say(of("Announce", eve, f"{evil.origin}/boosted/1"), by=eve)
    forger = Person(f"{evil.origin}/keys/1", "k", pem=eve.pem)
    await enemy.say(of("Follow", forger, enemy.bob["id"]), by=forger, key_id=f"{evil.origin}/keys/0")
    return None


@attack("12 recursion: how often it was asked for all of that")
async def _(enemy: Enemy) -> list[str] | None:
    return [_spent(enemy, path) for path in CHAINS]


@attack("12 recursion: redirects, and an inbox that takes nothing (fetch/10, signatures/07)")
async def _(enemy: Enemy) -> list[str] | None:
    evil, eve, bob = enemy.evil, enemy.eve, enemy.bob

    async def further(request: web.Request) -> web.StreamResponse:
        path, _, number = request.path.rpartition("/")
        return web.Response(status=307, headers={"Location": f"{path}/{int(number) + 1}"})

    async def refused(request: web.Request) -> web.StreamResponse:
        return web.Response(status=401 if "/u/deaf" in request.path else 500)

    evil.below |= {"/hops": further, "/hopping": further, "/u/deaf/inbox": refused, "/u/ill/inbox": refused}
    await enemy.say(of("Announce", eve, f"{evil.origin}/hops/1"), by=eve)
    key_id = f"{evil.origin}/hopping/1"
    got = [expected("a key", await enemy.say(of("Follow", eve, bob["id"]), by=eve, key_id=key_id), 401, 503)]
    for name in ("deaf", "ill"):
        person = evil.person(Person(f"{evil.origin}/u/{name}", name))
        got.append(expected(name, await enemy.say(of("Follow", person, enemy.alice["id"]), by=person), 202))
    return got


@attack("12 recursion: how often they were followed and tried")
async def _(enemy: Enemy) -> list[str] | None:
    def asked(path: str) -> int:
        return sum(count for name, count in enemy.evil.asked.items() if name.startswith(path))

    most = {"/hops": 4, "/hopping": 4, "/u/deaf/inbox": 2, "/u/ill/inbox": 2}
    return [f"{path} was asked {asked(path)} times" for path, count in most.items() if not 0 < asked(path) <= count]


# Line 13: state


@attack("13 state: Deletes of actors that never were (inbox/04)")
async def _(enemy: Enemy) -> list[str] | None:
    evil, got = enemy.evil, []
    gone = Person(f"{evil.origin}/u/gone", "gone")
    before = sum(evil.asked.values())
    for number in range(100):
        gone.uri = f"{evil.origin}/u/gone{number}"
        delete = of("Delete", gone, gone.uri, to=[PUBLIC])
        got.append(expected(gone.uri, await enemy.say(delete, by=gone, to=f"{enemy.victim}/inbox"), 202))
    return [*got[:3], expected("asked for them", sum(evil.asked.values()) - before, 0)]


@attack("13 state: a flood in the name of actors and hosts that never were")
async def _(enemy: Enemy) -> list[str] | None:
    to, got = f"{enemy.victim}/inbox", set()
    nobody = Person("https://nowhere.invalid/u/0", "nobody")

    async def one(number: int) -> None:
        hosts = (enemy.evil.origin, enemy.innocent.origin, f"https://h{number % 10}.invalid")
        uri = f"{hosts[number % 3 if number < 30 else number % 2]}/never/{number}"
        follow = {**of("Follow", nobody, enemy.alice["id"], f"{uri}/f"), "actor": uri}
        body = json.dumps(follow).encode()
        headers = nobody.signed("POST", to, body, key_id=f"{uri}#main-key")
        async with enemy.session.post(to, data=body, headers=list(headers)) as response:
            got.add(response.status)

    await asyncio.gather(*(one(number) for number in range(FLOOD)))
    asked = sum(
        count for host in (enemy.evil, enemy.innocent) for path, count in host.asked.items() if "/never/" in path
    )
    return [
        *(expected("a forgery", status, 401, 429, 503) for status in got),
        expected("keys asked for", asked > FLOOD // 2, 0),
    ]
