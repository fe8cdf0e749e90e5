"""A real server for letters, in this process: what it is sent, it keeps."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from asgi import Application
from fakes import ports
from privapub.accounts.letters import LETTER
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker

FROM = "town@sut.test"
_LINK = re.compile(r"https://sut\.test(?::\d+)?(/auth/\S+)")


@dataclass
class PostOffice:
    """The letters, and to whom; `refuses` is said instead of taking one."""

    port: int = 0
    letters: list[tuple[str, EmailMessage]] = field(default_factory=list)
    refuses: str = ""
    _came: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}?from={FROM}"

    async def handle_RCPT(  # noqa: N802 - so aiosmtpd calls it
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if self.refuses:
            return self.refuses
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - likewise
        content: Any = envelope.content
        letter: Any = message_from_bytes(content, policy=policy.default)
        self.letters.append((envelope.rcpt_tos[0], letter))
        async with self._came:
            self._came.notify_all()
        return "250 OK"

    async def brought(self, to: str) -> str:
        """Where the first letter to this address leads, as soon as it has come."""
        async with asyncio.timeout(60), self._came:
            await self._came.wait_for(lambda: any(address == to for address, _ in self.letters))
        return self.link(to)

    def link(self, to: str) -> str:
        """Where the newest letter to this address leads."""
        text = next(letter for address, letter in reversed(self.letters) if address == to).get_content()
        found = _LINK.search(text)
        assert found is not None
        return found[1]


@asynccontextmanager
async def post_office() -> AsyncIterator[PostOffice]:
    """It is open."""
    office = PostOffice()
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(office, hostname="mail.test", enable_SMTPUTF8=True), sock=ports.bound()
    )
    office.port = server.sockets[0].getsockname()[1]
    try:
        yield office
    finally:
        server.close()
        await server.wait_closed()


async def deliver(sut: Application) -> None:
    """Every letter that waits goes out."""
    await Worker(sut.server.database, job_kinds(sut.server), only=[LETTER]).drain()
