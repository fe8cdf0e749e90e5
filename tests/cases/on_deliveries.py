"""Expectations on what other servers are asked, and what they are sent."""

import json
from typing import Any

from sqlalchemy import select

from cases import deliveries
from cases.play import MUST, MUST_NOT, Play
from cases.words import Unknown
from privapub import clock
from privapub.federation.delivery.tables import rendering
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.presented import check, examine
from privapub.federation.signatures.request import HttpRequest
from privapub.jobs import read as jobs
from privapub.jobs.tables import job

PUBLIC = ("https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public")


def addressed(activity: dict[str, Any], *fields: str) -> list[str]:
    found = [activity.get(name, []) for name in fields or ("to", "cc", "bto", "bcc", "audience")]
    return [uri for each in found for uri in ([each] if isinstance(each, str) else each)]


@MUST.on(
    r"an? (\w+) whose object identifies (\S+) is delivered to (\w+)(?: after step (\d+) and again after step (\d+))?"
)
async def answered_with(play: Play, kind: str, uri: str, name: str, first: str | None, again: str | None) -> None:
    host = play.on.named(name).host

    def about(after: int, until: int | None = None) -> list[Any]:
        sent = play.sent(kind, host=host, after=after)
        if until is not None:
            sent = sent[: len(sent) - len(play.sent(kind, host=host, after=until))]
        objects = [each.json["object"] for each in sent]
        return [each for each in objects if (each if isinstance(each, str) else each.get("id")) == uri]

    if first is None or again is None:
        assert about(0), f"no {kind} of {uri}"
    else:
        assert about(int(first) - 1, int(again) - 1), f"none after step {first}"
        assert about(int(again) - 1), f"none after step {again}"


@MUST.on(r"every ([\w, ]+) that the server itself emits has an id it never used before")
async def new_ids(play: Play, kinds: str) -> None:
    wanted = kinds.replace(" and ", ", ").split(", ")
    sent = [each.json for kind in wanted for each in play.sent(kind)]
    bodies = {(each["id"], json.dumps(each, sort_keys=True)) for each in sent}
    assert len({uri for uri, _ in bodies}) == len(bodies) == len(sent), "an id was used again"


@MUST.on(r"0 outgoing requests to (\S+)")
async def no_requests(play: Play, host: str) -> None:
    assert [each.path for each in play.received(host)] == []


@MUST_NOT.on(r"fetch the actor or key before looking in the local table")
async def no_fetch(play: Play) -> None:
    assert [each.path for each in play.received(method="GET")] == []


@MUST.on(r"exactly one outgoing POST, to (\w+)'s inbox")
async def one_post(play: Play, name: str) -> None:
    (sent,) = play.received(method="POST")
    assert sent.path == deliveries.own_inbox(play, name)


@MUST.on(r"`(to|cc)` is \[(\w+)\]")
async def is_to(play: Play, field: str, name: str) -> None:
    for each in play.sent():
        assert addressed(each.json, field) == [play.on.named(name).uri]


@MUST.on(r"no Public")
@MUST_NOT.on(r"cc Public")
async def not_public(play: Play) -> None:
    for each in play.sent():
        assert not set(addressed(each.json)) & set(PUBLIC)


@MUST.on(r"no followers collection")
async def not_followers(play: Play) -> None:
    for each in play.sent():
        assert not [uri for uri in addressed(each.json) if uri == play.on.alice.followers]


def _received_follow(play: Play) -> dict[str, Any]:
    (follow,) = [each for each in play.notes["activities"] if each["type"] == "Follow"]
    return dict(follow)


@MUST.on(r"object of the (\w+) repeats the Follow's id, actor and object as received")
@MUST_NOT.on(r"a rewritten Follow id()")
async def repeats(play: Play, kind: str) -> None:
    received, sent = _received_follow(play), play.sent(kind or "Accept")
    assert sent
    for each in sent:
        assert {name: each.json["object"][name] for name in ("id", "actor", "object")} == {
            name: received[name] for name in ("id", "actor", "object")
        }


@MUST.on(r"(\w+)'s host receives (both|all|\d+) notes")
async def receives(play: Play, name: str, _count: str) -> None:
    got = {each.json["object"]["id"] for each in play.sent("Create", host=play.on.named(name).host)}
    assert {post.uri for post in play.notes["posts"]} <= got


@MUST.on(r"after step (\d+) no further POST to (\S+)")
async def no_further(play: Play, step: str, path: str) -> None:
    later = [each.path for each in play.received(method="POST", after=int(step))]
    assert path not in later, later


@MUST_NOT.on(r"suspend (\S+\.test)")
async def not_suspended(play: Play, host: str) -> None:
    assert not await deliveries.quarantined(play, host)


# Outcomes that a case lists


@MUST.on(r"class as listed(?:: [^;]+)?", r"next attempt as listed(?:, with jitter added on top)?")
async def as_listed(play: Play) -> None:
    await deliveries.outcome(play)


@MUST.on(r"(\d+) and (\d+) first get one knock with the other signature scheme")
@MUST_NOT.on(r"drop on (\d+) without the second knock")
async def knocked(play: Play, *statuses: str) -> None:
    if str(play.given["status"]) in statuses:
        assert {"Signature-Input" in each.headers for each in deliveries.tries(play)} == {True, False}


@MUST.on(r"the operator can see the failed job with the answer and retry it")
async def operator_sees(play: Play) -> None:
    found = await deliveries.standing(play)
    if found.state != "failed":
        return
    assert str(play.given["status"]) in found.why, found
    async with play.world.database.write() as tx:
        await jobs.retry(tx, found.id, clock.now())
    assert (await deliveries.standing(play)).state == "waiting"


@MUST_NOT.on(r"retry a final class")
async def not_again(play: Play) -> None:
    """Two days had passed when the class was checked."""
    if "final" in play.given["class"]:
        assert len(deliveries.tries(play)) == (2 if "knock" in play.given["class"] else 1)


@MUST.on(r"where Retry-After is honoured: all queued jobs for this host wait, not only the one that was answered")
async def all_wait(play: Play) -> None:
    if play.notes.get("honoured"):
        before = len(deliveries.tries(play))
        await deliveries.verbs.post(play.world, play.on.alice, "another note")
        await play.drain()
        assert len(deliveries.tries(play)) == before, "another delivery did not wait"


@MUST.on(
    r"where Retry-After is honoured: the answer uses up no attempt; elsewhere it is a failure like any other",
)
async def no_attempt(play: Play) -> None:
    async with play.world.database.read() as tx:
        rows = await tx.all(select(job.c.attempt).where(job.c.kind == "delivery").order_by(job.c.id))
    _accept, *spent = [row.attempt for row in rows]
    assert spent == ([0] * len(spent) if play.notes.get("honoured") else [1]), spent


@MUST_NOT.on(r"a timer overflow that becomes an immediate retry")
async def no_overflow(play: Play) -> None:
    assert (await deliveries.standing(play)).next_at > play.notes["began"] + 10
    assert len(deliveries.tries(play)) == 1


# Redirects


def _locations(play: Play) -> list[str]:
    return [stub["headers"]["Location"] for stub in play.given["serve"] if "Location" in stub.get("headers", {})]


@MUST.on(r"never turned into a GET that counts as success")
@MUST_NOT.on(r"count a 200 from a login page after a redirect as delivered")
async def no_get(play: Play) -> None:
    paths = {"/" + url.split("/", 3)[3] for url in _locations(play)}
    assert not paths & {each.path for each in play.received(method="GET")}
    assert (await deliveries.standing(play)).state != "done"


@MUST.on(
    r"not followed, not even on the same host: a failure, with one refetch of the actor to learn the inbox that it"
    r" names now"
)
async def not_followed(play: Play) -> None:
    assert len(play.received(method="POST")) == 1
    assert len(play.world.asked("/u/carol")) == 1
    assert (await deliveries.standing(play)).state == "waiting"


@MUST.on(r"activity is not sent to (\S+) or over http")
@MUST_NOT.on(r"leak a private activity to another host()")
async def not_elsewhere(play: Play, host: str) -> None:
    """No peer listens to plain http here, so that such a POST would be a request nobody got, and a failure."""
    for name in [host] if host else [name for name in play.sites if name != "peer.test"]:
        assert play.received(name, method="POST") == []


# Signing


@MUST.on(r"the request's Date is the send time and it verifies with the new key")
async def signed_when_sent(play: Play) -> None:
    sent = play.sent(host="peer.test")[-1]
    date = clock.from_http_date(sent.headers["Date"])
    assert date is not None
    assert abs(date - clock.now()) < 60, sent.headers["Date"]
    base = play.world.server.base_url
    said = await play.world.get(
        play.on.alice.uri.removeprefix(base), {"Host": base.split("//")[1], "Accept": "application/activity+json"}
    )
    shown = json.loads(said.body)["publicKey"]
    key = PublicKey.from_pem(shown["id"], shown["owner"], shown["publicKeyPem"])
    verifies(sent, f"https://peer.test{sent.path}", key)


def verifies(sent: Any, url: str, key: PublicKey) -> None:
    """Raises BadSignature where this key did not sign this request."""
    request = HttpRequest(sent.method, url, tuple(sent.headers.items()), getattr(sent, "body", b""))
    check(examine(request, clock.now()), request, key)


@MUST.on(r"(\S+\.test) gets no Create at all, or Create before Delete; never Create after Delete")
async def create_first(play: Play, host: str) -> None:
    kinds = [each.json["type"] for each in play.sent(host=host) if each.json["type"] in ("Create", "Delete")]
    assert kinds in ([], ["Delete"], ["Create"], ["Create", "Delete"]), kinds


@MUST_NOT.on(r"store signed headers in the job")
async def nothing_signed(play: Play) -> None:
    async with play.world.database.read() as tx:
        args = [row.args for row in await tx.all(select(job.c.args).where(job.c.kind == "delivery"))]
        bodies = [bytes(row.body) for row in await tx.all(select(rendering.c.body))]
    assert args
    assert not [text for text in args if "keyId" in text or "Signature" in text]
    assert not [body for body in bodies if b"keyId" in body]


@MUST.on(r"`(\w+)` lists both AP media types", r"(Accept) lists both AP media types")
async def both_types(play: Play, header: str) -> None:
    asked = [each for each in play.received(method="GET") if "/.well-known/" not in each.path]
    if not asked:
        raise Unknown("request", "there was none")
    for each in asked:
        assert "application/activity+json" in each.headers[header]
        assert "application/ld+json" in each.headers[header]


@MUST_NOT.on(r"lower-case the user part of a remote handle on the wire")
async def user_part(play: Play) -> None:
    for address in play.known:
        handle = address.lstrip("@").partition("@")[0]
        assert any(f"acct:{handle}@" in each.path for each in play.received(method="GET")), address
