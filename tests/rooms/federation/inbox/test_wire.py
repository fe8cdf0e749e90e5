"""What real servers were heard to send, handled as if it had been sent to alice."""

import json
from typing import Any

from sqlalchemy import select

from fakes.world import World
from makers import make_remote
from privapub import clock
from privapub.federation.documents import canonical, strict_json
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.fetching.origin import origin
from privapub.federation.inbox import store
from privapub.federation.inbox.origin import misplaced
from privapub.federation.inbox.tables import incoming
from shared import shared

# What each kind ends as; None is taken in.
ENDS = {
    "Create": {None},
    "Follow": {None, "undone-before"},  # one was captured after an Undo of a Follow that was not
    "Delete": {None},
    "Undo of Follow": {None, "nothing-to-undo"},  # the Follow itself may not have been captured
    "Undo of Like": {None, "nothing-to-undo"},  # what is liked may be on its way
    "Undo of Block": {"nothing-to-undo"},
    "Accept": {"no-such-follow"},  # alice never asked
    "Like": {None, "no-such-post"},
    "Announce": {"not-for-us"},
    "Block": {"nobody-to-block"},  # they were about others than alice
}


def captured() -> list[dict[str, Any]]:
    """Every activity of the capture."""
    lines = shared("wire/requests.jsonl").read_text(encoding="utf-8").splitlines()
    bodies = [json.loads(line)["body"] for line in lines]
    return [strict_json.read(body.encode()) for body in bodies if body.startswith("{")]


def to_alice(document: dict[str, Any], alice: str) -> dict[str, Any]:
    """A Follow, or what undoes one, is about alice."""
    if document["type"] == "Follow":
        return {**document, "object": alice}
    if document["type"] == "Undo" and document["object"]["type"] == "Follow":
        return {**document, "object": {**document["object"], "object": alice}}
    return document


def kind_of(document: dict[str, Any]) -> str:
    return f"Undo of {document['object']['type']}" if document["type"] == "Undo" else str(document["type"])


async def test_what_real_servers_send_is_taken_in_or_kept_out_for_its_reason(world: World) -> None:
    alice = await world.persona()
    documents = [to_alice(each, alice.uri) for each in captured() if "actor" in each]
    assert len(documents) > 50
    ends: dict[str, set[str]] = {}
    for document in documents:
        activity = read_activity(document)
        assert misplaced(activity) is None, document["id"]
        assert activity.id is not None
        async with world.database.write() as tx:
            address = f"someone@{origin(activity.actor)}"
            signer = await make_remote(tx, address, uri=activity.actor, followers=None, keys=())
            await store.store(
                tx,
                store.Accepted(
                    owner=str(alice.id),
                    activity_id=activity.id,
                    digest=canonical.digest(document),
                    kind=activity.kind,
                    actor_id=signer.id,
                    actor_uri=signer.uri,
                    document=document,
                    now=clock.now(),
                ),
            )
        ends.setdefault(activity.id + canonical.digest(document), set()).add(kind_of(document))
    await world.drain()
    async with world.database.read() as tx:
        handled = await tx.all(select(incoming))
    assert len(handled) == len(ends)
    for row in handled:
        (kind,) = ends[row.activity_id + row.digest]
        assert row.handled_at is not None
        assert row.kept_out in ENDS[kind], (kind, row.activity_id, row.kept_out)
