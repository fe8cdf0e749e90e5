"""Expectations on what the server under test answers."""

import json
import re

from sqlalchemy import select

from cases.play import MUST, MUST_NOT, Play
from cases.stage import allowed
from cases.words import Unknown
from fakes.activities import post_at
from privapub.errors import PrivaPubError
from privapub.jobs.tables import job

COUNTS = {"both": 2, "all two": 2, "all three": 3, "all four": 4}


def choices(said: str) -> str:
    """`401 or 403`, `202 (or 200)`, `2xx`, `4xx` as statuses."""
    found = re.findall(r"\b(?:\d\d\d|\dxx)\b", said)
    if not found:
        raise Unknown("status", said)
    return "-or-".join(found)


def answered(play: Play, said: str) -> None:
    assert play.told, "nothing was asked"
    for reply in play.told:
        assert allowed(reply.status, choices(said)), f"{reply.what} was answered {reply.status}"


STATUSES = r"(\d(?:\d\d|xx)(?: \(?or \d(?:\d\d|xx)\)?|, or \d(?:\d\d|xx))*)"


@MUST.on(
    rf"(?:each |every |the )?answers?(?: is| are|s)? {STATUSES}(?: within the normal latency)?",
    rf"{STATUSES}(?: before the body is read whole)?",
)
async def status(play: Play, said: str) -> None:
    answered(play, said)


@MUST.on(rf"the API (\w+) answers {STATUSES}")
async def of_the_api(play: Play, what: str, said: str) -> None:
    """Asked for this, whatever else was asked."""
    found = [reply for reply in play.replies if f"/{what}" in reply.what]
    assert found, f"no {what} was asked for"
    for reply in found:
        assert allowed(reply.status, choices(said)), f"{reply.what} was answered {reply.status}"


@MUST.on(rf"([\w-]+) (?:answers|is answered) {STATUSES}; others (?:may answer|answer) {STATUSES} but change nothing")
async def one_and_the_others(play: Play, name: str, one: str, others: str) -> None:
    answered(play, one if play.name == name else f"{others}-or-{one}")
    assert await play.on.state() == play.before


@MUST.on(r"(?:status|answers?) as listed(?:, with ([\w-]+): (\S+))?")
async def as_listed(play: Play, header: str | None, value: str | None) -> None:
    for reply in play.told:
        if reply.expected is not None:
            assert allowed(reply.status, reply.expected), f"{reply.what} was answered {reply.status}"
        if header:
            assert reply.headers.get(header.lower()) == value or reply.status == 406, f"{reply.what}: {reply.headers}"


@MUST.on(r"every 200 has subject (\S+) and the same links")
async def same_subject(play: Play, subject: str) -> None:
    found = [reply.json for reply in play.told if reply.status == 200]
    assert found
    for document in found:
        assert document["subject"] == subject
        assert document["links"] == found[0]["links"]


@MUST.on(r"(all \w+|both) answers carry subject (\S+) and a self link equal to (\S+)")
async def carry(play: Play, count: str, subject: str, uri: str) -> None:
    assert len(play.told) == COUNTS[count.lower()]
    for reply in play.told:
        assert reply.status == 200, f"{reply.what}: {reply.status}"
        assert reply.json["subject"] == subject, reply.what
        assert [link["href"] for link in reply.json["links"] if link["rel"] == "self"] == [uri]


@MUST.on(r"subject (\S+)")
async def subject_is(play: Play, subject: str) -> None:
    for reply in play.told:
        assert (reply.status, reply.json["subject"]) == (200, subject)


@MUST.on(
    r"(\d{3}), or 200 with the configured canonical subject only if the operator configured (\S+) as handle domain"
)
async def only_if_configured(play: Play, status: str, domain: str) -> None:
    for reply in play.told:
        if play.world.server.domain == domain:
            assert reply.json["subject"] == play.on.alice.address
        else:
            assert f"{reply.status}" == status, reply.what


@MUST.on(r"rel filters links only")
async def rel_filters(play: Play) -> None:
    whole = next((reply.json for reply in play.told if reply.status == 200 and "rel=" not in reply.what), None)
    filtered = [reply for reply in play.told if reply.status == 200 and "rel=" in reply.what]
    assert filtered
    for reply in filtered:
        wanted = re.findall(r"rel=([^&]+)", reply.what)
        assert {link["rel"] for link in reply.json["links"]} <= set(wanted)
        assert reply.json["subject"]
        assert whole is None or {**reply.json, "links": 0} == {**whole, "links": 0}


@MUST.on(r"every (\d{3}) body names the (\w+) as the reason")
async def names_reason(play: Play, status: str, word: str) -> None:
    for reply in play.told:
        assert f"{reply.status}" != status or word in reply.body.lower(), reply.body


@MUST.on(r"ok=false gives a clean `not found` and no retry storm")
async def clean(play: Play) -> None:
    problems = [found for found in play.known.values() if isinstance(found, Exception)]
    assert all(isinstance(found, PrivaPubError) for found in problems), problems
    assert len(play.received()) <= 4 * len(play.known), "asked again and again"


@MUST.on(
    r"outgoing: one account row, acct (\S+), whichever way it is found first",
    r"one account row, acct (\S+), whichever way it is found first",
)
async def one_row(play: Play, address: str) -> None:
    found = list(play.known.values())
    assert len(found) > 1
    for each in found:
        assert not isinstance(each, Exception), each
        assert (each.id, each.address) == (found[0].id, address)
    host = address.partition("@")[2]
    rows = [row for row in (await play.on.state("actor"))["actor"] if address.partition("@")[0] in row]
    assert len(rows) == 1, f"{len(rows)} rows for {address} of {host}"


@MUST_NOT.on(
    r"(?:answer )?(\d(?:\d\d|xx))(?: anywhere| for .*|, stack overflow, integer overflow in SQL)?(?: on an? .*)?"
)
async def never(play: Play, said: str) -> None:
    for reply in play.replies:
        assert not allowed(reply.status, said), f"{reply.what} was answered {reply.status}"
    await no_failing_job(play)


async def no_failing_job(play: Play) -> None:
    """No handler failed, neither for good nor to be tried again, but deliveries that a peer refuses."""
    async with play.world.database.read() as tx:
        rows = await tx.all(select(job).where(job.c.why.is_not(None), job.c.kind != "delivery"))
    assert [(row.kind, row.why) for row in rows] == []


@MUST.on(r"no retry job")
@MUST_NOT.on(r"a stored row followed by a failing worker that is retried forever")
async def no_retry(play: Play) -> None:
    await no_failing_job(play)


@MUST_NOT.on(r"fail the delivery with 4xx/5xx for a non-URL recipient")
async def not_refused(play: Play) -> None:
    answered(play, "2xx")


@MUST_NOT.on(r"200 with an empty document")
async def not_empty(play: Play) -> None:
    for reply in play.replies:
        assert reply.status != 200 or json.loads(reply.body), reply.what


@MUST_NOT.on(r"echo the queried resource as subject", r"strip `(\S+)` on its own")
async def no_echo(play: Play, *_: str) -> None:
    address = f"acct:{play.on.alice.address}"
    for reply in play.replies:
        assert reply.status != 200 or reply.json["subject"] == address, reply.what


@MUST_NOT.on(r"create (\S+@\S+) and (\S+@\S+) as two accounts")
async def not_two(play: Play, *addresses: str) -> None:
    assert len({found.id for found in play.known.values() if not isinstance(found, Exception)}) <= 1, addresses


@MUST_NOT.on(r"parse external XML entities")
async def no_xml(play: Play) -> None:
    """What is XML is not read at all: it is refused by its type."""
    xml = [entry for entry in play.given["outgoing"] if "xml" in entry["content_type"]]
    assert xml
    assert all(entry["ok"] is False for entry in xml)


@MUST.on(r"nothing stored(?: for id (\S+))?")
async def nothing_stored(play: Play, uri: str | None) -> None:
    if uri:
        assert await post_at(play.world, uri) is None
        assert await play.world.actor(uri) is None
    else:
        after = await play.on.state()
        assert {name: rows for name, rows in after.items() if not name.startswith("actor")} == {
            name: rows for name, rows in play.before.items() if not name.startswith("actor")
        }
