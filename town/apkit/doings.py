"""What people here do with the posts of others, and what they answer: likes, boosts, polls, pins, quotes, a move."""

from collections.abc import Awaitable, Callable
from typing import Any

from apkit.models import Add, Announce, Like, Move, Remove, Undo
from files import emoji_of
from gaps import Accept, Create, Note, QuoteRequest
from notes import PUBLIC, deliver, find, now, publish, read, send_out, uri_of
from remembered import actor_id, fresh, save, state

KINDS = {kind.__name__: kind for kind in (Add, Announce, Like, Move, QuoteRequest, Remove)}
LONGEST = 100  # posts of a thread


async def act(ask: dict) -> dict:
    """An activity that is said in a few words: its type, what it is about and whom it goes to."""
    handle, kind = ask.get("as", "open"), ask["type"]
    people = [await find(each) for each in ask["to"]]
    given = {name: ask[name] for name in ("object", "target", "instrument", "content") if ask.get(name)}
    whom: dict[str, Any] = {"to": [person["id"] for person in people]}
    if kind in ("Announce", "Add", "Remove", "Move"):
        whom = {"to": [PUBLIC], "cc": [f"{actor_id(handle)}/followers"], "published": now()}
    words = {"id": fresh("acts"), "actor": actor_id(handle), **given, **whom}
    state["acts"][words["id"]] = {"as": handle, "type": kind, "people": people, "words": words}
    save()
    said = KINDS[kind](**words, tag=[emoji_of(each) for each in ask.get("emojis", [])])
    await deliver(handle, people, said, personal=False)
    return {"id": words["id"]}


async def undo(ask: dict) -> dict:
    it = state["acts"][ask["id"]]
    undone = KINDS[it["type"]](**it["words"])
    words = {"id": fresh("undos"), "actor": actor_id(it["as"]), "to": [person["id"] for person in it["people"]]}
    await deliver(it["as"], it["people"], Undo(object=undone, **words), personal=False)
    return {"id": words["id"]}


async def vote(ask: dict) -> dict:
    handle = ask.get("as", "open")
    asked = await read(ask["url"])
    author = await find(uri_of(asked["attributedTo"]))
    me, uri = actor_id(handle), fresh("votes")
    said = Note(id=uri, attributed_to=me, name=ask["name"], in_reply_to=asked["id"], to=[author["id"]])
    await deliver(handle, [author], Create(id=f"{uri}/create", actor=me, object=said, to=[author["id"]]), personal=True)
    return {"id": uri}


def count_vote(create: dict) -> None:
    """A note that has a name and answers a poll is a vote."""
    said = create["object"] if isinstance(create.get("object"), dict) else {}
    it = state["notes"].get(uri_of(said.get("inReplyTo")) or "")
    if it and it["poll"] and said.get("name"):
        it["votes"].setdefault(said["name"], []).append(uri_of(create["actor"]))


async def answer_quote(asked: dict) -> None:
    """Whoever asks may quote: the answer brings the stamp."""
    it = state["notes"].get(uri_of(asked.get("object")) or "")
    if it is None:
        return
    me, stamp, instrument = actor_id(it["as"]), fresh("stamps"), uri_of(asked["instrument"])
    state["stamps"][stamp] = {
        "@context": ["https://www.w3.org/ns/activitystreams", {
            "QuoteAuthorization": "https://w3id.org/fep/044f#QuoteAuthorization",
            "gts": "https://gotosocial.org/ns#",
            "interactingObject": {"@id": "gts:interactingObject", "@type": "@id"},
            "interactionTarget": {"@id": "gts:interactionTarget", "@type": "@id"},
        }],
        "type": "QuoteAuthorization", "id": stamp, "attributedTo": me, "interactingObject": instrument,
        "interactionTarget": it["id"],
    }  # fmt: skip
    save()
    asker = await find(uri_of(asked["actor"]))
    request = QuoteRequest(id=asked["id"], actor=asker["id"], object=it["id"], instrument=instrument)
    answer = Accept(id=fresh("accepts"), actor=me, object=request, result=stamp, to=[asker["id"]])
    await deliver(it["as"], [asker], answer, personal=True)


async def give_stamp(ask: dict) -> dict:
    """A quote that was asked for gets its stamp, and goes out."""
    it = state["notes"][ask["id"]]
    it["stamp"] = ask["stamp"]
    save()
    await send_out(it)
    return {"id": it["id"]}


async def pin(ask: dict) -> dict:
    handle = state["notes"][ask["id"]]["as"]
    state["pins"].append(ask["id"])
    featured = f"{actor_id(handle)}/featured"
    return await act({"as": handle, "type": "Add", "object": ask["id"], "target": featured, "to": ask["to"]})


async def move(ask: dict) -> dict:
    me, other = actor_id("leaving"), actor_id("open")
    state["moved"]["leaving"] = other
    return await act({"as": "leaving", "type": "Move", "object": me, "target": other, "to": ask["to"]})


async def chain(ask: dict) -> dict:
    """A chain of notes, each answering the one before, that are sent to nobody: they are to be found."""
    ids: list[str] = []
    for number in range(ask["depth"]):
        words = {"as": "leaving" if number % 2 else "open", "text": f"{ask['text']} {number}", "quiet": True}
        ids.append((await publish({**words, "in_reply_to": ids[-1] if ids else None}))["id"])
    return {"ids": ids}


async def climb(ask: dict) -> dict:
    """What a thread of another server is from here: from one of its posts up to the first, and what that one lists."""
    up, at, document = [], ask["url"], {}
    while at and len(up) < LONGEST:
        document = await read(at)
        up.append(document["id"])
        at = uri_of(document.get("inReplyTo"))
    listed: list[str] = []
    page = (await read(document["context"])).get("first")
    while page and len(listed) < LONGEST:
        page = await read(page) if isinstance(page, str) else page
        listed += page.get("orderedItems") or page.get("items") or []
        page = page.get("next")
    return {"up": up, "listed": listed}


DOINGS: dict[str, Callable[[dict], Awaitable[dict]]] = {
    "act": act, "undo": undo, "vote": vote, "pin": pin, "move": move, "stamp": give_stamp, "chain": chain,
    "climb": climb,
}  # fmt: skip
