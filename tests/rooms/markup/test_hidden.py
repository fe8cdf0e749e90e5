"""Links show where they lead, and nothing is hidden but parts of the address that is shown."""

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privapub.markup.clean import clean
from privapub.markup.text import text_of

REL = 'rel="nofollow noopener noreferrer"'


def link(address: str, *parts: str) -> str:
    """A link as Mastodon writes it: hidden start, shown part, hidden end."""
    start, shown, end = parts
    return (
        f'<a href="{address}" {REL}><span class="invisible">{start}</span>'
        f'<span class="ellipsis">{shown}</span><span class="invisible">{end}</span></a>'
    )


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("https://x.test/a?b=1&amp;c", ("https://", "x.test/a", "?b=1&amp;c")),
        ("https://www.x.test/abc", ("https://www.", "x.test/a", "bc")),
        ("http://x.test/abc", ("http://", "x.test", "/abc")),
        ("https://x.test/abc", ("", "https://x.test/abc", "")),
    ],
)
def test_parts_of_the_address_that_is_shown_may_be_hidden(address: str, parts: tuple[str, str, str]) -> None:
    assert clean(link(address, *parts)) == link(address, *parts)


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("https://evil.test/", ("https://", "x.test", "/")),
        ("https://x.test.evil.test/", ("https://", "x.test", ".evil.test/")),
        ("https://x.test/", ("https://x.test/", "", "")),
        ("https://evil.x.test/", ("https://evil.", "x.test", "/")),
        ("https://evil.test/", ("buy this", "https://evil.test/", "")),
    ],
)
def test_nothing_else_is_hidden(address: str, parts: tuple[str, str, str]) -> None:
    assert "invisible" not in clean(link(address, *parts))


def test_what_is_cut_off_must_be_announced() -> None:
    html = link("https://x.test/abc", "https://", "x.test/", "abc")
    assert "invisible" not in clean(html.replace("ellipsis", ""))


@pytest.mark.parametrize("html", ["<span class='invisible'>x</span>", "<p class='invisible ellipsis'>x</p>"])
def test_text_outside_links_is_not_hidden(html: str) -> None:
    assert "invisible" not in clean(html)
    assert "x" in clean(html)


@pytest.mark.parametrize("inner", ["", " ", "\u200b", "&#x3164;", "\u2060\u2800", "<br>", "<img src=x>", "<b> </b>"])
def test_a_link_that_shows_nothing_shows_its_address(inner: str) -> None:
    once = clean(f'<a href="https://x.test/?a=1&amp;b">{inner}</a>')
    assert "https://x.test/?a=1&b" in text_of(once)
    assert clean(once) == once


def test_a_link_around_a_picture_shows_what_the_picture_shows() -> None:
    assert clean('<a href="https://x.test/"><img src=x alt="A photo"></a>') == (
        f'<a href="https://x.test/" {REL}>A photo</a>'
    )


@pytest.mark.parametrize("name", ["p", "span"])
def test_the_line_for_readers_without_quotes_may_be_hidden_and_nothing_else(name: str) -> None:
    quote = f'<a href="https://x.test/1" {REL}>https://x.test/1</a>'
    other = f'<a href="https://x.test/1" {REL}>look</a>'
    for inner, stays in [(f"RE: {quote}", True), (f"read this: {quote}", False), ("RE:", False), (other, False)]:
        assert ("quote-inline" in clean(f'<{name} class="quote-inline">{inner}</{name}>')) is stays


_ADDRESS = st.sampled_from(["https://x.test/", "http://y.test/?a=1&b", "mailto:a@x.test", "javascript:x", "/here", ""])
_PART = st.sampled_from(["<b>", "</b>", "<p>", "</p>", "text", "https://z.test/", "<li>"])


@settings(deadline=None)
@given(st.lists(st.tuples(_ADDRESS, st.lists(_PART, max_size=4)), max_size=5), st.lists(_PART, max_size=4))
def test_cleaning_makes_no_link_and_hides_none(links: list[tuple[str, list[str]]], others: list[str]) -> None:
    written = [f'<a href="{address.replace("&", "&amp;")}">{"".join(inner)}</a>' for address, inner in links]
    once = clean("".join([*others, *written]))
    left = {unescape(found) for found in re.findall(r'href="([^"]*)"', once)}
    assert left == {address for address, _ in links if address.startswith(("http", "mailto:"))}
    for inner in re.findall(r"<a href[^>]*>(.*?)</a>", once, re.DOTALL):
        assert text_of(inner)
