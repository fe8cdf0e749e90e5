"""What an outbound request is for, what caused it, and what it may cost: a context variable that the door reads.

The *purpose* is set by the caller of the client. The *trigger* is set by whoever started the work: the worker sets the
job's kind (or the trigger that the job carries), inbox verification sets `verify`, and where nobody set one it is
`request`: a reader caused it, and then nothing but a count may remain of it. The *budget* is begun with the work, and
handed down.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from privapub import budget as budgets
from privapub.budget import Budget

PURPOSES = frozenset(
    {
        "actor", "key", "object", "webfinger", "context", "nodeinfo", "collection",
        "media", "preview", "profile-link", "delivery", "push", "domain-list",
    }
)  # fmt: skip
READER = "request"
VERIFY = "verify"


@dataclass(frozen=True)
class HttpScope:
    """The tags of an outbound request: one of PURPOSES (or "" before it is set), its trigger, and who pays for it."""

    purpose: str = ""
    trigger: str = READER
    budget: Budget | None = field(default=None, compare=False, repr=False)


_NOBODY_SAID = HttpScope()
_scope: ContextVar[HttpScope] = ContextVar("http_scope", default=_NOBODY_SAID)


def current() -> HttpScope:
    """The tags that a request made here would carry."""
    return _scope.get()


def budget() -> Budget:
    """What may still be spent here; where nothing was begun, a budget for one request alone."""
    return _scope.get().budget or budgets.of(budgets.OTHER)


@contextmanager
def purpose(name: str) -> Iterator[None]:
    """Requests made inside are for this (one of PURPOSES)."""
    if name not in PURPOSES:
        raise ValueError(f"unknown purpose {name!r}")
    token = _scope.set(replace(_scope.get(), purpose=name))
    try:
        yield
    finally:
        _scope.reset(token)


@contextmanager
def cause(trigger: str, kind: str) -> Iterator[Budget]:
    """A root cause: requests made inside have this trigger, and share one budget, that of causes of this kind."""
    budget = budgets.of(kind)
    token = _scope.set(HttpScope("", trigger, budget))
    try:
        yield budget
    finally:
        _scope.reset(token)


@contextmanager
def trigger(name: str) -> Iterator[None]:
    """Requests made inside were caused by this: a job's kind, VERIFY or READER; they are paid for as before."""
    token = _scope.set(replace(_scope.get(), trigger=name))
    try:
        yield
    finally:
        _scope.reset(token)
