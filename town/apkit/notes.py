"""The notes of the people here: written, changed, taken back and sent; and what is read elsewhere."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import apmodel.loader
from apkit.models import Activity, Collection, Delete, Mention, Tombstone
from apkit.types import ActorKey
from files import attachment_of, emoji_of
from gaps import Client, Create, Note, Question, Update
from remembered import accepted, actor_id, fresh, private_keys, save, state

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
SECONDS = "%Y-%m-%dT%H:%M:%SZ"


def uri_of(value: object) -> str | None:
    return value if isinstance(value, str) else value.get("id") if isinstance(value, dict) else None


def now() -> str:
    return datetime.now(UTC).strftime(SECONDS)


def addressed(it: dict) -> dict:
    followers = f"{actor_id(it['as'])}/followers"
    if it["to"] == "public":
        return {"to": [PUBLIC], "cc": [followers, *it["mentions"]]}
    return {"to": [followers], "cc": it["mentions"]} if it["to"] == "followers" else {"to": it["mentions"]}


def note_of(it: dict) -> Note | Question:
    asked = {}
    if it["poll"]:
        asked = {
            "one_of": [{"type": "Note", "name": name, "replies": {"type": "Collection",
                                                                  "totalItems": len(it["votes"].get(name, []))}}
                       for name in it["poll"]],
            "end_time": (datetime.now(UTC) + timedelta(days=1)).strftime(SECONDS),
            "voters_count": len({voter for voters in it["votes"].values() for voter in voters}),
        }  # fmt: skip
    return (Question if it["poll"] else Note)(
        **asked, quote=it["quote"], quote_authorization=it["stamp"],
        replies=Collection(id=f"{it['id']}/replies", first=f"{it['id']}/replies"),
        id=it["id"], attributed_to=actor_id(it["as"]), content=f"<p>{it['text']}</p>", url=it["id"],
        published=it["published"], updated=it["updated"], in_reply_to=it["in_reply_to"],
        tag=[*(Mention(href=m, name=m) for m in it["mentions"]), *map(emoji_of, it["emojis"])],
        attachment=[attachment_of(each) for each in it["attachments"]], **addressed(it),
    )  # fmt: skip


async def publish(ask: dict) -> dict:
    handle, to = ask.get("as", "open"), ask.get("to", "public")
    mentions = [ask["mention"]] if ask.get("mention") else []
    people = [await find(m) for m in mentions]
    readers = [] if to == "direct" else list(accepted("followers", handle).values())
    it = {
        "id": fresh("notes"), "as": handle, "text": ask["text"], "to": to, "mentions": mentions, "deleted": False,
        "in_reply_to": ask.get("in_reply_to"), "poll": ask.get("poll"), "votes": {}, "quote": ask.get("quote"),
        "stamp": None, "published": now(), "updated": None, "attachments": ask.get("attachments", []),
        "emojis": ask.get("emojis", []),
        "sent": list({p["id"]: p for p in [*readers, *people]}.values()),
    }  # fmt: skip
    state["notes"][it["id"]] = it
    save()
    if not ask.get("quiet"):
        await send_out(it)
    return {"id": it["id"]}


async def send_out(it: dict) -> None:
    handle = it["as"]
    create = Create(id=it["id"] + "/create", actor=actor_id(handle), object=note_of(it), **addressed(it))
    await deliver(handle, it["sent"], create, personal=it["to"] == "direct")


async def answer(ask: dict) -> dict:
    arrived = [r["object"] for r in state["received"] if isinstance(r.get("object"), dict)]
    target = next((o for o in arrived if o.get("id") == ask["in_reply_to"]), None) or await read(ask["in_reply_to"])
    return await publish({**ask, "mention": uri_of(target["attributedTo"])})


async def edit(ask: dict) -> dict:
    it = state["notes"][ask["id"]]
    if "text" in ask:
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
