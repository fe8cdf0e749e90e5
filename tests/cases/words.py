"""What the harness understands of the words of a case, and what it says where it does not."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

Meaning = Callable[..., Awaitable[None]]


class Unknown(Exception):
    """A word that the harness does not know: the case fails with it, and never passes."""

    def __init__(self, what: str, word: object) -> None:
        super().__init__(f"unknown {what}: {word}")


class NotBuilt(Exception):
    """Something that the server cannot do yet, such as "no verb yet: like"."""


class Words:
    """A table of sentences: pattern → what is done or checked. To teach it a sentence, decorate a function with `on`.

    The function gets whoever plays the case, and the groups of the pattern. A pattern is a whole sentence.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._meanings: list[tuple[re.Pattern[str], Meaning]] = []

    def on(self, *patterns: str) -> Callable[[Meaning], Meaning]:
        """These sentences mean that function."""

        def teach(meaning: Meaning) -> Meaning:
            self._meanings += [(re.compile(pattern, re.IGNORECASE | re.DOTALL), meaning) for pattern in patterns]
            return meaning

        return teach

    def find(self, sentence: str) -> Callable[[Any], Awaitable[None]] | None:
        """What a sentence means, or None."""
        for pattern, meaning in self._meanings:
            if found := pattern.fullmatch(sentence):
                groups = found.groups()
                return lambda play, meaning=meaning, groups=groups: meaning(play, *groups)
        return None

    def read(self, text: str) -> list[tuple[str, Callable[[Any], Awaitable[None]]]]:
        """What a text means: as a whole, without what it says in brackets, or by its parts. Raises Unknown."""
        text = text.strip()
        if meaning := self.find(text) or self.find(re.sub(r"\s*\([^()]*\)", "", text)):
            return [(text, meaning)]
        for separator in ("; ", ", ", " and "):
            if separator in text:
                return self._in_parts(text, separator)
        raise Unknown(self.what, text)

    def _in_parts(self, text: str, separator: str) -> list[tuple[str, Callable[[Any], Awaitable[None]]]]:
        """The longest beginnings that mean something, one after the other."""
        parts, meanings, start = text.split(separator), [], 0
        while start < len(parts):
            for end in range(len(parts), start, -1):
                part = separator.join(parts[start:end]).strip().removeprefix("and ")
                if end - start < len(parts) and (
                    meaning := self.find(part) or self.find(re.sub(r"\s*\([^()]*\)", "", part))
                ):
                    meanings.append((part, meaning))
                    break
            else:
                meanings += self.read(parts[start].removeprefix("and "))
                end = start + 1
            start = end
        return meanings
