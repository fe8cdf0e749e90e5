"""What vouches for a server, and what only says that it is one: line 16 of the checklist."""

import asyncio
import contextlib
import datetime as dt
import json
import ssl
import tempfile
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from enemy import Enemy, attack, expected
from people import PUBLIC, Person, of


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
