"""A body as it streams in: counted, unpacked, and cut when it is too much (pure)."""

import zlib

_GZIP = 16 + zlib.MAX_WBITS
_WIRE_SLACK = 1 << 16  # empty gzip blocks give nothing and cost: what comes over the wire is bounded too


class TooLarge(Exception):
    """More than the limit."""


class Broken(Exception):
    """Packed wrongly, or cut short."""


class Body:
    """Takes chunks as they come, holds at most `limit` bytes unpacked."""

    def __init__(self, limit: int, *, gzip: bool) -> None:
        """Prepare for a body that is packed with gzip (RFC 1952) or not at all."""
        self._limit = limit
        self._inflate = zlib.decompressobj(_GZIP) if gzip else None
        self._parts = bytearray()
        self.wire = 0

    def feed(self, chunk: bytes) -> None:
        """Take a chunk; TooLarge as soon as the limit is passed, Broken where it cannot be unpacked."""
        self.wire += len(chunk)
        if self._inflate is None:
            self._parts += chunk
        else:
            try:
                self._parts += self._inflate.decompress(chunk, self._limit + 1 - len(self._parts))
            except zlib.error:
                raise Broken from None
        if len(self._parts) > self._limit or self.wire > self._limit + _WIRE_SLACK:
            raise TooLarge

    def begun(self) -> bytes:
        """The first of it, as much as the limit lets through, whether or not that is all."""
        return bytes(self._parts[: self._limit])

    def end(self) -> bytes:
        """All of it; Broken where a packed body has not come to its end."""
        if self._inflate is not None and self.wire and not self._inflate.eof:
            raise Broken
        return bytes(self._parts)


def is_gzip(encoding: str) -> bool | None:
    """Whether a Content-Encoding header says gzip; None where it says what was not asked for."""
    word = encoding.strip().lower()
    if word in ("", "identity"):
        return False
    return True if word in ("gzip", "x-gzip") else None
