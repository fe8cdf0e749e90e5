"""What `clean` lets through, `clean` leaves alone; and nothing that runs or reaches out gets through."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privapub.markup.characters import contained
from privapub.markup.clean import clean, plain
from privapub.markup.render import Mention, find_mentions, render
from privapub.markup.text import text_of

_UNTIMED = settings(deadline=None)
_PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<a href='https://x.test/'>", '<a href="javascript:alert(1)">', "<a href=//x.test>", "</a>",
        "<script>", "</script>", "<style>", "</style>", "<svg>", "<math>", "<mi>", "<mo>", "</mi>",
        "<mtext>", "<mglyph>", "<p>", "</math>", "<annotation-xml>",
        "<img src=x onerror=alert(1)>", "<!--", "-->", "<![CDATA[", "]]>", "<table>", "<tr>", "<td>", "<li>", "<ul>",
        "<pre>", "\n", "<textarea>", "<title>", "<noscript>", "<iframe srcdoc='<p>'>", "<template>", "<select>",
        "<span class='mention evil'>", "<p onclick=x>", "&#x202e;", "&#0;", "&lt;script&gt;", "&amp;lt;", "\u202e",
        "\u2066", "\u2069", "\x00", "\ud83d", "\ufeff", "java&#x202e;script:", "<a href='java\u202escript:alert(1)'>",
        "\u05e9\u05dc\u05d5\u05dd", "\u200d", "&", "<", ">", '"', "'", "<form action=x>", "<base href=x>", "<h1>",
        "<blockquote cite='javascript:x'>", "<details open>", "<bdo dir=rtl>", "</span>", "<frameset>", "<br/>",
    ]
)  # fmt: skip
_MARKUP = st.lists(_PIECES | st.text(max_size=8), max_size=20).map("".join)
_ALLOWED_TAG = re.compile(r"</?[a-z0-9]+(?: [a-z]+(?:=\"[^\"<>]*\")?)*>")


@_UNTIMED
@given(_MARKUP)
@example("<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>")
@example("<a href='java&#x202e;script:alert(1)'>x</a>")
def test_what_clean_lets_through_it_leaves_alone(html: str) -> None:
    once = clean(html)
    assert clean(once) == once


@_UNTIMED
@given(_MARKUP)
def test_nothing_that_runs_or_loads_gets_through(html: str) -> None:
    once = clean(html)
    tags = re.findall(r"<[^>]*>", once)
    assert all(_ALLOWED_TAG.fullmatch(tag) for tag in tags)
    for tag in tags:
        assert not re.search(r"\son[a-z]+=|style=|src=|javascript:", tag)
    assert not re.search(r"</?(?:script|style|img|svg|iframe|object|form|base|template)\b", once)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", once)


@_UNTIMED
@given(st.text() | _MARKUP)
def test_contained_text_is_storable_and_closes_what_it_opens(text: str) -> None:
    once = contained(text)
    assert contained(once) == once
    once.encode()
    assert sum(1 if mark != "\u2069" else -1 for mark in re.findall("[\u2066-\u2069]", once)) == 0


@_UNTIMED
@given(st.text() | _MARKUP)
def test_plain_text_is_one_line_and_stays_as_it_is(text: str) -> None:
    once = plain(text)
    assert plain(once) == once
    assert "\n" not in once


@_UNTIMED
@given(_MARKUP)
def test_text_of_html_never_fails_and_is_contained(html: str) -> None:
    assert contained(text_of(html)) == text_of(html)


_TYPED = st.lists(
    st.sampled_from(
        [
            "@carol@peer.test", "@alice", "#tag", "#1", "https://peer.test/a_(b)", "http://[::1]:80/", "https://", "`",
            "https://xn--a/", "https://\U00016d7a/", "https://a..b/", "https://%/",
            "```\n", "\n", "\n\n", " ", "(", ")", "<b>", "&amp;", '"', "'", "\u202e", ".", ",", "\u200b", "://",
        ]
    )
    | st.text(max_size=6),
    max_size=25,
).map("".join)  # fmt: skip
_PEOPLE = {
    "carol@peer.test": Mention("https://peer.test/u/carol", "https://peer.test/@carol", "carol@peer.test"),
    "alice": Mention("https://sut.test/actors/a", 'https://sut.test/@alice"', "alice@sut.test"),
}


@_UNTIMED
@given(_TYPED)
@example("https://\U00016d7a")
def test_what_render_makes_passes_clean_unchanged(text: str) -> None:
    html = render(text, _PEOPLE, "https://sut.test/tags/").html
    assert clean(html) == html


@_UNTIMED
@given(_TYPED)
def test_everyone_who_is_linked_was_found_and_all_found_and_known_are_linked(text: str) -> None:
    linked = set(render(text, _PEOPLE, "https://sut.test/tags/").mentions)
    found = {address.casefold() for address in find_mentions(text)}
    assert linked == found & set(_PEOPLE)


_TANGLED = {
    "nested lists": "<ul><li>" * 12_000,
    "nested blocks": "<div>" * 20_000,
    "formatting opened anew": "<p>" + "".join(f"<b title={n}>" for n in range(300)) + "</p>" + "<p>x" * 8000,
    "formatting with odd attributes": "<p>"
    + "".join(f"<i title='<{n}'>" for n in range(2000))
    + "</p>"
    + "<p>x" * 2900,
    "all formatting": "<p>" + "<b><i><s><u><em><strong><small><code><big><tt>" * 3 + "</p>" + "<p>x" * 4800,
    "tags without end": "<b " * 33_000,
    "signs": "<" * 100_000,
    "comments without end": "<b>" * 5001 + "<!--" * 20_000,
    "many lines": "<p>line&nbsp;&lt;b&gt;</p>" * 6000,
    "paragraphs that are not closed": "<p>x" * 4000,
    "ends without a beginning": "<b><p>" * 2400 + "</b>" * 18_000,
}


@pytest.mark.parametrize("name", _TANGLED)
def test_no_markup_makes_more_work_or_output_than_it_is_worth(name: str) -> None:
    html = _TANGLED[name]
    once = clean(html)
    assert clean(once) == once
    assert len(once) < 5 * len(html) + 10_000


def test_what_is_too_tangled_becomes_its_text() -> None:
    assert clean("<b><i>one &lt;b&gt;</i> two" * 4000).startswith("one &lt;b&gt;<br>two<br>one &lt;b&gt;<br>two")
