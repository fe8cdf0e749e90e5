"""What an outbound request is for, and what caused it: a context variable that the one HTTP client reads.

The *purpose* is set by the caller of the client. The *trigger* is set by whoever started the work: the worker sets the
job's kind (or the trigger that the job carries), inbox verification sets `verify`, and where nobody set one it is
`request`: a reader caused it, and then nothing but a count may remain of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

PURPOSES = frozenset(
    {
        "actor", "key", "object", "webfinger", "context", "nodeinfo", "collection",
        "media", "preview", "delivery", "push", "domain-list",
    }
)  # fmt: skip
READER = "request"
VERIFY = "verify"


@dataclass(frozen=True)
class HttpScope:
    """The tags of an outbound request: one of PURPOSES (or "" before it is set), and its trigger."""

    purpose: str = ""
    trigger: str = READER


_NOBODY_SAID = HttpScope()
_scope: ContextVar[HttpScope] = ContextVar("http_scope", default=_NOBODY_SAID)


def current() -> HttpScope:
    """The tags that a request made here would carry."""
    return _scope.get()


@contextmanager
def purpose(name: str) -> Iterator[None]:
    """Requests made inside are for this (one of PURPOSES)."""
    if name not in PURPOSES:
        raise ValueError(f"unknown purpose {name!r}")
    token = _scope.set(HttpScope(name, _scope.get().trigger))
    try:
        yield
    finally:
        _scope.reset(token)


def caused_by(name: str) -> None:
    """As `trigger`, for all that the running task still does."""
    _scope.set(HttpScope(_scope.get().purpose, name))


@contextmanager
def trigger(name: str) -> Iterator[None]:
    """Requests made inside were caused by this: a job's kind, VERIFY or READER."""
    token = _scope.set(HttpScope(_scope.get().purpose, name))
    try:
        yield
    finally:
        _scope.reset(token)
