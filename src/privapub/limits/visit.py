"""The request that is being answered, as far as limits are concerned: a context variable, set at the outermost door.

Deep within, where it shows that a key must be fetched or that a signature is good, nobody knows from where the request
came; and at the door nobody knows what came of it. This is where both are told.
"""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Visit:
    """From which network it comes (None: not known), the host of whose key it is signed, how long it has to wait."""

    sender: str | None = None
    verified: str = ""
    wait: float = 0.0


_visit: ContextVar[Visit] = ContextVar("visit")


def begin(sender: str | None) -> Visit:
    """A request from this network is answered from here on, in this task."""
    visit = Visit(sender)
    _visit.set(visit)
    return visit


def current() -> Visit:
    """The request that is being answered; outside one, a visit of nobody, which is forgotten."""
    return _visit.get(None) or Visit()
