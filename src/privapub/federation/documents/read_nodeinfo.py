"""What a server says that it runs (NodeInfo 2.0 and 2.1): two documents, neither of them ActivityStreams."""

from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import each, line, link

_SCHEMA = "http://nodeinfo.diaspora.software/ns/schema/"
_VERSIONS = ("2.1", "2.0")


@dataclass(frozen=True, slots=True)
class Nodeinfo:
    """The program, in lower case, and its version."""

    software: str
    version: str = ""


def read_nodeinfo(document: dict[str, Any]) -> Nodeinfo:
    """Which program answers; BadDocument("no-software") where it does not say."""
    software = document.get("software")
    name = line(software.get("name"), 100).lower() if isinstance(software, dict) else ""
    if not name:
        raise BadDocument("no-software")
    assert isinstance(software, dict)  # noqa: S101  # it has a name
    return Nodeinfo(name, line(software.get("version"), 100))


def read_nodeinfo_address(document: dict[str, Any]) -> str:
    """Where the nodeinfo document is, of `/.well-known/nodeinfo`; BadDocument("no-nodeinfo") where none is known."""
    found = {item.get("rel"): item for item in each(document.get("links")) if isinstance(item, dict) and _rel(item)}
    for version in _VERSIONS:
        address = link(found.get(f"{_SCHEMA}{version}"))
        if address is not None:
            return address
    raise BadDocument("no-nodeinfo")


def _rel(item: dict[str, Any]) -> bool:
    return isinstance(item.get("rel"), str)
