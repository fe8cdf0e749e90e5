import json
import re

import pytest
from sqlalchemy import select, update

from asgi import BASE, DOCUMENT, HTML, Answered, serving
from fakes.asked import asked
from makers import ADDRESSES, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors.read import known
from privapub.actors.tables import actor as actor_table
from privapub.database.connect import Database
from privapub.emojis.keep import Emoji, add
from privapub.jobs.tables import job
from privapub.link_previews.tables import link_preview, post_link
from privapub.markup.render import render
from privapub.media import names
from privapub.personas.edit import edit
from privapub.posts.publish import publish
from privapub.posts.read import by_id
from privapub.posts.tables import post as post_table
from privapub.proxy.cache import ensure as ensure_proxy
from privapub.proxy.prefetch import REMOTE_FILE
from privapub.settings import Settings
from privapub.web.pages import Around, around, day, pictured, shown

NO_SCRIPTS = re.compile(r"<script|\son[a-z]+=|style=|javascript:", re.IGNORECASE)
MEDIA = f"{ADDRESSES.base_url}/media/"
LOADED = re.compile(r"<(?:img|link rel=\"(?:stylesheet|icon)\")[^>]*(?:src|href)=\"([^\"]*)\"")


def check(answer: Answered) -> str:
    """What holds for every page; gives its text."""
    text = answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["vary"] == "Accept"
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<h1") == text.count("<main") == 1
    assert not NO_SCRIPTS.search(text)
    assert all(address.startswith(("/static/", MEDIA, f"{BASE}/proxy/")) for address in LOADED.findall(text))
    return text


def properties(text: str) -> dict[str, str]:
    """The OpenGraph tags of a page."""
    return dict(re.findall(r'<meta property="og:([a-z_:]+)" content="([^"]*)">', text))


async def test_the_front_page_says_what_this_server_is(database: Database) -> None:
    async with database.write() as tx:
        await make_persona(tx, "alice")
        await make_persona(tx, "night")
    async with serving(database, name="Village <b>", description="For & by us", contact="x@y.test") as sut:
        text = check(await sut.get("/", accept=HTML))
    assert "<bdi>Village &lt;b&gt;</bdi>" in text
    assert "For &amp; by us" in text
    assert "<dt>Personas</dt><dd>2</dd>" in text
    assert "@name@sut.test" in text
    assert "x@y.test" in text
    assert "alice" not in text


async def test_a_persona_has_a_page_with_its_public_posts(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
        await make_post(tx, alice.id, "public", "for everyone")
        for audience in ("unlisted", "followers", "direct"):
            await make_post(tx, alice.id, audience, "secret", [carol.id])
        await edit(tx, alice.id, name="Alice <i>", bio="x", summary="<p>I am <script>x</script>Alice", now=clock.now())
    async with serving(database) as sut:
        text = check(await sut.get("/@alice", accept=HTML))
        assert "for everyone" in text
        assert "secret" not in text
        assert "followers," not in text
        assert "<bdi>Alice &lt;i&gt;</bdi>" in text
        assert "<p>I am Alice</p>" in text
        assert f'href="{alice.actor.uri}"' in text
        assert 'content="noindex' in text
        async with database.write() as tx:
            await edit(tx, alice.id, shows_follows=True, indexable=True, now=clock.now())
        text = check(await sut.get("/@alice", accept=HTML))
    assert "<strong>1</strong> follower, <strong>0</strong> followed" in text
    assert "noindex" not in text


async def test_older_posts_are_on_further_pages(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        for number in range(45):
            await make_post(tx, alice.id, "public", f"number {number};")
            clock.advance(1)
    found: list[int] = []
    async with serving(database) as sut:
        at = "/@alice"
        while at:
            text = check(await sut.get(at, accept=HTML))
            found += [int(number) for number in re.findall(r"<p>number (\d+);", text)]
            link = re.search(r'<a href="https://sut.test([^"]*)" rel="next">', text)
            at = link[1] if link else ""
        assert found == list(range(44, -1, -1))
        assert "Newest posts" in text
        assert (await sut.get("/@alice?before=1", accept=HTML)).text.count("<article") == 0


async def test_people_and_programs_are_shown_the_way_to_each_other(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "Alice")
    async with serving(database) as sut:
        page = await sut.get(alice.actor.uri, accept=HTML)
        document = await sut.get("/@Alice", accept=DOCUMENT)
        spelling = await sut.get("/@aLiCe", accept=HTML)
        assert (await sut.get(alice.actor.uri, accept=DOCUMENT)).json["id"] == alice.actor.uri
    assert (page.status, page.headers["location"]) == (302, "https://sut.test/@Alice")
    assert (document.status, document.headers["location"]) == (302, alice.actor.uri)
    assert (spelling.status, spelling.headers["location"]) == (302, "https://sut.test/@Alice")
    assert page.headers["vary"] == document.headers["vary"] == "Accept"


async def test_a_post_has_one_address_for_its_page_and_its_document(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        public = await make_post(tx, alice.id, "public", "Hello & welcome")
        unlisted = await make_post(tx, alice.id, "unlisted", "Hello quietly")
    async with serving(database) as sut:
        answer = await sut.get(public.uri, accept=HTML)
        text = check(answer)
        assert (await sut.get(public.uri, accept=DOCUMENT)).json["id"] == public.uri
        quiet = check(await sut.get(unlisted.uri, accept=HTML))
    assert "etag" in answer.headers
    tags = properties(text)
    assert tags["url"] == public.uri
    assert tags["description"] == "Hello &amp; welcome"
    assert "Hello quietly" in quiet
    assert properties(quiet) == {}
    assert 'content="noindex' in quiet


async def test_what_is_not_for_strangers_has_no_page(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
        posts = [await make_post(tx, alice.id, audience, "secret", [carol.id]) for audience in ("followers", "direct")]
    async with serving(database) as sut:
        absent = await sut.get("/posts/nothing", accept=HTML)
        check(absent)
        for post in posts:
            for asker in (None, carol):
                answer = await sut.get(post.uri, accept=HTML, by=asker)
                assert (answer.status, answer.headers, answer.body) == (404, absent.headers, absent.body)
    assert properties(absent.text) == {}


@pytest.mark.parametrize("accept", [HTML, DOCUMENT])
async def test_what_is_hidden_is_looked_for_as_long_as_what_is_not_there(database: Database, accept: str) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        hidden = await make_post(tx, alice.id, "followers", "secret")
    questions: list[list[str]] = []
    async with serving(database) as sut:
        for url in (hidden.uri, "/posts/nothing", hidden.activity_uri or "", "/activities/nothing"):
            with asked(database) as statements:
                assert (await sut.get(url, accept=accept)).status == 404
            questions.append([statement for statement, _ in statements])
    assert questions[0] == questions[1] != []
    assert questions[2] == questions[3]


async def test_no_way_is_shown_to_a_host_that_the_asker_named(database: Database) -> None:
    async with database.write() as tx:
        await make_persona(tx)
    async with serving(database) as sut:
        answer = await sut.ask("GET", "/@alice/", [("Host", "elsewhere.test"), ("Accept", HTML)])
    assert (answer.status, "location" in answer.headers) == (404, False)


async def test_a_warning_hides_the_post_and_its_pictures_are_links(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        post_id = await publish(
            tx, author_id=alice.id, audience="public", source="x", content_html="<p>the end</p>", language="de",
            summary="spoiler \u202e", addresses=ADDRESSES, now=clock.now(),
        )  # fmt: skip
        pictures = [{"url": "https://x.test/1.png", "alt": "A <cat>"}, {"url": "https://x.test/2.png"}]
        await tx.execute(update(post_table).where(post_table.c.id == post_id).values(attachments=pictures))
        post = await by_id(tx, post_id)
    assert post is not None
    async with serving(database) as sut:
        text = check(await sut.get(post.uri, accept=HTML))
    assert re.search(r"<details>\s*<summary><bdi>spoiler</bdi></summary>.*the end.*1\.png.*</details>", text, re.DOTALL)
    assert properties(text)["description"] == "spoiler"
    assert "A &lt;cat&gt;" in text
    assert "without a description" in text
    assert '<img src="https' not in text
    assert 'lang="de"' in text


async def test_what_was_stored_unclean_is_shown_clean(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        post = await make_post(tx, alice.id, "public", "</p><script>alert(1)</script><img src=x onerror=alert(1)>")
        await tx.execute(
            update(actor_table)
            .where(actor_table.c.id == alice.id)
            .values(name='"><script>x', fields=[{"name": "<b>", "value": "<a href='javascript:x'>y</a>"}])
        )
    async with serving(database) as sut:
        for address in (post.uri, "/@alice"):
            text = check(await sut.get(address, accept=HTML))
            assert "alert(1)" not in text
    assert "&lt;b&gt;" in text


async def test_every_response_carries_the_security_headers(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
    async with serving(database) as sut:
        for address, accept in (
            ("/", HTML), ("/@alice", HTML), (alice.actor.uri, HTML), (alice.actor.uri, DOCUMENT), ("/nowhere", HTML),
            ("/nowhere", DOCUMENT), ("/inbox", HTML), ("/.well-known/nodeinfo", None), ("/static/privapub.css", None),
        ):  # fmt: skip
            answer = await sut.get(address, accept=accept)
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self'")
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["x-frame-options"] == "DENY"
            assert "set-cookie" not in answer.headers


async def test_the_stylesheet_is_kept_until_it_changes(database: Database) -> None:
    async with serving(database) as sut:
        text = check(await sut.get("/", accept=HTML))
        for address in LOADED.findall(text):
            answer = await sut.get(address)
            assert answer.status == 200
            assert "immutable" in answer.headers["cache-control"]
        assert (await sut.get("/static/../routes.py")).status == 404
        assert (await sut.get("/static/%2e%2e%2froutes.py")).status == 404


async def test_a_hashtag_leads_to_a_page(database: Database) -> None:
    async with serving(database) as sut:
        html = render("#Books #Käse", {}, "https://sut.test/tags/").html
        books, cheese = re.findall(r'href="https://sut\.test([^"]+)"', html)
        assert "<bdi>#books</bdi>" in check(await sut.get(books, accept=HTML))
        assert "<bdi>#käse</bdi>" in check(await sut.get(cheese, accept=HTML))
        assert (await sut.get("/tags/books", accept=DOCUMENT)).status == 404
        for nothing in ("/tags/", "/tags/12", "/tags/two%20words", "/tags/%3Cb%3E", "/tags/" + 101 * "a"):
            assert (await sut.get(nothing, accept=HTML)).status == 404, nothing


async def test_a_wrong_method_is_said_in_the_form_that_was_asked_for(database: Database) -> None:
    async with serving(database) as sut:
        page = await sut.ask("POST", "/", [("Accept", HTML)])
        document = await sut.ask("DELETE", "/posts/x", [("Accept", DOCUMENT)])
    assert page.status == document.status == 405
    check(page)
    assert "GET" in page.headers["allow"]
    assert document.json == {"error": "This cannot be done here."}


async def test_what_goes_wrong_here_tells_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("privapub.web.front.count", failing)
    async with serving(database) as sut:
        page = await sut.get("/", accept=HTML)
        document = await sut.get("/", accept=DOCUMENT)
    assert page.status == document.status == 500
    check(page)
    assert document.json == {"error": "Something went wrong here."}
    assert b"secret" not in page.body + document.body
    assert page.headers["content-security-policy"]


def test_a_moment_is_written_for_people() -> None:
    assert day(1796083200.0 + 37 * 60) == "1 December 2026, 00:37 UTC"


async def test_nothing_is_made_ready_that_a_stranger_may_not_see(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        post = await make_post(tx, alice.id, "followers")
    with pytest.raises(ValueError, match="strangers"):
        shown(post, Around("https://here.test/media"))


async def test_our_media_are_shown_and_those_of_others_are_links(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        post_id = await publish(
            tx, author_id=alice.id, audience="public", source="look", content_html="<p>look</p>", addresses=ADDRESSES,
            now=clock.now(),
        )  # fmt: skip
        ours = f"{ADDRESSES.base_url}/media"
        files = [
            {
                "type": "Document", "media_type": "image/webp", "url": f"{ours}/large.webp",
                "small": f"{ours}/small.webp", "alt": 'A "cat"', "width": 1280, "height": 960,
            },
            {
                "type": "Document", "media_type": "video/mp4", "url": f"{ours}/film.mp4",
                "preview": f"{ours}/still.jpg", "alt": "", "width": 640, "height": 480,
            },
            {
                "type": "Document", "media_type": "image/jpeg", "url": f"{ours}/tall.jpg",
                "small": f"{ours}/narrow.webp", "alt": "", "width": 600, "height": 1600,
            },
            {
                "type": "Document", "media_type": "image/webp", "url": f"{ours}/dance.webp", "moves": True,
                "small": f"{ours}/stands.webp", "alt": "", "width": 640, "height": 480,
            },
            {
                "type": "Document", "media_type": "image/webp", "url": f"{ours}/tiny.webp",
                "small": f"{ours}/tiny-too.webp", "alt": "", "width": 320, "height": 240,
            },
            {"type": "Audio", "media_type": "audio/mp4", "url": f"{ours}/sound.m4a", "alt": "Rain"},
            {"type": "Image", "url": "https://x.test/1.png", "small": "https://x.test/s.png", "alt": "Elsewhere"},
            {"type": "Image", "url": f"{ours}/two.webp", "small": "https://x.test/s.png", "alt": "Mixed"},
            {"type": "Image", "url": "javascript:alert(1)", "alt": "none"},
            {"type": "Image", "url": f"{ours}/../away?all=1", "alt": "Dots"},
            {"type": "Image", "url": f"{ours}/%2e%2e/away", "alt": "Signs"},
        ]  # fmt: skip
        await tx.execute(update(post_table).where(post_table.c.id == post_id).values(attachments=files))
        post = await by_id(tx, post_id)
    assert post is not None
    async with serving(database) as sut:
        answer = await sut.get(post.uri, accept=HTML)
    text = check(answer)
    assert 'alt="A &#34;cat&#34;" width="1280" height="960"' in text
    assert f'srcset="{ours}/small.webp 400w, {ours}/large.webp 1280w"' in text
    assert 'sizes="min(1280px, 100vw, 37rem)"' in text
    assert f'srcset="{ours}/narrow.webp 150w, {ours}/tall.jpg 600w"' in text
    assert f'<img src="{ours}/dance.webp" alt="" width="640" height="480"' in text
    assert f'<img src="{ours}/tiny.webp" alt="" width="320" height="240"' in text
    assert ("stands.webp" in text, "tiny-too.webp" in text) == (False, False)
    assert f'<video src="{ours}/film.mp4" poster="{ours}/still.jpg"' in text
    assert f'<audio src="{ours}/sound.m4a" aria-label="Rain"' in text
    assert '<a href="https://x.test/1.png" rel="nofollow noopener noreferrer">Picture: <bdi>Elsewhere</bdi></a>' in text
    assert f'<img src="{ours}/two.webp" alt="Mixed"' in text
    assert ("s.png" in text, "javascript" in text) == (False, False)
    assert ('<img src="' + f"{ours}/.." in text, f'<img src="{ours}/%2e' in text) == (False, False)
    assert ("Picture: <bdi>Dots" in text, "Picture: <bdi>Signs" in text) == (True, True)
    assert "media-src 'self'" in answer.headers["content-security-policy"]


async def test_our_emojis_are_pictures_in_our_posts(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        await add(tx, Emoji("blobcat", "a" * 22 + ".webp", "image/webp", 5, "", 1.0))
        html = "<p>a :blobcat: and :other: <code>:blobcat:</code></p>"
        post_id = await publish(
            tx, author_id=alice.id, audience="public", source="x", summary="<i> :blobcat:", content_html=html,
            addresses=ADDRESSES, now=clock.now(),
        )  # fmt: skip
        post = await by_id(tx, post_id)
    assert post is not None
    async with serving(database) as sut:
        for page in (post.uri, "/@alice"):
            text = check(await sut.get(page, accept=HTML))
            picture = (
                f'<img class="emoji" src="{MEDIA}{"a" * 22}.webp" alt=":blobcat:" title=":blobcat:" loading="lazy">'
            )
            assert f"<summary><bdi>&lt;i&gt; {picture}</bdi></summary>" in text
            assert f"<p>a {picture} and :other: <code>:blobcat:</code></p>" in text


async def test_a_link_has_a_card_whose_picture_comes_from_here(database: Database) -> None:
    async with database.write() as tx:
        await ensure_proxy(tx, Settings())
        alice = await make_persona(tx)
        post_id = await publish(
            tx, author_id=alice.id, audience="public", source="x", content_html="<p>look</p>", addresses=ADDRESSES,
            now=clock.now(),
        )  # fmt: skip
        post = await by_id(tx, post_id)
        url = "https://news.test/a?b=1&c=2"
        said = {"title": "<img src=x>", "description": "What it is of", "host": "news.test", "language": "de",
                "image": "https://news.test/p.jpg", "image_description": "A <cat>", "width": 3, "height": 2,
                "author_name": "Bo"}  # fmt: skip
        await tx.execute(
            link_preview.insert().values(url=url, state="card", found=said, fetched_at=1.0, expires_at=clock.now() + 60)
        )
        await tx.execute(post_link.insert().values(post_id=post_id, url=url))
    assert post is not None
    async with serving(database) as sut:
        for page in (post.uri, "/@alice"):
            text = check(await sut.get(page, accept=HTML))
            card = text[text.index('<a class="link-card"') :].partition("</a>")[0]
            assert 'href="https://news.test/a?b=1&amp;c=2" rel="nofollow noopener noreferrer"' in card
            assert 'lang="de"' in card
            for words in ("&lt;img src=x&gt;", "What it is of", "news.test", "By Bo"):
                assert words in card
            assert "p.jpg" not in text
            (picture,) = re.findall(r'<img src="([^"]+)" alt="A &lt;cat&gt;" width="3" height="2"', card)
            assert picture.startswith(f"{BASE}/proxy/card/whole/")
            assert (await sut.get(picture)).status == 503
            async with database.read() as tx:
                (waits,) = await tx.all(select(job).where(job.c.kind == REMOTE_FILE))
            assert (json.loads(waits.args)["url"], waits.run_at > clock.now()) == ("https://news.test/p.jpg", True)


async def test_a_persona_shows_what_it_wears(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx, icon="https://far.test/c.png")
        await make_post(tx, alice.id, "public", "hello")
        await make_post(tx, carol.id, "public", "hello")
        icon, image = (ADDRESSES.medium(names.new("image/webp")) for _ in range(2))
        await edit(tx, alice.id, name='Al "<i>', icon=icon, image=image, now=clock.now())
    async with serving(database) as sut:
        text = check(await sut.get("/@alice", accept=HTML))
        assert f'<img class="header" src="{image}" alt=""' in text
        assert f'<img class="mark large" src="{icon}" alt="Avatar of Al &#34;&lt;i&gt;"' in text
        assert f'<img class="mark" src="{icon}" alt=""' in text
        assert properties(text)["image"] == icon
        async with database.write() as tx:
            await edit(tx, alice.id, icon_alt='A "cat"', image_alt="A <wood>", now=clock.now())
        text = check(await sut.get("/@alice", accept=HTML))
        assert f'<img class="header" src="{image}" alt="A &lt;wood&gt;"' in text
        assert f'<img class="mark large" src="{icon}" alt="A &#34;cat&#34;"' in text
        assert properties(text)["image:alt"] == "A &#34;cat&#34;"
        async with database.write() as tx:
            await edit(tx, alice.id, icon="", image="", now=clock.now())
        assert icon not in (text := check(await sut.get("/@alice", accept=HTML)))
    assert 'class="header"' not in text
    assert 'aria-hidden="true">A</span>' in text


async def test_our_emojis_are_pictures_in_profiles(database: Database) -> None:
    file = f"{'a' * 22}.webp"
    picture = f'<img class="emoji" src="{MEDIA}{file}" alt=":blobcat:" title=":blobcat:" loading="lazy">'
    async with database.write() as tx:
        alice, carol, dora = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dora@far.test")
        await add(tx, Emoji("blobcat", file, "image/webp", 9, "", clock.now()))
        await make_post(tx, alice.id, "public", "hello")
        names_it = {"name": "C <b> :blobcat:"}
        tag = {"type": "Emoji", "name": ":blobcat:", "href": f"{MEDIA}{file}"}
        far = {"type": "Emoji", "name": ":blobcat:", "href": "https://far.test/cat.png"}
        for actor, said in ((carol, tag), (dora, far)):
            await tx.execute(update(actor_table).where(actor_table.c.id == actor.id).values(**names_it, tags=[said]))
        carol, dora = await known(tx, carol.id), await known(tx, dora.id)
        fields = [{"name": "Pet :blobcat:", "value": "a :blobcat: <i>"}]
        texts = {"bio": "x", "summary": "<p>my :blobcat: <code>:blobcat:</code></p>", "fields": fields}
        await edit(tx, alice.id, name='Al <i> ":blobcat:', **texts, now=clock.now())  # type: ignore[arg-type]  # as named
    async with serving(database) as sut:
        text = check(await sut.get("/@alice", accept=HTML))
        async with database.read() as tx:
            beside = await around(tx, sut.server, [], [carol, dora])
    assert f"<h1><bdi>Al &lt;i&gt; &#34;{picture}</bdi></h1>" in text
    assert f"<p>my {picture} <code>:blobcat:</code></p>" in text
    assert f'<dt dir="auto">Pet {picture}</dt>' in text
    assert f"a {picture}" in text
    assert "<title>Al &lt;i&gt; &#34;:blobcat:" in text
    assert text.count(picture) == 5  # and over its post
    assert pictured(carol.name, carol, beside) == f"C &lt;b&gt; {picture}"
    assert pictured(dora.name, dora, beside) == "C &lt;b&gt; :blobcat:"
