"""Whether two servers agree on who follows whom (FEP-8fcf: digest and header). Pure."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

HEADER = "Collection-Synchronization"
LONGEST = 4096
_DIGEST = re.compile(r"[0-9a-f]{64}")
# As the parameters of a draft-cavage signature.
_PARAMETER = re.compile(r'\s*([A-Za-z]+)="([^"\\]*)"\s*(?:,|$)')


@dataclass(frozen=True)
class Synchronization:
    """What a header says: of which collection, where the part of it for its reader is, and the digest of that."""

    collection: str
    url: str
    digest: str


def digest(ids: Iterable[str]) -> str:
    """The partial collection digest, in hexadecimal: the SHA-256 of each id, one over the other (XOR); 0 of none."""
    found = 0
    for uri in set(ids):
        found ^= int.from_bytes(hashlib.sha256(uri.encode()).digest())
    return f"{found:064x}"


def write(said: Synchronization) -> str:
    """The value of the header."""
    return f'collectionId="{said.collection}", url="{said.url}", digest="{said.digest}"'


def read(value: str | None) -> Synchronization | None:
    """What the value of the header says; None where there is none, or it cannot be understood."""
    if value is None or len(value) > LONGEST:
        return None
    found: dict[str, str] = {}
    at = 0
    while at < len(value):
        parameter = _PARAMETER.match(value, at)
        if parameter is None or parameter[1] in found:
            return None
        found[parameter[1]] = parameter[2]
        at = parameter.end()
    told = found.get("digest", "").lower()
    if not _DIGEST.fullmatch(told) or not found.get("collectionId") or not found.get("url"):
        return None
    return Synchronization(found["collectionId"], found["url"], told)
