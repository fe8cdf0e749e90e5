"""RFC 8941 (Structured Field Values): as much of it as signature fields need, read strictly and written canonically.

Dictionaries whose members are items or inner lists, with parameters. Integers and decimals, strings, tokens, byte
sequences and booleans. Names that come twice are refused here, although the standard lets the last win: a signature
that two readers understand differently is worth nothing.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from decimal import Decimal

LONGEST_FIELD = 16384


class Token(str):
    """A bare word: `text` without quotes."""

    __slots__ = ()


Bare = int | Decimal | str | Token | bytes | bool
Parameters = tuple[tuple[str, Bare], ...]


class Malformed(ValueError):
    """This is no structured field, or one of a kind that is not read here."""


@dataclass(frozen=True)
class Item:
    """One value with its parameters."""

    value: Bare
    parameters: Parameters = ()


@dataclass(frozen=True)
class InnerList:
    """Items in brackets, with parameters of the whole."""

    items: tuple[Item, ...]
    parameters: Parameters = ()


Member = Item | InnerList

_KEY = re.compile(r"[a-z*][a-z0-9_\-.*]*", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,3})?", re.ASCII)
_MORE_NUMBER = re.compile(r"[0-9.]", re.ASCII)
_STRING = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])*)"', re.ASCII)
_TOKEN = re.compile(r"[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*", re.ASCII)
_BYTES = re.compile(r":([A-Za-z0-9+/=]*):", re.ASCII)
_BOOLEAN = re.compile(r"\?([01])", re.ASCII)
_SPACES = re.compile(r" *")
_OWS = re.compile(r"[ \t]*")


def read_dictionary(text: str) -> dict[str, Member]:
    """The members of a dictionary field, in their order; Malformed where it is none. Empty text is an empty one."""
    if len(text) > LONGEST_FIELD:
        raise Malformed("too long")
    return _Reader(text.strip(" ")).dictionary()


def write(member: Member) -> str:
    """The canonical text of a member (RFC 8941, section 4.1)."""
    if isinstance(member, InnerList):
        return "(" + " ".join(write(item) for item in member.items) + ")" + _write_parameters(member.parameters)
    return write_bare(member.value) + _write_parameters(member.parameters)


def write_bare(value: Bare) -> str:
    """The canonical text of a value; Malformed where it cannot be written."""
    if isinstance(value, bool):
        return "?1" if value else "?0"
    if isinstance(value, bytes):
        return f":{base64.b64encode(value).decode()}:"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        text = str(value).rstrip("0")
        return text + "0" if text.endswith(".") else text
    if isinstance(value, Token):
        return str(value)
    if not all(" " <= letter <= "~" for letter in value):
        raise Malformed("not ASCII")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write_parameters(parameters: Parameters) -> str:
    return "".join(f";{key}" if value is True else f";{key}={write_bare(value)}" for key, value in parameters)


class _Reader:
    """A place in the text, moved forward by what is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def take_letter(self, letter: str) -> bool:
        if self.text.startswith(letter, self.at):
            self.at += 1
            return True
        return False

    def key(self) -> str:
        found = self.take(_KEY)
        if found is None:
            raise Malformed("a name is missing")
        return found[0]

    def dictionary(self) -> dict[str, Member]:
        members: dict[str, Member] = {}
        while self.at < len(self.text):
            name = self.key()
            if name in members:
                raise Malformed("a name comes twice")
            members[name] = self.member() if self.take_letter("=") else Item(True, self.parameters())
            self.take(_OWS)
            if self.at == len(self.text):
                break
            if not self.take_letter(","):
                raise Malformed("a comma is missing")
            self.take(_OWS)
            if self.at == len(self.text):
                raise Malformed("nothing follows the comma")
        return members

    def member(self) -> Member:
        if not self.take_letter("("):
            return self.item()
        items: list[Item] = []
        while True:
            spaced = self.take(_SPACES)
            if self.take_letter(")"):
                return InnerList(tuple(items), self.parameters())
            if items and not (spaced and spaced[0]):
                raise Malformed("a space is missing")
            items.append(self.item())

    def item(self) -> Item:
        return Item(self.bare(), self.parameters())

    def parameters(self) -> Parameters:
        found: dict[str, Bare] = {}
        while self.take_letter(";"):
            self.take(_SPACES)
            name = self.key()
            if name in found:
                raise Malformed("a parameter comes twice")
            found[name] = self.bare() if self.take_letter("=") else True
        return tuple(found.items())

    def bare(self) -> Bare:
        if found := self.take(_STRING):
            return re.sub(r"\\(.)", r"\1", found[1])
        if found := self.take(_BYTES):
            return _bytes(found[1])
        if found := self.take(_NUMBER):
            if self.take(_MORE_NUMBER):
                raise Malformed("a number is too long")
            return _number(found[0])
        if found := self.take(_BOOLEAN):
            return found[1] == "1"
        if found := self.take(_TOKEN):
            return Token(found[0])
        raise Malformed("a value is missing")


def _number(text: str) -> int | Decimal:
    whole, dot, _ = text.partition(".")
    if dot and len(whole.lstrip("-")) > 12:
        raise Malformed("a number is too long")
    return Decimal(text) if dot else int(text)


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise Malformed("not base64") from error
