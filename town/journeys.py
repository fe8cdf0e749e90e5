"""Threads read whole, and who moves: what takes several posts or people; each step is a row of the table."""

from parties import wait
from walk import Walk, check, step

DEPTH = 12


@step("thread: theirs, twelve deep, is read", "webfinger: we find them")
def _(walk: Walk) -> None:
    ids = walk.peer.tell("chain", depth=DEPTH, text="deep")["ids"]
    middle = ids[DEPTH // 2]  # from there up and down
    walk.home.run("post", "like", middle, "--persona", walk.ours)
    walk.home.run("post", "thread", middle, "--persona", walk.ours)
    wait(f"all {DEPTH} posts", lambda: set(ids) <= set(_below(walk, ids[0])))


def _below(walk: Walk, uri: str) -> list[str]:
    return [post["uri"] for post in walk.home.run("post", "thread", uri, "--persona", walk.ours)["posts"]]


@step("thread: ours, twelve deep, is read", "webfinger: they find us")
def _(walk: Walk) -> None:
    uris: list[str] = []
    for number in range(DEPTH):
        name = f"deep {number}"
        uris.append(walk.write(name, "unlisted", reply_to=uris[-1] if uris else "", persona=walk.locked)["uri"])
    seen = walk.peer.tell("climb", url=uris[-1])
    check(seen["up"] == uris[::-1], f"upwards they read {len(seen['up'])} of {DEPTH}")
    check(seen["listed"] == uris, f"as listed they read {len(seen['listed'])} of {DEPTH}")


@step("move: theirs takes us along", "follow: open takes us")
def _(walk: Walk) -> None:
    walk.home.run("follow", "add", "--persona", walk.locked, walk.them("leaving"))
    walk.until_state("following", walk.locked, "leaving", "accepted")
    walk.peer.tell("move", to=[walk.locked_me["id"]])
    walk.until_state("following", walk.locked, "open", "accepted")


@step("move: ours takes them along", "webfinger: they find us")
def _(walk: Walk) -> None:
    leaving = f"{walk.peer.name}_leaving"
    me = walk.home.persona(leaving)
    walk.peer.tell("follow", actor=me["id"])
    walk.until_state("followers", leaving, "open", "accepted")
    walk.home.run("persona", "alias", "add", walk.locked, me["id"], "--link-publicly")
    walk.home.run("persona", "move", leaving, "--to", walk.locked_me["id"], "--yes", "--link-publicly")
    moved = wait("the Move", lambda: walk.peer.received("Move", lambda it: it["object"] == me["id"]))[0]
    check(moved["target"] == walk.locked_me["id"], f"to {moved['target']}")
    check(walk.home.fetch(me["id"])[1].get("movedTo") == walk.locked_me["id"], "its actor does not say so")
    known = walk.home.fetch(walk.locked_me["id"])[1].get("alsoKnownAs")
    check(known == [me["id"]], f"the new one says {known}")
