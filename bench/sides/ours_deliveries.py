"""usage: ours_deliveries.py ours URL HOSTS EACH AT_ONCE | bare URL HOSTS EACH AT_ONCE.

`ours`: what is queued for HOSTS times EACH inboxes goes through the real worker: lease, signature, post, outcome,
`sent` row, telemetry. `bare`: a loop over aiohttp that signs the same bytes with the same key and posts them.
"""

import asyncio
import base64
import hashlib
import sys
import time
from email.utils import formatdate
from urllib.parse import urlsplit

import aiohttp
import uvloop
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from posting import activity_of, ask, fan_out, inboxes_at, opened, receiver
from starting import told

from privapub.actors.keys import make, signing_key
from privapub.federation.delivery.sent import TAKEN
from privapub.federation.documents.encode import encode
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker


async def ours(url: str, hosts: int, each: int, at_once: int) -> None:
    """Deliveries a second, and the processor's time that one takes beyond its signature's."""
    async with receiver() as port, opened(url, deliveries_at_once=at_once) as (server, persona):
        async with server.database.read() as tx:
            _, pem = await signing_key(tx, persona)
        signature = signature_costs(pem)
        worker = Worker(server.database, job_kinds(server))
        await fan_out(server, persona, inboxes_at(port, hosts))  # so that connections are open on both sides
        await worker.drain()
        inboxes = inboxes_at(port, hosts, each)
        post_id = await fan_out(server, persona, inboxes)
        await ask(port, "/forget")
        cpu, began = time.process_time(), time.perf_counter()
        counting = asyncio.create_task(server.fetches.run())
        await worker.drain()
        counting.cancel()
        await asyncio.gather(counting, return_exceptions=True)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        async with server.database.read() as tx:
            rows = await tx.raw(f"SELECT count(*) FROM sent WHERE post_id = {post_id} AND outcome = '{TAKEN}'")  # noqa: S608 - a number of ours
        taken = (await ask(port, "/report"))["taken"]
    if not rows[0][0] == taken == len(inboxes):
        raise SystemExit(f"{taken} of {len(inboxes)} came, {rows[0][0]} are known to have come")
    each_ms = 1000 * cpu / len(inboxes)
    told({"a_second": len(inboxes) / seconds, "cpu_ms": each_ms - signature, "signature_ms": signature})


def rsa_key(pem: str) -> rsa.RSAPrivateKey:
    """The key of this PEM."""
    key = serialization.load_pem_private_key(pem.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)  # noqa: S101 - for the type
    return key


def signature_costs(pem: str) -> float:
    """Milliseconds of processor for one signature with this key."""
    key = rsa_key(pem)
    began = time.process_time()
    for number in range(100):
        key.sign(b"%200d" % number, padding.PKCS1v15(), hashes.SHA256())
    return 10 * (time.process_time() - began)


async def bare(_url: str, hosts: int, each: int, at_once: int) -> None:
    """The limit: as many loops as deliveries at once, each of which signs and posts, and does nothing else."""
    pem = (await asyncio.to_thread(make)).rsa
    key = rsa_key(pem)
    body = encode(activity_of("https://here.example/u/aaaa"))
    digest = "SHA-256=" + base64.b64encode(hashlib.sha256(body).digest()).decode()

    def headers(inbox: str) -> dict[str, str]:
        parts = urlsplit(inbox)
        date = formatdate(usegmt=True)
        signed = f"(request-target): post {parts.path}\nhost: {parts.netloc}\ndate: {date}\ndigest: {digest}"
        raw = key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        signature = (
            'keyId="https://here.example/u/aaaa#main-key",algorithm="rsa-sha256",'
            f'headers="(request-target) host date digest",signature="{base64.b64encode(raw).decode()}"'
        )
        return {
            "Host": parts.netloc, "User-Agent": "PrivaPub/bench (+https://here.example/)", "Date": date,
            "Digest": digest, "Signature": signature, "Accept-Encoding": "identity",
            "Content-Type": "application/activity+json",
        }  # fmt: skip

    async def post(session: aiohttp.ClientSession, inboxes: "asyncio.Queue[str]") -> None:
        while not inboxes.empty():
            inbox = inboxes.get_nowait()
            async with session.post(inbox, data=body, headers=headers(inbox), allow_redirects=False) as answer:
                await answer.read()
                if answer.status != 202:
                    raise SystemExit(f"answered {answer.status}")

    async with (
        receiver() as port,
        aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=256, limit_per_host=8), cookie_jar=aiohttp.DummyCookieJar()
        ) as session,
    ):
        for inboxes in (inboxes_at(port, hosts), inboxes_at(port, hosts, each)):
            waiting: asyncio.Queue[str] = asyncio.Queue()
            for inbox in inboxes:
                waiting.put_nowait(inbox)
            cpu, began = time.process_time(), time.perf_counter()
            await asyncio.gather(*(post(session, waiting) for _ in range(at_once)))
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        signature = signature_costs(pem)
    told({
        "a_second": hosts * each / seconds, "cpu_ms": 1000 * cpu / hosts / each - signature, "signature_ms": signature,
    })  # fmt: skip


if __name__ == "__main__":
    uvloop.run({"ours": ours, "bare": bare}[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:])))
