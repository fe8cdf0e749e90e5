"""From an address to an actor, and the address on which both hosts agree."""

import pytest

from fakes.world import Page, World
from privapub import clock, scope
from privapub.actors.read import Actor
from privapub.errors import InvalidInput, NotFound
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.jrd import Name, canonical, read_name
from privapub.federation.fetching.origin import origin, same_origin
from privapub.federation.fetching.webfinger import resolve
from privapub.outbound.answers import FetchProblem

CAROL = "https://peer.test/u/carol"
SELF = '{"links":[{"rel":"self","type":"%s","href":"https://peer.test/u/carol"}]}'
AS_LD = 'application/ld+json; profile=\\"https://www.w3.org/ns/activitystreams\\"'
XRD = "<?xml version='1.0'?><XRD><Subject>acct:carol@peer.test</Subject></XRD>"
QUESTION = "https://peer.test/.well-known/webfinger?resource=acct:carol@peer.test"


async def find(world: World, what: str) -> Actor:
    with scope.trigger("inbox"):
        return await resolve(world.server, what)


async def split(world: World) -> None:
    """carol@example.com, who lives at peer.test."""
    await world.site("example.com")
    carol = world.person(CAROL)
    question = "/.well-known/webfinger?resource=acct:carol@example.com"
    world.serve(f"https://example.com{question}", status=302, headers={"Location": f"https://peer.test{question}"})
    world.serve_jrd("carol@example.com", carol.uri, at="peer.test")
    world.serve_jrd("carol@peer.test", carol.uri, subject="carol@example.com")


@pytest.mark.parametrize("first", ["@carol@example.com", CAROL, "@carol@peer.test"])
async def test_a_split_domain_is_one_account_whichever_way_it_is_found(world: World, first: str) -> None:
    await split(world)
    found = [await find(world, what) for what in (first, "@carol@example.com", CAROL, "carol@peer.test")]
    assert {actor.id for actor in found} == {found[0].id}
    assert {actor.address for actor in found} == {"carol@example.com"}


async def test_the_address_that_a_document_names_is_taken_where_its_host_says_the_same(world: World) -> None:
    """FEP-2c59: peer.test answers no webfinger at all."""
    await world.site("example.com")
    carol = world.person(CAROL, changes={"webfinger": "carol@example.com"})
    world.serve_jrd("carol@peer.test", CAROL, status=404)
    world.serve_jrd("carol@example.com", CAROL)
    assert (await find(world, carol.uri)).address == "carol@example.com"


@pytest.mark.parametrize("claimed", ["dave@example.com", "carol@example.com", "nonsense", "carol@peer.test"])
async def test_a_claimed_address_that_nobody_confirms_is_not_taken(world: World, claimed: str) -> None:
    await world.site("example.com")
    world.person(CAROL, changes={"webfinger": claimed})
    world.serve_jrd("dave@example.com", CAROL)
    world.serve_jrd("carol@example.com", "https://example.com/u/carol")
    assert (await find(world, CAROL)).address == "carol@peer.test"


async def test_an_address_that_its_own_host_does_not_confirm_is_not_taken(world: World) -> None:
    """peer.test says that carol is the famous one of example.com, who has never heard of her."""
    await world.site("example.com")
    world.person(CAROL)
    world.serve_jrd("carol@peer.test", CAROL, subject="carol@example.com")
    world.serve_jrd("carol@example.com", "https://example.com/u/another")
    with pytest.raises(NotFound):
        await find(world, "@carol@peer.test")
    assert (await find(world, CAROL)).address == "carol@peer.test"


async def test_www_is_not_taken_away(world: World) -> None:
    await world.site("www.peer.test")
    world.person("https://www.peer.test/u/carol")
    assert (await find(world, "@carol@www.peer.test")).address == "carol@www.peer.test"
    with pytest.raises(NotFound):
        await find(world, "@carol@peer.test")


async def test_the_host_goes_out_in_lower_case_and_the_handle_as_it_was_typed(world: World) -> None:
    world.person("https://peer.test/u/x", "Carol_X")
    assert (await find(world, " @Carol_X@Peer.TEST ")).address == "Carol_X@peer.test"
    assert world.peer.received[0].path == "/.well-known/webfinger?resource=acct:Carol_X@peer.test"


@pytest.mark.parametrize(
    ("content_type", "body", "found"),
    [
        ("application/jrd+json", "", True),
        ("application/json; charset=utf-8", "", True),
        ("application/jrd+json; charset=utf-8", "", True),
        ("APPLICATION/JRD+JSON", "", True),
        ("application/activity+json", "", False),
        ("text/html", "", False),
        ("application/xrd+xml", XRD, False),
        ("application/jrd+json", '{"links":[]}', False),
        ("application/jrd+json", '{"links":7,"subject":9}', False),
        ("application/jrd+json", SELF % AS_LD, True),
        ("application/jrd+json", SELF % "application/ld+json", False),
        ("application/jrd+json", SELF.replace("https://peer", "ftp://peer") % "application/activity+json", False),
    ],
)
async def test_which_answers_count(world: World, content_type: str, body: str, found: bool) -> None:
    world.person(CAROL)
    page = world.pages[QUESTION]
    world.pages[QUESTION] = Page(body.encode() or page.body, content_type=content_type)
    if found:
        with scope.trigger("inbox"):
            assert (await canonical(world.server, Name("carol", "peer.test"))).uri == CAROL
    else:
        with scope.trigger("inbox"), pytest.raises((NotFound, FetchProblem)):
            await canonical(world.server, Name("carol", "peer.test"))
        assert len(world.peer.received) == 1


async def test_a_host_that_fails_is_no_proof_that_there_is_nobody(world: World) -> None:
    world.person(CAROL)
    world.pages[QUESTION] = Page(status=503)
    with pytest.raises(FetchProblem):
        await find(world, "carol@peer.test")


@pytest.mark.parametrize(
    "silent", [Page(status=503), Page(status=404), Page(b"{", content_type="application/jrd+json")]
)
async def test_an_actor_whose_webfinger_fails_is_learnt_under_its_own_host(world: World, silent: Page) -> None:
    world.person(CAROL)
    world.pages[QUESTION] = silent
    assert (await find(world, CAROL)).address == "carol@peer.test"


async def test_ours_are_found_without_asking_anybody(world: World) -> None:
    alice = await world.persona("Alice")
    for what in ("@alice@sut.test", "alice@SUT.TEST", alice.uri, "https://sut.test/@alice"):
        assert (await find(world, what)).id == alice.id
    for nobody in ("@nobody@sut.test", "https://sut.test/@nobody", "https://sut.test/actors/x"):
        with pytest.raises(NotFound):
            await find(world, nobody)


@pytest.mark.parametrize(
    "text", ["", "alice", "@@peer.test", "a b@peer.test", "a@peer test", "a@", "a/b@peer.test", "a@-x"]
)
def test_what_is_no_address_is_said_to_be_none(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_name(text)


def test_a_host_in_another_script_is_written_in_ascii() -> None:
    assert str(read_name("acct:rené@Bücher.example")) == "rené@xn--bcher-kva.example"


async def test_an_actor_is_fetched_again_after_a_day_and_an_old_one_does_while_its_host_is_silent(world: World) -> None:
    carol = world.person(CAROL)
    await world.learnt(carol)
    with scope.trigger("inbox"):
        await fetch_actor(world.server, CAROL)
        assert world.peer.received == []
        clock.advance(86401)
        world.serve(CAROL, status=500)
        assert (await fetch_actor(world.server, CAROL)).name == ""
        carol.changes = {"name": "Carol"}
        world.serve_person(carol)
        assert (await fetch_actor(world.server, CAROL, fresh=True)).name == "Carol"


async def test_what_an_actor_says_in_html_is_cleaned_before_it_is_kept(world: World) -> None:
    carol = world.person(CAROL)
    evil = '<p onclick="x()">hi<script>alert(1)</script></p>'
    carol.changes = {"summary": evil, "attachment": [{"type": "PropertyValue", "name": "web", "value": evil}]}
    world.serve_person(carol)
    known = await world.learnt(carol)
    assert known.summary == known.fields[0]["value"] == "<p>hi</p>"


async def test_a_collection_of_another_host_is_not_an_actors_own(world: World) -> None:
    carol = world.person(CAROL)
    carol.changes = {"followers": "https://other.test/u/dave/followers"}
    world.serve_person(carol)
    assert (await world.learnt(carol)).followers is None


HOSTS = {
    "https://Peer.TEST/x": "peer.test",
    "https://peer.test:443": "peer.test",
    "http://peer.test:443": "peer.test:443",
    "http://peer.test:3000/x": "peer.test:3000",
    "https://peer.test./": "peer.test",
    "https://[::1]:8000/": "[::1]:8000",
    "https://a@peer.test/": "",
    "https://peer.test:x/": "",
    "https:///x": "",
    "acct:a@peer.test": "",
    "": "",
    "https://[::1/": "",
}


@pytest.mark.parametrize(("uri", "host"), HOSTS.items())
def test_the_host_of_an_id(uri: str, host: str) -> None:
    assert origin(uri) == host
    assert same_origin(uri, uri) is bool(host)
