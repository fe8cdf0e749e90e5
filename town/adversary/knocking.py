"""What can go wrong between two servers that speak: certificates, names, redirects, keys and ids that come again."""

import asyncio
import contextlib
import datetime as dt
import json
import ssl
import tempfile
from pathlib import Path

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from enemy import Enemy, attack, expected
from people import PUBLIC, Person, create, note, of

AGAIN = 20


# Line 16: transport


def _vouched_by_nobody() -> ssl.SSLContext:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    pem = serialization.Encoding.PEM
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "both.pem"
        secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        place.write_bytes(secret + certificate.public_bytes(pem))
        context.load_cert_chain(place)
    return context


@attack("16 transport: a certificate for which nobody vouches")
async def _(enemy: Enemy) -> list[str] | None:
    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            enemy.trapped.add((await reader.readuntil(b"\r\n")).decode(errors="replace"))
        writer.close()

    base = f"https://localhost:{await enemy.listen(met, _vouched_by_nobody())}"
    forger = Person(f"{base}/u/x", "x")
    for activity in (of("Announce", enemy.eve, f"{base}/n/1"), of("Create", enemy.eve, f"{base}/n/2", to=[PUBLIC])):
        await enemy.say(activity, by=enemy.eve)
    return [expected("a key", await enemy.say(of("Follow", forger, enemy.bob["id"]), by=forger), 401, 503)]


@attack("16 transport: who says that it stands before the server")
async def _(enemy: Enemy) -> list[str] | None:
    evil, carol, bob, got = enemy.evil.origin, enemy.carol, enemy.bob["inbox"], []
    here, there = enemy.victim.partition("//")[2], evil.partition("//")[2]
    body = json.dumps(of("Follow", carol, enemy.bob["id"])).encode()
    # What carol signed for the evil host is passed on, with every word that may make it seem to be for the victim.
    taken = carol.signed("POST", bob.replace(here, there), body)
    said = (("X-Forwarded-Host", there), ("Forwarded", f"host={there}"), ("X-Original-URL", bob), ("X-Real-IP", "::1"))
    headers = tuple(pair for pair in taken if pair[0] != "Host")
    for name, sent in {"as it is": taken, "by another host": (("Host", here), *headers, *said)}.items():
        got.append(expected(name, await enemy.send(bob, body, lambda sent=sent: sent), 400, 401, 404, 421))
    for page in (enemy.alice["id"], enemy.posts["public"], f"{enemy.victim}/.well-known/nodeinfo"):
        as_ever = await enemy.get(page)
        found = await enemy.get(page, more=(*said, ("X-Forwarded-Proto", "gopher"), ("X-Forwarded-Prefix", "/x")))
        got += [f"{page}: is told otherwise"] if found[:2] != as_ever[:2] else []
    return got


# Line 3: origin


@attack("3 origin: what only looks like the public (inbox/06)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, alice = enemy.eve, enemy.alice["id"]
    alike = (f"{enemy.evil.origin}/Public", "public", "PUBLIC", "as:public", PUBLIC.lower(), f"{PUBLIC}/", f"{PUBLIC}?",
             PUBLIC.partition("#")[0], f"{PUBLIC.partition('#')[0]}/Public", f" {PUBLIC}")  # fmt: skip
    for number, to in enumerate(alike):
        post = note(eve, f"{eve.uri}/alike/{number}", content="<p>between us</p>", to=[to], cc=[alice])
        await enemy.say(create(eve, post), by=eve)
    return None


# Line 5: keys


@attack("5 signatures: keys asked for without end (signatures/04)")
async def _(enemy: Enemy) -> list[str] | None:
    evil, bob, got = enemy.evil, enemy.bob["id"], []
    known, nowhere, forger = (Person(f"{evil.origin}/u/{name}", name) for name in ("known", "nowhere", "forger"))
    evil.person(known)
    got.append(expected("somebody new", await enemy.say(of("Like", known, enemy.posts["public"]), by=known), 202))
    for who in (known, nowhere):
        path = who.uri.removeprefix(evil.origin)
        before = evil.asked[path]
        follow = of("Follow", who, bob)
        statuses = [await enemy.say(follow, by=forger, key_id=who.key_id) for _ in range(AGAIN)]
        got += [expected(path, status, 401, 503) for status in set(statuses)]
        asked = evil.asked[path] - before
        got += [f"{path} was asked for {asked} times"] if asked > 1 else []
    return got


# Line 7: replay


@attack("7 replay: an id that was undone comes again (inbox/01)")
async def _(enemy: Enemy) -> list[str] | None:
    carol, uri = enemy.carol, f"{enemy.carol.uri}/follow/1"
    follow = of("Follow", carol, enemy.alice["id"], uri)
    got = [expected(what["type"], await enemy.say(what, by=carol), 202) for what in (of("Undo", carol, follow), follow)]
    # Mallory's Undo of hers comes once more, and changes nothing, though the id has been undone before.
    await enemy.say(of("Undo", enemy.mallory, follow), by=enemy.mallory)
    return got


# Line 12: recursion


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
