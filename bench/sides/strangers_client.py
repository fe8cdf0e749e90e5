"""usage: strangers_client.py PORT FILE [SECONDS] | PORT bodies COUNT: what strangers send.

Each batch of the file goes over a connection of its own, request by request, within so many seconds or as fast as can
be; the statuses are counted. `bodies`: so many at once, of values without number, of drips and without an end; how many
seconds until the last was ended by the server.
"""

import asyncio
import json
import pickle
import sys
import time
from collections import Counter
from pathlib import Path

import uvloop


async def send(port: int, batch: list[bytes], seconds: float, statuses: Counter[str]) -> None:
    """One after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began = time.perf_counter()
    for place, request in enumerate(batch):
        early = began + seconds * place / len(batch) - time.perf_counter()
        if early > 0:
            await asyncio.sleep(early)
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
        await reader.readexactly(int(length or 0))
        statuses[head.split()[1].decode()] += 1
    writer.close()


async def all_of(port: int, batches: list[list[bytes]], seconds: float) -> dict[str, float]:
    """Every batch at once."""
    statuses: Counter[str] = Counter()
    began = time.perf_counter()
    await asyncio.gather(*(send(port, batch, seconds, statuses) for batch in batches if batch))
    return {"seconds": time.perf_counter() - began, **statuses}


BOMB = b'{"type":"Create","object":[' + b"{}," * 340_000 + b"{}]}"


async def pour(port: int, place: int) -> None:
    """One hostile body, to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sort = place % 3
    length = {0: f"Content-Length: {len(BOMB)}", 1: "Content-Length: 900000", 2: "Transfer-Encoding: chunked"}[sort]
    writer.write(
        f"POST /inbox HTTP/1.1\r\nHost: here.example\r\nX-Forwarded-For: 203.0.113.{place}\r\n"
        f"Content-Type: application/activity+json\r\n{length}\r\n\r\n".encode()
    )
    ended = asyncio.create_task(reader.read(-1))
    try:
        if sort == 0:
            writer.write(BOMB)
            await asyncio.wait({ended})  # answered, and closed where nothing more is asked
        while not ended.done():
            writer.write(b" " * 100 if sort == 1 else b"10000\r\n" + b" " * 65536 + b"\r\n")
            await writer.drain()
            await asyncio.wait({ended}, timeout=0.1 if sort == 1 else 0.001)
    except ConnectionError:
        pass
    ended.cancel()
    await asyncio.gather(ended, return_exceptions=True)
    writer.close()


async def bodies(port: int, count: int) -> dict[str, float]:
    """All of them at once."""
    began = time.perf_counter()
    await asyncio.gather(*(pour(port, place) for place in range(count)))
    return {"seconds": time.perf_counter() - began}


if __name__ == "__main__":
    if sys.argv[2] == "bodies":
        found = asyncio.run(bodies(int(sys.argv[1]), int(sys.argv[3])))
    else:
        batches = pickle.loads(Path(sys.argv[2]).read_bytes())  # noqa: S301 - our own
        found = uvloop.run(all_of(int(sys.argv[1]), batches, float(sys.argv[3]) if len(sys.argv) > 3 else 0.0))
    print(json.dumps(found))
