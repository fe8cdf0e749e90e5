"""Expectations on text: HTML that came in, and texts that are typed here."""

import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

from cases import clients, woken
from cases.on_state import the_post
from cases.pages import quoted
from cases.play import MUST, MUST_NOT, Play
from cases.words import Words
from privapub.markup.text import text_of

SHOWN = Words("what is shown")
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4}
VOID = {"br", "hr", "img", "wbr"}


async def content_of(play: Play) -> str:
    """What is shown of the post at the place that is looked at, or what is held of it; "" where there is no HTML."""
    return play.notes["place"][0] if "place" in play.notes else (await the_post(play)).content


async def lines(play: Play) -> list[str]:
    """The text of the post there, as it is shown where there is no HTML."""
    if "place" in play.notes:
        return list(play.notes["place"][1])
    return text_of((await the_post(play)).content).split("\n")


@MUST.on(r"`shown` holds in API content, in the web page and in plain-text notifications")
async def holds(play: Play) -> None:
    """What a program gets stands on the page as it is; what an alert tells has nothing but lines."""
    world, alice = play.world, play.on.alice
    number = await clients.number_of(world, alice, (await the_post(play)).uri)
    content = (await clients.get(world, alice, f"/api/v1/statuses/{number}"))["content"]
    (alert,) = woken.told(play)
    assert content in (await quoted(play)).html
    for place in ((content, text_of(content).split("\n")), ("", alert["body"].split("\n"))):
        play.notes["place"] = place
        for _, meaning in SHOWN.read(play.given["shown"]):
            await meaning(play)
    del play.notes["place"]


@MUST_NOT.on(r"run items together into one line")
async def apart(play: Play) -> None:
    items = [text_of(each) for each in re.findall(r"<li>([^<]+)", play.given["content"])]
    found = await lines(play)
    assert all(item in found for item in items), found


@SHOWN.on(r"each item on its own line")
async def own_lines(play: Play) -> None:
    await apart(play)


@SHOWN.on(r"paragraphs apart")
async def paragraphs(play: Play) -> None:
    found = await lines(play)
    for each in re.findall(r"<p>([^<]+)</p>", play.given["content"]):
        assert each in found, found


@SHOWN.on(r"nesting or at least line breaks")
async def nesting(play: Play) -> None:
    await apart(play)


@SHOWN.on(r"numbering starts at (\d+) if lists are kept")
async def numbering(play: Play, number: str) -> None:
    content = await content_of(play)
    assert "<ol" not in content or f'start="{number}"' in content, content


@SHOWN.on(r"(\w+(?:, \w+)+) separated", r"(\w+(?:, \w+)* and \w+) are separated")
async def separated(play: Play, words: str) -> None:
    wanted = re.split(r", | and ", words)
    text = "\n".join(await lines(play))
    assert re.search(r"\s+".join(map(re.escape, wanted)), text), text


@SHOWN.on(r"(\S+/\S+) on (\w+) lines")
async def on_lines(play: Play, words: str, count: str) -> None:
    wanted, found = words.split("/"), await lines(play)
    assert len(wanted) == NUMBERS[count]
    assert [line for line in found if line in wanted] == wanted, found


@SHOWN.on(r"`(.+)` on one(?: line)?")
async def on_one(play: Play, text: str) -> None:
    assert text in await lines(play)


@SHOWN.on(r"(\w+) items")
async def items(play: Play, count: str) -> None:
    assert len(await lines(play)) == NUMBERS[count]


class _Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.in_code: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag == "a":
            self.links.append(dict(attrs).get("href") or "")
            if {"code", "pre"} & set(self.open):
                self.in_code.append(self.links[-1])

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag, f"</{tag}> closes another element"


def read(html: str) -> _Balance:
    reader = _Balance()
    reader.feed(html)
    reader.close()
    return reader


@SHOWN.on(r"following posts unaffected")
async def balanced(play: Play) -> None:
    assert read(await content_of(play)).open == []


@SHOWN.on(r"ruby kept, or text `(.+)`")
async def ruby(play: Play, text: str) -> None:
    assert "<ruby>" in await content_of(play) or text in await lines(play)


@SHOWN.on(r"text (\S+) at least")
async def at_least(play: Play, text: str) -> None:
    assert text in "\n".join(await lines(play))


# What is typed here, as carol's server sees it


def federated(play: Play) -> list[tuple[str, str, dict[str, Any]]]:
    """Each text, its format, and the Note that was made of it."""
    notes = {each.json["object"]["id"]: each.json["object"] for each in play.sent("Create", host="peer.test")}
    assert len(notes) == len(play.notes["typed"])
    return [(text, typed, notes[uri]) for text, typed, uri in play.notes["typed"]]


@MUST.on(r"every href is absolute and equals what the user typed(?: \(entities encoded once\))?")
async def as_typed(play: Play) -> None:
    """A mention's link is the person's page and a hashtag's one of ours: those were typed by their names."""
    for text, _, note in federated(play):
        ours = {tag["href"] for tag in note.get("tag", ())} | {person.uri for person in play.on.people.values()}
        for href in read(note["content"]).links:
            assert href.startswith(("https://", "http://")), f"{text!r}: {href}"
            assert href in ours or href in text, f"{text!r}: {href}"
        assert "&amp;amp;" not in note["content"]


@MUST.on(r"trailing punctuation and unbalanced \) are outside, balanced \( \) inside")
async def punctuation(play: Play) -> None:
    for text, _, note in federated(play):
        for href in read(note["content"]).links:
            assert not re.search(r"[.,;:!?]$", href), f"{text!r}: {href}"
            assert href.count("(") == href.count(")"), f"{text!r}: {href}"


@MUST.on(r"code spans and blocks hold no links")
async def code(play: Play) -> None:
    for text, _, note in federated(play):
        reader = read(note["content"])
        assert reader.in_code == [], text
        spans = re.findall(r"`+[^`]+`+", text)
        assert not (spans and text in spans) or reader.links == [], f"{text!r}: {note['content']}"


@MUST.on(r"(#\w+) is no hashtag")
async def no_hashtag(play: Play, name: str) -> None:
    for text, _, note in federated(play):
        assert name not in [tag["name"] for tag in note.get("tag", ())], text


@MUST.on(r"each mention or hashtag in `content` has a matching entry in `tag`, and the other way round")
async def matching(play: Play) -> None:
    for text, _, note in federated(play):
        linked = re.findall(r'<a [^>]*class="[^"]*(?:mention|hashtag)[^"]*"[^>]*>(.*?)</a>', note["content"])
        shown = {re.sub("<[^>]+>", "", each).casefold() for each in linked}
        tags = {tag["name"].casefold() for tag in note.get("tag", ())}
        bare = {name if name.startswith("#") else "@" + name.split("@")[1] for name in tags}
        assert shown in (tags, bare), f"{text!r}: {shown} and {tags}"


@MUST_NOT.on(r"an href that contains `(.+)` or spans a line break")
async def no_remains(play: Play, remains: str) -> None:
    for text, _, note in federated(play):
        for href in read(note["content"]).links:
            assert remains not in href, text
            assert not re.search(r"\s", href), text


@MUST_NOT.on(r"relative hrefs in federated content")
async def absolute(play: Play) -> None:
    for text, _, note in federated(play):
        assert all(urlsplit(href).netloc for href in read(note["content"]).links), text
