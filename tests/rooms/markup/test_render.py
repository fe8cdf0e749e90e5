import json
import re

import pytest

from privapub.markup.clean import clean
from privapub.markup.render import Mention, find_mentions, render
from shared import shared

TAGS = "https://sut.test/tags/"
CAROL = Mention("https://peer.test/u/carol", "https://peer.test/@carol", "carol@peer.test")
ALICE = Mention("https://sut.test/actors/x", "https://sut.test/@alice", "alice@sut.test")
PEOPLE = {"carol@peer.test": CAROL, "alice": ALICE}


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]*)"', html)


def test_paragraphs_and_line_breaks() -> None:
    assert render("one\ntwo\n\n\nthree\n", {}, TAGS).html == "<p>one<br>two</p><p>three</p>"


def test_what_was_typed_is_text() -> None:
    assert render("<b>&amp;</b>", {}, TAGS).html == "<p>&lt;b&gt;&amp;amp;&lt;/b&gt;</p>"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("see https://peer.test/a_(b)_c. Next", "https://peer.test/a_(b)_c"),
        ("https://peer.test/@x@y/1", "https://peer.test/@x@y/1"),
        ("(https://peer.test/q?a=1&b=2)", "https://peer.test/q?a=1&amp;b=2"),
        ("[label](https://peer.test/a_(b))", "https://peer.test/a_(b)"),
        ("<https://peer.test/x>", "https://peer.test/x"),
        ("line one https://peer.test/\n#1", "https://peer.test/"),
        ("\u00ablook: https://peer.test/x\u00bb!", "https://peer.test/x"),
        ("https://peer.test/\u00fcber", "https://peer.test/\u00fcber"),
        ("http://[::1]:8080/x,", "http://[::1]:8080/x"),
    ],
)
def test_links_end_where_the_sentence_goes_on(text: str, url: str) -> None:
    assert links(render(text, {}, TAGS).html) == [url]


@pytest.mark.parametrize(
    "text",
    ["`#notatag @alice https://peer.test/`", "```\n@carol@peer.test #x\n```", "```py\n@alice", "mail a@b.example"],
)
def test_code_and_mail_addresses_hold_no_links(text: str) -> None:
    rendered = render(text, PEOPLE, TAGS)
    assert links(rendered.html) == []
    assert rendered.mentions == rendered.hashtags == ()
    assert find_mentions(text) == ()


def test_a_fence_is_a_block_of_code() -> None:
    assert render("a\n```\n<x>\n  y\n```\nb", {}, TAGS).html == "<p>a</p><pre><code>&lt;x&gt;\n  y</code></pre><p>b</p>"


def test_a_mention_is_written_as_mastodon_writes_it() -> None:
    assert render("hi @carol@peer.test.", PEOPLE, TAGS).html == (
        '<p>hi <span class="h-card"><a href="https://peer.test/@carol" class="u-url mention"'
        ' rel="nofollow noopener noreferrer">@<span>carol</span></a></span>.</p>'
    )


def test_mentions_are_found_once_in_order_and_without_their_sign() -> None:
    text = "@carol@peer.test, @alice @Carol@Peer.test @dave_x@other.test:8080"
    assert find_mentions(text) == ("carol@peer.test", "alice", "dave_x@other.test:8080")


def test_only_who_is_known_is_linked() -> None:
    rendered = render("@alice @nobody", PEOPLE, TAGS)
    assert rendered.mentions == ("alice",)
    assert "@nobody" in rendered.html
    assert links(rendered.html) == ["https://sut.test/@alice"]


def test_hashtags_need_a_letter_and_a_beginning() -> None:
    rendered = render("#tag#tag2 #1 #\u00fcber #a-b \u200b#zero https://peer.test/#frag #frag #Tag", {}, TAGS)
    assert rendered.hashtags == ("tag", "\u00fcber", "a", "zero", "frag")
    assert "https://sut.test/tags/%C3%BCber" in links(rendered.html)
    assert "https://sut.test/tags/tag2" not in links(rendered.html)


def test_direction_overrides_do_not_get_out() -> None:
    assert "\u202e" not in render("a \u202e b", {}, TAGS).html


def test_every_case_of_linkification_stays_clean_and_absolute() -> None:
    for text in json.loads(shared("cases/markup/06-linkification.json").read_text())["given"]["local_posts"]:
        html = render(text, PEOPLE, TAGS).html
        assert clean(html) == html
        assert all(link.startswith("https://") and "</p" not in link for link in links(html))
