"""The server itself: what it says of itself is what it does."""

import hashlib
import json
from pathlib import Path

import pytest

from makers import make_persona, make_post
from privapub import clock
from privapub.database.connect import Database
from privapub.database.counts import LIFE
from privapub.media.attach import MOST
from privapub.moderation import rules
from privapub.moderation.domain_rules import Rule
from program import town
from shared import shared

V1, V2 = "/api/v1/instance", "/api/v2/instance"


async def test_what_it_is_stands_in_its_settings(database: Database) -> None:
    names = {"name": "Town", "description": "A town.", "contact": "ann@sut.test", "languages": ("de", "pt-BR")}
    async with town(database, **names, contact_persona="alice") as sut:
        await sut.program("alice")
        for path in (V1, V2):
            told = await sut.stranger.get(path)
            assert (told["title"], told["description"]) == ("Town", "A town.")
            assert told["languages"] == ["de", "pt-BR"]
            assert "compatible; PrivaPub" in told["version"]
        assert (told["domain"], told["contact"]["email"]) == ("sut.test", "ann@sut.test")
        assert told["contact"]["account"]["username"] == "alice"
        assert told["configuration"]["urls"]["streaming"] == "wss://sut.test"
        first = await sut.stranger.get(V1)
        assert (first["uri"], first["contact_account"]["acct"]) == ("sut.test", "alice")
        assert first["urls"] == {"streaming_api": "wss://sut.test"}
        assert [each["name"] for each in await sut.stranger.get(V1 + "/languages")] == ["Deutsch", "Português"]
        assert (await sut.sut.get(told["thumbnail"]["url"])).status == 200
        for name in ("about",):
            assert (await sut.sut.get(told["configuration"]["urls"][name])).status == 200


async def test_limits_are_those_by_which_is_judged(database: Database) -> None:
    async with town(database, media_bytes=7, media_pixels=3) as sut:
        _, app = await sut.program("alice")
        limits = (await app.get(V2))["configuration"]
        most = limits["statuses"]["max_characters"]
        assert limits["statuses"]["max_media_attachments"] == MOST
        assert limits["media_attachments"]["image_size_limit"] == 7 << 20
        assert limits["media_attachments"]["image_matrix_limit"] == 3_000_000
        await app.told("POST", "/api/v1/statuses", {"status": "x" * most})
        assert (await app.refused("POST", "/api/v1/statuses", {"status": "x" * (most + 1)}))[0] == 422
        answers = [str(number) for number in range(limits["polls"]["max_options"] + 1)]
        poll = {"expires_in": limits["polls"]["min_expiration"]}
        await app.told("POST", "/api/v1/statuses", {"status": "x", "poll": {**poll, "options": answers[:-1]}})
        many = {"status": "x", "poll": {**poll, "options": answers}}
        assert (await app.refused("POST", "/api/v1/statuses", many))[0] == 422


@pytest.mark.parametrize(
    ("mode", "enabled", "approval", "invites"),
    [
        ("open", True, False, False),
        ("approval", True, True, False),
        ("invitation", False, False, True),
        ("closed", False, False, False),
    ],
)
async def test_who_may_sign_up_is_told(
    database: Database, mode: str, enabled: bool, approval: bool, invites: bool
) -> None:
    async with town(database, registrations=mode) as sut:
        told = (await sut.stranger.get(V2))["registrations"]
        assert (told["enabled"], told["approval_required"], told["reason_required"]) == (enabled, approval, approval)
        assert (await sut.sut.get(told["url"])).status == (403 if mode == "closed" else 200)
        first = await sut.stranger.get(V1)
        said = (first["registrations"], first["approval_required"], first["invites_enabled"])
        assert said == (enabled, approval, invites)
        nodeinfo = (await sut.sut.get("/nodeinfo/2.1")).json
        assert nodeinfo["openRegistrations"] is enabled


async def test_personas_and_their_public_posts_are_counted_and_nothing_else(database: Database) -> None:
    async with town(database) as sut:
        async with database.write() as tx:
            alice, night, quiet = [await make_persona(tx, handle) for handle in ("alice", "night", "quiet")]
            for persona in (alice, alice, night):
                await make_post(tx, persona.id)
            await make_post(tx, quiet.id, audience="followers")
        assert (await sut.stranger.get(V2))["usage"] == {"users": {"active_month": 2}}
        assert (await sut.stranger.get(V1))["stats"] == {"user_count": 3, "status_count": 3, "domain_count": 0}
        weeks = await sut.stranger.get(V1 + "/activity")
        assert [each["statuses"] for each in weeks] == ["3"] + ["0"] * 11
        assert clock.now() - 7 * 86400 < int(weeks[0]["week"]) <= clock.now()
        assert int(weeks[0]["week"]) % 86400 == 0
        assert await sut.stranger.get(V1 + "/peers") == []
        clock.advance(31 * 86400)
        assert (await sut.stranger.get(V2))["usage"] == {"users": {"active_month": 0}}


async def test_what_the_operator_writes_is_read(database: Database, tmp_path: Path) -> None:
    async with town(database, about=str(tmp_path)) as sut:
        for name in ("extended_description", "privacy_policy"):
            assert (await sut.stranger.get(f"{V1}/{name}"))["content"] == ""
        assert (await sut.stranger.refused("GET", V1 + "/terms_of_service"))[0] == 404
        assert (await sut.sut.get("/terms-of-service")).status == 404
        assert (await sut.sut.get("/about")).status == 200
        (tmp_path / "rules.txt").write_text("Be kind | To others too.\n\nNo adverts\n")
        (tmp_path / "about.md").write_text("A *town* <script>alert(1)</script>")
        (tmp_path / "privacy.md").write_text("Nothing is kept.")
        (tmp_path / "terms.md").write_text("None.")
        found = await sut.stranger.get(V1 + "/rules")
        assert [(each["id"], each["text"], each["hint"]) for each in found] == [
            ("1", "Be kind", "To others too."),
            ("2", "No adverts", ""),
        ]
        assert (await sut.stranger.get(V2))["rules"] == found == (await sut.stranger.get(V1))["rules"]
        told = await sut.stranger.get(V1 + "/extended_description")
        assert "<em>town</em>" in told["content"]
        assert "<script" not in told["content"]
        assert told["updated_at"].startswith("20")
        assert "Nothing is kept." in (await sut.stranger.get(V1 + "/privacy_policy"))["content"]
        terms = await sut.stranger.get(V1 + "/terms_of_service")
        assert (terms["effective"], len(terms["effective_date"])) == (True, 10)
        page = (await sut.sut.get("/about")).text
        assert "Be kind" in page
        assert "<script" not in page
        assert [(await sut.sut.get(path)).status for path in ("/privacy-policy", "/terms-of-service")] == [200, 200]


async def test_rules_about_domains_are_told_as_far_as_they_are_public(database: Database) -> None:
    async with town(database) as sut:
        async with database.write() as tx:
            made = [
                Rule("bad.example.org", "block", public_comment="Spam", private_comment="told by bob"),
                Rule("loud.example", "limit", obfuscate=True),
                Rule("good.example", "allow"),
            ]
            for rule in made:
                await rules.keep(tx, rule, clock.now())
        told = await sut.stranger.get(V1 + "/domain_blocks")
        assert [(each["severity"], each["comment"]) for each in told] == [("suspend", "Spam"), ("silence", "")]
        assert told[0]["domain"] == "bad.example.org"
        assert told[0]["digest"] == hashlib.sha256(b"bad.example.org").hexdigest()
        assert "*" in told[1]["domain"]
        assert "loud.example" not in repr(told)
        assert "bob" not in repr(told)


async def test_nothing_is_translated_and_the_server_is_well(database: Database) -> None:
    async with town(database) as sut:
        assert await sut.stranger.get(V1 + "/translation_languages") == {}
        assert await sut.stranger.get("/health") == {"status": "OK"}


@pytest.mark.parametrize(("path", "entity"), [(V1, "V1Instance"), (V2, "Instance")])
async def test_all_that_is_documented_is_told(database: Database, path: str, entity: str) -> None:
    async with town(database) as sut:
        told = await sut.stranger.get(path)
    schemas = json.loads(shared("api/mastodon-openapi-4.7.0.json").read_text())["components"]["schemas"]
    missing = _missing(schemas[entity], told, entity)
    assert missing == []


def _missing(schema: dict[str, object], told: object, at: str) -> list[str]:
    """The members that are required and not there."""
    properties = schema.get("properties", {})
    if not isinstance(told, dict) or not isinstance(properties, dict):
        return []
    required = schema.get("required", [])
    assert isinstance(required, list)
    found = [f"{at}.{name}" for name in required if name not in told]
    for name, inner in properties.items():
        if name in told:
            found += _missing(inner, told[name], f"{at}.{name}")
    return found


async def test_numbers_of_the_server_are_counted_once_in_a_while(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        await app.told("POST", "/api/v1/statuses", {"status": "x"})

        async def told() -> tuple[int, int, int]:
            stats = (await sut.stranger.get(V1))["stats"]
            active = (await sut.stranger.get(V2))["usage"]["users"]["active_month"]
            return stats["user_count"], stats["status_count"], active

        assert await told() == (1, 1, 1)
        _, bob = await sut.program("bob")
        await bob.told("POST", "/api/v1/statuses", {"status": "x"})
        clock.advance(LIFE - 1)
        assert await told() == (1, 1, 1)
        clock.advance(2)
        assert await told() == (2, 2, 2)
