"""Two PrivaPub servers with each other; each step is a row of the table."""

import secrets
from collections.abc import Callable
from typing import Any

from environments import NEIGHBOUR
from parties import PrivaPub, wait
from walk import GONE, Walk, check
from walk import step as any_step


class Between:
    """A persona here and one there, each as its own server knows it."""

    def __init__(self, here: PrivaPub, there: PrivaPub) -> None:
        """Nothing has happened yet."""
        self.here, self.there = here, there
        self.anna: dict[str, str] = {}
        self.bert: dict[str, str] = {}
        self.post = self.answer = self.poll = self.quote = ""


def step(name: str, *needs: str) -> Callable[[Callable[[Between], None]], Callable[[Between], None]]:
    """A row with only the other PrivaPub in it."""

    def into_table(act: Callable[[Between], None]) -> Callable[[Between], None]:
        any_step(f"two: {name}", *(f"two: {need}" for need in needs), columns=(NEIGHBOUR,))(_walked(act))
        return act

    return into_table


def _walked(act: Callable[[Between], None]) -> Callable[[Walk], None]:
    def walked(walk: Walk) -> None:
        if walk.between is None:
            walk.between = Between(walk.home, walk.peer)
        act(walk.between)

    return walked


def _shown(at: PrivaPub, handle: str, uri: str) -> dict[str, Any]:
    return wait(f"{uri} in the timeline of {handle}", lambda: at.seen(handle, uri))


def _told(at: PrivaPub, handle: str, kind: str, uri: str) -> None:
    def look() -> bool:
        rows = at.run("notifications", "list", "--persona", handle, "--kind", kind)
        return any(row["post"] == uri for row in rows)

    wait(f"{handle} to be told of a {kind}", look)


def _held(at: PrivaPub, uri: str, what: str) -> Any:
    return at.run("federation", "show", uri)[what]


def _write(at: PrivaPub, handle: str, text: str, *more: str) -> str:
    words = ("post", "create", "--persona", handle, "--audience", "public", f"{text} {secrets.token_hex(4)}")
    return str(at.run(*words, *more)["uri"])


@step("follows, both ways, one of them locked")
def _(two: Between) -> None:
    two.anna, two.bert = two.here.persona("anna"), two.there.persona("bert", locked=True)
    two.here.run("follow", "add", "--persona", "anna", two.bert["address"])
    wait("anna to ask", lambda: two.there.relations("followers", "bert").get(two.anna["id"]) == "pending")
    two.there.run("follow", "accept", "--persona", "bert", two.anna["id"])
    two.there.run("follow", "add", "--persona", "bert", two.anna["address"])
    for at, handle, other in ((two.here, "anna", two.bert["id"]), (two.there, "bert", two.anna["id"])):
        for side in ("following", "followers"):
            wait(
                f"{side} of {handle}", lambda at=at, s=side, h=handle, o=other: at.relations(s, h).get(o) == "accepted"
            )


@step("a post arrives, and its change", "follows, both ways, one of them locked")
def _(two: Between) -> None:
    two.post = _write(two.here, "anna", "hello")
    _shown(two.there, "bert", two.post)
    text = f"changed {secrets.token_hex(4)}"
    two.here.run("post", "edit", two.post, text, "--persona", "anna")
    wait("the new text", lambda: text in _shown(two.there, "bert", two.post)["html"])


@step("an answer arrives", "a post arrives, and its change")
def _(two: Between) -> None:
    two.answer = _write(two.there, "bert", "hello back", "--reply-to", two.post)
    check(_shown(two.here, "anna", two.answer)["in_reply_to"] == two.post, "it answers something else")
    below = two.here.run("post", "thread", two.post, "--persona", "anna")["posts"]
    check([row["uri"] for row in below] == [two.post, two.answer], f"the thread is {below}")


@step("a like, a reaction and a boost arrive", "a post arrives, and its change")
def _(two: Between) -> None:
    two.there.run("post", "like", two.post, "--persona", "bert")
    two.there.run("post", "react", two.post, "🎉", "--persona", "bert")
    two.there.run("post", "boost", two.post, "--persona", "bert")
    for kind in ("favourite", "reaction", "reblog"):
        _told(two.here, "anna", kind, two.post)


@step("a poll takes a vote", "follows, both ways, one of them locked")
def _(two: Between) -> None:
    two.poll = _write(two.here, "anna", "which?", "--poll", "tea", "--poll", "coffee")
    _shown(two.there, "bert", two.poll)
    two.there.run("post", "vote", two.poll, "2", "--persona", "bert")

    def counted() -> bool:
        return [option["votes"] for option in _held(two.here, two.poll, "poll")["options"]] == [0, 1]

    wait("the vote", counted)


@step("a quote is allowed, and taken back", "a post arrives, and its change")
def _(two: Between) -> None:
    two.quote = str(two.there.run("post", "quote", two.post, "look", "--persona", "bert")["uri"])
    wait("anna's yes", lambda: _held(two.there, two.quote, "quote_state") == "accepted")
    wait("the quote here", lambda: _held(two.here, two.quote, "quote_state") == "accepted")
    stamp = _held(two.there, two.quote, "quote_stamp")
    check(two.here.fetch(stamp)[0] == 200, "there is no stamp")
    two.here.run("post", "revoke-quote", two.post, two.quote, "--persona", "anna")
    wait("the quote to go", lambda: _held(two.there, two.quote, "quote_state") == "rejected")
    check(two.here.fetch(stamp)[0] in GONE, "the stamp is still there")


@step("nobody may quote", "follows, both ways, one of them locked")
def _(two: Between) -> None:
    post = _write(two.here, "anna", "not to be quoted")
    two.here.run("post", "quote-policy", post, "nobody", "--persona", "anna")
    wait("bert to know", lambda: _held(two.there, post, "quote_policy") == "nobody")
    done = two.there.teller.run(["post", "quote", post, "all the same", "--persona", "bert", "--json"])
    check(done["status"] == 1, f"it could be quoted: {done['out']}")


@step("what is taken back goes", "an answer arrives")
def _(two: Between) -> None:
    two.there.run("post", "delete", two.answer, "--persona", "bert")
    wait("the answer to go", lambda: two.here.seen("anna", two.answer) is None)
    two.here.run("follow", "remove", "--persona", "anna", two.bert["address"])
    wait("anna to go", lambda: two.anna["id"] not in two.there.relations("followers", "bert"))
