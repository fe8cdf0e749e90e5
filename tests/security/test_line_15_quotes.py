"""Line 15, quotes (GHSA-8h43-rcqj-wpc6): a stamp comes from the quoted author's origin, names both, and can go.

Elsewhere: what is asked and answered, and whose word counts, `rooms/federation/inbox/test_quotes_in.py`; ours,
`rooms/posts/test_quotes.py`; what a page shows of one, `rooms/web/test_quotes.py`.
"""

from typing import Any

import pytest

from fakes.activities import create, note, of
from fakes.world import CONTEXT, PUBLIC, Person, World
from makers import make_post
from privapub.actors.read import Actor
from privapub.posts import read as posts
from privapub.posts import stamps
from privapub.posts.read import Post

CAROL, DAVE, EVE = "https://peer.test/u/carol", "https://other.test/u/dave", "https://peer.test/u/eve"
QUOTED, QUOTING, STAMP = "https://other.test/n/quoted", "https://peer.test/n/quoting", "https://other.test/stamps/1"


async def quoting(world: World, alice: Actor, carol: Person, stamp: str | None = STAMP, quoted: str = QUOTED) -> Post:
    """Carol quotes dave, and tells alice; what is held of that once all was looked at."""
    post = note(carol, QUOTING, to=[PUBLIC, alice.uri], quote=quoted)
    if stamp is not None:
        post["quoteAuthorization"] = stamp
    assert (await world.post(alice.inbox, create(carol, post), by=carol)).status == 202
    await world.drain()
    async with world.database.read() as tx:
        found = await posts.by_uri(tx, QUOTING)
    assert found is not None
    return found


def stamp_of(dave: Person, **changes: Any) -> dict[str, Any]:
    return {
        "@context": [CONTEXT, {"QuoteAuthorization": "https://w3id.org/fep/044f#QuoteAuthorization"}],
        "id": STAMP,
        "type": "QuoteAuthorization",
        "attributedTo": dave.uri,
        "interactingObject": QUOTING,
        "interactionTarget": QUOTED,
        **changes,
    }


async def people(world: World) -> tuple[Actor, Person, Person]:
    alice, carol, dave = await world.persona(), world.person(CAROL), world.person(DAVE)
    world.serve(QUOTED, {"@context": CONTEXT, **note(dave, QUOTED)})
    return alice, carol, dave


async def test_a_stamp_that_is_all_of_that_counts(world: World) -> None:
    alice, carol, dave = await people(world)
    world.serve(STAMP, stamp_of(dave))
    assert (await quoting(world, alice, carol)).quote_state == "accepted"


FALSE_STAMPS: dict[str, dict[str, Any]] = {
    "of another author": {"attributedTo": CAROL},
    "of nobody": {"attributedTo": None},
    "for another post": {"interactingObject": "https://peer.test/n/other"},
    "for another quoted post": {"interactionTarget": "https://other.test/n/other"},
    "for no post": {"interactingObject": None},
    "of another type": {"type": "Note"},
    "under another id": {"id": "https://other.test/stamps/2"},
    "under an id elsewhere": {"id": "https://peer.test/stamps/1"},
}


@pytest.mark.parametrize("name", FALSE_STAMPS)
async def test_a_stamp_that_is_not_counts_for_nothing(world: World, name: str) -> None:
    alice, carol, dave = await people(world)
    world.serve(STAMP, stamp_of(dave, **FALSE_STAMPS[name]))
    assert (await quoting(world, alice, carol)).quote_state != "accepted"


@pytest.mark.parametrize(
    "stamp", ["https://peer.test/stamps/1", "https://sut.test/stamps/1", "https://other.test.evil.test/s", None]
)
async def test_a_stamp_of_another_host_counts_for_nothing(world: World, stamp: str | None) -> None:
    alice, carol, dave = await people(world)
    for site in ("https://peer.test/stamps/1", "https://other.test.evil.test/s"):
        world.serve(site, stamp_of(dave, id=site))
    assert (await quoting(world, alice, carol, stamp)).quote_state != "accepted"


async def test_a_stamp_that_its_host_leads_elsewhere_counts_for_nothing(world: World) -> None:
    alice, carol, dave = await people(world)
    world.serve(STAMP, status=302, headers={"Location": "https://peer.test/stamps/1"})
    world.serve("https://peer.test/stamps/1", stamp_of(dave))
    assert (await quoting(world, alice, carol)).quote_state != "accepted"


async def test_a_quoted_post_that_another_host_tells_of_is_not_shown(world: World) -> None:
    """The quote says what it quotes, and its own host calls that carol's own: nobody else wrote it."""
    alice, carol, dave = await people(world)
    theirs = "https://peer.test/n/quoted"
    world.serve(theirs, {"@context": CONTEXT, **note(dave, theirs)})
    assert (await quoting(world, alice, carol, None, theirs)).quote_state != "accepted"


async def test_it_is_taken_back_by_its_author_alone(world: World) -> None:
    alice, carol, dave = await people(world)
    world.serve(STAMP, stamp_of(dave))
    await quoting(world, alice, carol)
    eve, mallory = world.person(EVE), world.person("https://other.test/u/mallory")
    for by in (eve, mallory, carol):
        for what in (STAMP, {"type": "QuoteAuthorization", "id": STAMP}, QUOTED):
            await world.post(alice.inbox, of("Delete", by, what, f"{by.uri}/d/{len(str(what))}"), by=by)
    await world.drain()
    async with world.database.read() as tx:
        found = await posts.by_uri(tx, QUOTING)
    assert found is not None
    assert found.quote_state == "accepted"
    await world.post(alice.inbox, of("Delete", dave, STAMP, "https://other.test/d/1"), by=dave)
    await world.drain()
    async with world.database.read() as tx:
        found = await posts.by_uri(tx, QUOTING)
    assert found is not None
    assert found.quote_state != "accepted"


async def test_ours_is_given_for_what_was_asked_and_to_whom_it_was_given(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    async with world.database.write() as tx:
        mine, hidden = await make_post(tx, alice.id), await make_post(tx, alice.id, "followers")
    for number, what in enumerate((mine.uri, hidden.uri)):
        ask = of("QuoteRequest", carol, what, f"https://peer.test/ask/{number}") | {"instrument": f"{QUOTING}{number}"}
        assert (await world.post(alice.inbox, ask, by=carol)).status == 202
    await world.drain()
    async with world.database.read() as tx:
        given = await stamps.of_quote(tx, mine.id, f"{QUOTING}0")
        assert await stamps.of_quote(tx, hidden.id, f"{QUOTING}1") is None
    assert given is not None
    served = await world.get(f"/stamps/{given.token}", {"Accept": "application/activity+json", "Host": "sut.test"})
    assert (served.status, f'"{QUOTING}0"' in served.body, mine.uri in served.body) == (200, True, True)
    # Another post that names it is not what it was given for.
    other = note(carol, "https://peer.test/n/other", to=[PUBLIC, alice.uri], quote=mine.uri)
    other["quoteAuthorization"] = f"https://sut.test/stamps/{given.token}"
    await world.post(alice.inbox, create(carol, other, "https://peer.test/a/9"), by=carol)
    await world.drain()
    async with world.database.read() as tx:
        found = await posts.by_uri(tx, "https://peer.test/n/other")
    assert found is not None
    assert found.quote_state != "accepted"
