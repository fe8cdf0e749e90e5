"""What is reached for: addresses within, posts that are not for it, files, other people's screens: 1, 9, 11, 14, 18."""

import asyncio
import contextlib
from typing import Any

from enemy import Enemy, attack, expected
from people import CONTEXT, JSON, PUBLIC, Person, create, note, of

# Line 1: private addresses


def _within(enemy: Enemy) -> list[str]:
    """Addresses that lead to a trap, or to what else may listen on a machine, in many notations."""
    port = enemy.traps[0][1]
    odd = ("0x7f000002", "2130706434", "0177.0.0.2", "127.2", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[::127.0.0.2]",
           "[64:ff9b::7f00:2]", "[2002:7f00:2::]", "127.0.0.2.", "user:pw@127.0.0.2", "127.0.0.2%00")  # fmt: skip
    straight = [f"{scheme}://{host}:{where}" for host, where in enemy.traps for scheme in ("http", "https")]
    others = ("http://169.254.169.254", "https://10.0.0.1", "http://[fe80::1%25lo]", "http://0.0.0.0:5432",
              "file:///etc/passwd", "gopher://127.0.0.2:6379/_x", "data:application/activity+json,{}")  # fmt: skip
    return [*straight, *(f"http://{host}:{port}" for host in odd), *others]


@attack("1 private addresses: named in everything (fetch/04)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, evil, alice = enemy.eve, enemy.evil, enemy.alice["id"]
    for number, base in enumerate(_within(enemy)):
        led = evil.serve(f"{evil.origin}/led/{number}", b"", status=302, Location=f"{base}/secret")
        for each in (f"{base}/x", led):
            post = note(eve, f"{eve.uri}/in/{number}/{len(each)}", to=[PUBLIC, alice], quote=each, inReplyTo=each)
            post |= {"quoteAuthorization": each, "replies": each, "context": each, "content": f'<a href="{each}">x</a>'}
            for activity in (create(eve, post), of("Announce", eve, each), of("Create", eve, each, to=[alice])):
                await enemy.say(activity, by=eve)
    return None


@attack("1 private addresses: as key, inbox, shared inbox and picture")
async def _(enemy: Enemy) -> list[str] | None:
    evil, got = enemy.evil, []
    for number, base in enumerate(_within(enemy)[::4]):
        forger = Person(f"{base}/u/x", "x", pem=enemy.eve.pem)
        follow = of("Follow", forger, enemy.bob["id"])
        got.append(expected(base, await enemy.say(follow, by=forger, to=enemy.bob["inbox"]), 400, 401, 503))
        led = evil.serve(f"{evil.origin}/key/{number}", b"", status=302, Location=f"{base}/key")
        follow = of("Follow", enemy.eve, enemy.bob["id"])
        got.append(expected(led, await enemy.say(follow, by=enemy.eve, key_id=led), 401, 503))
    base = f"http://{enemy.traps[0][0]}:{enemy.traps[0][1]}"
    inner = Person(f"{evil.origin}/u/inner", "inner", {
        "inbox": f"{base}/inbox", "endpoints": {"sharedInbox": f"{base}/shared"},
        "icon": {"type": "Image", "url": base},
    })  # fmt: skip
    evil.person(inner)
    await enemy.say(of("Follow", inner, enemy.alice["id"]), by=inner)
    return got


# Line 9: side doors

DOORS = (
    "",
    "/replies",
    "/replies?page=true",
    "/context",
    "/context?page=true",
    "/likes",
    "/shares",
    "/shares?page=true",
)


@attack("9 side doors: what is not for everybody, at every address")
async def _(enemy: Enemy) -> list[str] | None:
    got = []
    for accept in (JSON, "text/html", "application/ld+json"):
        for by in (None, enemy.eve, enemy.mallory):
            for door in DOORS:
                missing = await enemy.get(f"{enemy.victim}/posts/{'A' * 22}{door}", by=by, accept=accept)
                for name in ("followers", "direct", "gone"):
                    found = await enemy.get(enemy.posts[name] + door, by=by, accept=accept)
                    if found != missing:
                        got.append(f"{name}{door} as {accept}: {found[0]} and not as what is missing")
    return got


@attack("9 side doors: what is told of it elsewhere")
async def _(enemy: Enemy) -> list[str] | None:
    actor, eve = enemy.alice["id"], enemy.eve
    pages = [f"{actor}{door}" for door in ("", "/outbox", "/outbox?page=true", "/featured", "/followers", "/following")]
    pages += [enemy.posts["public"] + door for door in DOORS]
    pages += [f"{enemy.victim}/{path}" for path in ("@alice", "tags/secret", "nodeinfo/2.1", "")]
    told = [
        (await enemy.get(page, by=by, accept=kind))[1]
        for page in pages
        for by in (None, eve)
        for kind in (JSON, "text/html")
    ]
    words = [enemy.posts[name] for name in ("followers", "direct")] + ["not for you"]
    await enemy.say(of("Like", eve, enemy.posts["direct"]), by=eve)
    await enemy.say(of("Announce", eve, enemy.posts["followers"], to=[PUBLIC]), by=eve)
    request = of("QuoteRequest", eve, enemy.posts["followers"], instrument=f"{eve.uri}/quoting")
    await enemy.say(request, by=eve)
    return [f"{word} is told" for word in words if any(word in text for text in told)]


# Line 11: markup

RUNS = (
    "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)><iframe src=//evil.test></iframe>"
    "<a href='javascript:alert(1)'>x</a><style>*{display:none}</style><form action=/inbox><input></form>"
)
SPILLS = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u202d\ufeff"


@attack("11 markup: in every field, also those thought plain (inbox/09)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, bad = enemy.eve, RUNS + SPILLS
    runs = "javascript:alert(1)"
    post = note(
        eve, f"{eve.uri}/bad", to=[PUBLIC, enemy.alice["id"]], content=bad, summary=bad, name=bad, url=runs,
        contentMap={"en": bad, "fr": bad}, attachment=[{"type": "Image", "url": runs, "name": bad}],
        tag=[{"type": "Mention", "name": bad, "href": runs}, {"type": "Hashtag", "name": bad, "href": runs},
             {"type": "Emoji", "name": bad, "icon": {"url": runs}}],
    )  # fmt: skip
    person = Person(f"{enemy.evil.origin}/u/bad", "b\u202ed", {
        "name": bad, "summary": bad, "url": runs, "icon": {"type": "Image", "url": runs},
        "attachment": [{"type": "PropertyValue", "name": bad, "value": bad}],
    })  # fmt: skip
    enemy.evil.serve(person.uri, person.document())
    await enemy.say(create(eve, post), by=eve)
    await enemy.say(of("Like", person, enemy.posts["public"]), by=person)
    await enemy.say(of("EmojiReact", eve, enemy.posts["public"], content=bad), by=eve)
    raw = b'{"@context":"%s","type":"Create","id":"%s/z","actor":"%s",'
    raw += b'"object":{"type":"Note","id":"%s/z1","attributedTo":"%s","content":"<p>a\\u0000b\\ud800</p>","to":["%s"]}}'
    words = (CONTEXT, eve.uri, eve.uri, eve.uri, eve.uri, enemy.alice["id"])
    status = await enemy.say(raw % tuple(word.encode() for word in words), by=eve)
    return [expected("NUL and half a character", status, 202, 400)]


# Line 18: files


@attack("18 files: paths that lead out")
async def _(enemy: Enemy) -> list[str] | None:
    host, port = enemy.victim.partition("//")[2].split(":")
    got = []
    escapes = ("../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
               "..\\..\\etc\\passwd", "%00", "..%252f..%252fetc%252fpasswd", "privapub.sqlite3")  # fmt: skip
    for door in ("/static/", "/", "/posts/", "/@", "/tags/", "/actors/", "/stamps/", "/.well-known/", "/nodeinfo/"):
        for escape in escapes:
            reader, writer = await asyncio.open_connection(host, int(port))
            line = f"GET {door}{escape} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
            writer.write(line.encode("latin-1", "replace"))
            with contextlib.suppress(ConnectionError):
                found = await asyncio.wait_for(reader.read(), 10)
                if b"root:" in found or b"SQLite format" in found or found.startswith(b"HTTP/1.1 5"):
                    got.append(f"{door}{escape}: {found[:60]!r}")
            writer.close()
    return got


# Line 14: domain rules, while the host of the evil one is blocked


async def while_blocked(enemy: Enemy) -> list[str]:
    """Eve says what she always says, under every spelling of her host, and asks for what everybody may read."""
    got, port = [], enemy.evil.origin.rpartition(":")[2]
    for number in range(20):  # a process hears of a rule that another one made within two seconds
        nobody = Person(f"{enemy.evil.origin}/u/probe{number}", "nobody")
        if await enemy.say(of("Follow", nobody, enemy.alice["id"]), by=nobody) == 202:  # before any key is asked for
            break
        await asyncio.sleep(0.25)
    for host in ("localhost", "LOCALHOST", "localhost.", "LocalHost.", "sub.localhost"):
        eve = Person(f"http://{host}:{port}/u/eve", "eve", pem=enemy.eve.pem)
        before = sum(enemy.evil.asked.values())
        post = note(eve, f"{eve.uri}/blocked", content="<p>blocked</p>", to=[PUBLIC, enemy.alice["id"]])
        said = (create(eve, post), of("Follow", eve, enemy.alice["id"]), of("Flag", eve, [enemy.alice["id"]]))
        got += [expected(host, await enemy.say(activity, by=eve), 202) for activity in said]
        got.append(expected(f"{host} was asked", sum(enemy.evil.asked.values()) - before, 0))
        for_all = (enemy.alice["id"], enemy.posts["public"], f"{enemy.alice['id']}/outbox")
        got += [expected(f"{url} for {host}", (await enemy.get(url, by=eve))[0], 404) for url in for_all]
    return got


def not_asked_for(enemy: Enemy) -> list[dict[str, Any]]:
    """What carol may say of a blocked host, by which it is not asked."""
    there = f"{enemy.evil.origin}/u/eve"
    led = enemy.innocent.serve(f"{enemy.innocent.origin}/led", b"", status=302, Location=there)
    return [of("Announce", enemy.carol, place) for place in (led, f"{there}/blocked")]
