"""The own profile by the API: what it says, what it wears, how it posts."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from asgi import Answered
from makers import facts
from planted.pictures import saved
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.media import ready
from privapub.media.accept import MEDIA, accept
from privapub.media.tables import medium
from program import town
from uploading import pieces, run, server_of

UPDATE = "/api/v1/accounts/update_credentials"
FORMS: dict[str, dict[str, Any]] = {
    "form with numbers": {
        "fields_attributes[0][name]": "Site", "fields_attributes[0][value]": "https://a.test",
        "fields_attributes[1][name]": "", "fields_attributes[1][value]": "",
        "fields_attributes[2][name]": "Born", "fields_attributes[2][value]": "<1980>",
    },
    "form with a list": {
        "fields_attributes[][name]": ["Site"], "fields_attributes[][value]": ["https://a.test"],
    },
    "json list": {"fields_attributes": [{"name": "Site", "value": "https://a.test"}]},
    "json mapping": {"fields_attributes": {"0": {"name": "Site", "value": "https://a.test"}}},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
async def test_fields_are_given_in_every_form(database: Database, form: str) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        me = await app.told("PATCH", UPDATE, FORMS[form], form=form.startswith("form"))
    assert me["source"]["fields"][0] == {"name": "Site", "value": "https://a.test", "verified_at": None}
    assert 'href="https://a.test"' in me["fields"][0]["value"]
    if form == "form with numbers":
        assert (me["source"]["fields"][1]["value"], me["fields"][1]["value"]) == ("<1980>", "&lt;1980&gt;")
        assert len(me["fields"]) == 2


async def test_a_profile_changes_by_what_is_given_alone(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        given = {"display_name": "Alice", "note": "I *am*", "locked": True, "bot": True, "discoverable": True,
                 "indexable": True, "hide_collections": False, "attribution_domains": ["Blog.test"]}  # fmt: skip
        me = await app.told("PATCH", UPDATE, given)
        assert (me["display_name"], me["source"]["note"], me["locked"], me["bot"]) == ("Alice", "I *am*", True, True)
        assert (me["discoverable"], me["indexable"], me["hide_collections"]) == (True, True, False)
        assert me["source"]["attribution_domains"] == ["blog.test"]
        async with database.read() as tx:
            assert len(await facts(tx, "persona_edited")) == 1
        again = await app.told("PATCH", UPDATE, {"bot": "0"}, form=True)
        assert (again["bot"], again["locked"], again["display_name"]) == (False, True, "Alice")
        profile = await app.get("/api/v1/profile")
        assert (profile["note"], profile["avatar"], profile["attribution_domains"]) == ("I *am*", None, ["blog.test"])
        assert (await app.told("PATCH", "/api/v1/profile", {"note": ""}))["note"] == ""


async def test_how_it_posts_is_told_to_nobody_else(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        given = {"source": {"privacy": "private", "sensitive": True, "language": "de", "quote_policy": "nobody"}}
        source = (await app.told("PATCH", UPDATE, given))["source"]
        assert (source["privacy"], source["sensitive"], source["language"]) == ("private", True, "de")
        preferences = await app.get("/api/v1/preferences")
        assert preferences["posting:default:visibility"] == "private"
        assert preferences["posting:default:sensitive"] is True
        assert preferences["posting:default:language"] == "de"
        cleared = await app.told("PATCH", UPDATE, {"source[language]": ""}, form=True)
        assert (cleared["source"]["language"], cleared["source"]["privacy"]) == (None, "private")
        async with database.read() as tx:
            assert await facts(tx, "persona_edited") == []


@pytest.mark.parametrize(
    "given",
    [
        {"display_name": "x" * 101},
        {"note": "x" * 5001},
        {"avatar_description": "x" * 1501},
        {"source": {"privacy": "circle"}},
        {"source": {"quote_policy": "some"}},
        {"source": {"language": "no language"}},
        {"attribution_domains": ["no domain"]},
        {"fields_attributes": [{"name": str(each), "value": "x"} for each in range(9)]},
        {"fields_attributes": [{"name": "", "value": "x"}]},
    ],
)  # fmt: skip
async def test_what_cannot_be_is_refused(database: Database, given: dict[str, Any]) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        before = await app.get("/api/v1/profile")
        assert (await app.refused("PATCH", UPDATE, {"locked": True, **given}))[0] == 422
        assert await app.get("/api/v1/profile") == before


def parts(*some: tuple[str, str, bytes]) -> bytes:
    """A body of these parts: the name, what else is said of it, the bytes."""
    said = [
        f'--edge\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + body
        for name, more, body in some
    ]
    return b"\r\n".join([*said, b"--edge--\r\n"])


async def test_a_picture_is_put_on_with_the_rest_and_taken_off(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "LONGEST", 0.0)
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        lines = [
            ("Host", "sut.test"),
            ("Authorization", f"Bearer {app.token}"),
            ("Content-Type", "multipart/form-data; boundary=edge"),
        ]
        picture = saved("PNG")
        body = parts(
            ("display_name", "", b"Alice"),
            ("fields_attributes[0][name]", "", b"Site"),
            ("fields_attributes[0][value]", "", b"here"),
            ("avatar", '; filename="a.png"', picture),
        )
        answer = await sut.sut.ask("PATCH", UPDATE, lines, body)
        assert (answer.status, msgspec.json.decode(answer.body)["display_name"]) == (200, "Alice")
        async with database.read() as tx:
            (taken,) = await tx.all(select(medium).where(medium.c.actor_id == alice.id))
            assert (taken.use, taken.state, taken.bytes) == ("avatar", "waiting", len(picture))
        # Of what is worn already it says what it shows at once, and of what is not ready when that is put on.
        told = await app.told("PATCH", UPDATE, {"avatar_description": " A cat ", "header_description": "A wood"})
        assert (told["avatar_description"], told["header_description"]) == ("", "A wood")
        assert (await app.get("/api/v1/profile"))["header_description"] == "A wood"
        async with database.read() as tx:
            assert await tx.scalar(select(medium.c.alt).where(medium.c.actor_id == alice.id)) == "A cat"
        await app.told("PATCH", UPDATE, {"display_name": "Al"})
        assert (await app.get(f"/api/v1/accounts/{alice.id}"))["header_description"] == "A wood"
        bad = await sut.sut.ask("PATCH", UPDATE, lines, parts(("header", '; filename="a.png"', b"no picture")))
        assert bad.status == 422
        await app.told("DELETE", "/api/v1/profile/avatar")
        await app.told("DELETE", "/api/v1/profile/header")
        async with database.read() as tx:
            assert await tx.all(select(medium).where(medium.c.actor_id == alice.id)) == []


async def test_what_a_picture_shows_is_given_with_it_and_goes_with_it(database: Database, tmp_path: Path) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        server = server_of(database, tmp_path)
        for picture, alt in (("avatar", "A cat"), ("header", "A wood")):
            await accept(server, alice.id, pieces(saved("PNG")), alt=alt, use=picture)  # type: ignore[arg-type]  # two of its uses
        await run(server, MEDIA)
        shown = await sut.stranger.get(f"/api/v1/accounts/{alice.id}")
        assert (shown["avatar_description"], shown["header_description"]) == ("A cat", "A wood")
        async with database.read() as tx:
            assert len(await facts(tx, "persona_edited")) == 2
        await app.told("PATCH", UPDATE, {"header_description": "A wood"})
        await app.told("PATCH", UPDATE, {"header_description": ""})
        async with database.read() as tx:
            assert len(await facts(tx, "persona_edited")) == 3
        bare = await app.told("DELETE", "/api/v1/profile/avatar")
        assert (bare["avatar_description"], bare["header_description"]) == ("", "")


async def test_a_picture_is_worn_in_the_answer_once_its_job_is_done(database: Database, tmp_path: Path) -> None:
    async with town(database, storage_url=(tmp_path / "kept").as_uri()) as sut:
        _, app = await sut.program("alice")
        worker = Worker(database, job_kinds(sut.sut.server), only=("media",))
        lines = [
            ("Host", "sut.test"),
            ("Authorization", f"Bearer {app.token}"),
            ("Content-Type", "multipart/form-data; boundary=edge"),
        ]

        async def put_on(data: bytes) -> Answered:
            body = parts(("avatar", '; filename="a.png"', data))
            asking = asyncio.create_task(sut.sut.ask("PATCH", UPDATE, lines, body))
            while not asking.done():
                await worker.drain()
            return await asking

        worn = await put_on(saved("PNG"))
        assert (worn.status, worn.json["avatar"].startswith("https://sut.test/media/")) == (200, True)
        damaged = await put_on(saved("PNG")[:-60])
        assert (damaged.status, damaged.json["error"]) == (422, "The picture cannot be read: it is damaged or cut off")
        assert (await app.get("/api/v1/accounts/verify_credentials"))["avatar"] == worn.json["avatar"]
