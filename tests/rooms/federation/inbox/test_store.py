"""What counts as a copy, and how long it is remembered."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text

from privapub.database.connect import Database
from privapub.federation.documents import canonical
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.inbox import store
from privapub.federation.inbox.origin import deletes_itself, misplaced
from privapub.federation.inbox.tables import incoming, undone
from privapub.federation.inbox.undone import undo_key, undo_keys

CAROL = "https://peer.test/u/carol"
NOW = 1_772_366_400.0
DAY = 86400.0


def activity(kind: str = "Create", uri: str | None = "https://peer.test/a/1", **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": uri, "actor": CAROL, "object": "https://peer.test/n/1", **more}


async def put(database: Database, document: dict[str, Any], owner: str = "", now: float = NOW) -> str:
    async with database.write() as tx:
        return await store.store(
            tx,
            store.Accepted(
                owner=owner,
                activity_id=document["id"],
                digest=canonical.digest(document),
                kind=document["type"],
                actor_id=1,
                actor_uri=CAROL,
                document=document,
                now=now,
            ),
        )


async def handle_all(database: Database, now: float = NOW) -> None:
    async with database.write() as tx:
        for row in await tx.all(select(incoming.c.id).where(incoming.c.handled_at.is_(None))):
            assert await store.close(tx, row.id, None, now)
            assert not await store.close(tx, row.id, "twice", now)


async def jobs(database: Database) -> int:
    async with database.read() as tx:
        return int(await tx.scalar(text("SELECT count(*) FROM job WHERE kind = 'inbox'")))


async def test_the_same_id_and_content_is_a_copy_whatever_vouches_for_it(database: Database) -> None:
    assert await put(database, activity()) == "queued"
    for more in ({}, {"@context": "https://x.test"}, {"signature": {"a": 1}}, {"proof": {"b": 2}}):
        assert await put(database, activity(**more)) == "copy"
    assert await jobs(database) == 1


@pytest.mark.parametrize("other", [{"type": "Update"}, {"object": "https://peer.test/n/2"}, {"to": ["x"]}])
async def test_the_same_id_with_other_content_is_queued_apart(database: Database, other: dict[str, Any]) -> None:
    assert await put(database, activity()) == "queued"
    assert await put(database, {**activity(), **other}) == "queued"
    assert await jobs(database) == 2


async def test_each_inbox_has_its_own_memory(database: Database) -> None:
    for owner in ("", "1", "2"):
        assert await put(database, activity(), owner) == "queued"
        assert await put(database, activity(), owner) == "copy"


async def test_what_has_no_id_counts_under_its_content(database: Database) -> None:
    assert await put(database, activity(uri=None)) == "queued"
    assert await put(database, activity(uri=None)) == "copy"
    assert await put(database, activity(uri=None, to="x")) == "queued"


@pytest.mark.parametrize("kind", ["Create", "Update", "Announce", "Delete"])
async def test_a_copy_of_an_event_is_dropped_for_good(database: Database, kind: str) -> None:
    assert await put(database, activity(kind)) == "queued"
    await handle_all(database)
    assert await put(database, activity(kind)) == "copy"


@pytest.mark.parametrize("kind", ["Follow", "Accept", "Reject", "Like", "Block", "Undo"])
async def test_a_copy_of_a_relationship_is_dropped_while_it_waits_and_handled_again_afterwards(
    database: Database, kind: str
) -> None:
    assert await put(database, activity(kind)) == "queued"
    assert await put(database, activity(kind)) == "copy"
    await handle_all(database)
    assert await put(database, activity(kind), now=NOW + 1) == "queued"
    assert await put(database, activity(kind), now=NOW + 2) == "copy"
    assert await jobs(database) == 2
    async with database.read() as tx:
        (row,) = await tx.all(select(incoming))
    assert (row.handled_at, row.kept_out, row.received_at) == (None, None, NOW + 1)
    assert json.loads(row.body) == activity(kind)


async def test_what_an_activity_said_is_not_kept_once_it_is_handled(database: Database) -> None:
    await put(database, activity(content="private"))
    await handle_all(database)
    async with database.read() as tx:
        (row,) = await tx.all(select(incoming))
    assert "private" not in repr(tuple(row))


async def test_the_row_and_its_job_are_there_together_or_not_at_all(database: Database) -> None:
    class Crash(Exception):
        pass

    with pytest.raises(Crash):
        async with database.write() as tx:
            document = activity()
            await store.store(
                tx,
                store.Accepted(
                    owner="",
                    activity_id=document["id"],
                    digest=canonical.digest(document),
                    kind="Create",
                    actor_id=1,
                    actor_uri=CAROL,
                    document=document,
                    now=NOW,
                ),
            )
            raise Crash
    assert await jobs(database) == 0
    assert await put(database, activity()) == "queued"


async def test_an_undo_that_found_nothing_counts_once_and_for_half_an_hour(database: Database) -> None:
    async with database.write() as tx:
        await store.remember_undone(tx, "a", NOW)
        await store.remember_undone(tx, "a", NOW + 1)
        assert await store.was_undone(tx, ["a", "c"], NOW + 1700)
        assert not await store.was_undone(tx, ["a", "c"], NOW + 1700)
        await store.remember_undone(tx, "b", NOW)
        assert not await store.was_undone(tx, ["b"], NOW + 1801)


async def test_what_was_handled_is_forgotten_after_thirty_days_and_the_rest_after_sixty(database: Database) -> None:
    await put(database, activity(uri="https://peer.test/a/old"), now=NOW)
    await handle_all(database)
    await put(database, activity(uri="https://peer.test/a/waits"), now=NOW)
    await put(database, activity(uri="https://peer.test/a/young"), now=NOW + 25 * DAY)

    async def left(now: float) -> set[str]:
        async with database.write() as tx:
            await store.remember_undone(tx, "key", now - 1800)
            await store.prune(tx, now)
            assert await tx.all(select(undone)) == []
            return {row.activity_id.rpartition("/")[2] for row in await tx.all(select(incoming.c.activity_id))}

    assert await left(NOW + 29 * DAY) == {"old", "waits", "young"}
    assert await left(NOW + 31 * DAY) == {"waits", "young"}
    assert await left(NOW + 61 * DAY) == {"young"}
    assert await left(NOW + 86 * DAY) == set()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, None),
        ({"id": None}, None),
        ({"id": "https://other.test/a/1"}, "id-elsewhere"),
        ({"id": "urn:uuid:1"}, "id-elsewhere"),
        ({"object": "https://other.test/n/1"}, "object-elsewhere"),
        ({"object": {"type": "Note", "id": "https://other.test/n/1"}}, "object-elsewhere"),
        ({"object": {"type": "Note"}}, "no-object"),
        ({"type": "Announce", "object": "https://other.test/n/1"}, None),
        ({"type": "Announce", "id": "https://other.test/a/1"}, "id-elsewhere"),
        ({"type": "Follow", "id": "https://other.test/a/1", "object": "https://other.test/u/dave"}, None),
        ({"type": "Undo", "id": "https://sut.test/x", "object": "https://peer.test/f/1"}, None),
    ],
)
def test_where_ids_must_live(changes: dict[str, Any], why: str | None) -> None:
    assert misplaced(read_activity({**activity(), **changes})) == why


def test_only_an_actor_deletes_itself() -> None:
    assert deletes_itself(read_activity(activity("Delete", object=CAROL)))
    assert not deletes_itself(read_activity(activity("Delete")))
    assert not deletes_itself(read_activity(activity("Undo", object=CAROL)))


ids = st.one_of(st.none(), st.sampled_from(["https://peer.test/1", "https://peer.test/2"]))


@given(ids, ids, ids, ids)
def test_an_undo_is_about_what_has_its_id_or_else_its_object(
    undone_id: str | None, undone_about: str | None, id_: str | None, about: str | None
) -> None:
    matches = undo_key(CAROL, "Follow", undone_id, undone_about) in undo_keys(CAROL, "Follow", id_, about)
    if undone_id:
        assert matches == (undone_id == id_)
    elif undone_about:
        assert matches == (undone_about == about)
    else:
        assert not matches
