"""What PrivaPub and a peer do with each other, in order; each step is a row of the table."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parties import Failed, Peer, PrivaPub, wait

GONE = (404, 410)


@dataclass(frozen=True)
class Step:
    """A row: what it is called, what it does, and the rows without which it makes no sense."""

    name: str
    act: Callable[["Walk"], None]
    needs: tuple[str, ...]


class Walk:
    """One walk with one peer: the personas that meet it and what they wrote to each other."""

    def __init__(self, home: PrivaPub, peer: Peer) -> None:
        """Nothing has happened yet."""
        self.home, self.peer = home, peer
        self.ours = f"{peer.name}_open"  # the handle of the persona that takes everybody
        self.locked = f"{peer.name}_locked"
        self.me: dict[str, str] = {}
        self.locked_me: dict[str, str] = {}
        self.posts: dict[str, dict[str, Any]] = {}  # what the persona wrote, by the name of its step
        self.notes: dict[str, str] = {}  # ids of what the peer wrote, by the name of its step

    def them(self, who: str = "open") -> str:
        """The actor uri of one of the peer's people."""
        return self.peer.people[who]["url"]

    def write(self, name: str, audience: str, *, reply_to: str = "") -> dict[str, Any]:
        """A post of the persona, with a text that occurs once."""
        text = f"{name} {secrets.token_hex(4)}"
        if audience == "direct":
            text += f" {self.peer.people['open']['address']}"
        answering = ["--reply-to", reply_to] if reply_to else []
        words = ["post", "create", "--persona", self.ours, "--audience", audience, text, *answering]
        self.posts[name] = self.home.run(*words) | {"typed": text}
        return self.posts[name]

    def arrived(self, uri: str) -> dict[str, Any]:
        """The Create of a post, when the peer has taken it in."""
        return wait(f"the Create of {uri}", lambda: self.peer.received("Create", _about(uri)))[0]

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


def step(name: str, *needs: str) -> Callable[[Callable[[Walk], None]], Callable[[Walk], None]]:
    """Put a function into the table."""

    def into_table(act: Callable[[Walk], None]) -> Callable[[Walk], None]:
        STEPS.append(Step(name, act, needs))
        return act

    return into_table


def _about(uri: str) -> Callable[[dict[str, Any]], bool]:
    def fits(activity: dict[str, Any]) -> bool:
        about = activity.get("object")
        return uri == (about.get("id") if isinstance(about, dict) else about)

    return fits


def check(holds: object, why: str) -> None:
    """Failed, with this reason, where it does not hold."""
    if not holds:
        raise Failed(why)


@step("webfinger: they find us")
def _(walk: Walk) -> None:
    walk.me = walk.home.persona(walk.ours)
    walk.locked_me = walk.home.persona(walk.locked, locked=True)
    jrd = walk.peer.tell("webfinger", address=walk.me["address"])["jrd"]
    check(jrd, f"{walk.peer.name} found nothing for {walk.me['address']}")
    selves = [link["href"] for link in jrd["links"] if link["rel"] == "self"]
    check(walk.me["id"] in selves, f"self is {selves}, and not {walk.me['id']}")


@step("webfinger: we find them", "webfinger: they find us")
def _(walk: Walk) -> None:
    asked = walk.home.run("follow", "add", "--persona", walk.ours, walk.peer.people["open"]["address"])
    check(asked["uri"] == walk.them(), f"found {asked['uri']}, and not {walk.them()}")


@step("follow: open takes us", "webfinger: we find them")
def _(walk: Walk) -> None:
    walk.until_peer_state("followers", "open", walk.me["id"], "accepted")
    walk.until_state("following", walk.ours, "open", "accepted")


@step("follow: locked waits, then takes us", "webfinger: they find us")
def _(walk: Walk) -> None:
    walk.home.run("follow", "add", "--persona", walk.ours, walk.them("locked"))
    walk.until_peer_state("followers", "locked", walk.me["id"], "pending")
    walk.until_state("following", walk.ours, "locked", "pending")
    walk.peer.tell("accept", **{"as": "locked", "actor": walk.me["id"]})
    walk.until_state("following", walk.ours, "locked", "accepted")


@step("follow: refusing refuses us", "webfinger: they find us")
def _(walk: Walk) -> None:
    walk.home.run("follow", "add", "--persona", walk.ours, walk.them("refusing"))
    walk.until_peer_state("followers", "refusing", walk.me["id"], "rejected")
    walk.until_state("following", walk.ours, "refusing", "rejected")


@step("follow: we take open at once", "webfinger: they find us")
def _(walk: Walk) -> None:
    walk.peer.tell("follow", actor=walk.me["address"])
    walk.until_peer_state("following", "open", walk.me["id"], "accepted")
    walk.until_state("followers", walk.ours, "open", "accepted")


@step("follow: our locked one takes open", "webfinger: they find us")
def _(walk: Walk) -> None:
    walk.peer.tell("follow", actor=walk.locked_me["id"])
    walk.until_state("followers", walk.locked, "open", "pending")
    standing = walk.state_at_peer("following", "open", walk.locked_me["id"])
    check(standing == "pending", f"answered before it was decided: {standing}")
    walk.home.run("follow", "accept", "--persona", walk.locked, walk.them())
    walk.until_peer_state("following", "open", walk.locked_me["id"], "accepted")
    walk.until_state("followers", walk.locked, "open", "accepted")


@step("follow: our locked one refuses", "webfinger: they find us")
def _(walk: Walk) -> None:
    walk.peer.tell("follow", **{"as": "locked", "actor": walk.locked_me["id"]})
    walk.until_state("followers", walk.locked, "locked", "pending")
    walk.home.run("follow", "reject", "--persona", walk.locked, walk.them("locked"))
    walk.until_peer_state("following", "locked", walk.locked_me["id"], "rejected")


@step("post: ours to everyone arrives", "follow: we take open at once")
def _(walk: Walk) -> None:
    post = walk.write("ours public", "public")
    note = walk.arrived(post["uri"])["object"]
    check(post["typed"] in note["content"], f"another text: {note['content']}")
    check(note["attributedTo"] == walk.me["id"], f"by another: {note['attributedTo']}")


@step("post: they read ours by its address", "post: ours to everyone arrives")
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]
    found = walk.peer.tell("lookup", url=post["uri"])["found"]
    check(found, f"{walk.peer.name} read nothing at {post['uri']}")
    check(post["typed"] in str(found.get("content")), f"another text: {found.get('content')}")


@step("post: ours to followers arrives", "follow: we take open at once")
def _(walk: Walk) -> None:
    post = walk.write("ours followers", "followers")
    note = walk.arrived(post["uri"])["object"]
    check("#Public" not in str([note.get("to"), note.get("cc")]), "it names everyone as its audience")
    status, _ = walk.home.fetch(post["uri"])
    check(status in GONE, f"anybody may fetch it: {status}")


@step("post: ours to one person arrives", "webfinger: we find them")
def _(walk: Walk) -> None:
    post = walk.write("ours direct", "direct")
    create = walk.arrived(post["uri"])
    said = str([create["object"].get("to"), create["object"].get("cc")])
    check(walk.them() in said and "#Public" not in said and "/followers" not in said, f"its audience is {said}")
    paths = {it["path"] for it in walk.peer.wire(create["id"])}
    check(paths and all(path != "/inbox" for path in paths), f"it came by {paths}, not by the inbox of its reader")


@step("post: theirs to everyone is shown", "follow: open takes us")
def _(walk: Walk) -> None:
    _read_theirs(walk, "theirs public", "public")


@step("post: theirs to followers is shown", "follow: open takes us")
def _(walk: Walk) -> None:
    _read_theirs(walk, "theirs followers", "followers")


@step("post: theirs to one person is shown", "webfinger: they find us")
def _(walk: Walk) -> None:
    _read_theirs(walk, "theirs direct", "direct", mention=walk.me["id"])


def _read_theirs(walk: Walk, name: str, to: str, **more: str) -> None:
    text = f"{name} {secrets.token_hex(4)}"
    walk.notes[name] = walk.peer.tell("post", text=text, to=to, **more)["id"]
    shown = wait(f"{walk.notes[name]} in the timeline", lambda: walk.home.seen(walk.ours, walk.notes[name]))
    check(text in shown["html"], f"another text: {shown['html']}")
    check(shown["audience"] == to, f"shown as {shown['audience']}")


@step("answer: theirs to ours is shown", "post: ours to everyone arrives")
def _(walk: Walk) -> None:
    post, text = walk.posts["ours public"], f"their answer {secrets.token_hex(4)}"
    note = walk.notes["their answer"] = walk.peer.tell("answer", in_reply_to=post["uri"], text=text)["id"]
    shown = wait(f"{note} in the timeline", lambda: walk.home.seen(walk.ours, note))
    check(shown["in_reply_to"] == post["uri"], f"answers {shown['in_reply_to']}")


@step("answer: ours to theirs arrives", "post: theirs to everyone is shown")
def _(walk: Walk) -> None:
    asked = walk.notes["theirs public"]
    post = walk.write("our answer", "public", reply_to=asked)
    note = walk.arrived(post["uri"])["object"]
    check(note.get("inReplyTo") == asked, f"answers {note.get('inReplyTo')}")


@step("edit: ours arrives", "post: ours to everyone arrives")
def _(walk: Walk) -> None:
    post, text = walk.posts["ours public"], f"ours changed {secrets.token_hex(4)}"
    walk.home.run("post", "edit", str(post["id"]), text, "--persona", walk.ours)
    update = wait(f"the Update of {post['uri']}", lambda: walk.peer.received("Update", _about(post["uri"])))[0]
    check(text in update["object"]["content"], f"another text: {update['object']['content']}")
    check(update["object"].get("updated"), "it has no time of its change")


@step("edit: theirs is shown", "post: theirs to everyone is shown")
def _(walk: Walk) -> None:
    note, text = walk.notes["theirs public"], f"theirs changed {secrets.token_hex(4)}"
    walk.peer.tell("edit", id=note, text=text)

    def changed() -> dict[str, Any] | None:
        shown = walk.home.seen(walk.ours, note)
        return shown if shown and text in shown["html"] else None

    check(wait(f"the new text of {note}", changed)["edited_at"], "it has no time of its change")


@step("delete: ours arrives", "post: ours to everyone arrives")
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]
    walk.home.run("post", "delete", str(post["id"]), "--persona", walk.ours)
    wait(f"the Delete of {post['uri']}", lambda: walk.peer.received("Delete", _about(post["uri"])))
    status, _ = walk.home.fetch(post["uri"])
    check(status in GONE, f"its address still answers {status}")


@step("delete: theirs goes", "post: theirs to everyone is shown")
def _(walk: Walk) -> None:
    note = walk.notes["theirs public"]
    walk.peer.tell("delete", id=note)
    wait(f"{note} to go from the timeline", lambda: walk.home.seen(walk.ours, note) is None)


@step("down: a post waits and arrives once", "follow: we take open at once")
def _(walk: Walk) -> None:
    walk.peer.stop()
    try:
        post = walk.write("while down", "public")
        job = wait("a failed try in the queue", lambda: _tried(walk))
    finally:
        walk.peer.begin()
        walk.peer.until_ready()
    try:
        walk.home.run("jobs", "retry", str(job["id"]))
    except Failed:
        _tried(walk)  # it may be under way by itself already
    _once(walk, walk.arrived(post["uri"])["id"], refused=0)


def _tried(walk: Walk) -> dict[str, Any] | None:
    jobs = walk.home.run("jobs", "list", "--host", walk.peer.host, "--state", "waiting")
    return next((job for job in jobs if job["attempt"] > 0), None)


@step("429: a post waits as told, arrives once", "follow: we take open at once")
def _(walk: Walk) -> None:
    wait_for = 2
    walk.peer.tell("behave", answer=429, retry_after=wait_for, times=1)
    post = walk.write("too many", "public")
    create = walk.arrived(post["uri"])["id"]
    _once(walk, create, refused=1)
    first, second = walk.peer.wire(create)
    waited = second["at"] - first["at"]
    check(waited >= wait_for, f"it came back after {waited:.1f} s and not after {wait_for} s")


def _once(walk: Walk, create: str, *, refused: int) -> None:
    statuses = [it["status"] for it in walk.peer.wire(create)]
    taken = [status for status in statuses if status < 300]
    check(len(taken) == 1, f"taken {len(taken)} times: {statuses}")
    check(len(statuses) - 1 == refused, f"its answers were {statuses}")


@step("unfollow: ours arrives", "follow: open takes us")
def _(walk: Walk) -> None:
    walk.home.run("follow", "remove", "--persona", walk.ours, walk.peer.people["open"]["address"])
    walk.until_peer_state("followers", "open", walk.me["id"], None)
    check(walk.peer.received("Undo", lambda it: it["actor"] == walk.me["id"]), "no Undo came")


@step("unfollow: theirs is heard", "follow: we take open at once")
def _(walk: Walk) -> None:
    walk.peer.tell("unfollow", actor=walk.me["id"])
    walk.until_state("followers", walk.ours, "open", None)
