"""A small server on apkit with the people `open`, `locked`, `refusing` and `leaving`, and a control port for them.

usage: python peer.py --port PORT --control PORT --host NAME --state FILE [--patient]

Everything that federates is apkit's own: this file holds the people, their notes and who follows whom, and writes them
to the state file, so that a stopped server comes back as the same one.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine
from urllib.parse import urlsplit

import uvicorn
from apkit.client.models import Link, Resource, WebfingerResult
from apkit.models import (
    Add,
    Announce,
    CryptographicKey,
    Delete,
    Follow,
    Like,
    Move,
    OrderedCollection,
    Reject,
    Remove,
    Undo,
)
from apkit.server.app import ActivityPubServer
from apkit.server.responses import ActivityResponse
from apkit.server.types import Context
from apkit.types import Outbox
from apmodel.vocab.actor import ActorEndpoints
from cryptography.hazmat.primitives import serialization
from doings import DOINGS, answer_quote, count_vote
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from files import FILES, served
from gaps import Accept, Client, Create, Person, QuoteRequest, Update
from notes import answer, delete, deliver, edit, find, note_of, publish, read, uri_of
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
        manuallyApprovesFollowers=handle in ("locked", "refusing"), featured=f"{me}/featured",
        moved_to=state["moved"].get(handle), also_known_as=[actor_id("leaving")] if handle == "open" else None,
        public_key=CryptographicKey(id=f"{me}#main-key", owner=me, public_key_pem=public.decode()),
    )  # fmt: skip


@app.get("/users/{handle}")
async def serve_person(handle: str) -> Response:
    return ActivityResponse(person(handle)) if handle in HANDLES else Response(status_code=404)


@app.get("/users/{handle}/{side}")
async def serve_relations(handle: str, side: str) -> Response:
    if handle not in HANDLES or side not in ("followers", "following", "featured"):
        return Response(status_code=404)
    pinned = [uri for uri in state["pins"] if state["notes"][uri]["as"] == handle]
    people = pinned if side == "featured" else list(accepted(side, handle))
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


@app.get("/notes/{ident}/replies")
async def serve_replies(ident: str) -> Response:
    uri = f"{ORIGIN}/notes/{ident}"
    found = [it["id"] for it in state["notes"].values() if it["in_reply_to"] == uri and it["to"] == "public"]
    page = {"type": "CollectionPage", "partOf": f"{uri}/replies", "items": found}
    replies = {"@context": "https://www.w3.org/ns/activitystreams", "type": "Collection", "id": f"{uri}/replies",
               "first": page}  # fmt: skip
    return JSONResponse(replies, media_type=ACTIVITY_JSON)


@app.get("/files/{ident}")
async def serve_file(ident: str) -> Response:
    found = served(f"{ORIGIN}/files/{ident}")
    return Response(status_code=404) if found is None else Response(found[0], headers={"Content-Type": found[1]})


@app.get("/stamps/{ident}")
async def serve_stamp(ident: str) -> Response:
    it = state["stamps"].get(f"{ORIGIN}/stamps/{ident}")
    return Response(status_code=404) if it is None else JSONResponse(it, media_type=ACTIVITY_JSON)


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


@app.on(Follow)
async def on_follow(ctx: Context) -> Response:
    raw = await _raw(ctx)
    handle = (uri_of(raw["object"]) or "").removeprefix(f"{ORIGIN}/users/")
    if handle in HANDLES:
        follower = await find(uri_of(raw["actor"]))
        state["followers"][handle][follower["id"]] = {**follower, "state": "pending", "follow": raw}
        if handle != "locked":
            later(answer_follow(handle, follower["id"], handle != "refusing"))
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
        it = state["following"][handle].get(uri_of(raw["actor"]))
        by_id = it and uri_of(about) == it["follow"]
        by_words = isinstance(about, dict) and uri_of(about.get("actor")) == actor_id(handle)
        if it and (by_id or by_words):
            it["state"] = "accepted" if raw["type"] == "Accept" else "rejected"
    return taken(raw)


@app.on(Undo)
async def on_undo(ctx: Context) -> Response:
    raw = await _raw(ctx)
    about = raw["object"]
    for handle in HANDLES:
        it = state["followers"][handle].get(uri_of(raw["actor"]))
        by_id = it and uri_of(about) == it["follow"]["id"]
        by_words = (
            isinstance(about, dict)
            and about.get("type") == "Follow"
            and uri_of(about.get("object")) == actor_id(handle)
        )
        if it and (by_id or by_words):
            del state["followers"][handle][uri_of(raw["actor"])]
    return taken(raw)


@app.on(Create)
async def on_create(ctx: Context) -> Response:
    raw = await _raw(ctx)
    count_vote(raw)
    return taken(raw)


@app.on(QuoteRequest)
async def on_quote_request(ctx: Context) -> Response:
    raw = await _raw(ctx)
    later(answer_quote(raw))
    return taken(raw)


async def on_other(ctx: Context) -> Response:
    return taken(await _raw(ctx))


for _type, _act in (
    (Accept, on_answer),
    (Reject, on_answer),
    (Update, on_other),
    (Delete, on_other),
    (Like, on_other),
    (Announce, on_other),
    (Add, on_other),
    (Remove, on_other),
    (Move, on_other),
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


# ---- the control port ---------------------------------------------------------------------------------------------

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
    **DOINGS, **FILES,
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
