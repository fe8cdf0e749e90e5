"""Whether a host may be contacted at all: asked here, answered upstairs."""

from typing import Protocol


class Gate(Protocol):
    """Asked before each hop of each request."""

    async def refuses(self, host: str) -> str | None:
        """Why this host (lower-case, in its ASCII form, without port and trailing dot) is not contacted, or None."""


class OpenGate:
    """Lets every host through."""

    async def refuses(self, host: str) -> str | None:  # noqa: ARG002  # the protocol names it
        """None, whatever the host."""
        return None
