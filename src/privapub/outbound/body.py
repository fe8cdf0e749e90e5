"""A body as it streams in: counted, unpacked, and cut when it is too much (pure)."""

import zlib
from typing import Literal

import brotli

Packing = Literal["", "gzip", "br"]
ACCEPTED = "gzip, br"  # what is asked for
_PACKINGS: dict[str, Packing] = {"": "", "identity": "", "gzip": "gzip", "x-gzip": "gzip", "br": "br"}
_GZIP = 16 + zlib.MAX_WBITS
_WIRE_SLACK = 1 << 16  # empty blocks give nothing and cost: what comes over the wire is bounded too


class TooLarge(Exception):
    """More than the limit."""


class Broken(Exception):
    """Packed wrongly, or cut short."""


class Body:
    """Takes chunks as they come, holds at most `limit` bytes unpacked."""

    def __init__(self, limit: int, packing: Packing = "") -> None:
        """Prepare for a body that is packed with gzip (RFC 1952), with brotli (RFC 7932), or not at all."""
        self._limit = limit
        self._gzip = zlib.decompressobj(_GZIP) if packing == "gzip" else None
        self._brotli = brotli.Decompressor() if packing == "br" else None
        self._parts = bytearray()
        self.wire = 0

    def feed(self, chunk: bytes) -> None:
        """Take a chunk; TooLarge as soon as the limit is passed, Broken where it cannot be unpacked."""
        self.wire += len(chunk)
        room = self._limit + 1 - len(self._parts)
        try:
            if self._gzip is not None:
                chunk = self._gzip.decompress(chunk, room)
            elif self._brotli is not None:
                chunk = self._brotli.process(chunk, output_buffer_limit=room)
        except (zlib.error, brotli.error):
            raise Broken from None
        self._parts += chunk
        if len(self._parts) > self._limit or self.wire > self._limit + _WIRE_SLACK:
            raise TooLarge

    @property
    def cost(self) -> int:
        """The bytes that came, or those that they were unpacked to, whichever are more."""
        return max(self.wire, len(self._parts))

    def begun(self) -> bytes:
        """The first of it, as much as the limit lets through, whether or not that is all."""
        return bytes(self._parts[: self._limit])

    def end(self) -> bytes:
        """All of it; Broken where a packed body has not come to its end."""
        ended = self._gzip.eof if self._gzip is not None else self._brotli is None or self._brotli.is_finished()
        if self.wire and not ended:
            raise Broken
        return bytes(self._parts)


def packing(encoding: str) -> Packing | None:
    """How a Content-Encoding header says that a body is packed; None where it says what was not asked for."""
    return _PACKINGS.get(encoding.strip().lower())
