"""The shared cases of signatures, as the inbox answers them."""

import json

import pytest

from cases.folder import case
from cases.stage import Stage, allowed, exact, stage
from fakes import keys
from fakes.activities import follow_of
from fakes.world import COVERED, Person, World, rsa
from privapub import clock
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign

CAROL = "https://peer.test/u/carol"


@pytest.mark.case("signatures/01-digest-forms")
async def test_signatures_01_the_forms_of_a_digest(world: World) -> None:
    on = await stage(world)
    given = case("signatures/01-digest-forms")["given"]
    body, carol = exact(given["request"]["raw_b64"]), on.people[CAROL]
    for variant in given["variants"]:
        absent = variant["digest_header"] is None
        headers = () if absent else (("Digest", variant["digest_header"]),)
        if absent:
            answer = await _listed_but_absent(world, on, body, carol)
        else:
            answer = await world.post(on.alice.inbox, body, by=carol, headers=headers)
        assert allowed(answer[0] if isinstance(answer, tuple) else answer.status, variant["status"]), variant["name"]
        said = answer[1] if isinstance(answer, tuple) else answer.body
        assert not said or "digest" in said.lower(), variant["name"]


async def _listed_but_absent(world: World, on: Stage, body: bytes, carol: Person) -> tuple[int, str]:
    """Signed with a digest that is then left out."""
    url = on.alice.inbox
    request = HttpRequest("POST", url, (("Host", "sut.test"), ("Content-Type", "application/activity+json")), body)
    signed = sign(request, PrivateKey.from_pem(carol.key_id, carol.private), "cavage", clock.now(), covered=COVERED)
    headers = tuple(pair for pair in (*request.headers, *signed) if pair[0] != "Digest")
    answer = await world.send(url, body, headers)
    return answer.status, answer.body


@pytest.mark.case("signatures/03-key-document")
async def test_signatures_03_where_keys_are_and_whose(world: World) -> None:
    on = await stage(world)
    given = case("signatures/03-key-document")["given"]
    actors = {"https://peer.test/u/gts": "gts", "https://peer.test/u/multi": "k1"}
    for entry in [*given["serve"], *(entry for variant in given["variants"] for entry in variant.get("serve", ()))]:
        url = entry["url"]
        if "json" in entry:
            world.serve(url, on.fill(entry["json"]))
        else:
            person = Person(url, url.rpartition("/")[2], actors[url], changes=on.fill(entry["actor"]))
            on.people[url] = person
            world.serve_person(person)
    names = {"carol": CAROL, "mallory": "https://peer.test/u/mallory"}
    for number, variant in enumerate(given["variants"]):
        by, key_name = on.people[variant["actor"]], names.get(variant["pem"], variant["pem"])
        for again in range(2):
            activity = follow_of(by, on.alice, f"https://peer.test/f/{number}-{again}")
            world.peer.received.clear()
            answer = await world.post(on.alice.inbox, activity, by=by, key_id=variant["keyId"], key_name=key_name)
            assert allowed(answer.status, variant["status"]), variant["name"]
        if variant["status"] == "2xx":
            assert world.peer.received == [], variant["name"]


@pytest.mark.case("signatures/04-key-rotation")
async def test_signatures_04_a_key_that_changed_and_a_flood(world: World) -> None:
    on = await stage(world)
    await on.make_note()
    carol = on.people[CAROL]
    await world.learnt(carol)
    first = carol.key_name or carol.uri
    carol.key_name = "K2"
    world.serve_person(carol)
    steps = case("signatures/04-key-rotation")["given"]["steps"]
    rotated, flood, moved, old, unreachable = steps
    assert (await world.post(on.alice.inbox, on.fill(rotated["json"]), by=carol)).status == 202
    assert len(world.asked("/u/carol")) == rotated["fetches_of_carol"]
    for _ in range(30):
        refused = await world.post(on.alice.inbox, on.fill(flood["step"]["json"]), by=carol, key_name="random")
        assert refused.status == 401
    assert len(world.asked("/u/carol")) == 1
    clock.advance(moved["seconds"])
    assert (await world.post(on.alice.inbox, on.fill(old["json"]), by=carol, key_name=first)).status == 401
    for _ in range(20):
        answer = await world.post(on.alice.inbox, on.fill(old["json"]), by=carol, key_id=unreachable["step"]["keyId"])
        assert allowed(answer.status, unreachable["step"]["status"])
    assert len(world.asked("/u/unreachable")) <= 1


@pytest.mark.case("signatures/07-double-knock")
@pytest.mark.parametrize("scheme", ["cavage", "rfc9421"])
async def test_signatures_07_what_comes_in_is_taken_in_either_form_and_refused_in_neither(
    world: World, scheme: str
) -> None:
    assert "incoming-both" in json.dumps(case("signatures/07-double-knock"))
    on = await stage(world)
    carol = on.people[CAROL]
    activity = follow_of(carol, on.alice)
    broken = await world.post(on.alice.inbox, activity, by=carol, scheme=scheme, key_name="random")  # type: ignore[arg-type]  # parametrized
    assert broken.status == 401
    assert (await world.post(on.alice.inbox, activity, by=carol, scheme=scheme)).status == 202  # type: ignore[arg-type]  # the same


@pytest.mark.case("signatures/07-double-knock")
async def test_signatures_07_an_actor_without_an_inbox_is_not_stored(world: World) -> None:
    on = await stage(world)
    bare = on.people["https://peer.test/u/ex"]
    document = bare.document()
    del document["inbox"]
    world.serve(bare.uri, document)
    assert (await world.post(on.alice.inbox, follow_of(bare, on.alice), by=bare)).status == 401
    assert await world.actor(bare.uri) is None
    assert keys.public_pem(rsa(bare.uri)) == bare.pem
