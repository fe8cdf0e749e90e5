"""Whether a host may be contacted at all: asked here, answered upstairs."""

from typing import Protocol

# Why something was not done with a host that the gate refuses, wherever that is counted.
DISALLOWED = "disallowed"


class Gate(Protocol):
    """Asked before each hop of each request, and of whoever speaks to us.

    A host is in its one spelling (`outbound.host`), without port.
    """

    async def refuses(self, host: str) -> str | None:
        """Why this host is not contacted and not listened to, or None."""

    async def takes_media(self, host: str) -> bool:
        """Whether media of this host are fetched and shown."""

    async def takes_reports(self, host: str) -> bool:
        """Whether reports from this host are taken."""


class OpenGate:
    """Lets every host through."""

    async def refuses(self, host: str) -> str | None:  # noqa: ARG002  # the protocol names it
        """None, whatever the host."""
        return None

    async def takes_media(self, host: str) -> bool:  # noqa: ARG002  # the same
        """Whatever the host."""
        return True

    async def takes_reports(self, host: str) -> bool:  # noqa: ARG002  # the same
        """Whatever the host."""
        return True
