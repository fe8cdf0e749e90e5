"""Search: people, hashtags, and the words of posts that one may find."""

import pytest
from sqlalchemy import update

from asgi import Application
from fakes.certificates import Authority
from fakes.world import CONTEXT, PUBLIC, World
from makers import make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import blocks
from privapub.actors.tables import actor
from privapub.database.connect import Database
from privapub.effects.forget import forget
from privapub.personas import read as personas
from privapub.posts import bookmarks, boost, react, text_index
from privapub.posts.delete import delete
from privapub.posts.edit import edit
from privapub.posts.receive import ReceivedPost, receive_edit
from privapub.posts.sweep import sweep
from privapub.posts.text_index import cut
from program import Program, Town, town

PATH = "/api/v2/search"


async def texts(app: Program, query: str, more: str = "") -> list[str]:
    found = await app.get(f"{PATH}?type=statuses&q={query}{more}")
    assert found["accounts"] == found["hashtags"] == []
    return [each["content"].removeprefix("<p>").removesuffix("</p>") for each in found["statuses"]]


async def test_own_posts_are_found_by_all_their_words_in_any_case(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            first = await make_post(tx, alice.id, "followers", "The Cat sat on the mat")
            await make_post(tx, alice.id, "public", "The dog sat")
        assert await texts(app, "SAT") == ["The dog sat", "The Cat sat on the mat"]
        assert await texts(app, "mat+cat") == ["The Cat sat on the mat"]
        assert await texts(app, "%22cat+sat%22") == ["The Cat sat on the mat"]
        assert await texts(app, "%22sat+cat%22") == await texts(app, "bird") == await texts(app, "!!") == []
        assert await texts(app, "sat", "&limit=1&offset=1") == ["The Cat sat on the mat"]
        assert await texts(app, "sat", f"&min_id={first.id}") == ["The dog sat"]
        assert await texts(app, "sat", "&account_id=7") == []
        assert len(await texts(app, "sat", f"&account_id={alice.id}")) == 2


async def test_what_is_edited_is_found_as_it_reads_now_and_what_is_deleted_no_more(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            post = await make_post(tx, alice.id, text="apples")
        async with database.write() as tx:
            await edit(tx, post.id, alice.id, source="pears", content_html="<p>pears</p>", now=clock.now())
        assert (await texts(app, "apples"), await texts(app, "pears")) == ([], ["pears"])
        async with database.write() as tx:
            await delete(tx, post.id, alice.id, clock.now())
        assert await texts(app, "pears") == []


async def test_words_that_were_edited_away_elsewhere_are_kept_nowhere(database: Database) -> None:
    async with database.write() as tx:
        carol = await make_remote(tx)
        await tx.execute(update(actor).where(actor.c.id == carol.id).values(indexable=True))
        post = await make_post(tx, carol.id, text="apples")

        async def left(word: str) -> list[int]:
            found = text_index.found(tx.dialect, word, 10)
            assert found is not None
            return [row.post_id for row in await tx.all(found)]

        assert await left("apples") == [post.id]
        await tx.execute(update(actor).where(actor.c.id == carol.id).values(indexable=False))
        now = clock.now()
        told = ReceivedPost(uri=post.uri, content="pears", published_at=post.published_at, updated_at=now)
        assert await receive_edit(tx, told, carol.id, (), now)
        assert (await left("apples"), await left("pears")) == ([], [])


async def test_hashtags_are_found_by_public_posts_alone(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        for text, visibility in (("#catnap", "unlisted"), ("#cats", "public"), ("#cats again", "unlisted")):
            await app.told("POST", "/api/v1/statuses", {"status": text, "visibility": visibility})
        found = await app.get(f"{PATH}?type=hashtags&q=cat")
        assert [each["name"] for each in found["hashtags"]] == ["cats"]


async def test_of_what_is_forgotten_or_swept_away_no_word_is_left(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@peer.test")
        await tx.execute(update(actor).where(actor.c.id.in_([carol.id, dave.id])).values(indexable=True))
        swept, old = await make_post(tx, carol.id, text="pears"), await make_post(tx, dave.id, text="pears")
        mine = await make_post(tx, alice.id, text="pears")

        async def left() -> list[int]:
            found = text_index.found(tx.dialect, "pears", 10)
            assert found is not None
            return [row.post_id for row in await tx.all(found)]

        assert set(await left()) == {swept.id, old.id, mine.id}
        await sweep(tx, [carol.id], 10)
        assert set(await left()) == {old.id, mine.id}
        await forget(tx, clock.now() + 400 * 86400.0, {})
        assert await left() == [mine.id]


async def test_of_others_only_what_one_keeps_or_is_named_in_or_who_wants_to_be_found(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            bob = await make_persona(tx, "bob")
            carol, dave = await make_remote(tx), await make_remote(tx, "dave@peer.test")
            await tx.execute(update(actor).where(actor.c.id == dave.id).values(indexable=True))
            await make_follow(tx, alice.id, dave.id)
            liked, boosted, kept, other = [
                await make_post(tx, carol.id, text=f"word {name}") for name in ("liked", "boosted", "kept", "other")
            ]
            await make_post(tx, carol.id, text="word named", named=[alice.id])
            await make_post(tx, dave.id, text="word found")
            await make_post(tx, dave.id, "unlisted", text="word unlisted")
            await make_post(tx, dave.id, "followers", text="word followers")
            await make_post(tx, carol.id, "direct", text="word secret", named=[bob.id])
            await make_post(tx, bob.id, text="word of bob")
            await react.react(tx, alice.id, liked.id, "", "https://sut.test/1", clock.now())
            await boost.boost(tx, alice.id, boosted.id, "https://sut.test/2", clock.now())
            await bookmarks.keep(tx, alice.id, kept.id, clock.now())
            await react.react(tx, bob.id, other.id, "", "https://sut.test/3", clock.now())
        expected = {"word liked", "word boosted", "word kept", "word named", "word found"}
        assert set(await texts(app, "word")) == expected
        async with database.write() as tx:
            await blocks.keep(tx, alice.id, carol.id, "https://sut.test/b", clock.now())
        assert await texts(app, "word") == ["word found"]


async def test_people_and_hashtags_are_found_by_how_they_begin(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            await make_follow(tx, alice.id, carol.id)
        await app.told("POST", "/api/v1/statuses", {"status": "#catnip and #dogs"})
        await app.told("POST", "/api/v1/statuses", {"status": "#catsecret", "visibility": "private"})
        found = await app.get(f"{PATH}?q=ca")
        assert [each["acct"] for each in found["accounts"]] == ["carol@peer.test"]
        assert [each["name"] for each in found["hashtags"]] == ["catnip"]
        assert [each["name"] for each in (await app.get(f"{PATH}?q=%23DOG&type=hashtags"))["hashtags"]] == ["dogs"]
        assert (await app.get(f"{PATH}?q=ca&type=accounts&offset=1"))["accounts"] == []
        at = await app.get(f"{PATH}?q=@carol@peer.test&type=accounts")
        assert [each["id"] for each in at["accounts"]] == [str(carol.id)]


async def test_an_address_is_looked_up_and_shown_to_who_may_see_it(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            seen = await make_post(tx, carol.id)
            hidden = await make_post(tx, carol.id, "followers")
        found = await app.get(f"{PATH}?q={seen.uri}")
        assert ([each["id"] for each in found["statuses"]], found["accounts"]) == ([str(seen.id)], [])
        assert [each["id"] for each in (await app.get(f"{PATH}?q={carol.uri}"))["accounts"]] == [str(carol.id)]
        mine = await app.get(f"{PATH}?q=https://sut.test/@alice")
        assert [each["acct"] for each in mine["accounts"]] == ["alice"]
        nothing = {"accounts": [], "statuses": [], "hashtags": []}
        assert await app.get(f"{PATH}?q=https://sut.test/@nobody") == nothing
        assert await app.get(f"{PATH}?q={hidden.uri}") == nothing
        assert await app.get(f"{PATH}?q=https://nowhere.invalid/x&resolve=true") == nothing


async def test_it_is_refused_without_its_scope_or_a_query(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        assert (await app.refused("GET", f"{PATH}?q="))[0] == 400
        assert (await sut.stranger.refused("GET", f"{PATH}?q=x"))[0] == 401
        narrow = await sut.another(alice, "read:statuses")
        assert (await narrow.refused("GET", f"{PATH}?q=x"))[0] == 403
        nothing = {"accounts": [], "statuses": [], "hashtags": []}
        for query in ("%22", "zz%00b", "'", "*", "%22a%22%20OR%20", "x" * 5000, "-", "NEAR(a)", "words:a"):
            assert await app.get(f"{PATH}?q={query}&limit=-3&offset=x&max_id=y") == nothing


async def test_what_is_not_known_is_fetched_where_that_is_asked_for(database: Database, authority: Authority) -> None:
    async with World(database, authority) as world:
        alice = await world.persona("alice")
        async with database.read() as tx:
            app = await Town(Application(world.server), database).another(await personas.known(tx, alice.id))
        carol = world.person("https://peer.test/u/carol")
        note = {
            "@context": CONTEXT, "id": "https://peer.test/n/1", "type": "Note", "attributedTo": carol.uri,
            "content": "<p>from afar</p>", "to": PUBLIC,
        }  # fmt: skip
        world.serve("https://peer.test/n/1", note)
        assert await texts(app, "https://peer.test/n/1") == []
        assert world.peer.received == []
        assert await texts(app, "https://peer.test/n/1", "&resolve=true") == ["from afar"]
        found = await app.get(f"{PATH}?q=@carol@peer.test&type=accounts&resolve=true")
        assert [each["acct"] for each in found["accounts"]] == ["carol@peer.test"]
        assert await texts(app, "https://peer.test/nothing", "&resolve=true") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Straße, STRASSE!", ["strasse", "strasse"]),
        ("#Cat's-paw @bob", ["cat", "s", "paw", "bob"]),
        ("#cats_paw __init__ a__b _", ["cats_paw", "init", "a__b"]),
        ("日本 go", ["日", "本", "go"]),
        ("", []),
    ],
)
def test_words_are_cut_alike_for_every_database(text: str, words: list[str]) -> None:
    assert cut(text) == words


async def test_a_hashtag_is_one_word_on_each_database(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            await make_post(tx, alice.id, text="about cats_paw")
        assert await texts(app, "%23cats_paw") == await texts(app, "CATS_PAW") == ["about cats_paw"]
        assert await texts(app, "%23cats") == await texts(app, "paw") == []


async def test_signs_without_spaces_between_are_found_within(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            await make_post(tx, alice.id, text="東京都に行く")
        assert await texts(app, "%E4%BA%AC%E9%83%BD") == ["東京都に行く"]
        assert await texts(app, "%E9%83%BD%E4%BA%AC") == []
