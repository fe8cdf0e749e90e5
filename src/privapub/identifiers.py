"""The only file that draws ids and chance; and which numbers there may be."""

import random
import secrets

LARGEST = 2**63 - 1  # that a database has room for
_chance = random.SystemRandom()


def sortable(now: float) -> int:
    """A 63-bit id that sorts by time and tells nothing else: milliseconds, then 20 random bits.

    Ids made within one millisecond are in no order; they do not tell how many there are.
    """
    return (int(now * 1000) << 20) | secrets.randbits(20)


def first(now: float) -> int:
    """The least id that is made at this moment (pure)."""
    return int(now * 1000) << 20


def moment(number: int) -> float:
    """When a sortable id was made."""
    return (number >> 20) / 1000


def token() -> str:
    """A URL-safe random word of 128 bits: ids on the wire, lease stamps, secrets."""
    return secrets.token_urlsafe(16)


def secret() -> str:
    """A URL-safe random word of 256 bits: what a program shows to be let in."""
    return secrets.token_urlsafe(32)


def uniform(low: float, high: float) -> float:
    """A number between the two: jitter."""
    return _chance.uniform(low, high)


def number_in(text: str) -> int | None:
    """The number of a row as it is typed; None for what is none, or larger than any can be. Pure."""
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(LARGEST)):
        return None
    return number if (number := int(text)) <= LARGEST else None


def word(alphabet: str, length: int) -> str:
    """So many letters of an alphabet, by chance: what people type."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def octets(number: int) -> bytes:
    """So many random bytes: what is to be fresh of each message."""
    return secrets.token_bytes(number)
