"""Meeting: finding, following, posting, answering and changing, both ways; each step is a row of the table."""

import secrets
from typing import Any

from parties import wait
from walk import GONE, Walk, about, check, step


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
    update = wait(f"the Update of {post['uri']}", lambda: walk.peer.received("Update", about(post["uri"])))[0]
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
