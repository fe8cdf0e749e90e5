"""The addresses under which files elsewhere are shown from here (pure).

An address holds what the file is used as, where it is, and a signature, so that nobody else can have this server fetch
what they like. It names no reader: it is the same for all of them.
"""

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from typing import Literal, get_args

Use = Literal["picture", "avatar", "header", "emoji", "card", "film", "sound"]
Size = Literal["whole", "small"]
USES: frozenset[str] = frozenset(get_args(Use))
SIZES: frozenset[str] = frozenset(get_args(Size))
PATH = "/proxy/{use}/{size}/{key}/{address}"
LONGEST = 4096  # characters of the address of a file
_MAC = 16  # bytes


@dataclass(frozen=True)
class Wanted:
    """A file elsewhere, and what it is used as: that decides what is made of it."""

    use: Use
    url: str


@dataclass(frozen=True)
class ProxyUrls:
    """Makes and reads them. `base_url` has no slash at its end; `secret` is this installation's."""

    base_url: str
    secret: str

    def key(self, wanted: Wanted) -> str:
        """The signature, which is also the name under which the file is known here."""
        what = f"{wanted.use} {wanted.url}".encode()
        return _text(hmac.digest(self.secret.encode(), what, hashlib.sha256)[:_MAC])

    def of(self, use: Use, url: str, size: Size = "whole") -> str:
        """Where the file is shown; "" for what has no address that may be asked."""
        if not may_be_asked(url):
            return ""
        wanted = Wanted(use, url)
        return f"{self.base_url}/proxy/{use}/{size}/{self.key(wanted)}/{_text(url.encode())}"

    def read(self, use: str, key: str, address: str) -> Wanted | None:
        """What an address stands for; None where it is none of ours."""
        if use not in USES or len(address) > 2 * LONGEST:
            return None
        try:
            url = base64.urlsafe_b64decode(address + "=" * (-len(address) % 4)).decode()
        except (ValueError, binascii.Error):
            return None
        wanted = Wanted(use, url)  # type: ignore[arg-type]  # one of USES
        return wanted if hmac.compare_digest(self.key(wanted).encode(), key.encode()) else None


def may_be_asked(url: str) -> bool:
    """Whether this is an address that a file elsewhere may have (pure)."""
    return url.startswith(("https://", "http://")) and len(url) <= LONGEST


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
