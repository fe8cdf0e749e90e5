"""The table that the steps make, and a walk through it with one party."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from environments import PEERS
from parties import Failed, PrivaPub, wait

GONE = (404, 410)


@dataclass(frozen=True)
class Step:
    """A row: what it is called, what it does, and the rows without which it makes no sense."""

    name: str
    act: Callable[["Walk"], None]
    needs: tuple[str, ...]
    columns: tuple[str, ...]  # whom it is walked with
    program: str  # one without which it cannot be walked, or ""


class Walk:
    """One walk with one peer: the personas that meet it and what they wrote to each other."""

    def __init__(self, home: PrivaPub, peer: Any) -> None:
        """Nothing has happened yet; the peer is a Peer, or another PrivaPub."""
        self.home, self.peer = home, peer
        self.between: Any = None  # what two PrivaPubs have to do with each other
        self.ours = f"{peer.name}_open"  # the handle of the persona that takes everybody
        self.locked = f"{peer.name}_locked"
        self.me: dict[str, str] = {}
        self.locked_me: dict[str, str] = {}
        self.posts: dict[str, dict[str, Any]] = {}  # what the persona wrote, by the name of its step
        self.notes: dict[str, str] = {}  # ids of what the peer wrote, by the name of its step

    def held(self, uri: str) -> dict[str, Any]:
        """What PrivaPub holds of a post or an actor."""
        return dict(self.home.run("federation", "show", uri))

    def told(self, kind: str, uri: str, who: str = "open") -> None:
        """Wait until the persona was told what one of the peer's people did with a post."""
        sender = self.peer.people[who]["address"]

        def look() -> bool:
            rows = self.home.run("notifications", "list", "--persona", self.ours, "--kind", kind)
            return any(row["from"] == sender and row["post"] == uri for row in rows)

        wait(f"a notification of {kind} by {sender}", look)

    def note(self, name: str, **words: Any) -> str:
        """A note of the peer's `open`, once PrivaPub holds it, under the name of its step."""
        text = f"{name} {secrets.token_hex(4)}"
        uri = self.notes[name] = str(self.peer.tell("post", text=text, **words)["id"])
        wait(f"{uri} in the timeline", lambda: self.home.seen(self.ours, uri))
        return uri

    def them(self, who: str = "open") -> str:
        """The actor uri of one of the peer's people."""
        return self.peer.people[who]["url"]

    def write(
        self, name: str, audience: str, *, reply_to: str = "", persona: str = "", more: Sequence[str] = ()
    ) -> dict[str, Any]:
        """A post of the persona, with a text that occurs once."""
        text = f"{name} {secrets.token_hex(4)}"
        if audience == "direct":
            text += f" {self.peer.people['open']['address']}"
        answering = ["--reply-to", reply_to] if reply_to else []
        words = ["post", "create", "--persona", persona or self.ours, "--audience", audience, text, *answering, *more]
        self.posts[name] = self.home.run(*words) | {"typed": text}
        return self.posts[name]

    def arrived(self, uri: str) -> dict[str, Any]:
        """The Create of a post, when the peer has taken it in."""
        return wait(f"the Create of {uri}", lambda: self.peer.received("Create", about(uri)))[0]

    def state_at_peer(self, side: str, who: str, actor: str) -> str | None:
        """How one of the peer's people stands to an actor."""
        rows = self.peer.ask(side)[side]
        return next((it["state"] for it in rows if it["as"] == who and it["actor"] == actor), None)

    def until_state(self, side: str, handle: str, who: str, state: str | None) -> None:
        """Wait until PrivaPub says this of a persona and one of the peer's people (None: nothing at all)."""
        found: list[str | None] = []

        def look() -> bool:
            found[:] = [self.home.relations(side, handle).get(self.them(who))]
            if found == [state]:
                return True
            raise Failed(f"it is {found[0]}")

        wait(f"{who} among the {side} of {handle} to be {state}", look)

    def until_peer_state(self, side: str, who: str, actor: str, state: str | None) -> None:
        """The same, as the peer says it."""

        def look() -> bool:
            found = self.state_at_peer(side, who, actor)
            if found == state:
                return True
            raise Failed(f"it is {found}")

        wait(f"{actor} among the {side} of {who} at {self.peer.name} to be {state}", look)


STEPS: list[Step] = []


def step(
    name: str, *needs: str, columns: tuple[str, ...] = PEERS, program: str = ""
) -> Callable[[Callable[[Walk], None]], Callable[[Walk], None]]:
    """Put a function into the table."""

    def into_table(act: Callable[[Walk], None]) -> Callable[[Walk], None]:
        STEPS.append(Step(name, act, needs, columns, program))
        return act

    return into_table


def about(uri: str) -> Callable[[dict[str, Any]], bool]:
    def fits(activity: dict[str, Any]) -> bool:
        about = activity.get("object")
        return uri == (about.get("id") if isinstance(about, dict) else about)

    return fits


def check(holds: object, why: str) -> None:
    """Failed, with this reason, where it does not hold."""
    if not holds:
        raise Failed(why)
