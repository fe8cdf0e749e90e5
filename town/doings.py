"""Likes, reactions, boosts, polls, pins and quotes, both ways; each step is a row of the table."""

from typing import Any

from parties import wait
from walk import Walk, about, check, step

HEARD, FOLLOWED = "post: theirs to everyone is shown", "post: ours to everyone arrives"
PARTY = "🎉"
REACTS = {"fedify": "EmojiReact", "apkit": "Like"}  # apkit writes an EmojiReact with the type Like


def _until_undone(walk: Walk, kind: str, said: str) -> None:
    def fits(it: dict[str, Any]) -> bool:
        return about(said)(it) and (not isinstance(it["object"], dict) or it["object"]["type"] == kind)

    wait(f"the Undo of {said}", lambda: walk.peer.received("Undo", fits))


def _count(walk: Walk, uri: str, collection: str) -> Any:
    return walk.home.fetch(f"{uri}/{collection}")[1].get("totalItems")


@step("like: ours arrives, and its Undo", HEARD)
def _(walk: Walk) -> None:
    note = walk.notes["theirs public"]
    walk.home.run("post", "like", note, "--persona", walk.ours)
    like = wait(f"the Like of {note}", lambda: walk.peer.received("Like", about(note)))[0]
    check("content" not in like, f"it says more: {like.get('content')}")
    walk.home.run("post", "unlike", note, "--persona", walk.ours)
    _until_undone(walk, "Like", like["id"])


@step("like: theirs is told, and taken back", FOLLOWED)
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]["uri"]
    like = walk.peer.tell("act", type="Like", object=post, to=[walk.me["id"]])["id"]
    walk.told("favourite", post)
    check(_count(walk, post, "likes") == 1, f"its likes are {_count(walk, post, 'likes')}")
    walk.peer.tell("undo", id=like)
    wait(f"{post} to have no like", lambda: _count(walk, post, "likes") == 0)


@step("reaction: ours arrives", HEARD)
def _(walk: Walk) -> None:
    note = walk.notes["theirs public"]
    walk.home.run("post", "react", note, PARTY, "--persona", walk.ours)
    wait(f"{PARTY} to {note}", lambda: walk.peer.received("Like", lambda it: about(note)(it) and _emoji(it) == PARTY))


def _emoji(like: dict[str, Any]) -> Any:
    return like.get("content")


@step("reaction: theirs is told", FOLLOWED)
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]["uri"]
    walk.peer.tell("act", type=REACTS[walk.peer.name], object=post, content=PARTY, to=[walk.me["id"]])
    walk.told("reaction", post)


@step("boost: ours arrives, and its Undo", HEARD, "follow: we take open at once")
def _(walk: Walk) -> None:
    note = walk.notes["theirs public"]
    walk.home.run("post", "boost", note, "--persona", walk.ours)
    boost = wait(f"the Announce of {note}", lambda: walk.peer.received("Announce", about(note)))[0]
    walk.home.run("post", "unboost", note, "--persona", walk.ours)
    _until_undone(walk, "Announce", boost["id"])


@step("boost: theirs is told and shown", FOLLOWED, "follow: open takes us")
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]["uri"]
    boost = walk.peer.tell("act", type="Announce", object=post, to=[walk.me["id"]])["id"]
    walk.told("reblog", post)
    check(_count(walk, post, "shares") == 1, f"its boosts are {_count(walk, post, 'shares')}")
    walk.peer.tell("undo", id=boost)
    wait(f"{post} to have no boost", lambda: _count(walk, post, "shares") == 0)
    found = walk.peer.tell("post", **{"as": "leaving"}, text="boosted", quiet=True)["id"]  # it is to be fetched
    walk.peer.tell("act", type="Announce", object=found, to=[walk.me["id"]])
    shown = wait(f"{found} in the timeline", lambda: walk.home.seen(walk.ours, found))
    check(shown["boosted_by"] == walk.peer.people["open"]["address"], f"boosted by {shown['boosted_by']}")


@step("poll: theirs takes our vote", "follow: open takes us")
def _(walk: Walk) -> None:
    poll = walk.note("their poll", poll=["tea", "coffee"])
    walk.home.run("post", "vote", poll, "2", "--persona", walk.ours)

    def fits(create: dict[str, Any]) -> bool:
        return bool(create["object"].get("inReplyTo") == poll and create["object"].get("name") == "coffee")

    vote = wait("our vote", lambda: walk.peer.received("Create", fits))[0]
    check("#Public" not in str(vote), "it is for everyone")
    walk.peer.tell("edit", id=poll)
    wait("the votes as they count them", lambda: _votes(walk, poll) == [0, 1])


@step("poll: ours takes their vote", "follow: we take open at once")
def _(walk: Walk) -> None:
    more = ["--poll", "tea", "--poll", "coffee"]
    post = walk.write("our poll", "public", more=more)
    asked = walk.arrived(post["uri"])["object"]
    check(asked["type"] == "Question" and len(asked["oneOf"]) == 2, f"no poll: {asked}")
    walk.peer.tell("vote", url=post["uri"], name="tea")
    wait("their vote", lambda: _votes(walk, post["uri"]) == [1, 0])
    counted = [option["replies"]["totalItems"] for option in walk.home.fetch(post["uri"])[1]["oneOf"]]
    check(counted == [1, 0], f"it says {counted} to others")


def _votes(walk: Walk, uri: str) -> list[int | None]:
    return [option["votes"] for option in walk.held(uri)["poll"]["options"]]


@step("pin: ours arrives and is featured", FOLLOWED)
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]
    walk.home.run("post", "pin", str(post["id"]), "--persona", walk.ours)
    wait(f"the Add of {post['uri']}", lambda: walk.peer.received("Add", about(post["uri"])))
    featured = walk.home.fetch(walk.me["id"])[1]["featured"]
    ids = [item["id"] for item in walk.home.fetch(featured)[1]["orderedItems"]]
    check(ids == [post["uri"]], f"featured are {ids}")


@step("pin: theirs is kept", HEARD)
def _(walk: Walk) -> None:
    note = walk.notes["theirs public"]
    walk.peer.tell("pin", id=note, to=[walk.me["id"]])
    wait(f"{note} to be pinned", lambda: walk.held(note)["pinned"])


@step("quote: ours of theirs, with their stamp", HEARD, "follow: we take open at once")
def _(walk: Walk) -> None:
    note = walk.notes["theirs public"]
    post = walk.home.run("post", "quote", note, "look at this", "--persona", walk.ours)
    asked = wait("our QuoteRequest", lambda: walk.peer.received("QuoteRequest", about(note)))[0]
    said = asked["instrument"]
    check(post["uri"] == (said["id"] if isinstance(said, dict) else said), f"another post asks: {said}")
    wait("their yes", lambda: walk.held(post["uri"])["quote_state"] == "accepted")

    def stamped(update: dict[str, Any]) -> Any:
        return about(post["uri"])(update) and update["object"].get("quoteAuthorization")

    wait("the Update with their stamp", lambda: walk.peer.received("Update", stamped))


@step("quote: theirs of ours, with our stamp", FOLLOWED, "follow: open takes us")
def _(walk: Walk) -> None:
    post = walk.posts["ours public"]["uri"]
    note = walk.peer.tell("post", text="they say", quote=post, quiet=True)["id"]
    asked = walk.peer.tell("act", type="QuoteRequest", object=post, instrument=note, to=[walk.me["id"]])["id"]
    stamp = wait("our yes", lambda: walk.peer.received("Accept", about(asked)))[0]["result"]
    status, document = walk.home.fetch(stamp)
    check((status, document.get("interactingObject")) == (200, note), f"the stamp is {status} {document}")
    walk.peer.tell("stamp", id=note, stamp=stamp)
    wait(f"{note} to be a quote", lambda: walk.held(note)["quote_state"] == "accepted")
