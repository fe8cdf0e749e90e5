"""A request of a program, as its endpoint reads it: who calls, and what is given along."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from privapub import identifiers
from privapub.accounts.tokens import Token
from privapub.client_api import params
from privapub.client_api.problems import Unauthenticated
from privapub.database.page import Window
from privapub.errors import InvalidInput, NotFound
from privapub.server import Server

_TRUE = frozenset({"1", "t", "true", "on", "yes"})
_FALSE = frozenset({"0", "f", "false", "off", "no", ""})
LONGEST = 1 << 16  # characters of a parameter
_DIGITS = re.compile(r"\s*\+?([0-9]+)")


@dataclass(frozen=True)
class Call:
    """One request. `given` are the parameters of its query and its body; `token` is None where none was shown."""

    server: Server
    request: Request
    token: Token | None
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def me(self) -> int:
        """The number of the persona that calls; Unauthenticated where it is a stranger or a program by itself."""
        if self.token is None or self.token.persona_id is None:
            raise Unauthenticated
        return self.token.persona_id

    @property
    def reader(self) -> int | None:
        """The persona that reads, None for a stranger."""
        return None if self.token is None else self.token.persona_id

    def id(self, name: str = "id") -> int:
        """The number in the path; NotFound for what can be none."""
        number = identifiers.number_in(str(self.request.path_params[name]))
        if number is None:
            raise NotFound
        return number

    def text(self, name: str, default: str = "") -> str:
        """A parameter that is text; numbers and the like are text too. InvalidInput for what is very long."""
        value = self.given.get(name)
        if value is None or isinstance(value, list | dict):
            return default
        if isinstance(value, bool):
            return "true" if value else "false"
        if len(text := str(value).replace("\0", "")) > LONGEST:  # which PostgreSQL has no room for
            raise InvalidInput(f"{name} is too long")
        return text

    def has(self, name: str) -> bool:
        """Whether the parameter is given, and not null."""
        return self.given.get(name) is not None

    def flag(self, name: str, default: bool | None = None) -> bool | None:
        """A parameter that is on or off, in the spellings that Rails takes; `default` where it is not given."""
        word = self.text(name).lower() if self.has(name) else None
        if word in _TRUE:
            return True
        return False if word in _FALSE else default

    def number(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number, brought between the two; `default` where there is none."""
        word = self.text(name).strip()
        sign, digits = (-1, word[1:]) if word.startswith("-") else (1, word)
        if not digits.isascii() or not digits.isdecimal():
            return default
        return min(max(sign * int(digits[:19]), low), high)

    def texts(self, name: str) -> list[str]:
        """A parameter that is a list of texts."""
        some = [item for item in params.items(self.given.get(name)) if not isinstance(item, list | dict)]
        return [str(item).replace("\0", "") for item in some]

    def ids(self, name: str) -> list[int]:
        """A parameter that is a list of numbers of things: those that can be none are left out."""
        numbers = (identifiers.number_in(text) for text in self.texts(name))
        return [number for number in numbers if number is not None]

    def window(self, most: int = 40, default: int = 20) -> Window:
        """The part of a list that is asked for: `max_id`, `since_id`, `min_id` and `limit`."""
        before, after, just_after = (cursor(self.text(name)) for name in ("max_id", "since_id", "min_id"))
        limit = abs(self.number("limit", default, -most, most)) or 1  # as Mastodon reads one below zero
        return Window(before, after, just_after, limit)


def cursor(text: str) -> int | None:
    """A place in a list as it is given: of what is no number the digits that it begins with, as Ruby reads it (pure).

    So nothing is older than nonsense, and everything is newer; None where nothing is given.
    """
    if not text.strip():
        return None
    found = _DIGITS.match(text)
    return 0 if found is None else min(int(found[1][: len(str(identifiers.LARGEST)) + 1]), identifiers.LARGEST)
