"""HTML that anybody may have written: what is let through is on the list, stays as it is, and keeps to its size."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from fuzz import seeds
from fuzz.mangled import FUZZED, joined, long, mangled
from privapub.federation.documents.body import as_html, titled
from privapub.federation.documents.limits import cut
from privapub.markup.characters import contained, isolated, storable
from privapub.markup.clean import MOST_GROWTH, clean, plain
from privapub.markup.emojis import with_emojis
from privapub.markup.hashtags import is_hashtag, tag_address, tag_key
from privapub.markup.reactions import emoji_in, is_short_name
from privapub.markup.render import Mention, find_mentions, render
from privapub.markup.tags import tags_of
from privapub.markup.text import shortened, text_of

PIECES = (
    "<p>", "</p>", "<a href='https://x.test/'>", '<a href="javascript:alert(1)">', "<a href=//x.test>", "</a>",
    '<a href="java&#10;script:x">', "<a href='data:text/html,x'>", "<script>", "</script>", "<style>", "</style>",
    "<svg>", "<svg/onload=x>", "<math>", "</math>", "<mi>", "</mi>", "<mtext>", "<mfrac>", "<msup>",
    "<annotation encoding='TeX'>", "<annotation-xml encoding='text/html'>", "<mglyph>", "<img src=x onerror=alert(1)>",
    "<img alt='<b>'>", "<!--", "-->", "<!", "<?", "<![CDATA[", "]]>", "<table>", "<tr>", "<td>", "<li value=9>",
    "<ol start=-1 reversed>", "<ul>", "<pre>", "\n", "<textarea>", "<title>", "<noscript>", "<iframe srcdoc='<p>'>",
    "<template>", "<select>", "<option>", "<object>", "<span class='mention evil invisible'>", "<p onclick=x>",
    "<p style='x'>", "<p dir=rtl>", "<bdo dir=evil>", "&#x202e;", "&#0;", "&#128;", "&lt;script&gt;", "&amp;lt;",
    "&notit;", "&", "\u202e", "\u2066", "\u2069", "\x00", "\ud83d", "\ufeff", "\u2028", "<time datetime='x'>",
    "<details open>", "<ruby><rt>", "<rp>", "<font color=x>", "<center>", "<b ", "</b", "<form action=x>",
    "<base href=x>", "<h1>", "<blockquote cite='javascript:x'>", "</span>", "<br/>", '"', "'", "<", ">", "`",
    "@carol@peer.test", "#tag", "https://peer.test/a_(b)", "*", "_", "**", "[x](javascript:y)", "![x](y)", ":cup:",
)  # fmt: skip


@st.composite
def _of_others(draw: st.DrawFn) -> str:
    known = seeds.html()
    return known[draw(st.integers(0, len(known) - 1))]


HTML = joined(PIECES, 20) | mangled(_of_others(), PIECES)
ELEMENTS = frozenset(
    {
        "a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code",
        "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3",
        "h4", "h5", "h6", "header", "hr", "i", "ins", "kbd", "li", "main", "mark", "ol", "p", "pre", "q", "rb", "rp",
        "rt", "rtc", "ruby", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup", "table",
        "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var", "wbr",
    }
)  # fmt: skip
ATTRIBUTES = frozenset({"href", "title", "translate", "rel", "class", "value", "start", "reversed", "datetime", "dir"})
CLASSES = frozenset({"mention", "hashtag", "u-url", "h-card", "p-nickname", "invisible", "ellipsis", "quote-inline"})
SCHEMES = re.compile(r"(?:https?|mailto|xmpp|magnet|gemini|gopher|dat|ipfs|ipns|ssb):", re.IGNORECASE)


class _Looked(HTMLParser):
    """What another parser sees in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ELEMENTS:
            self.wrong.append(tag)
        for name, value in attrs:
            said = value or ""
            if name not in ATTRIBUTES:
                self.wrong.append(f"{tag} {name}")
            if name == "class" and not CLASSES.issuperset(said.split()):
                self.wrong.append(f"class {said}")
            if name == "href" and not SCHEMES.match(said):
                self.wrong.append(f"href {said}")
            if name == "dir" and said not in {"ltr", "rtl", "auto"}:
                self.wrong.append(f"dir {said}")

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"declaration {data}")


def _off_the_list(html: str) -> list[str]:
    looked = _Looked()
    looked.feed(html)
    looked.close()
    return looked.wrong


@FUZZED
@given(HTML)
def test_what_is_let_through_is_on_the_list_and_stays_as_it_is(html: str) -> None:
    once = clean(html)
    assert clean(once) == once
    assert _off_the_list(once) == []
    assert contained(once) == once
    once.encode()
    assert len(once) <= MOST_GROWTH * len(html) + 2 * 2000 + 8 * len(html)


@FUZZED
@given(
    HTML, st.dictionaries(st.sampled_from([":cup:", ":a:", "::", ":"]), st.sampled_from(["https://x.test/a'\"<b>.png"]))
)
def test_pictures_in_clean_html_are_all_that_is_added(html: str, pictures: Mapping[str, str]) -> None:
    shown = with_emojis(clean(html), pictures)
    assert [one for one in _off_the_list(shown) if not one.startswith("img")] == []
    assert not re.search(r"<img[^>]*\son", shown)


@FUZZED
@given(HTML | st.text())
def test_text_is_text(html: str) -> None:
    lines = text_of(html)
    assert contained(lines) == lines
    one = plain(html)
    assert plain(one) == one
    assert "\n" not in one
    assert storable(storable(html)) == storable(html)
    isolated(html).encode()
    for limit in (1, 20, 200):
        assert len(shortened(html, limit)) <= limit
        assert len(cut(html, limit)) <= limit
    tags_of(clean(html))


@FUZZED
@given(HTML, st.sampled_from(["text/plain", "text/markdown", "text/html", "", "text/bbcode"]))
def test_a_body_of_any_kind_is_html_that_can_be_cleaned(text: str, kind: str) -> None:
    once = clean(titled(text[:50], as_html(text, kind)))
    assert clean(once) == once


PEOPLE = {
    "carol@peer.test": Mention("https://peer.test/u/carol", "https://peer.test/@carol", "carol@peer.test"),
}


@FUZZED
@given(HTML)
def test_what_is_typed_is_shown_as_clean_html(text: str) -> None:
    for form in ("plain", "markdown"):
        rendered = render(text, PEOPLE, "https://sut.test/tags/", form)
        assert clean(rendered.html) == rendered.html
        assert set(rendered.mentions) <= {name.casefold() for name in find_mentions(text, form)}


@FUZZED
@given(HTML | st.text(max_size=30))
def test_tags_and_reactions_are_words_or_nothing(text: str) -> None:
    if is_hashtag(text):
        assert tag_key(tag_key(text)) == tag_key(text)
        assert not set(tag_address("https://sut.test/tags", text)) & set(" <>\"'")
    emoji = emoji_in(text)
    if emoji is not None:
        assert emoji_in(emoji) == emoji
        is_short_name(emoji)


@FUZZED
@given(long(PIECES, 30_000))
def test_what_is_long_stays_within_bounds(html: str) -> None:
    once = clean(html)
    assert clean(once) == once
    assert len(once) <= 12 * len(html) + 4000
    assert len(text_of(html)) <= 2 * len(html)
