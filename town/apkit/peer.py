"""A small server on apkit with three people (`open`, `locked`, `refusing`), and a control port that steers them.

usage: python peer.py --port PORT --control PORT --host NAME --state FILE [--patient]

Everything that federates is apkit's own: this file holds the people, their notes and who follows whom, and writes them
to the state file, so that a stopped server comes back as the same one.
"""

import asyncio
import json
import uuid
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from urllib.parse import urlsplit

import apmodel.loader
import uvicorn
from apkit.client.models import Link, Resource, WebfingerResult
from apkit.models import (
    Accept,
    Activity,
    Create,
    CryptographicKey,
    Delete,
    Follow,
    Mention,
    OrderedCollection,
    Person,
    Reject,
    Tombstone,
    Undo,
    Update,
)
from apkit.server.app import ActivityPubServer
from apkit.server.responses import ActivityResponse
from apkit.server.types import Context
from apkit.types import ActorKey, Outbox
from apmodel.vocab.actor import ActorEndpoints
from cryptography.hazmat.primitives import serialization
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from gaps import Client, Note
from remembered import (
    HANDLES,
    ORIGIN,
    Recorded,
    accepted,
    actor_id,
    args,
    behaviour,
    fresh,
    private_keys,
    save,
    state,
)

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
ACTIVITY_JSON = "application/activity+json; charset=utf-8"


# ---- the server --------------------------------------------------------------------------------------------------

app = ActivityPubServer()
app.inbox("/inbox", "/users/{handle}/inbox")
app.outbox("/users/{handle}/outbox")


def person(handle: str) -> Person:
    me = actor_id(handle)
    public = private_keys[handle].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )  # fmt: skip
    return Person(
        id=me, preferred_username=handle, name=f"The {handle} one", summary="<p>Lives in the town</p>", url=me,
        inbox=f"{me}/inbox", outbox=f"{me}/outbox", followers=f"{me}/followers", following=f"{me}/following",
        endpoints=ActorEndpoints(shared_inbox=f"{ORIGIN}/inbox"), discoverable=True,
        manuallyApprovesFollowers=handle != "open",
        public_key=CryptographicKey(id=f"{me}#main-key", owner=me, public_key_pem=public.decode()),
    )  # fmt: skip


@app.get("/users/{handle}")
async def serve_person(handle: str) -> Response:
    return ActivityResponse(person(handle)) if handle in HANDLES else Response(status_code=404)


@app.get("/users/{handle}/{side}")
async def serve_relations(handle: str, side: str) -> Response:
    if handle not in HANDLES or side not in ("followers", "following"):
        return Response(status_code=404)
    people = list(accepted(side, handle))
    collection = {"@context": "https://www.w3.org/ns/activitystreams", "type": "OrderedCollection",
                  "id": f"{actor_id(handle)}/{side}", "totalItems": len(people), "orderedItems": people}  # fmt: skip
    return JSONResponse(collection, media_type=ACTIVITY_JSON)


@app.on(Outbox)
async def serve_outbox(ctx: Context) -> Response:
    handle = ctx.request.path_params["handle"]
    mine = [it for it in state["notes"].values() if it["as"] == handle and it["to"] == "public" and not it["deleted"]]
    return ActivityResponse(OrderedCollection(id=f"{actor_id(handle)}/outbox", total_items=len(mine)))


@app.get("/notes/{ident}")
async def serve_note(ident: str) -> Response:
    it = state["notes"].get(f"{ORIGIN}/notes/{ident}")
    if it is None or it["deleted"] or it["to"] != "public":
        return Response(status_code=404)
    return ActivityResponse(note_of(it))


@app.webfinger
async def serve_webfinger(_request: Request, asked: Resource) -> Response:
    handle = asked.username or (asked.url or "").removeprefix(f"{ORIGIN}/users/")
    if handle not in HANDLES or (asked.host and asked.host != urlsplit(ORIGIN).netloc):
        return Response(status_code=404)
    me = Link(rel="self", type="application/activity+json", href=actor_id(handle))
    found = WebfingerResult(subject=Resource(handle, urlsplit(ORIGIN).netloc), links=[me])
    return JSONResponse(found.to_json(), media_type="application/jrd+json")


@app.nodeinfo("/nodeinfo/2.1", "2.1")
async def serve_nodeinfo() -> JSONResponse:
    return JSONResponse(
        {"version": "2.1", "software": {"name": "town-apkit", "version": "1.0.0"}, "protocols": ["activitypub"],
         "services": {"inbound": [], "outbound": []}, "openRegistrations": False, "metadata": {},
         "usage": {"users": {"total": len(HANDLES)}, "localPosts": len(state["notes"])}}
    )  # fmt: skip


async def _raw(ctx: Context) -> dict:
    return json.loads(await ctx.request.body())


def _uri(value: object) -> str | None:
    return value if isinstance(value, str) else value.get("id") if isinstance(value, dict) else None


@app.on(Follow)
async def on_follow(ctx: Context) -> Response:
    raw = await _raw(ctx)
    handle = (_uri(raw["object"]) or "").removeprefix(f"{ORIGIN}/users/")
    if handle in HANDLES:
        follower = await find(_uri(raw["actor"]))
        state["followers"][handle][follower["id"]] = {**follower, "state": "pending", "follow": raw}
        if handle != "locked":
            later(answer_follow(handle, follower["id"], handle == "open"))
    return taken(raw)


async def answer_follow(handle: str, follower: str, yes: bool) -> None:
    it = state["followers"][handle][follower]
    it["state"] = "accepted" if yes else "rejected"
    save()
    me = actor_id(handle)
    follow = Follow(id=it["follow"]["id"], actor=follower, object=me)
    say = follow.accept(fresh("accepts"), me) if yes else follow.reject(fresh("rejects"), me)
    await deliver(handle, [it], say, personal=True)


async def on_answer(ctx: Context) -> Response:
    raw = await _raw(ctx)
    about = raw["object"]
    for handle in HANDLES:
        it = state["following"][handle].get(_uri(raw["actor"]))
        by_id = it and _uri(about) == it["follow"]
        by_words = isinstance(about, dict) and _uri(about.get("actor")) == actor_id(handle)
        if it and (by_id or by_words):
            it["state"] = "accepted" if raw["type"] == "Accept" else "rejected"
    return taken(raw)


@app.on(Undo)
async def on_undo(ctx: Context) -> Response:
    raw = await _raw(ctx)
    about = raw["object"]
    for handle in HANDLES:
        it = state["followers"][handle].get(_uri(raw["actor"]))
        by_id = it and _uri(about) == it["follow"]["id"]
        by_words = (
            isinstance(about, dict) and about.get("type") == "Follow" and _uri(about.get("object")) == actor_id(handle)
        )
        if it and (by_id or by_words):
            del state["followers"][handle][_uri(raw["actor"])]
    return taken(raw)


async def on_other(ctx: Context) -> Response:
    return taken(await _raw(ctx))


for _type, _act in (
    (Accept, on_answer),
    (Reject, on_answer),
    (Create, on_other),
    (Update, on_other),
    (Delete, on_other),
):
    app.on(_type, _act)


def taken(raw: dict) -> Response:
    state["received"].append(raw)
    save()
    return Response(status_code=202)


_running: set = set()


def later(work: Coroutine) -> None:
    task = asyncio.ensure_future(work)
    _running.add(task)
    task.add_done_callback(_running.discard)


# ---- notes -------------------------------------------------------------------------------------------------------


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def addressed(it: dict) -> dict:
    followers = f"{actor_id(it['as'])}/followers"
    if it["to"] == "public":
        return {"to": [PUBLIC], "cc": [followers, *it["mentions"]]}
    return {"to": [followers], "cc": it["mentions"]} if it["to"] == "followers" else {"to": it["mentions"]}


def note_of(it: dict) -> Note:
    return Note(
        id=it["id"], attributed_to=actor_id(it["as"]), content=f"<p>{it['text']}</p>", url=it["id"],
        published=it["published"], updated=it["updated"], in_reply_to=it["in_reply_to"],
        tag=[Mention(href=m, name=m) for m in it["mentions"]], **addressed(it),
    )  # fmt: skip


async def publish(ask: dict) -> dict:
    handle, to = ask.get("as", "open"), ask.get("to", "public")
    mentions = [ask["mention"]] if ask.get("mention") else []
    people = [await find(m) for m in mentions]
    readers = [] if to == "direct" else list(accepted("followers", handle).values())
    it = {
        "id": fresh("notes"), "as": handle, "text": ask["text"], "to": to, "mentions": mentions, "deleted": False,
        "in_reply_to": ask.get("in_reply_to"), "published": now(), "updated": None,
        "sent": list({p["id"]: p for p in [*readers, *people]}.values()),
    }  # fmt: skip
    state["notes"][it["id"]] = it
    save()
    create = Create(id=it["id"] + "/create", actor=actor_id(handle), object=note_of(it), **addressed(it))
    await deliver(handle, it["sent"], create, personal=to == "direct")
    return {"id": it["id"]}


async def answer(ask: dict) -> dict:
    arrived = [r["object"] for r in state["received"] if isinstance(r.get("object"), dict)]
    target = next((o for o in arrived if o.get("id") == ask["in_reply_to"]), None) or await read(ask["in_reply_to"])
    return await publish({**ask, "mention": _uri(target["attributedTo"])})


async def edit(ask: dict) -> dict:
    it = state["notes"][ask["id"]]
    it["text"], it["updated"] = ask["text"], now()
    save()
    update = Update(
        id=f"{it['id']}/updates/{uuid.uuid4()}", actor=actor_id(it["as"]), object=note_of(it), **addressed(it)
    )
    await deliver(it["as"], it["sent"], update, personal=it["to"] == "direct")
    return {"id": it["id"]}


async def delete(ask: dict) -> dict:
    it = state["notes"][ask["id"]]
    it["deleted"] = True
    save()
    gone = Delete(id=it["id"] + "/delete", actor=actor_id(it["as"]), object=Tombstone(id=it["id"]), **addressed(it))
    await deliver(it["as"], it["sent"], gone, personal=it["to"] == "direct")
    return {"id": it["id"]}


async def deliver(handle: str, people: list, activity: Activity, *, personal: bool) -> None:
    inboxes = {p["inbox"] if personal or not p["shared"] else p["shared"] for p in people}
    key = ActorKey(key_id=f"{actor_id(handle)}#main-key", private_key=private_keys[handle])
    for inbox in sorted(inboxes):
        async with Client() as client, client.post(
            inbox, json=activity, signatures=[key], sign_with=["draft-cavage"]
        ) as response:  # fmt: skip
            print("sent", activity.type, "to", inbox, response.status, (await response.text())[:300], flush=True)
            if response.status >= 300:
                raise RuntimeError(f"{inbox} answered {response.status}")


async def read(url: str) -> dict:
    """The document at a URL, as sent; it must be one that apkit can load."""
    async with Client() as client, client.get(url, headers={"Accept": "application/activity+json"}) as response:
        if response.status >= 300:
            raise RuntimeError(f"{url} answered {response.status}")
        document = json.loads(await response.text())
    if apmodel.load(document) is None:
        raise RuntimeError(f"apkit cannot load {url}")
    return document


async def find(address: str) -> dict:
    """An actor by URL or @user@host."""
    if not address.startswith("http"):
        user, host = address.removeprefix("@").split("@")
        async with Client() as client:
            links = (await client.actor.resolve(user, host)).links
        address = next(link.href for link in links if link.rel == "self" and "json" in (link.type or ""))
    async with Client() as client:
        actor = await client.actor.fetch(address)
    return {"id": actor.id, "inbox": actor.inbox, "shared": actor.endpoints.shared_inbox if actor.endpoints else None}


control = FastAPI()


@control.exception_handler(Exception)
async def failed(_request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": repr(error)}, 500)


@control.get("/control/ready")
async def ready() -> dict:
    host = urlsplit(ORIGIN).netloc
    actors = {h: {"address": f"@{h}@{host}", "url": actor_id(h)} for h in HANDLES}
    return {"software": "apkit", "origin": ORIGIN, "actors": actors}


@control.get("/control/{what}")
async def told(what: str) -> dict:
    if what in ("received", "wire"):
        return {what: state[what]}
    return {what: [{"as": h, "actor": a, "state": it["state"]} for h in HANDLES for a, it in state[what][h].items()]}


async def follow(ask: dict) -> dict:
    handle = ask.get("as", "open")
    target = await find(ask["actor"])
    asked = Follow(id=fresh("follows"), actor=actor_id(handle), object=target["id"], to=[target["id"]])
    state["following"][handle][target["id"]] = {"state": "pending", "follow": asked.id}
    save()
    await deliver(handle, [target], asked, personal=True)
    return {"id": asked.id, "actor": target["id"]}


async def unfollow(ask: dict) -> dict:
    handle = ask.get("as", "open")
    target = await find(ask["actor"])
    it = state["following"][handle].pop(target["id"])
    asked = Follow(id=it["follow"], actor=actor_id(handle), object=target["id"])
    await deliver(handle, [target], Undo(id=fresh("undos"), actor=actor_id(handle), object=asked), personal=True)
    return {"actor": target["id"]}


async def webfinger(ask: dict) -> dict:
    user, host = ask["address"].removeprefix("@").split("@")
    async with Client() as client:
        return {"jrd": (await client.actor.resolve(user, host)).to_json()}


async def lookup(ask: dict) -> dict:
    return {"found": await read(ask["url"])}


def answering(*, yes: bool) -> Callable:
    async def act(ask: dict) -> dict:
        await answer_follow(ask.get("as", "locked"), ask["actor"], yes)
        return {}

    return act


async def behave(ask: dict) -> dict:
    behaviour.update({"answer": 429, "retry_after": None, "times": 1, **ask})
    return behaviour


ACTS = {
    "follow": follow, "unfollow": unfollow, "webfinger": webfinger, "lookup": lookup, "accept": answering(yes=True),
    "reject": answering(yes=False), "post": publish, "answer": answer, "edit": edit, "delete": delete, "behave": behave,
}  # fmt: skip


@control.post("/control/{act}")
async def do(act: str, request: Request) -> JSONResponse:
    return JSONResponse(await ACTS[act](await request.json()))


async def main() -> None:
    print(f"apkit peer on {ORIGIN}, told what to do on {args.control}", flush=True)
    servers = [
        uvicorn.Server(
            uvicorn.Config(inner, host="127.0.0.1", port=port, log_level="info", timeout_graceful_shutdown=1)
        )
        for inner, port in ((Recorded(app), args.port), (control, args.control))
    ]
    await asyncio.gather(*(server.serve() for server in servers))


asyncio.run(main())
