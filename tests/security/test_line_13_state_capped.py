"""Line 13, state: every table keyed by what strangers send is capped and expires, and so is every memory of a process.

A table or a memory that is new has to be named here, or a test fails.
"""

import importlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, delete, func, insert, select

from makers import make_follow, make_persona, make_post, make_remote, profile
from privapub import clock
from privapub.accounts import tokens
from privapub.accounts.tables import application, token
from privapub.actors import remote
from privapub.actors.tables import actor
from privapub.database.connect import Database
from privapub.database.tables import metadata
from privapub.database.transaction import Transaction
from privapub.effects import forget
from privapub.effects.prune import EVERY, PRUNE, prune
from privapub.federation import asker
from privapub.federation.fetching import scheme, shared
from privapub.federation.fetching.tables import host_scheme
from privapub.federation.inbox import store
from privapub.federation.inbox.tables import incoming, undone
from privapub.identifiers import sortable
from privapub.jobs import ended, hosts
from privapub.jobs.job import Job
from privapub.jobs.tables import job, lane
from privapub.limits.limits import Caller, Limits
from privapub.link_previews import keep as link_previews
from privapub.link_previews.tables import link_preview
from privapub.moderation import reports
from privapub.moderation.tables import report
from privapub.notifications import read as notifications
from privapub.notifications.tables import notification
from privapub.outbound import remembered
from privapub.posts import threads, tombstones
from privapub.posts.tables import post, thread, tombstone
from privapub.proxy import cache, memory
from privapub.proxy.tables import remote_file
from privapub.settings import Settings
from privapub.stream import events
from privapub.stream.tables import event
from privapub.telemetry import fetches, tally
from privapub.telemetry import prune as telemetry
from privapub.telemetry.tables import arrival, departure, fetch, reader_fetch
from rules.house import PACKAGE

DAY = 86400.0
FEW, MANY = 5, 40
LONG_AGO = 400 * DAY


@dataclass(frozen=True)
class Capped:
    """What fills a table, by number and age, and the constant that caps it; `most` rows may stay of many."""

    of: Any
    constant: str
    row: Callable[[int, float], dict[str, Any]]
    most: int = FEW


def at(number: int, age: float) -> float:
    return clock.now() - age + number / 1000


def of_day(number: int, age: float) -> dict[str, Any]:
    """A count of a host of yesterday or before."""
    return {"day": clock.iso_day(clock.now() - DAY - age), "host": f"host{number}.test", "count": 1}


def came(number: int, age: float) -> dict[str, Any]:
    return {
        "id": number, "owner": "", "activity_id": f"https://peer.test/{number}", "digest": "x", "kind": "Create",
        "actor_id": 1, "actor_uri": "https://peer.test/u/1", "body": "{}", "received_at": at(number, age),
        "handled_at": at(number, age),
    }  # fmt: skip


def fetched(number: int, age: float) -> dict[str, Any]:
    return {
        "at": at(number, age), "host": f"host{number}.test", "purpose": "key", "trigger": "verify", "outcome": "failed",
        "reason": "404", "seconds": 0.1, "bytes": 0, "hops": 0,
    }  # fmt: skip


def done(number: int, age: float) -> dict[str, Any]:
    return {
        "kind": "inbox", "lane": f"host:host{number}.test", "args": "{}", "state": "done", "run_at": 0.0,
        "created_at": at(number, age), "finished_at": at(number, age),
    }  # fmt: skip


def program(number: int, age: float) -> dict[str, Any]:
    return {
        "id": sortable(at(number, age)), "client_id": str(number), "secret": "", "name": "x", "redirect_uris": [],
        "scopes": "read", "created_at": at(number, age),
    }  # fmt: skip


CAPPED: dict[Table, Capped] = {
    application: Capped(tokens, "MOST_UNUSED", program),
    token: Capped(
        tokens,
        "MOST_UNUSED",
        lambda n, age: {
            "id": sortable(at(n, age)), "hash": str(n), "application_id": 1, "scopes": "read", "created_at": at(n, age),
        },
    ),
    arrival: Capped(telemetry, "MOST_COUNTS", lambda n, age: {**of_day(n, age), "outcome": "queued", "reason": ""}),
    departure: Capped(telemetry, "MOST_COUNTS", lambda n, age: {**of_day(n, age), "outcome": "taken", "reason": ""}),
    event: Capped(events, "MOST", lambda n, age: {"kind": "post", "ref": n, "at": at(n, age)}),
    fetch: Capped(telemetry, "MOST_FETCHES", fetched),
    host_scheme: Capped(
        scheme, "MOST", lambda n, age: {"host": f"host{n}.test", "scheme": "rfc9421", "at": at(n, age)}
    ),
    incoming: Capped(store, "MOST", came),
    job: Capped(ended, "MOST", done, FEW + 1),  # and the one that prunes
    lane: Capped(
        hosts, "MOST", lambda n, age: {"kind": "inbox", "lane": f"host:host{n}.test", "heard_at": at(n, age)}, FEW + 1
    ),
    link_preview: Capped(
        link_previews,
        "MOST",
        lambda n, age: {
            "url": f"https://peer.test/{n}", "state": "card", "fetched_at": at(n, age), "expires_at": at(n, age) + DAY,
        },
    ),
    notification: Capped(
        notifications,
        "MOST",
        lambda n, age: {
            "id": n, "persona_id": 1, "kind": "follow", "actor_id": 2, "about": str(n), "created_at": at(n, age),
        },
    ),
    reader_fetch: Capped(telemetry, "MOST_COUNTS", of_day),
    remote_file: Capped(
        cache,
        "MOST_FAILURES",
        lambda n, age: {
            "key": str(n), "host": "peer.test", "state": "failed", "files": [], "turn": 0, "tries": 1,
            "again_at": at(n, age),
        },
    ),
    report: Capped(
        reports,
        "MOST_ELSEWHERE",
        lambda n, age: {
            "id": n, "uri": f"https://peer.test/flag/{n}", "reporter_id": 2, "target_id": 1, "local": False,
            "post_uris": [], "comment": "", "created_at": at(n, age),
        },
    ),
    thread: Capped(threads, "MOST_KEPT", lambda n, age: {"root": f"https://peer.test/{n}", "asked_at": at(n, age)}),
    tombstone: Capped(
        tombstones,
        "MOST",
        lambda n, age: {
            "uri": f"https://peer.test/{n}", "actor_uri": "https://peer.test/u/1", "host": f"host{n}.test",
            "at": at(n, age),
        },
    ),
    undone: Capped(store, "MOST_UNDONE", lambda n, age: {"key": f"Follow {n}", "at": at(n, age / LONG_AGO * DAY)}),
}  # fmt: skip
# Rows that go when nobody here has asked for them: tested apart.
FORGOTTEN = {actor, post}
# Rows that go with a post or an actor, and why there are few of each.
WITH_ANOTHER = {
    "actor_key": "at most ten of an actor",
    "block": "one between two actors, one of whom is ours",
    "boost": "one of an actor and a post",
    "conversation_post": "one of a persona and a direct post that it wrote or that names it",
    "follow": "one between two actors, one of whom is ours",
    "bookmark": "what somebody here keeps, one of a post",
    "poll": "one of a post",
    "poll_vote": "one of an actor and an answer",
    "post_link": "one of a post",
    "post_recipient": "at most a thousand that a post names",
    "post_program": "one of a post of ours",
    "post_version": "at most fifty of a post",
    "post_tag": "at most two hundred of a post",
    "quote_stamp": "one of a post of ours and of what quotes it, which an actor that may quote has asked for",
    "reaction": "a few of an actor and a post",
    "timeline_entry": "what somebody here follows, and goes with the post",
}
# Files of which so many are kept as fit into the cache (its own test): each counts as four KiB at least.
BY_BYTES = {"cached_file"}
# What only people here, or the operator, put there.
OURS = {
    "account", "account_note", "account_persona", "code", "domain_block", "domain_policy", "domain_rule", "emoji",
    "featured_tag", "held_post", "followed_tag", "list_member", "marker", "medium", "mute", "notification_permission",
    "notification_policy", "people_list", "persona", "pin", "preview_count", "proxy", "proxy_count", "push_key",
    "push_subscription", "relay", "rendering", "said_once",
    "scheduled_post", "sent", "thread_mute", "traffic", "word_filter",
    "announcement", "announcement_reaction", "announcement_read", "invitation", "letter", "recovery_code",
    "second_factor", "session", "passkey", "passkey_owner", "challenge_secret", "spent_challenge",
    "waiting",  # who signs up: tested with what does it
}  # fmt: skip


def test_every_table_is_named() -> None:
    for path in PACKAGE.rglob("tables.py"):
        importlib.import_module(".".join(("privapub", *path.relative_to(PACKAGE).with_suffix("").parts)))
    named = {table.name for table in CAPPED} | {table.name for table in FORGOTTEN} | set(WITH_ANOTHER) | BY_BYTES | OURS
    assert set(metadata.tables) == named, "say here how it is capped, or that it is not keyed by what strangers send"
    assert len(named) == len(CAPPED) + len(FORGOTTEN) + len(WITH_ANOTHER) + len(BY_BYTES) + len(OURS)


@pytest.mark.parametrize("name", sorted(WITH_ANOTHER))
def test_what_is_said_to_go_with_another_does(name: str) -> None:
    keys = [key for key in metadata.tables[name].foreign_keys if key.column.table in FORGOTTEN]
    assert [key for key in keys if key.ondelete == "CASCADE"]


async def count(database: Database, table: Table) -> int:
    async with database.read() as tx:
        return int(await tx.scalar(select(func.count()).select_from(table)))


async def fill(database: Database, table: Table, capped: Capped, age: float) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        theirs = await make_remote(tx)
        people = {1: alice.actor.id, 2: theirs.id}
        if table is token:
            await tx.execute(insert(application), [program(0, 0.0) | {"id": 1}])
        rows = [capped.row(number, age) for number in range(1, MANY + 1)]
        for row in rows:
            row |= {name: people[row[name]] for name in ("persona_id", "reporter_id", "target_id") if name in row}
            if table is notification:
                row["actor_id"] = people[row["actor_id"]]
        await tx.execute(insert(table), rows)


async def one_run(database: Database, now: float, args: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """One run of the job with these arguments; those of the next, and when that is."""
    async with database.write() as tx:
        await tx.execute(delete(job).where(job.c.kind == PRUNE))
        await prune(tx, Job(1, PRUNE, PRUNE, args, 1, "", "", now, now, now), None, now)
        planned = await tx.first(select(job.c.args, job.c.run_at).where(job.c.kind == PRUNE))
    assert planned is not None
    return json.loads(planned.args), planned.run_at


async def run_prune(database: Database, now: float) -> None:
    """A run, and those by which it goes on."""
    args, _ = await one_run(database, now, {})
    while args:
        args, _ = await one_run(database, now, args)


@pytest.mark.parametrize("table", CAPPED, ids=lambda table: table.name)
async def test_of_very_many_the_newest_stay(database: Database, monkeypatch: pytest.MonkeyPatch, table: Table) -> None:
    capped = CAPPED[table]
    monkeypatch.setattr(capped.of, capped.constant, FEW)
    if table is lane:  # its default is bound when the function is made
        monkeypatch.setitem(hosts.prune.__kwdefaults__, "most", FEW)
    await fill(database, table, capped, 0.0)
    assert await count(database, table) >= MANY
    await run_prune(database, clock.now())
    assert await count(database, table) <= capped.most


@pytest.mark.parametrize("table", [each for each in CAPPED if each is not job], ids=lambda table: table.name)
async def test_what_is_old_goes(database: Database, table: Table) -> None:
    capped = CAPPED[table]
    await fill(database, table, capped, LONG_AGO)
    assert await count(database, table) >= MANY
    await run_prune(database, clock.now())
    assert await count(database, table) <= capped.most - FEW


# People elsewhere and their posts


async def world_of(tx: Transaction) -> tuple[int, int, int]:
    """One of ours, a stranger, and a post of the stranger; all of them fresh."""
    alice, eve = await make_persona(tx), await make_remote(tx, "eve@elsewhere.test")
    note = await make_post(tx, eve.id, text="nobody asked")
    return alice.actor.id, eve.id, note.id


async def theirs(database: Database) -> tuple[int, int]:
    """How many posts and actors of elsewhere there are."""
    async with database.read() as tx:
        return (
            await tx.scalar(select(func.count()).select_from(post).where(~post.c.local)),
            await tx.scalar(select(func.count()).select_from(actor).where(~actor.c.local)),
        )


async def test_what_nobody_asked_for_is_forgotten_after_a_month(database: Database) -> None:
    async with database.write() as tx:
        await world_of(tx)
    await run_prune(database, clock.now() + forget.KEPT - DAY)
    assert await theirs(database) == (1, 1)
    await run_prune(database, clock.now() + forget.KEPT + DAY)
    assert await theirs(database) == (0, 0)


Tie = Callable[[Transaction, int, int, int], Awaitable[object]]


async def follows(tx: Transaction, ours: int, theirs: int, _post: int) -> None:
    await make_follow(tx, ours, theirs)


async def is_followed(tx: Transaction, ours: int, theirs: int, _post: int) -> None:
    await make_follow(tx, theirs, ours)


def row(name: str, **values: str) -> Tie:
    """A row of this table, of which columns are ours, theirs or the post."""

    async def put(tx: Transaction, ours: int, theirs: int, note: int) -> None:
        those = {"ours": ours, "theirs": theirs, "post": note}
        table = metadata.tables[name]
        given = {column: those.get(value, value) for column, value in values.items()}
        known = {"id": 7, "entry_id": 7, "created_at": 1.0, "at": 1.0, "notifications": False}
        rest = {
            column.name: known.get(column.name, "x")
            for column in table.columns
            if column.name not in given and not column.nullable and column.server_default is None
        }
        await tx.execute(insert(table).values(**rest, **given))

    return put


@pytest.mark.parametrize(
    ("tie", "stays"),
    [
        (follows, (1, 1)),
        (row("reaction", post_id="post", actor_id="ours", emoji=""), (1, 1)),
        (row("boost", post_id="post", actor_id="ours"), (1, 1)),
        (row("pin", post_id="post", actor_id="ours"), (1, 1)),
        (row("bookmark", post_id="post", persona_id="ours"), (1, 1)),
        (row("timeline_entry", persona_id="ours", post_id="post"), (1, 1)),
        (row("post_recipient", post_id="post", actor_id="ours"), (1, 1)),
        (row("notification", persona_id="ours", actor_id="theirs", post_id="post"), (1, 1)),
        (is_followed, (0, 1)),
        (row("block", blocker_id="ours", blocked_id="theirs"), (0, 1)),
        (row("block", blocker_id="theirs", blocked_id="ours"), (0, 1)),
        (row("mute", persona_id="ours", muted_id="theirs"), (0, 1)),
        (row("notification", persona_id="ours", actor_id="theirs"), (0, 1)),
    ],
)
async def test_what_ties_somebody_to_one_of_ours_keeps_them(
    database: Database, monkeypatch: pytest.MonkeyPatch, tie: Tie, stays: tuple[int, int]
) -> None:
    monkeypatch.setattr(notifications, "KEPT", 1e12)
    async with database.write() as tx:
        await tie(tx, *await world_of(tx))
    for _ in range(2):
        await run_prune(database, clock.now() + forget.KEPT + DAY)
    assert await theirs(database) == stays


async def test_who_did_something_with_a_post_of_ours_and_what_answers_it_stay(database: Database) -> None:
    async with database.write() as tx:
        ours, eve, answer = await world_of(tx)
        own = await make_post(tx, ours)
        liker = await make_remote(tx, "liker@elsewhere.test")
        await row("reaction", post_id="post", actor_id="theirs", emoji="")(tx, ours, liker.id, own.id)
        await tx.execute(post.update().where(post.c.id == answer).values(in_reply_to_id=own.id))
        assert eve != liker.id
    await run_prune(database, clock.now() + forget.KEPT + DAY)
    assert await theirs(database) == (1, 2)


async def test_of_too_many_what_nobody_asked_for_goes_after_an_hour(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forget, "MOST", FEW)
    monkeypatch.setattr(forget, "AT_ONCE", MANY)
    async with database.write() as tx:
        for number in range(MANY):
            await remote.learn(tx, profile(f"u{number}@host{number}.test", keys=()), clock.now())
    await run_prune(database, clock.now() + 60)
    assert await theirs(database) == (0, MANY)
    await run_prune(database, clock.now() + forget.HOUR + 60)
    assert await theirs(database) == (0, 0)


@pytest.mark.parametrize("constant", ["LOOKED_AT", "AT_ONCE"])
async def test_so_many_are_looked_at_in_a_run_the_next_is_at_once_and_none_is_passed_over(
    database: Database, monkeypatch: pytest.MonkeyPatch, constant: str
) -> None:
    monkeypatch.setattr(forget, constant, FEW)
    async with database.write() as tx:
        await world_of(tx)
        for number in range(MANY):
            await remote.learn(tx, profile(f"u{number}@host{number}.test", keys=()), clock.now())
            await make_post(tx, (await make_remote(tx, f"v{number}@elsewhere.test")).id)
    now = clock.now() + forget.KEPT + DAY
    args, run_at = await one_run(database, now, {})
    left = [await theirs(database)]
    while args:
        assert run_at == now
        args, run_at = await one_run(database, now, args)
        left.append(await theirs(database))
    assert run_at == now + EVERY
    assert left[-1] == (0, 0)
    assert all(sum(before) - sum(after) <= FEW for before, after in pairwise(left))


# What a process remembers


def of_asker(name: str) -> Callable[[Database], int]:
    def fill_it(_database: Database) -> int:
        memory: Any = asker._Memory()
        for number in range(asker.MOST_REMEMBERED + 100):
            memory.note(f"https://host{number}.test/key", 1.0, None)
            memory.met(f"https://host{number}.test/key", 1.0, None, None)
        return len(getattr(memory, name))

    return fill_it


def of_failures(_database: Database) -> int:
    memory = remembered.Remembered()
    for number in range(10_100):
        memory.add((f"https://host{number}.test/x", "", False), [f"host{number}.test"], "404", 1.0)
    return max(len(memory._until), len(memory._by_host))


def of_flights(_database: Database) -> int:
    flights = shared._Flights()
    for number in range(shared.MOST_LINGERING + 100):
        flights.land(f"https://host{number}.test/x", number, 1.0)
    return len(flights.landed)


def of_counts(database: Database) -> int:
    counts = tally.HostTally(database, arrival, 1.0)
    for number in range(tally.HostTally.MOST + 100):
        counts.note(f"host{number}.test", "queued", "", 1.0)
    return len(counts._counts)


def of_fetches(database: Database) -> int:
    recorder = fetches.FetchRecorder(database)
    for number in range(fetches.KEPT_IN_MEMORY + 100):
        for trigger in ("request", "verify"):
            recorder.note(
                host=f"host{number}.test", purpose="key", trigger=trigger, outcome="ok", reason="", status=200,
                seconds=0.0, bytes=0, hops=0, at=1.0,
            )  # fmt: skip
    return max(len(recorder._rows), len(recorder._readers))


def of_limits(_database: Database) -> int:
    limits = Limits(Settings())
    for number in range(10_100):
        caller = Caller(f"host{number}.test", f"192.0.2.{number}")
        limits.knock(caller, 1.0)
        limits.fetch_key(caller, 1.0)
        limits.proved(caller, 1.0)
        limits.too_many_wait(caller.host, 1.0)
        limits.turns.next(caller.host, 1.0)
    tables: list[Any] = [limits._proven, limits._verified, limits._full, limits.turns]
    tables += [each for held in (limits._requests, limits._keys) for each in vars(held).values()]
    return max(len(table) for table in tables)


def of_proxy(database: Database) -> int:
    proxy = memory.Proxy(database, "https://sut.test", Path("/nowhere"))
    for number in range(memory.MOST_KNOWN + 100):
        proxy.believe(str(number), cache.Kept("ready", (), 0, "", 0.0))
    return len(proxy._known)


@pytest.mark.parametrize(
    ("fill_it", "most"),
    [
        (of_asker("asked"), asker.MOST_REMEMBERED),
        (of_asker("readers"), asker.MOST_READERS),
        (of_failures, 10_000),
        (of_flights, shared.MOST_LINGERING),
        (of_counts, tally.HostTally.MOST + 1),
        (of_fetches, fetches.KEPT_IN_MEMORY),
        (of_limits, 10_000),
        (of_proxy, memory.MOST_KNOWN),
    ],
)
def test_no_memory_of_a_process_grows_beyond_its_size(
    database: Database, fill_it: Callable[[Database], int], most: int
) -> None:
    assert 0 < fill_it(database) <= most


NAMED = {
    "federation/asker.py", "federation/fetching/shared.py", "limits/bucket.py", "limits/turns.py",
    "outbound/remembered.py", "proxy/memory.py",
}  # fmt: skip


def test_every_memory_that_forgets_in_order_is_named() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "OrderedDict()" in path.read_text(encoding="utf-8")
    }
    assert found == NAMED, "fill it in a test of this file"


def test_no_cache_of_a_function_is_without_end() -> None:
    """One that is keyed by anything from outside has a size; those without one have a few dialects for keys."""
    endless = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "lru_cache(maxsize=None" in path.read_text(encoding="utf-8") or "lru_cache()" in path.read_text("utf-8")
    }
    assert endless == set()
