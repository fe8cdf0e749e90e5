import json
from urllib.parse import quote
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from asgi import serving
from makers import ADDRESSES, make_persona, make_post
from privapub import clock
from privapub.actors import application
from privapub.database.connect import Database
from privapub.errors import InvalidInput
from privapub.federation.served.webfinger import address, asked
from shared import shared

WEBFINGER = "/.well-known/webfinger"


async def test_the_cases_of_spelling(database: Database) -> None:
    case = json.loads(shared("cases/webfinger/04-spelling-variants.json").read_text())
    async with database.write() as tx:
        alice = await make_persona(tx)
    answers = []
    async with serving(database) as sut:
        for resource, expected in case["given"]["requests"]:
            filled = resource.replace("{alice.id}", alice.actor.uri).replace("{alice.profile_url}", alice.actor.url)
            escaped = filled if "%" in filled else quote(filled, safe=":@/")
            answer = await sut.get(f"{WEBFINGER}?resource={escaped}")
            assert str(answer.status) in str(expected).split("-or-"), resource
            if answer.status == 200:
                answers.append(answer.json)
    assert len(answers) >= 7
    assert all(found == answers[0] for found in answers)
    assert answers[0]["subject"] == "acct:alice@sut.test"
    (link,) = [link for link in answers[0]["links"] if link["rel"] == "self"]
    assert link == {"rel": "self", "type": "application/activity+json", "href": alice.actor.uri}


async def test_the_cases_of_bad_questions(database: Database) -> None:
    case = json.loads(shared("cases/webfinger/07-bad-requests.json").read_text())
    async with database.write() as tx:
        await make_persona(tx, "alice")
        await make_persona(tx, "bob")
    async with serving(database) as sut:
        for query, expected in case["given"]["requests"]:
            answer = await sut.get(WEBFINGER + ("" if query.startswith("(") else f"?{query}"))
            assert str(answer.status) in str(expected).split("-or-"), query
            assert answer.headers["access-control-allow-origin"] == "*"
            if answer.status != 200:
                assert answer.headers["cache-control"] == "private, no-store"


async def test_relations_limit_the_links_alone(database: Database) -> None:
    async with database.write() as tx:
        await make_persona(tx)
    async with serving(database) as sut:
        answer = await sut.get(f"{WEBFINGER}?resource=acct:alice@sut.test&rel=self&rel=x")
        none = await sut.get(f"{WEBFINGER}?resource=acct:alice@sut.test&rel=x")
    assert [link["rel"] for link in answer.json["links"]] == ["self"]
    assert (none.json["links"], none.json["subject"]) == ([], "acct:alice@sut.test")


async def test_webfinger_is_a_jrd_whatever_is_asked_for(database: Database) -> None:
    async with database.write() as tx:
        await make_persona(tx)
    async with serving(database) as sut:
        for accept in (None, "application/xrd+xml", "text/html", "application/activity+json"):
            answer = await sut.get(f"{WEBFINGER}?resource=acct:alice@sut.test", accept=accept)
            assert answer.headers["content-type"] == "application/jrd+json"
            assert answer.headers["access-control-allow-origin"] == "*"


async def test_addresses_may_end_in_a_domain_of_their_own(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
    async with serving(database, handle_domain="sut.test", base_url="https://sut.test") as sut:
        subjects = [
            (await sut.get(f"{WEBFINGER}?resource={resource}")).json["subject"]
            for resource in ("acct:alice@sut.test", alice.actor.uri)
        ]
        assert subjects == ["acct:alice@sut.test"] * 2
        assert (await sut.get(f"{WEBFINGER}?resource=acct:alice@www.sut.test")).status == 404
    async with serving(database, handle_domain="example.com", base_url="https://sut.test") as sut:
        for host in ("example.com", "sut.test"):
            assert (await sut.get(f"{WEBFINGER}?resource=acct:alice@{host}")).status == 200


async def test_however_it_is_asked_for_an_actor_has_one_address(database: Database) -> None:
    """RFC 7033, section 4.4.1: the subject is the handle's own host, whichever was asked for."""
    async with database.write() as tx:
        alice = await make_persona(tx, domain="example.com")
        await application.ensure(tx, ADDRESSES, "example.com", clock.now())
    async with serving(database, handle_domain="example.com", base_url="https://sut.test") as sut:
        for resource in ("acct:alice@example.com", "acct:Alice@SUT.test", alice.actor.uri, "https://sut.test/@alice"):
            answer = (await sut.get(f"{WEBFINGER}?resource={resource}")).json
            assert answer["subject"] == "acct:alice@example.com"
            assert answer["links"][0]["href"] == alice.actor.uri
        for resource in ("acct:example.com@example.com", "acct:sut.test@sut.test", "https://sut.test/"):
            answer = (await sut.get(f"{WEBFINGER}?resource={resource}")).json
            assert answer["subject"] == "acct:example.com@example.com"
        assert (await sut.get(f"{WEBFINGER}?resource=acct:alice@other.test")).status == 404
        shown = await sut.get(alice.actor.uri, accept="application/activity+json")
    assert (shown.json["webfinger"], shown.json["preferredUsername"]) == ("alice@example.com", "alice")


@pytest.mark.parametrize(
    "query", ["", "resource=", "resource=%zz", "resource=a&resource=b", "resource=a%00", "rel=self"]
)
def test_a_question_without_one_resource_is_none(query: str) -> None:
    with pytest.raises(InvalidInput):
        asked(query)


@pytest.mark.parametrize("resource", ["acct:", "acct:alice", "acct:@sut.test", "acct:alice@", "alice", "@alice"])
def test_half_an_address_is_none(resource: str) -> None:
    with pytest.raises(InvalidInput):
        address(resource)


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("acct:Alice@SUT.test", ("Alice", "sut.test")),
        ("ACCT:@alice@sut.test:8000", ("alice", "sut.test:8000")),
        ("alice@sut.test", ("alice", "sut.test")),
        ("https://sut.test/@alice", None),
        ("mailto:alice@sut.test", None),
    ],
)
def test_addresses_are_told_from_other_resources(resource: str, expected: tuple[str, str] | None) -> None:
    assert address(resource) == expected


async def test_host_meta_leads_to_webfinger(database: Database) -> None:
    async with serving(database) as sut:
        xml = await sut.get("/.well-known/host-meta")
        jrd = await sut.get("/.well-known/host-meta.json")
    link = ET.fromstring(xml.body).find("{http://docs.oasis-open.org/ns/xri/xrd-1.0}Link")  # noqa: S314 - our own XML
    assert link is not None
    assert link.get("template") == "https://sut.test/.well-known/webfinger?resource={uri}"
    assert xml.headers["content-type"].startswith("application/xrd+xml")
    assert jrd.json["links"][0]["template"] == link.get("template")
    assert jrd.headers["content-type"] == "application/jrd+json"


async def test_nodeinfo_keeps_to_its_schema_and_counts_personas(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "alice")
        await make_persona(tx, "night")
        await make_post(tx, alice.id, "public")
        await make_post(tx, alice.id, "followers")
    async with serving(database, name="Village", description="For the village.") as sut:
        links = (await sut.get("/.well-known/nodeinfo")).json["links"]
        for version in ("2.0", "2.1"):
            (href,) = [link["href"] for link in links if link["rel"].endswith(f"/{version}")]
            answer = await sut.get(href)
            jsonschema.validate(answer.json, json.loads(shared(f"vectors/nodeinfo/{version}-schema.json").read_text()))
            assert answer.json["usage"] == {"users": {"total": 2}, "localPosts": 1}
            assert answer.json["metadata"]["nodeName"] == "Village"
            assert f"ns/schema/{version}#" in answer.headers["content-type"]
