"""The word of the rules where there is no time to ask a database: at the door of the inbox and before each request.

A process has the rules in memory. A change that it makes itself, or hears of, is read before the next decision; one of
another process that it does not hear of no later than two seconds after, and only if somebody asks.
"""

import asyncio
from collections.abc import Collection

import structlog
from sqlalchemy.exc import SQLAlchemyError

from privapub import clock
from privapub.database.connect import Database
from privapub.moderation import rules
from privapub.moderation.domain_rules import Rules
from privapub.outbound.target import host_of

LOOK_EVERY = 2.0  # seconds
_log = structlog.get_logger(__name__)


def own_hosts(base_url: str, handle_domain: str, media_base_url: str = "") -> frozenset[str]:
    """The hosts of this server, in their one spelling, of which no rule is. Pure."""
    addresses = (f"{base_url}/", f"https://{handle_domain}/", f"{media_base_url or base_url}/")
    return frozenset({host_of(address) for address in addresses})


class DomainGate:
    """Decides about hosts by the rules that are kept in a database; one for the process. A `Gate` of `outbound`."""

    def __init__(self, database: Database, ours: Collection[str]) -> None:
        """Nothing is read before the first question. `ours` are this server's own hosts."""
        self._database = database
        self._ours = frozenset(ours)
        self._rules: Rules | None = None
        self._version = -1
        self._looked_at = 0.0
        self._stale = True
        self._looking = asyncio.Lock()
        database.listen(rules.TOPIC, self._was_changed)

    async def rules(self) -> Rules:
        """The rules in force."""
        if self._rules is None or self._is_old():
            async with self._looking:
                if self._rules is None or self._is_old():
                    await self._look()
        assert self._rules is not None  # noqa: S101 - it was read, or that raised
        return self._rules

    async def refuses(self, host: str) -> str | None:
        """Why this host is not contacted and not listened to, or None."""
        return (await self.rules()).refuses(host)

    async def takes_media(self, host: str) -> bool:
        """Whether media of this host are fetched and shown."""
        return (await self.rules()).takes_media(host)

    async def takes_reports(self, host: str) -> bool:
        """Whether reports from this host are taken."""
        return (await self.rules()).takes_reports(host)

    def _was_changed(self) -> None:
        self._stale = True

    def _is_old(self) -> bool:
        return self._stale or clock.monotonic() > self._looked_at + LOOK_EVERY

    async def _look(self) -> None:
        self._stale, self._looked_at = False, clock.monotonic()  # before: what changes meanwhile is looked at again
        try:
            async with self._database.read() as tx:
                version, _ = await rules.policy(tx)
                if self._rules is None or version != self._version:
                    self._rules, self._version = await rules.in_force(tx, self._ours), version
        except (SQLAlchemyError, OSError) as error:
            if self._rules is None:
                raise
            self._stale = True
            _log.warning("the rules about domains could not be read again", error=type(error).__name__)
