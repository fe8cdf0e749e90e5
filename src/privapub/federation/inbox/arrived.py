"""What a handler of one kind of activity is given, and what it may ask to be fetched beforehand."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.read_activity import Activity
from privapub.federation.documents.read_post import RemotePost


@dataclass(frozen=True)
class Wanted:
    """Something that must be fetched first.

    `actor`: an actor, read afresh from its origin; `address`: the address of an embedded profile; `move`: an actor and
    the signer, both afresh; `post`: a post, with its author. `shared`: of a post, one fetch for all who want it, or one
    of a moment ago, will do.
    """

    what: Literal["actor", "address", "move", "post"]
    uri: str
    shared: bool = False


@dataclass(frozen=True)
class Fetched:
    """What came of it: a post with its author or an actor; or the reason why it could not be had.

    All are empty where nothing had to be fetched. `activity` is there where it was read to find out.
    """

    post: RemotePost | None = None
    actor: Actor | None = None
    problem: str | None = None
    activity: Activity | None = None


# Who brought it: its own actor, somebody else who sends on what concerns their posts, or a relay.
Through = Literal["", "forwarded", "relayed"]
DIRECTLY: Final = ""
FORWARDED: Final = "forwarded"
RELAYED: Final = "relayed"


@dataclass(frozen=True)
class Arrived:
    """A verified activity, who signed it, and `owner`: the persona (by number) whose inbox it came to, or "".

    Whoever brought what somebody else did says nothing of whom it is for: then there is no owner.
    """

    activity: Activity
    signer: Actor
    owner: str
    fetched: Fetched = Fetched()
    through: Through = DIRECTLY


# Takes it in; the reason (a short word for reports) where it is kept out, or None.
TakeIn = Callable[[Transaction, Arrived, float], Awaitable[str | None]]
# What must be fetched before it can be taken in, or None. It decides again inside `TakeIn`: much may happen between.
Want = Callable[[Transaction, Arrived], Awaitable[Wanted | None]]


@dataclass(frozen=True)
class Handling:
    """How one kind of activity is handled. With `only_named`, what is embedded is never wanted."""

    take_in: TakeIn
    want: Want | None = None
    only_named: bool = False
