"""usage: receiver.py: answers every POST with 202, at all addresses of 127/8, as fast as a server in Python can.

Says its port on its first line. `GET /report` answers with JSON: `taken`, how many different paths were posted to at
the hosts that answer since the last `GET /forget`, and `last_at`, when the last of them was new (monotonic seconds).
Three in ten of the hosts of 127.200/16 hang: they take the connection and never answer.
"""

import asyncio
import json
import re
import sys
import time

import uvloop

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"


def hangs(host: str) -> bool:
    """Whether this host never answers."""
    return host.startswith("127.200.") and int(host.rpartition(".")[2]) % 10 < 3


taken: set[tuple[str, bytes]] = set()
last_at = [0.0]


class Connection(asyncio.Protocol):
    """One connection, with as much HTTP as its clients speak."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The address that was connected to is the host."""
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]  # of a stream
        self._host = str(transport.get_extra_info("sockname")[0])
        self._hangs = hangs(self._host)

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        if self._hangs:
            return
        self._got += data
        while (end := self._got.find(b"\r\n\r\n")) >= 0:
            head = self._got[:end]
            length = LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self._got) < whole:
                return
            self._got = self._got[whole:]
            self._answer(*head.split(b" ", 2)[:2])

    def _answer(self, method: bytes, path: bytes) -> None:
        if method == b"POST":
            if (self._host, path) not in taken:
                taken.add((self._host, path))
                last_at[0] = time.monotonic()
            self._transport.write(ACCEPTED)
            return
        told = json.dumps({"taken": len(taken), "last_at": last_at[0]}).encode()
        if path == b"/forget":
            taken.clear()
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(told), told))


async def serve() -> None:
    """Until whoever started it goes away."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "0.0.0.0", 0, backlog=4096)  # noqa: S104 - all of 127/8
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    uvloop.run(serve())
