import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privapub.markup.clean import clean
from privapub.markup.render import Format, Mention, find_mentions, is_hashtag, render, tag_address
from shared import shared

FORMATS: tuple[Format, ...] = ("plain", "markdown")
both = pytest.mark.parametrize("text_format", FORMATS)
TAGS = "https://sut.test/tags/"
CAROL = Mention("https://peer.test/u/carol", "https://peer.test/@carol", "carol@peer.test")
ALICE = Mention("https://sut.test/actors/x", "https://sut.test/@alice", "alice@sut.test")
PEOPLE = {"carol@peer.test": CAROL, "alice": ALICE}


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]*)"', html)


@both
def test_paragraphs_and_line_breaks(text_format: Format) -> None:
    assert (
        render("one\ntwo\n\n\nthree\n", {}, TAGS, text_format).html.replace("\n", "") == "<p>one<br>two</p><p>three</p>"
    )


@both
def test_what_was_typed_is_text(text_format: Format) -> None:
    assert render("<b>&</b>", {}, TAGS, text_format).html == "<p>&lt;b&gt;&amp;&lt;/b&gt;</p>"


@both
@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("see https://peer.test/a_(b)_c. Next", "https://peer.test/a_(b)_c"),
        ("https://peer.test/@x@y/1", "https://peer.test/@x@y/1"),
        ("(https://peer.test/q?a=1&b=2)", "https://peer.test/q?a=1&amp;b=2"),
        ("[label](https://peer.test/a_(b))", "https://peer.test/a_(b)"),
        ("[https://peer.test/x] {https://peer.test/x}", "https://peer.test/x"),
        ("**https://peer.test/a*b**", "https://peer.test/a*b"),
        ("https://peer.test/_a_/*b*/~c~~d~/e", "https://peer.test/_a_/*b*/~c~~d~/e"),
        (
            "https://peer.test/x, https://peer.test/x; https://peer.test/x... 'https://peer.test/x'",
            "https://peer.test/x",
        ),
        (
            '"https://peer.test/x" \u201chttps://peer.test/x\u201d \u2018https://peer.test/x\u2019',
            "https://peer.test/x",
        ),
        ("\u300chttps://peer.test/x\u300d\u3068 \uff08https://peer.test/x\uff09", "https://peer.test/x"),
        ("\u898b\u3066https://peer.test/x\u3002\u6b21", "https://peer.test/x"),
        ("https://peer.test\u3055\u3093", "https://peer.test"),
        ("https://peer.test's https://peer.test. https://peer.test: x", "https://peer.test"),
        (
            "https://\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444/x",
            "https://\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444/x",
        ),
        (
            "https://\u4f8b\u3048.jp/\u30b8\u30e7\u30f3\u30fb\u30ec\u30ce\u30f3_(\u66d6)",
            "https://\u4f8b\u3048.jp/\u30b8\u30e7\u30f3\u30fb\u30ec\u30ce\u30f3_(\u66d6)",
        ),
        ("HTTPS://Peer.test/X?a=&copy=1", "HTTPS://Peer.test/X?a=&amp;copy=1"),
        ("https://peer.test/a\\b", "https://peer.test/a"),
        ("<https://peer.test/x>", "https://peer.test/x"),
        ("line one https://peer.test/\n#1", "https://peer.test/"),
        ("\u00ablook: https://peer.test/x\u00bb!", "https://peer.test/x"),
        ("https://peer.test/\u00fcber", "https://peer.test/\u00fcber"),
        ("http://[::1]:8080/x,", "http://[::1]:8080/x"),
    ],
)
def test_links_end_where_the_sentence_goes_on(text: str, url: str, text_format: Format) -> None:
    assert set(links(render(text, {}, TAGS, text_format).html)) == {url}


@both
@pytest.mark.parametrize(
    "text",
    [
        "`#notatag @alice https://peer.test/`",
        "```\n@carol@peer.test #x\n```",
        "```py\n@alice",
        "mail a@b.example, a.b+c@alice.example, \u043f\u043e\u0447\u0442\u0430@alice",
        "https://bank.test@evil.test/ https://a:b@evil.test/ https:// http://.",
        "@a@b.c@alice @alice@ @@alice =@alice /@alice",
    ],
)
def test_code_mail_addresses_and_passwords_hold_no_links(text: str, text_format: Format) -> None:
    rendered = render(text, PEOPLE, TAGS, text_format)
    assert links(rendered.html) == []
    assert rendered.mentions == rendered.hashtags == ()
    assert find_mentions(text, text_format) == ()


def test_a_fence_is_a_block_of_code() -> None:
    assert render("a\n```\n<x>\n  y\n```\nb", {}, TAGS).html == "<p>a</p><pre><code>&lt;x&gt;\n  y</code></pre><p>b</p>"


@both
def test_a_mention_is_written_as_mastodon_writes_it(text_format: Format) -> None:
    assert render("hi @carol@peer.test.", PEOPLE, TAGS, text_format).html == (
        '<p>hi <span class="h-card"><a href="https://peer.test/@carol" class="u-url mention"'
        ' rel="nofollow noopener noreferrer">@<span>carol</span></a></span>.</p>'
    )


@both
def test_mentions_are_found_once_in_order_and_without_their_sign(text_format: Format) -> None:
    text = "@carol@peer.test, @alice @Carol@Peer.test @dave_x@other.test:8080"
    assert find_mentions(text, text_format) == ("carol@peer.test", "alice", "dave_x@other.test:8080")


@both
def test_only_who_is_known_is_linked(text_format: Format) -> None:
    rendered = render("@alice @nobody", PEOPLE, TAGS, text_format)
    assert rendered.mentions == ("alice",)
    assert rendered.unknown == ("nobody",)
    assert "@nobody" in rendered.html
    assert links(rendered.html) == ["https://sut.test/@alice"]


@both
def test_hashtags_need_a_letter_and_a_beginning(text_format: Format) -> None:
    rendered = render(
        "#tag#tag2 #1 #\u00fcber #a-b \u200b#zero https://peer.test/#frag #frag #Tag", {}, TAGS, text_format
    )
    assert rendered.hashtags == ("tag", "\u00fcber", "a", "zero", "frag")
    assert "https://sut.test/tags/%C3%BCber" in links(rendered.html)
    assert "https://sut.test/tags/tag2" not in links(rendered.html)


@both
def test_direction_overrides_do_not_get_out(text_format: Format) -> None:
    assert "\u202e" not in render("a \u202e b", {}, TAGS, text_format).html


@both
def test_every_case_of_linkification_stays_clean_and_absolute(text_format: Format) -> None:
    for text in json.loads(shared("cases/markup/06-linkification.json").read_text())["given"]["local_posts"]:
        html = render(text, PEOPLE, TAGS, text_format).html
        assert clean(html) == html
        assert all(link.startswith("https://") and "</p" not in link for link in links(html))


@both
@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("@bob@b\u00fccher.example!", "bob@b\u00fccher.example"),
        (
            "@bob@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444.",
            "bob@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
        ),
        ("@bob@h.example:8080, x", "bob@h.example:8080"),
        ("@bob@h.example: x", "bob@h.example"),
        ("(@bob@h.example)", "bob@h.example"),
        ("\u300c@bob@h.example\u300d", "bob@h.example"),
        ("@bob@h.example\u3055\u3093", "bob@h.example"),
        ("\u3053\u3093\u306b\u3061\u306f@bob@h.example", "bob@h.example"),
        ("@h.example@h.example's", "h.example@h.example"),
        ("@_bob_@h.example", "_bob_@h.example"),
        ("@bob\u3001", "bob"),
        ("@bob... @bob", "bob"),
        ("*@bob* **@bob**", "bob"),
    ],
)
def test_an_address_ends_where_the_sentence_goes_on(text: str, address: str, text_format: Format) -> None:
    assert find_mentions(text, text_format) == (address,)


@both
@pytest.mark.parametrize(
    "name",
    [
        "\u0939\u093f\u0928\u094d\u0926\u0940",
        "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\u0e35\u0e48",
        "\u0646\u06cc\u0645\u200c\u0641\u0627\u0635\u0644\u0647",
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
        "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
        "\u65e5\u672c\u8a9e\u30fb\u30bf\u30b0",
        "cafe\u0301",
        "a_b_",
        "2026a",
        "\U00010400x",
    ],
)
def test_hashtags_are_found_in_every_script(name: str, text_format: Format) -> None:
    assert is_hashtag(name)
    for text in (f"#{name}", f"x #{name}.", f"(#{name})\u3002", f"\uff03{name}, #{name}"):
        assert render(text, {}, TAGS, text_format).hashtags == (name,)


@both
@pytest.mark.parametrize(
    "text", ["#1", "#\u0661\u0662", "#_", "#\u200d", "#\u0301a", "#" + "a" * 101, "a#b", "\u0940#b", "&#b"]
)
def test_digits_signs_and_ends_of_words_are_no_hashtags(text: str, text_format: Format) -> None:
    rendered = render(text, {}, TAGS, text_format)
    assert rendered.hashtags == ()
    assert links(rendered.html) == []


def test_letter_case_and_ways_to_write_a_letter_make_no_other_tag() -> None:
    names = ["caf\u00e9", "cafe\u0301", "CAF\u00c9", "\uff43\uff41\uff46\u00e9"]
    assert {tag_address(TAGS, name) for name in names} == {"https://sut.test/tags/caf%C3%A9"}
    assert render(" ".join(f"#{name}" for name in names), {}, TAGS).hashtags == (names[0],)


def test_a_mark_of_direction_ends_a_hashtag() -> None:
    assert render("#a\u200fb", {}, TAGS).hashtags == ("a",)


def test_a_host_is_never_cut_when_a_link_is_shortened() -> None:
    host = "a" * 40 + ".example"
    assert f"{host}</span>" in render(f"https://{host}/x", {}, TAGS).html


@both
@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000, "](" * 2500, "*a **a " * 800, "> " * 2500, "- " * 2500, "`" * 5000, "@a" * 2500, "@a" + "." * 5000,
        "#" * 5000, "https://" * 600, "https://a" + "(" * 5000, "<" * 5000, "_" * 5000, "~~" * 2500, "@a@b." * 1000,
        "[a](https://x.test/" * 300, "|a" * 2500 + "\n" + "|-" * 2500, "&" * 5000, "```\n" * 1200, "#a" * 2500,
    ],
)  # fmt: skip
def test_no_typed_text_is_lost_or_too_much_work(text: str, text_format: Format) -> None:
    html = render(text, PEOPLE, TAGS, text_format).html
    assert clean(html) == html
    assert len(html) < 20 * len(text)


_TYPED = st.lists(
    st.sampled_from(
        [
            "@carol@peer.test", "@alice", "@bob@b.test:80", "#tag", "https://peer.test/a_(b)", "http://[::1]:80/", "`",
            "*", "_", "~~", "[", "](", ")", "[a](https://x.test/)", "<https://x.test/>", "![a](https://x.test/1.png)",
            "> ", "- ", "1. ", "# ", "---\n", "|a|b|\n|-|-|\n", "```\n", "\n", "\n\n", "    ", "\\", "&amp;", "<b>",
            "\u202e", "[a]: https://x.test/", "https://xn--a/", '"', "\u3002", "\u200b",
        ]
    )
    | st.text(max_size=6),
    max_size=25,
).map("".join)  # fmt: skip


@both
@settings(deadline=None)
@given(text=_TYPED)
def test_what_is_rendered_is_clean_and_names_whom_it_links(text: str, text_format: Format) -> None:
    rendered = render(text, PEOPLE, TAGS, text_format)
    assert clean(rendered.html) == rendered.html
    assert all(link.startswith(("https://", "http://")) for link in (each.lower() for each in links(rendered.html)))
    found = {address.casefold() for address in find_mentions(text, text_format)}
    assert found == {address.casefold() for address in (*rendered.mentions, *rendered.unknown)}
    assert rendered.html.count("u-url mention") == 0 or rendered.mentions
    assert rendered.html.count('class="mention hashtag"') == 0 or rendered.hashtags
