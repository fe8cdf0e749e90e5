"""Line 11, markup: every remote field is cleaned, also those thought plain; what spills out of a string is contained.

Elsewhere: the allow-list, `rooms/markup/test_clean.py` and `properties/test_cleaning.py`; direction overrides,
`rooms/markup/test_characters.py`; the policy that every answer carries, `rooms/web/test_pages.py`; the cases `markup`.
"""

import json
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from fakes.activities import create, note, of
from fakes.world import PUBLIC, World
from makers import make_post
from privapub.actors.tables import actor
from privapub.cli.shown import line as one_line
from privapub.cli.shown import paragraphs, shown
from privapub.moderation.tables import report
from privapub.posts import read as posts
from privapub.posts.read import Post
from privapub.posts.tables import post

CAROL = "https://peer.test/u/carol"
# Runs, loads, frames or leads to what runs; turns or clears the reader's terminal; turns what stands after it.
SCRIPT = (
    "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)><iframe src='https://evil.test'></iframe>"
    "<a href='javascript:alert(1)'>x</a><style>*{display:none}</style><form action=/inbox><input></form><object data=x>"
    "<embed src=x><meta http-equiv=refresh content='0;url=//evil.test'><base href=//evil.test><math><mi//xlink:href=x>"
)
SPILLS = "\x1b[2J\x1b]0;owned\x07\x9b31m\x00\x08\x7f\u202e\u202d\u2066\ufeff\r"
FORBIDDEN_SIGNS = tuple("\x1b\x07\x9b\x00\x08\x7f\u202e\u202d\ufeff\r")
FORBIDDEN = frozenset(
    {
        "script",
        "iframe",
        "svg",
        "style",
        "form",
        "input",
        "object",
        "embed",
        "base",
        "math",
        "frame",
        "link",
        "template",
    }
)
BAD = f"said {SCRIPT}{SPILLS} end"
RUNS = "javascript:alert(1)"


def everything(value: Any, key: str = "") -> list[tuple[str, str]]:
    """Every string in it, with the name of its field."""
    if isinstance(value, str):
        return [(key, value)]
    if isinstance(value, dict):
        return [found for name, item in value.items() for found in everything(item, name)]
    if isinstance(value, list | tuple):
        return [found for item in value for found in everything(item, key)]
    return []


def spilling(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(key, text) for key, text in found if any(sign in text for sign in FORBIDDEN_SIGNS)]


class Elements(HTMLParser):
    """What a browser would find in some HTML that runs, loads or leads to what runs."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        led = [value or "" for name, value in attrs if name in {"href", "src", "action", "srcset", "poster", "data"}]
        ours = tag == "link" and all(value.startswith(("/static/", "https://sut.test/")) for value in led)
        if (tag in FORBIDDEN and not ours) or any(name.startswith("on") or name == "style" for name in names):
            self.bad.append(self.get_starttag_text() or tag)
        if any(value.strip().lower().startswith(("javascript:", "data:", "vbscript:", "//")) for value in led):
            self.bad.append(self.get_starttag_text() or tag)
        if "http-equiv" in names:
            self.bad.append(self.get_starttag_text() or tag)


def running(found: list[tuple[str, str]], html: set[str]) -> list[tuple[str, str]]:
    """Markup that runs in what is shown as markup, and addresses that run where an address stands."""
    bad = [(key, text) for key, text in found if key in html and Elements(text).bad]
    where = {"url", "href", "icon", "image", "picture", "uri"}
    return bad + [(k, v) for k, v in found if k in where and v.strip().lower().startswith(("javascript:", "data:"))]


def hostile(carol: Any) -> dict[str, Any]:
    return note(
        carol,
        name=BAD,
        content=f"<p>{BAD}</p>",
        contentMap={"en": f"<p>{BAD}</p>", "fr": f"<p>{BAD} fr</p>"},
        summary=BAD,
        url=[RUNS, {"type": "Link", "href": RUNS, "mediaType": "text/html"}],
        source={"content": BAD, "mediaType": "text/markdown"},
        license=BAD,
        tag=[
            {"type": "Hashtag", "name": f"#{BAD}", "href": RUNS},
            {"type": "Mention", "name": f"@{BAD}", "href": RUNS},
            {"type": "Emoji", "name": f":{BAD}:", "icon": {"type": "Image", "url": RUNS}},
            {"type": "Emoji", "name": ":ok:", "icon": {"type": "Image", "url": "data:image/svg+xml,<svg onload=x>"}},
        ],
        attachment=[
            {"type": "Document", "mediaType": "image/png", "url": RUNS, "name": BAD},
            {"type": "Image", "mediaType": f"image/{BAD}", "url": "https://peer.test/a.png", "name": BAD},
            {"type": "Link", "href": RUNS, "name": BAD},
        ],
        oneOf=[{"type": "Note", "name": BAD}, {"type": "Note", "name": f"{BAD} two"}],
        location={"type": "Place", "name": BAD, "url": RUNS},
    )


@pytest.mark.parametrize("kind", ["Note", "Question", "Article", "Event", "Video", "Page"])
async def test_every_field_of_a_post_is_clean(world: World, kind: str) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    written = {**hostile(carol), "type": kind, "to": [PUBLIC, alice.uri]}
    assert (await world.post(alice.inbox, create(carol, written), by=carol)).status == 202
    await world.drain()
    async with world.database.read() as tx:
        found = await posts.by_uri(tx, "https://peer.test/n/1")
        row = await tx.first(select(post).where(post.c.uri == "https://peer.test/n/1"))
    assert found is not None
    assert row is not None
    kept = everything(msgspec.to_builtins(found)) + everything({k: v for k, v in row._mapping.items() if v})
    assert "said" in found.content  # it was kept, and cleaned
    assert spilling(kept) == []
    assert running(kept, {"content", "translations", "html"}) == []


async def test_every_field_of_a_profile_is_clean(world: World) -> None:
    changes = {
        "name": BAD,
        "summary": f"<p>{BAD}</p>",
        "url": RUNS,
        "icon": {"type": "Image", "url": RUNS},
        "image": {"type": "Image", "url": [{"href": "data:text/html,<script>alert(1)</script>"}]},
        "attachment": [{"type": "PropertyValue", "name": BAD, "value": f'<a href="{RUNS}">{BAD}</a>'}],
        "tag": [{"type": "Emoji", "name": f":{BAD}:", "icon": {"url": RUNS}}, {"type": "Hashtag", "name": BAD}],
        "alsoKnownAs": [RUNS, BAD],
    }
    await world.learnt(world.person(CAROL, changes=changes))
    async with world.database.read() as tx:
        row = await tx.first(select(actor).where(actor.c.uri == CAROL))
    assert row is not None
    kept = everything({k: v for k, v in row._mapping.items() if v})
    assert spilling(kept) == []
    assert running(kept, {"summary", "value"}) == []


@pytest.mark.parametrize("handle", ["<script>", "a\u202eb", "a\x1bb", "../etc", "a b", "a@b", "a/b", 'a"b'])
async def test_a_handle_that_is_no_name_is_not_shown_as_one(world: World, handle: str) -> None:
    await world.learnt(world.person(CAROL, "carol", changes={"preferredUsername": handle}))
    found = await world.actor(CAROL)
    assert found is not None
    assert not set(found.handle) & set("\u202e\x1b/ @\x00\n")


async def test_what_is_printed_moves_no_cursor(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL, changes={"name": BAD})
    written = {**hostile(carol), "to": [PUBLIC, alice.uri]}
    await world.post(alice.inbox, create(carol, written), by=carol)
    await world.drain()
    async with world.database.read() as tx:
        found = await posts.by_uri(tx, "https://peer.test/n/1")
    assert isinstance(found, Post)
    row = {**shown(found), "author": "@carol@peer.test"}
    for text in (paragraphs(row), str(one_line(row)), json.dumps(row, ensure_ascii=False)):
        assert not set(text) & set(FORBIDDEN_SIGNS)


async def test_what_is_said_of_somebody_is_plain(world: World) -> None:
    """A report, and a reaction: texts of strangers that an admin, or a persona, is shown."""
    alice, carol = await world.persona(), world.person(CAROL)
    async with world.database.write() as tx:
        mine = await make_post(tx, alice.id)
    await world.post(alice.inbox, of("Flag", carol, [alice.uri], "https://peer.test/f/1") | {"content": BAD}, by=carol)
    for number, emoji in enumerate((BAD, f":{BAD}:", "<b>")):
        react = of("EmojiReact", carol, mine.uri, f"https://peer.test/r/{number}") | {"content": emoji}
        await world.post(alice.inbox, react, by=carol)
    await world.drain()
    async with world.database.read() as tx:
        told = [everything(dict(row._mapping)) for row in await tx.all(select(report))]
        reactions = [dict(row._mapping) for row in await tx.all(select(_reaction()))]
    assert len(told) == 1
    assert spilling(told[0]) == []
    assert [row for row in reactions if len(row["emoji"]) > 50 or "<" in row["emoji"]] == []


def _reaction() -> Any:
    return post.metadata.tables["reaction"]


async def test_our_pages_show_it_as_text(world: World) -> None:
    """CVE-2023-36459 and its like: whatever a persona writes, and whatever an address holds, runs nowhere."""
    alice = await world.persona()
    async with world.database.write() as tx:
        mine = await make_post(tx, alice.id, text="hello")
        await tx.execute(
            post.update().where(post.c.id == mine.id).values(
                content=f"<p>{SCRIPT}</p>", summary=SCRIPT,
                attachments=[{"type": "Document", "url": RUNS, "name": SCRIPT, "media_type": "image/png"}],
            )
        )  # fmt: skip
        await tx.execute(actor.update().where(actor.c.id == alice.id).values(name=SCRIPT, summary=f"<p>{SCRIPT}</p>"))
    for path in (
        "/@alice",
        mine.uri.removeprefix("https://sut.test"),
        "/@%3Cscript%3E",
        "/tags/%3Cscript%3E",
        "/%3Cscript%3E",
    ):
        page = await world.get(path, {"Accept": "text/html", "Host": "sut.test"})
        assert Elements(page.body).bad == [], path
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert page.headers["x-content-type-options"] == "nosniff"
