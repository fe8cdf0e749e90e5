"""What a server gives with a document so that it can be asked later whether that has changed (RFC 9110, 8.8). Pure."""

import re
from dataclasses import dataclass

from multidict import CIMultiDictProxy

from privapub import clock

MOST = 256  # characters: whatever is longer is not kept
_ETAG = re.compile(r'(W/)?"[!#-~]*"')
# A time in whole seconds says nothing of a second change in the same one (RFC 9110, section 8.8.2.2).
_SETTLED = 60.0


@dataclass(frozen=True)
class Validators:
    """As they came with an answer; without any there is nothing to ask with."""

    etag: str | None = None
    last_modified: str | None = None

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What asks for the document only if it is another than this one; the tag tells more than the time."""
        if self.etag is not None:
            return (("If-None-Match", self.etag),)
        return () if self.last_modified is None else (("If-Modified-Since", self.last_modified),)


NONE = Validators()


def given(headers: CIMultiDictProxy[str]) -> Validators:
    """The validators of an answer, as far as each is of its form, said once, and no longer than MOST."""
    etag, changed, date = (_one(headers, name) for name in ("etag", "last-modified", "date"))
    return Validators(
        etag if etag is not None and _ETAG.fullmatch(etag) else None,
        changed if changed is not None and date is not None and _settled(changed, date) else None,
    )


def _one(headers: CIMultiDictProxy[str], name: str) -> str | None:
    values = headers.getall(name, [])
    if len(values) != 1 or len(values[0]) > MOST or not values[0].isascii() or not values[0].isprintable():
        return None
    return values[0]


def _settled(changed: str, date: str) -> bool:
    last, now = clock.from_http_date(changed), clock.from_http_date(date)
    return last is not None and now is not None and last + _SETTLED <= now
