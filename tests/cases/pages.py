"""What the cases say of posts from elsewhere as our pages show them, where somebody here quotes them."""

import re
from html.parser import HTMLParser
from typing import Any

from cases import verbs
from cases.on_state import the_post
from cases.play import Play
from privapub.markup.characters import contained

HTML = "text/html"


class Page(HTMLParser):
    """A page as it is read: every text with the elements around it, and every element with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.headers: dict[str, str] = {}
        self.texts: list[tuple[str, list[tuple[str, dict[str, str]]]]] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self._open: list[tuple[str, dict[str, str]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = (tag, {name: value or "" for name, value in attrs})
        self.elements.append(found)
        if tag not in ("img", "br", "hr", "meta", "link", "meter", "wbr", "input"):
            self._open.append(found)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.texts.append((data, list(self._open)))

    def all(self, tag: str, **attributes: str) -> list[dict[str, str]]:
        """The attributes of all elements of this name that have these."""
        return [given for name, given in self.elements if name == tag and attributes.items() <= given.items()]

    @property
    def title(self) -> str:
        return "".join(text for text, around in self.texts if around and around[-1][0] == "title")

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.texts)

    @property
    def loads(self) -> list[str]:
        """What a browser asks for by itself to show it."""
        found = [given[name] for _, given in self.elements for name in ("src", "poster") if given.get(name)]
        found += [each.split()[0] for _, given in self.elements for each in given.get("srcset", "").split(",") if each]
        return found


async def page(play: Play, url: str) -> Page:
    """A page of ours, as a browser of nobody we know gets it."""
    base = play.world.server.base_url
    path = url.removeprefix(base)
    assert path.startswith("/"), url
    answer = await play.world.get(path, {"Host": base.split("//")[1], "Accept": HTML})
    assert answer.status == 200, f"{url}: {answer.status}"
    found = Page(answer.body)
    found.headers = answer.headers
    return found


async def quoted(play: Play, uri: str = "") -> Page:
    """The page on which a post from elsewhere is shown: the last that the case brings, if none is named."""
    uri = uri or (await the_post(play)).uri
    pages: dict[str, Any] = play.notes.setdefault("quoted", {})
    if uri not in pages:
        pages[uri] = (await verbs.quote(play.world, play.on.alice, uri)).uri
        await play.drain()
    found = await page(play, pages[uri])
    assert found.html.count("<article") == 2, "what is quoted is not shown"
    return found


def spilling(text: str) -> bool:
    """Whether a text reaches beyond itself: it overrides a direction, or leaves one open."""
    return contained(text) != text


def bare(text: str) -> str:
    """The text without what only turns its direction."""
    return re.sub("[\u202a-\u202e\u2066-\u2069]", "", text)
