"""Deliveries that a peer answers as a variant says: alice, whom carol follows, posts a public note."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from cases import verbs
from cases.play import Play
from cases.words import Unknown, Words
from privapub import clock
from privapub.jobs.backoff import wait
from privapub.jobs.tables import job, lane

INBOX = "https://peer.test/inbox"
ODD = Words("status of a delivery")
ACTS = {"steps", "requests", "incoming", "build", "content", "local_posts", "do", "outgoing"}
JITTER = 1.2  # on top of what was asked for, at most


@dataclass(frozen=True)
class Standing:
    """A delivery as it stands in the queue."""

    id: int
    state: str
    attempt: int
    next_at: float
    why: str


def is_one(play: Play) -> bool:
    """Whether nothing else is done in this case, and it says what an inbox answers."""
    given = play.given
    answered = {"class", "next_attempt"} & set(given) or any(
        stub.get("method") == "POST" for stub in given.get("serve", [])
    )
    return bool(answered) and not ACTS & set(given)


async def deliver(play: Play) -> None:
    """The note is written and its delivery tried, with the clock of the case."""
    status = play.take("status")
    if isinstance(status, int):
        after = play.take("retry_after")
        play.world.serve(INBOX, b"", status=status, headers={} if after is None else {"Retry-After": after})
    elif status is not None:
        for _, meaning in ODD.read(status):
            await meaning(play)
    play.forget_what_was_received()
    play.notes["began"] = clock.now()
    found = await verbs.post(play.world, play.on.alice, "a note")
    play.notes.setdefault("posts", []).append(found)
    await play.drain()
    for name in ("class", "next_attempt"):
        play.take(name)


async def standing(play: Play, host: str = "peer.test") -> Standing:
    """The last delivery to a host."""
    async with play.world.database.read() as tx:
        row = await tx.first(
            select(job).where(job.c.kind == "delivery", job.c.lane == f"host:{host}").order_by(job.c.id.desc()).limit(1)
        )
        its = await tx.first(select(lane).where(lane.c.kind == "delivery", lane.c.lane == f"host:{host}"))
    assert row is not None, f"nothing was queued for {host}"
    held = its.not_before if its is not None else 0.0
    return Standing(row.id, row.state, row.attempt, max(row.run_at, held), row.why or "")


async def quarantined(play: Play, host: str) -> bool:
    async with play.world.database.read() as tx:
        row = await tx.first(select(lane).where(lane.c.kind == "delivery", lane.c.lane == f"host:{host}"))
    return row is not None and row.open_until > clock.now()


@ODD.on(r"connection refused")
async def refused(play: Play) -> None:
    await play.sites["peer.test"].stop()


@ODD.on(r"NXDOMAIN")
async def no_such_name(play: Play) -> None:
    await play.sites["peer.test"].stop()  # what was connected by that name is not connected any more
    play.world.internet.names._ports.pop("peer.test")


@ODD.on(r"TLS certificate expired")
async def expired(play: Play) -> None:
    site = play.sites["peer.test"]
    await site.stop()
    site._tls = play.world._authority.serve("peer.test", days=(-9, -1))
    await site.start(site.port)


@ODD.on(r"(\d{3}) with an HTML (.+)")
async def with_html(play: Play, status: str, _what: str) -> None:
    play.world.serve(INBOX, b"<html>Log in</html>", status=int(status), content_type="text/html")


# How the outcome is named

CLASS = Words("class")
NEXT = Words("next attempt")


def tries(play: Play) -> list[Any]:
    return play.sent("Create", host="peer.test")


async def _ended(play: Play, state: str, times: int = 1) -> None:
    found = await standing(play)
    assert found.state == state, found
    assert len(tries(play)) == times, f"{len(tries(play))} tries"
    clock.advance(2 * 86400.0)
    await play.drain()
    assert len(tries(play)) == times, "tried again after it had ended"


@CLASS.on(r"done(?: \(log\))?")
async def done(play: Play) -> None:
    await _ended(play, "done")


@CLASS.on(r"final(?: for this inbox|, clean up)?")
async def final(play: Play) -> None:
    await _ended(play, "failed")


@CLASS.on(r"one knock with the other signature scheme, then final")
async def knock(play: Play) -> None:
    await _ended(play, "failed", 2)
    schemes = {"Signature-Input" in each.headers for each in tries(play)}
    assert schemes == {True, False}, "both were signed with one scheme"


@CLASS.on(r"retry(?: later|, long)?")
async def retry(play: Play) -> None:
    found = await standing(play)
    assert (found.state, found.attempt) == ("waiting", 1), found
    assert found.next_at >= play.notes["began"] + wait(1, 0.0), "sooner than the ordinary back-off"


@NEXT.on(r">= (\d\d):(\d\d):(\d\d)")
async def not_before(play: Play, hours: str, minutes: str, seconds: str) -> None:
    began = play.notes["began"]
    moment = began - began % 86400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    await _honoured(play, moment - began)


@NEXT.on(r"clamped to one week")
async def a_week(play: Play) -> None:
    await _honoured(play, 7 * 86400.0)


@NEXT.on(r"own back-off(?:, not a busy loop| or >= \d+ s)?")
async def own(play: Play) -> None:
    """Of what a case leaves open, this server takes its own back-off."""
    found = await standing(play)
    assert found.next_at >= play.notes["began"] + wait(1, 0.0), found
    assert found.attempt == 1, "it is a failure like any other"
    assert found.next_at < play.notes["began"] + 3600, found


async def _honoured(play: Play, seconds: float) -> None:
    found, began = await standing(play), play.notes["began"]
    play.notes["honoured"] = True
    assert began + seconds - 1 <= found.next_at <= clock.now() + seconds * JITTER + 60, f"{found.next_at - began} s"
    assert found.state == "waiting", found


async def outcome(play: Play) -> None:
    """What the variant names."""
    for table, name in ((CLASS, "class"), (NEXT, "next_attempt")):
        if name in play.given:
            for _, meaning in table.read(play.given[name]):
                await meaning(play)
            return
    raise Unknown("expectation", "the case lists no outcome")


def own_inbox(play: Play, name: str) -> str:
    """The path of the inbox of somebody alone."""
    them = play.on.named(name)
    return str(them.document()["inbox"]).removeprefix(f"https://{them.host}")
