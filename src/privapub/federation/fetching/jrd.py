"""RFC 7033 (WebFinger): whom a host knows under an address, and under which address it knows an actor."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from privapub import scope
from privapub.errors import InvalidInput, NotFound
from privapub.federation.documents import strict_json
from privapub.federation.documents.properties import fit_for_id
from privapub.federation.fetching.origin import origin
from privapub.outbound.answers import ACTIVITY_TYPES, FetchProblem, is_one_of
from privapub.server import Server

JRD_ACCEPT = "application/jrd+json, application/json"
JRD_TYPES = frozenset({"application/jrd+json", "application/json"})
LIMIT = 1 << 16
LOOK = "Look at the name and the host again: one of them may be spelled otherwise."
_HANDLE = re.compile(r"[^\s@/?#&:\x00-\x1f\x7f]{1,255}")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?")


@dataclass(frozen=True)
class Name:
    """Somebody's address: the handle as it is written, the host in lower case and ASCII, with its port if any."""

    handle: str
    host: str

    def __str__(self) -> str:
        """`handle@host`."""
        return f"{self.handle}@{self.host}"

    def same(self, other: "Name") -> bool:
        """Whether both mean one account: handles of one host that differ by case are taken as one."""
        return self.host == other.host and self.handle.casefold() == other.handle.casefold()


@dataclass(frozen=True)
class Found:
    """What a host says of an address: the actor's id, and the address that it calls the account's own."""

    uri: str
    name: Name


def read_name(text: str) -> Name:
    """The parts of `handle@host`, with `@` or `acct:` before it or not; InvalidInput where it is no address."""
    handle, at, host = text.strip().removeprefix("acct:").removeprefix("@").rpartition("@")
    try:
        host = host.lower() if host.isascii() else host.lower().encode("idna").decode("ascii")
    except UnicodeError:
        host = ""
    if not at or not _HANDLE.fullmatch(handle) or not _HOST.fullmatch(host):
        raise InvalidInput(f"{text[:100]!r} is no address.", "Write it as @somebody@example.org.")
    return Name(handle, host)


def read_jrd(document: dict[str, object], asked: Name) -> Found:
    """What the answer to a question for this address says; NotFound where it names no actor."""
    links = document.get("links")
    for link in links if isinstance(links, list) else ():
        if not isinstance(link, dict) or link.get("rel") != "self":
            continue
        kind, uri = link.get("type"), link.get("href")
        if isinstance(kind, str) and is_one_of(kind, ACTIVITY_TYPES) and fit_for_id(uri) and origin(str(uri)):
            return Found(str(uri), _subject(document.get("subject")) or asked)
    raise NotFound(f"There is no @{asked}.", LOOK)


def _subject(text: object) -> Name | None:
    if not isinstance(text, str) or not text.startswith("acct:"):
        return None
    try:
        return read_name(text)
    except InvalidInput:
        return None


async def ask(server: Server, name: Name, *, scheme: str = "") -> Found:
    """Ask the address' own host. Raises NotFound where it knows nobody of that name, FetchProblem where it is silent.

    `scheme` is tried first; plain http only where networks are let through for development. We are not asked: nobody
    elsewhere has an address here.
    """
    if name.host in (server.domain, origin(server.base_url)):
        raise NotFound(f"There is no @{name}.", LOOK)
    problem: FetchProblem | None = None
    for each in _schemes(server, scheme):
        url = f"{each}://{name.host}/.well-known/webfinger?resource=acct:{quote(str(name), safe='@:')}"
        try:
            with scope.purpose("webfinger"):
                answer = await server.door.get(
                    url, accept=JRD_ACCEPT, content_types=JRD_TYPES, limit=LIMIT, read=strict_json.read
                )
        except FetchProblem as refused:
            problem = problem or refused
            if refused.status is not None:
                break
        else:
            assert isinstance(answer.content, dict)  # noqa: S101  # what strict_json.read returns
            return read_jrd(answer.content, name)
    assert problem is not None  # noqa: S101  # there is always one scheme to try
    if problem.status is not None and (400 <= problem.status < 500 or not problem.reason.isdecimal()):
        raise NotFound(f"There is no @{name}.", LOOK) from problem
    raise problem


def _schemes(server: Server, first: str) -> tuple[str, ...]:
    if not server.settings.allow_addresses:
        return ("https",)
    begin = first or server.base_url.partition(":")[0]
    return (begin, "http" if begin == "https" else "https")


async def canonical(server: Server, asked: Name, *, scheme: str = "") -> Found:
    """The actor of an address, and the address that both hosts call its own (RFC 7033, section 4.4.1).

    Where the answer's subject is another address, that one's host must say the same; else NotFound.
    """
    found = await ask(server, asked, scheme=scheme)
    if found.name.same(asked):
        return Found(found.uri, Name(asked.handle, asked.host))
    again = await ask(server, found.name, scheme=scheme)
    if again.uri != found.uri or not again.name.same(found.name):
        raise NotFound(f"{asked.host} calls {asked} {found.name}, and {found.name.host} does not.")
    return again
