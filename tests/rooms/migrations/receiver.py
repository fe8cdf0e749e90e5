"""Who is sent to: it records everything that reaches it, over a real socket, whoever sent it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fakes import ports


@dataclass
class Receiver:
    """What came, in order: (release, activity, host)."""

    port: int = 0
    came: list[tuple[str, str, str]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def times(self) -> Counter[str]:
        """How often each activity came."""
        return Counter(activity for _, activity, _ in self.came)

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            words = (await reader.readline()).decode().split()
            if len(words) == 3:
                self.came.append((words[0], words[1], words[2]))
                self.news.set()
                await asyncio.sleep(0.002)
                writer.write(b"202\n")
                await writer.drain()
        except ConnectionError:  # whoever sent it was killed
            pass
        finally:
            writer.close()

    async def more_than(self, count: int) -> None:
        """Wait until more than so many came."""
        while len(self.came) <= count:
            self.news.clear()
            await self.news.wait()


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver that listens."""
    receiver = Receiver()
    server = await asyncio.start_server(receiver.hear, sock=ports.bound())
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver


async def post(port: int, release: str, activity: str, host: str) -> None:
    """Send it, and wait for the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"{release} {activity} {host}\n".encode())
        await writer.drain()
        if not await reader.readline():
            raise ConnectionError
    finally:
        writer.close()
