"""Taking back, a peer that is down or has too much, and parting; each step is a row of the table."""

from typing import Any

from parties import Failed, wait
from walk import GONE, Walk, about, check, step


@step("delete: ours arrives", "post: ours to everyone arrives")
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]
    walk.home.run("post", "delete", str(post["id"]), "--persona", walk.ours)
    wait(f"the Delete of {post['uri']}", lambda: walk.peer.received("Delete", about(post["uri"])))
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
