"""usage: senders.py PORT FILE: sends the requests of each batch in the file over a connection of its own.

Prints how many seconds it took until all were answered with 202; ends with 1 where one was not.
"""

import asyncio
import pickle
import sys
import time
from pathlib import Path

import uvloop


async def send(port: int, batch: list[bytes]) -> None:
    """One after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request in batch:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
        body = await reader.readexactly(int(length or 0))
        if not head.startswith(b"HTTP/1.1 202"):
            raise SystemExit(f"answered {head[:60]!r} {body!r}")
    writer.close()


async def all_of(port: int, batches: list[list[bytes]]) -> float:
    """Every batch at once."""
    began = time.perf_counter()
    await asyncio.gather(*(send(port, batch) for batch in batches))
    return time.perf_counter() - began


if __name__ == "__main__":
    print(uvloop.run(all_of(int(sys.argv[1]), pickle.loads(Path(sys.argv[2]).read_bytes()))))  # noqa: S301 - our own
