"""What comes back through the door: an answer, or a problem with a reason."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache

from multidict import CIMultiDictProxy

from privapub.budget import SPENT
from privapub.errors import Unavailable

ACTIVITY_JSON = "application/activity+json"
LD_JSON = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
# ActivityPub, section 3.2, asks for the second; some servers know only the first.
ACTIVITY_TYPES = frozenset({ACTIVITY_JSON, LD_JSON})
ACTIVITY_ACCEPT = f"{ACTIVITY_JSON}, {LD_JSON}"
# Pages for people, where one may lead to a document; whoever has both gives the document.
PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
PAGE_ACCEPT = f"{ACTIVITY_ACCEPT}, text/html;q=0.1"

REFUSED = frozenset(
    {
        "disallowed",
        "remembered",
        "private-address",
        "bad-redirect",
        "too-many-redirects",
        "content-type",
        "too-large",
        SPENT,
    }
)
FAILED = frozenset({"bad-json", "timeout", "network"})  # and the statuses
# With which a host says that it may answer soon.
IN_A_MOMENT = frozenset({"timeout", "network", "429", "502", "503", "504"})


@dataclass(frozen=True)
class Answer:
    """An HTTP answer whose body has been read.

    `url` is the one that finally answered, without fragment, else just as it was asked for or redirected to;
    `content_type` is lower-case and without parameters; `content` is what `read` made of the body.
    """

    status: int
    url: str
    headers: CIMultiDictProxy[str]
    body: bytes
    hops: int
    content_type: str
    content: object = None


class FetchProblem(Unavailable):
    """The other server could not be asked."""

    def __init__(self, host: str, reason: str, *, status: int | None = None, retry_after: str | None = None) -> None:
        """`reason` is one of REFUSED or FAILED, or the status; `retry_after` is the header as it came.

        The sentence names the host and never the path.
        """
        super().__init__(f"{host or 'This address'} could not be asked: {reason}.")
        self.host = host
        self.reason = reason
        self.status = status
        self.retry_after = retry_after

    @property
    def outcome(self) -> str:
        """`refused` where we would not, `failed` where it could not."""
        return "refused" if self.reason in REFUSED else "failed"


@lru_cache(maxsize=64)  # what is asked for is said in few words, and what comes nearly always too
def _read_type(header: str) -> tuple[str, frozenset[str]]:
    message = Message()
    message["content-type"] = header
    profile = message.get_param("profile", "", "content-type")
    return bare_type(header), frozenset(str(profile).split())


def bare_type(header: str) -> str:
    """The type of a Content-Type header: `application/json` of `Application/JSON; charset=utf-8`."""
    return header.partition(";")[0].strip().lower()


def is_one_of(header: str, types: AbstractSet[str]) -> bool:
    """Whether a Content-Type header is one of these (any, where there are none).

    One that is listed with a profile must come with it (RFC 6906: among others, perhaps).
    """
    found = bare_type(header)
    for wanted in types:
        kind, needed = _read_type(wanted)
        if kind == found and (not needed or needed <= _read_type(header)[1]):
            return True
    return not types
