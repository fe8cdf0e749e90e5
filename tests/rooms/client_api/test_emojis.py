"""Custom emojis, and posts that pages elsewhere show."""

from privapub import clock
from privapub.database.connect import Database
from privapub.emojis.tables import emoji
from program import town


async def test_the_emojis_of_this_server_are_told_to_anybody(database: Database) -> None:
    async with town(database) as sut:
        file = "x" * 22 + ".webp"
        async with database.write() as tx:
            row = {"file": file, "media_type": "image/webp", "bytes": 1, "category": "pets", "added_at": clock.now()}
            await tx.execute(emoji.insert().values(shortcode="cat", **row))
        (found,) = await sut.stranger.get("/api/v1/custom_emojis")
        _, app = await sut.program("alice")
        made = await app.told("POST", "/api/v1/statuses", {"status": "a :cat:"})
    assert (found["shortcode"], found["category"], found["url"]) == ("cat", "pets", f"https://sut.test/media/{file}")
    assert [each["shortcode"] for each in made["emojis"]] == ["cat"]


async def test_a_public_post_is_shown_elsewhere_and_no_other(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await app.told("POST", "/api/v1/statuses", {"status": "1 < 2 <b>"})
        shown = await sut.stranger.get(f"/api/oembed?url={made['url']}&maxwidth=300")
        assert (shown["type"], shown["width"], shown["author_url"]) == ("rich", 300, made["account"]["url"])
        assert "1 &lt; 2 &lt;b&gt;" in shown["html"]
        for word in ("unlisted", "private", "direct"):
            closed = await app.told("POST", "/api/v1/statuses", {"status": "x", "visibility": word})
            refused = await sut.stranger.refused("GET", f"/api/oembed?url={closed['url']}")
            assert refused == (404, "Record not found")
            assert (await app.refused("GET", f"/api/oembed?url={closed['url']}"))[0] == 404
        assert (await sut.stranger.refused("GET", "/api/oembed"))[0] == 404
        await app.told("DELETE", f"/api/v1/statuses/{made['id']}")
        assert (await sut.stranger.refused("GET", f"/api/oembed?url={made['url']}"))[0] == 404
