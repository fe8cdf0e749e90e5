import json
import re
from typing import Any

import pytest

from privapub.markup.clean import clean, plain
from privapub.markup.text import shortened, text_of
from shared import shared


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<br/>b</p>", "<p>a<br>b</p>"),
        ("<script>alert(1)</script>text", "text"),
        ("<style>p{}</style>text", "text"),
        ("<img src=https://x.test/1.png>text", "text"),
        ("<marquee>text</marquee>", "text"),
        ("<p onclick=alert(1) style='color:red'>text</p>", "<p>text</p>"),
        ("<p>a\0b</p>", "<p>a\ufffdb</p>"),
        ("<ol start=3><li value=5>x</ol>", '<ol start="3"><li value="5">x</li></ol>'),
        ("<span class='ellipsis evil'>x</span>", '<span class="ellipsis">x</span>'),
    ],
)
def test_the_allow_list_decides_what_stays(html: str, expected: str) -> None:
    assert clean(html) == expected


@pytest.mark.parametrize("scheme", ["javascript", "JaVaScRiPt", "data", "vbscript", "file", "java&#x202e;script"])
def test_links_that_run_or_read_files_lose_their_address(scheme: str) -> None:
    assert "href" not in clean(f"<a href='{scheme}:x'>x</a>")


@pytest.mark.parametrize("address", ["/settings", "//evil.test/", "?x", "#x", "settings"])
def test_relative_links_lose_their_address(address: str) -> None:
    assert "href" not in clean(f"<a href='{address}'>x</a>")


def test_links_say_nothing_to_where_they_lead() -> None:
    assert clean("<a href='https://x.test/' rel=me target=_top>x</a>") == (
        '<a href="https://x.test/" rel="nofollow noopener noreferrer">x</a>'
    )


def test_classes_by_which_mentions_and_hashtags_are_known_stay() -> None:
    html = '<span class="h-card"><a href="https://x.test/@a" class="u-url mention">@<span>a</span></a></span>'
    assert 'class="u-url mention"' in clean(html)
    assert 'class="h-card"' in clean(html)


@pytest.mark.parametrize("control", ["\u202e", "\u202d", "&#x202e;", "\u2067"])
def test_direction_overrides_and_open_isolates_are_taken_out(control: str) -> None:
    assert clean(f"<p>a{control}b</p>") == "<p>ab</p>"
    if not control.startswith("&"):
        assert plain(f"a{control}b") == "ab"


def test_letters_joiners_marks_and_closed_isolates_stay() -> None:
    text = "\u05e9\u05dc\u05d5\u05dd \u200f\u0645\u200d\u0646 \u2067x\u2069 \U0001f468\u200d\U0001f469"
    assert clean(text) == text
    assert plain(text) == text


def _variants() -> list[Any]:
    variants: list[Any] = json.loads(shared("cases/markup/01-lists-and-headings.json").read_text())["given"]["variants"]
    return variants


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ul", "Plan:\none\ntwo\nend"),
        ("nested", "a\nb\nc"),
        ("headings", "T\ntext\nU"),
        ("br-and-newlines", "a\nb\nc\nd e"),
        ("unclosed", "x\ny"),
        ("table", "1 2"),
        ("ruby", "\u6f22(kan)"),
    ],
)
def test_blocks_keep_apart_in_html_and_in_text(name: str, expected: str) -> None:
    content = next(variant["content"] for variant in _variants() if variant["name"] == name)
    assert text_of(clean(content)) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a < b <3 </ c", "a < b <3 </ c"),
        ('<p title="a > b">x</p>y', "x\ny"),
        ("a<!-- > -->b<!-->c<?php d ?>e</>f<![CDATA[g]]>h", "abcefh"),
        ("<SCRIPT>if (a<b) '</p>'</Script >x", "x"),
        ("<style>p { }", ""),
        ("x <y and z", "x <y and z"),
        ('x <a href="y> <b>z</b>', 'x <a href="y> <b>z</b>'),
        ("x <!-- y <b>z</b>", "x <!-- y <b>z</b>"),
        ("a &amp;&lt;b&gt; c&#10;d", "a &<b> c d"),
    ],
)
def test_the_text_of_any_html_is_what_a_reader_sees(html: str, expected: str) -> None:
    assert text_of(html) == expected


@pytest.mark.parametrize("part", ['<i a="', "<i a='>", "<!--x>", "<![CDATA[>", "<a", "</", "<script>", "<p>x"])
def test_what_is_never_ended_is_looked_at_once(part: str) -> None:
    """Were it looked at again from each of its signs, this would take hours."""
    said = text_of(part * 200_000)
    assert len(said) <= len(part) * 200_000


def test_a_formula_keeps_its_letters() -> None:
    html = "<math><mi>x</mi><mo>=</mo><mn>1</mn></math>"
    assert text_of(clean(html)) == "x=1"
    assert "<img" not in clean("<math><mi><img src=x onerror=alert(1)></mi><mtext><style><img></style></mtext></math>")


def test_a_numbered_list_keeps_its_first_number() -> None:
    assert 'start="3"' in clean('<ol start="3"><li>a</li></ol>')


def test_plain_text_is_folded_and_not_stripped_of_signs() -> None:
    assert plain("  I <3\n\tyou & me ") == "I <3 you & me"


def test_text_is_shortened_at_a_word() -> None:
    assert shortened("one two three", 20) == "one two three"
    assert shortened("one two three", 10) == "one two…"
    assert shortened("a" * 50, 10) == "a" * 9 + "…"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ruby>\u6f22<rt>kan</rt></ruby>", "\u6f22(kan)"),
        ("<ruby>\u6f22<rp>[</rp><rt>kan</rt><rp>]</rp></ruby>", "\u6f22(kan)"),
        ("<center>a</center><center>b</center>", "a\nb"),
        ("<menu><li>a<li>b</menu>", "a\nb"),
        ("<form><fieldset><legend>a</legend>b</fieldset></form>c", "a\nb\nc"),
        ("<table><tr><td>1<td>2<tr><th>3</table>", "1 2\n3"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("<p>a</p><hr><p>b</p>", "a\nb"),
    ],
)
def test_text_keeps_apart_what_stood_apart(html: str, expected: str) -> None:
    assert text_of(clean(html)) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<h1>a</h1><h6>b</h6>",
        "<blockquote>a<blockquote>b</blockquote></blockquote>",
        "<pre><code>a\n  b</code></pre>",
        '<ol reversed="" start="3"><li value="2">a<ul><li>b</li></ul></li></ol>',
        "<del>a</del><ins>b</ins><sup>c</sup><sub>d</sub><s>e</s><u>f</u><mark>g</mark><kbd>h</kbd><small>i</small>",
        "<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>",
        "<details><summary>a</summary>b</details>",
        '<abbr title="a">b</abbr><time datetime="2026-01-01">c</time>',
        '<p dir="rtl">a</p><span translate="no">b</span>',
    ],
)
def test_what_people_write_elsewhere_stays_as_it_is(html: str) -> None:
    assert clean(html) == html


def test_cells_are_apart_for_readers_that_know_no_tables() -> None:
    html = clean("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>")
    assert re.sub(r"<[^>]*>", "", html) == "1 2\n3"


def test_elements_of_other_days_get_the_names_of_today() -> None:
    assert clean("<strike>a</strike><tt>b</tt><center>c</center>") == "<s>a</s><code>b</code><div>c</div>"


def test_preformatted_text_may_begin_with_any_number_of_line_ends() -> None:
    assert clean("<pre>" + "\n" * 20 + "x</pre>") == "<pre>x</pre>"


def test_deep_nesting_becomes_text() -> None:
    assert clean("<blockquote>" * 100 + "a") == "<blockquote>" * 100 + "a" + "</blockquote>" * 100
    assert clean("<blockquote>" * 101 + "a" + "<br>b") == "a<br>b"


@pytest.mark.parametrize("picture", [":blob_cat:", "\U0001f600", ":)"])
def test_a_picture_that_stands_for_a_sign_becomes_the_sign(picture: str) -> None:
    assert clean(f'a <img class="emoji" src="https://x.test/1.png" alt="{picture}"> b') == f"a {picture} b"
    assert clean('a <img src="https://x.test/1.png" alt="a photo of me"> b') == "a  b"
