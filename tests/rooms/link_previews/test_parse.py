"""What is read in the heads of pages, and that nothing that anyone may write breaks the reading or its bounds."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.heads import HEADS
from privapub.link_previews import parse as parsing
from privapub.link_previews.decode import decode
from privapub.link_previews.find import first_link
from privapub.link_previews.parse import Found, parse, read_oembed
from privapub.markup.characters import contained

URL = "https://site.test/a/b"


@pytest.mark.parametrize(("content_type", "page", "said"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS])
def test_a_head_is_read(content_type: str, page: str | bytes, said: dict[str, object]) -> None:
    found = parse(page.encode() if isinstance(page, str) else page, content_type, URL)
    assert found == Found(**{"host": "site.test", **said})  # type: ignore[arg-type]  # of the fields' types


def within_bounds(found: Found) -> None:
    texts = {
        found.title: parsing.LONGEST_TITLE, found.description: parsing.LONGEST_DESCRIPTION,
        found.provider_name: parsing.LONGEST_NAME, found.author_name: parsing.LONGEST_NAME,
        found.image_description: parsing.LONGEST_DESCRIPTION,
    }  # fmt: skip
    for text, longest in texts.items():
        assert len(text) <= longest
        assert contained(text) == text
        assert "\n" not in text
    for address in (found.url, found.author_url, found.image, found.oembed):
        assert address == "" or (address.startswith(("http://", "https://")) and len(address) <= 2000)
        assert address.isascii()
    assert 0 <= found.width <= parsing.LARGEST
    assert 0 <= found.height <= parsing.LARGEST
    assert msgspec.json.decode(msgspec.json.encode(found), type=Found) == found


_NAMES = st.sampled_from(
    ["og:title", "og:image", "og:url", "og:image:width", "og:image:height", "og:locale", "twitter:title", "author",
     "article:published_time", "article:author", "fediverse:creator", "description", "og:site_name"]
)  # fmt: skip
_VALUES = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["javascript:x", "//a", "http://[", "https://a:b@c", "\ud800", "1e999", "-1", "nan", "a" * 5000]),
)
_PIECES = st.one_of(
    st.builds('<meta property="{}" content="{}">'.format, _NAMES, _VALUES),
    st.builds("<title>{}".format, _VALUES),
    st.builds(
        '<link rel="{}" type="application/json+oembed" href="{}">'.format,
        st.sampled_from(["canonical", "alternate", "author"]),
        _VALUES,
    ),
    st.builds('<base href="{}">'.format, _VALUES),
    st.builds(
        '<script type="application/ld+json">{}</script>'.format,
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=10),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["@type", "@graph", "author", "name", "image", "url", "headline", "publisher"]),
                    inner | st.just("Article"),
                    max_size=4,
                )
            ),
            max_leaves=12,
        ).map(lambda value: msgspec.json.encode(value).decode()),
    ),
    st.sampled_from(
        ["</head>", "<body>", "<!--", "-->", "<script>", "<![CDATA[", "<?xml", "&#0;", "&#xd800;", "<svg>"]
    ),
    st.text(max_size=20),
)
_HEADERS = st.one_of(
    st.sampled_from(["text/html", "text/html; charset=utf-16", "text/html;charset=idna", 'text/html; charset="big5"']),
    st.text(max_size=40).map("text/html; charset={}".format),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=8), _HEADERS)
def test_pages_of_odd_pieces(pieces: list[str], content_type: str) -> None:
    within_bounds(parse("".join(pieces).encode("utf-8", "surrogatepass"), content_type, URL))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), _HEADERS)
def test_any_bytes(body: bytes, content_type: str) -> None:
    within_bounds(parse(body, content_type, URL))
    within_bounds(parse(b"<meta charset=" + body, content_type, URL))
    decode(body, content_type)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "type",
                "title",
                "author_name",
                "author_url",
                "thumbnail_url",
                "thumbnail_width",
                "thumbnail_height",
                "url",
                "html",
                "width",
                "height",
                "provider_name",
            ]
        ),
        st.one_of(
            _VALUES.filter(lambda text: "\ud800" not in text), st.integers(), st.none(), st.lists(st.text(max_size=5))
        ),
    ),
    st.binary(max_size=40),
)
def test_any_oembed_answer(told: dict[str, object], body: bytes) -> None:
    page = Found(title="t", host="site.test")
    within_bounds(read_oembed(msgspec.json.encode(told), URL, page))
    within_bounds(read_oembed(body, URL, page))


@pytest.mark.parametrize(
    "piece", [b"<div>", b"<b x=1>", b"<", b"<!--", b"<title>", b"&amp;", b"<meta charset", b"\x00"]
)
def test_no_more_is_looked_at_than_the_bound(piece: bytes) -> None:
    page = b"<title>First</title>" + piece * (3 * parsing.MOST_BYTES // len(piece))
    assert parse(page, "text/html; charset=utf-8", URL).title == "First"
    late = b" " * parsing.MOST_BYTES + b"<title>Late</title>"
    assert parse(late, "text/html", URL).title == ""


def test_a_long_text_is_cut_at_a_word() -> None:
    found = parse(b"<title>" + b"word " * 200 + b"</title>", "text/html", URL)
    assert found.title.endswith("word…")
    assert len(found.title) <= parsing.LONGEST_TITLE


def test_spaces_where_a_charset_is_named_do_not_hold_everybody_up() -> None:
    """Tried in every way in which two expressions can share them, these take minutes."""
    page = b"<meta " * 80 + b"charset=" + b" " * 15_000 + b"!\xff><title>Page</title>"
    assert parse(page, "text/html;charset=" + " " * 8_000 + "!", URL).title == "Page"
    spaced = b"<meta charset = ' windows-1251'><title>\xcf\xf0</title>"
    assert parse(spaced, 'text/html ; charset = " utf-8"', URL).title == "Пр"


# The link of a post

TAGS = [
    {"type": "Mention", "href": "https://peer.test/u/carol", "name": "@carol@peer.test"},
    {"type": "Hashtag", "href": "https://peer.test/tags/cats", "name": "#cats"},
]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("no link", None),
        ('<a href="https://a.test/x?y=1&amp;z=2#part" rel="nofollow">x</a>', "https://a.test/x?y=1&z=2"),
        ('<a href="https://peer.test/u/carol">c</a> <a href="https://a.test/">x</a>', "https://a.test/"),
        ('<span class="h-card"><a href="https://b.test/" class="u-url mention">@<span>b</span></a></span>', None),
        ('<a href="https://peer.test/tags/cats">#cats</a>', None),
        ('<a class="hashtag" href="https://b.test/t">#dogs</a>', None),
        ('<a href="https://b.test/t">#<span>dogs</span></a>', None),
        ('<a href="mailto:a@b.test">m</a><a href="gemini://b.test/">g</a>', None),
        ('<a href="https://quoted.test/1">q</a><a href="https://a.test/2">x</a>', "https://a.test/2"),
        ('<p class="quote-inline">RE: <a href="https://other.test/q">q</a></p>', None),
        ('<a href="https://a.test/1">x</a><a href="https://b.test/2">y</a>', "https://a.test/1"),
        ('<a href="https://bücher.test/ü">x</a>', "https://xn--bcher-kva.test/%C3%BC"),
        (f'<a href="https://a.test/{"x" * 2000}">x</a>', None),
        ('<a href="https://user:word@a.test/">x</a>', None),
    ],
)
def test_the_link_of_a_post(html: str, found: str | None) -> None:
    assert first_link(f"<p>{html}</p>", TAGS, {"https://quoted.test/1"}) == found
