"""What the cases say of links in posts: the page is asked for once and by nobody who reads, and its words are words."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select

from cases import later, verbs
from cases.files import png
from cases.given import field
from cases.pages import Page, page
from cases.play import MUST, MUST_NOT, Play, Sentence
from cases.setup import SETUP, follows
from cases.steps import LOCAL
from cases.uploads import from_here, served
from cases.words import Unknown
from fakes.activities import create, note, post_at
from fakes.internet import Received
from makers import at_home
from privapub import clock
from privapub.jobs.tables import job
from privapub.link_previews.parse import LARGEST
from privapub.link_previews.plan import SPREAD
from privapub.link_previews.read import Card, of_posts
from privapub.link_previews.tables import link_preview
from privapub.posts.read import Post

PAGE = "https://peer.test/page"
PICTURE = "https://peer.test/card.png"
AUDIENCES = ("public", "unlisted", "followers", "direct")
MANY = 5
SIDE = 64  # pixels
HTML = "text/html; charset=utf-8"
RUNS = re.compile(r"\s*(?:javascript|data|vbscript):", re.IGNORECASE)
OURS = ("alice", "bob", "night")


def asked(play: Play, url: str) -> list[Received]:
    """The requests for a page."""
    parts = urlsplit(url)
    return [each for each in play.received(parts.netloc) if each.path.partition("?")[0] == parts.path]


async def card_of(play: Play, post: Post) -> Card | None:
    async with play.world.database.read() as tx:
        return (await of_posts(tx, [post.id])).get(post.id)


# An oEmbed answer


@field("oembed")
async def oembed(play: Play, value: Any, due: list[Sentence]) -> None:
    """A page that names it, to which a post of alice's leads. It has a title of its own where the answer has none."""
    del due
    title = "" if "title" in value else "<title>The page</title>"
    at = f"{PAGE}.json"
    link = f'<link rel="alternate" type="application/json+oembed" href="{at}">'
    play.world.serve(PAGE, f"<html><head>{title}{link}</head><body>x</body></html>".encode(), content_type=HTML)
    play.world.serve(at, value, content_type="application/json+oembed")
    play.notes.setdefault("posts", []).append(await verbs.post(play.world, play.on.alice, f"look: {PAGE}"))
    await play.drain()
    assert asked(play, at), "its answer was not asked for"


async def _shown(play: Play) -> tuple[Page, Card]:
    post = play.notes["posts"][-1]
    card = await card_of(play, post)
    assert card is not None, "there is no card"
    return await page(play, post.uri), card


@MUST.on(r"no script runs in the origin of (\S+)")
async def no_script(play: Play, host: str) -> None:
    """There is none, and the policy that goes with the page lets none run."""
    assert urlsplit(play.world.server.base_url).netloc == host
    told, _ = await _shown(play)
    assert told.all("script") == []
    for tag, given in told.elements:
        assert not [name for name in given if name.startswith("on")], tag
        assert not [value for value in given.values() if RUNS.match(value)], tag
    policy = dict(part.split(" ", 1) for part in told.headers["content-security-policy"].split("; ") if " " in part)
    assert policy["default-src"] == "'none'"
    assert not {"script-src", "script-src-elem", "script-src-attr", "frame-src"} & set(policy)


@MUST.on(r"no variant gives an iframe")
async def no_frame(play: Play) -> None:
    told, _ = await _shown(play)
    assert not [tag for tag, _ in told.elements if tag in ("iframe", "frame", "object", "embed")]


@MUST.on(r"the card links to the page that was posted")
async def links_there(play: Play) -> None:
    told, card = await _shown(play)
    assert card.url == PAGE
    (shown,) = [given for given in told.all("a") if "link-card" in given.get("class", "").split()]
    assert shown["href"] == PAGE


@MUST.on(r"title shown as text")
async def as_text(play: Play) -> None:
    """Letter by letter, and no element of the page."""
    told = await page(play, play.notes["posts"][-1].uri)
    title = play.given["oembed"].get("title", "The page")
    assert title in told.text
    assert "<" not in title or title not in told.html


@MUST.on(r"author_url dropped")
async def no_author(play: Play) -> None:
    url = play.given["oembed"].get("author_url")
    async with play.world.database.read() as tx:
        held = json.dumps([row.found for row in await tx.all(select(link_preview))])
    assert url is None or url not in held
    assert "javascript:" not in (await page(play, play.notes["posts"][-1].uri)).html


@MUST.on(r"sizes clamped")
async def clamped(play: Play) -> None:
    card = await card_of(play, play.notes["posts"][-1])
    assert card is None or (0 <= card.width <= LARGEST and 0 <= card.height <= LARGEST)


@MUST_NOT.on(r"pass provider HTML through a general post sanitiser only")
async def not_passed(play: Play) -> None:
    """Nothing of it is kept at all."""
    html = play.given["oembed"].get("html", "")
    assert not html or html not in json.dumps(play.given["oembed"].get("title", ""))
    state = repr(await play.on.state())
    for piece in re.findall(r"<[^>]+>", html):
        assert piece not in state, piece


# A page, and posts that lead there


@SETUP.on(r"page (https://\S+) in (.+); page counts requests and headers")
async def a_page(play: Play, url: str, kinds: str) -> None:
    """Posts are told by a letter: `(a) public, (b) circle`. Carol follows alice, so that there is somebody to tell."""
    kinds = later.trim(kinds, play.waits).replace(" note", "")
    play.notes["link"], play.notes["kinds"] = url, {}
    for kind in kinds.split(", "):
        found = re.fullmatch(r"\((\w)\) (\w+)", kind)
        if found is None or found[2] not in AUDIENCES:
            raise Unknown("audience", kind)
        play.notes["kinds"][found[1]] = found[2]
    _serve(play, url)
    await follows(play, "carol", "alice")


def _serve(play: Play, url: str) -> None:
    play.world.serve(PICTURE, png(SIDE, SIDE), content_type="image/png")
    head = f'<title>Secret title</title><meta property="og:image" content="{PICTURE}">'
    play.world.serve(url, f"<html><head>{head}</head><body>x</body></html>".encode(), content_type=HTML)


def _text(play: Play, letter: str) -> str:
    to = "@carol@peer.test " if play.notes["kinds"][letter] == "direct" else ""
    return f"{to}words-of-{letter} {play.notes['link']}"


@LOCAL.on(r"post each")
async def post_each(play: Play) -> None:
    """Those that are not for everyone first: after each all is done that is to be done."""
    play.notes["asked after"], play.notes["letters"] = {}, {}
    kinds = play.notes["kinds"]
    for letter in sorted(kinds, key=lambda each: kinds[each] == "public"):
        post = await verbs.post(play.world, play.on.alice, _text(play, letter), kinds[letter])
        play.notes["letters"][letter] = post
        await play.drain()
        clock.advance(2 * SPREAD)
        await play.drain()
        play.notes["asked after"][letter] = len(asked(play, play.notes["link"]))


@LOCAL.on(r"(\d+) remote notes with the same link within (\d+) s")
async def remote_notes(play: Play, count: str, _seconds: str) -> None:
    """As many posts of carol's, to alice and bob; what is due because of them is done, now and a while later."""
    carol, link = play.on.named("carol"), play.notes["link"]
    to = [play.on.alice.uri, play.on.ours["bob"].uri]
    for number in range(int(count)):
        uri = f"https://peer.test/n/link{number}"
        written = note(carol, uri, cc=to, content=f'<p>{number} <a href="{link}">{link}</a></p>')
        answer = await play.world.post(
            play.on.placeholders["sut.shared_inbox"], create(carol, written, f"{uri}/create"), by=carol
        )
        assert answer.status == 202
    await play.drain()
    clock.advance(2 * SPREAD)
    await play.drain()
    assert await post_at(play.world, uri) is not None


@LOCAL.on(r"view the note page as anonymous; look at (.+)")
async def view(play: Play, _what: str) -> None:
    """As HTML, and by the ways in which others ask for oEmbed."""
    base = play.world.server.base_url
    play.notes["views"] = {}
    for letter, post in play.notes["letters"].items():
        found = []
        for path in (post.uri.removeprefix(base), f"/oembed?url={post.uri}", f"/api/oembed?url={post.uri}"):
            answer = await play.world.get(path, {"Host": base.split("//")[1], "Accept": "text/html"})
            found.append((path, answer.status, answer.body))
        play.notes["views"][letter] = found


@LOCAL.on(r"open the card as (\w+) and (\w+)")
async def opened(play: Play, *names: str) -> None:
    """They read at home, where the cards are."""
    before = await _preview_jobs(play), len(play.received())
    for name in names:
        async with play.world.database.read() as tx:
            home = await at_home(tx, play.on.ours[name].id, 40)
            cards = await of_posts(tx, [post.id for post in home])
        assert cards, f"{name} sees none"
    await play.drain()
    play.notes["by readers"] = (await _preview_jobs(play) - before[0], len(play.received()) - before[1])


async def _preview_jobs(play: Play) -> int:
    async with play.world.database.read() as tx:
        return len(await tx.all(select(job.c.id).where(job.c.kind == "preview")))


@MUST.on(r"og/oEmbed of non-public notes: nothing but the site name, or (\d{3})")
async def tell_nothing(play: Play, status: str) -> None:
    private = [letter for letter, kind in play.notes["kinds"].items() if kind not in ("public", "unlisted")]
    assert private
    for letter in private:
        for path, answered, body in play.notes["views"][letter]:
            assert str(answered) == status, f"{path}: {answered}"
            for word in (f"words-of-{letter}", play.notes["link"], "Secret title", "alice"):
                assert word not in body.replace(path, ""), f"{path}: {word}"
    assert any("og:title" in body for views in play.notes["views"].values() for _, _, body in views)


@MUST.on(r"fetch happens at most once per URL and server within the cache time")
@MUST_NOT.on(r"a fetch per viewer or per receiving persona")
async def once(play: Play) -> None:
    assert len(asked(play, play.notes["link"])) == 1


@MUST.on(r"spread by jitter")
async def spread(play: Play) -> None:
    """Pages of remote posts are asked for after waits that differ, up to a minute."""
    carol, before = play.on.named("carol"), await _preview_jobs(play)
    for number in range(MANY):
        uri, link = f"https://peer.test/n/spread{number}", f"https://peer.test/spread{number}"
        written = note(carol, uri, cc=[play.on.alice.uri], content=f'<p><a href="{link}">{link}</a></p>')
        await play.world.post(play.on.alice.inbox, create(carol, written, f"{uri}/create"), by=carol)
    await play.drain()
    assert await _preview_jobs(play) == before + MANY
    of_previews = select(job.c.run_at - job.c.created_at).where(job.c.kind == "preview")
    async with play.world.database.read() as tx:
        waits = [float(row[0]) for row in await tx.all(of_previews.order_by(job.c.id.desc()).limit(MANY))]
    assert max(waits) - min(waits) > SPREAD / 1000, waits
    assert max(waits) <= SPREAD + 1, waits


@MUST.on(r"from the server with a neutral UA")
async def neutral(play: Play) -> None:
    told = {each.headers["User-Agent"] for each in play.received(method="GET") if "/.well-known/" not in each.path}
    assert len(told) == 1, told
    assert not [name for name in OURS for said in told if name in said]


@MUST.on(r"no (Referer|cookie)")
async def no_header(play: Play, name: str) -> None:
    for each in asked(play, play.notes["link"]):
        assert name not in each.headers
        assert "Signature" not in each.headers


@MUST.on(r"no query that names user, persona or note")
async def no_query(play: Play) -> None:
    """It is asked for as it was written, and nothing that is sent along names anybody."""
    written = urlsplit(play.notes["link"])
    for each in asked(play, play.notes["link"]):
        assert each.path == f"{written.path}{'?' if written.query else ''}{written.query}"
        said = " ".join((each.path, *each.headers.values()))
        assert not [name for name in OURS if name in said]
        assert not [post.uri for post in play.notes["letters"].values() if post.uri in said]


@MUST.on(r"card images come through the media proxy")
async def from_us(play: Play) -> None:
    """It was fetched once, whoever looked; the page shows it from here, and loads nothing from elsewhere."""
    (one,) = asked(play, PICTURE)
    assert not {"Referer", "Cookie", "Signature", "Authorization"} & set(one.headers)
    (public,) = [post for letter, post in play.notes["letters"].items() if play.notes["kinds"][letter] == "public"]
    told = await page(play, public.uri)
    base = play.world.server.base_url
    assert all(url.startswith((base, "/")) for url in told.loads), told.loads
    pictures = [url for url in told.loads if "/proxy/" in url]
    assert pictures
    for url in pictures:
        assert (await served(play, url))[0] == 200
    assert (await from_here(play, "card", PICTURE))[0] == 200


@MUST.on(r"(\w(?:, \w)*): no fetch at all")
async def none_for(play: Play, letters: str) -> None:
    posted = [letter for letter in letters.split(", ") if letter in play.notes["letters"]]
    assert posted
    for letter in posted:
        assert play.notes["asked after"][letter] == 0, letter


@MUST.on(r"reading never triggers a fetch by the reader")
async def not_by_reading(play: Play) -> None:
    assert play.notes["by readers"] == (0, 0)
