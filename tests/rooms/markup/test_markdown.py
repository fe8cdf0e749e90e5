import pytest

from privapub.markup.render import Mention, render

TAGS = "https://sut.test/tags/"
PEOPLE = {"alice": Mention("https://sut.test/actors/x", "https://sut.test/@alice", "alice@sut.test")}
REL = 'rel="nofollow noopener noreferrer"'


def html(text: str) -> str:
    return render(text, PEOPLE, TAGS, "markdown").html.replace("\n", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>"),
        ("# a\n## b", "<h1>a</h1><h2>b</h2>"),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("> a\n\nb", "<blockquote><p>a</p></blockquote><p>b</p>"),
        ("a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"),
        ("a\nb", "<p>a<br>b</p>"),
        ("```py\n<x>\n```", "<pre><code>&lt;x&gt;</code></pre>"),
        (
            "|a|b|\n|-|-|\n|1|2|",
            "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
        ),
        ("\\*a\\* &lt; &copy;", "<p>*a* &lt; \u00a9</p>"),
        ("[a](https://x.test/_b_?c&d)", f'<p><a href="https://x.test/_b_?c&amp;d" {REL}>a</a></p>'),
        ("<https://x.test/*a*>", f'<p><a href="https://x.test/*a*" {REL}>https://x.test/*a*</a></p>'),
        ("![a](https://x.test/1.png)", f'<p>!<a href="https://x.test/1.png" {REL}>a</a></p>'),
        ("[](https://x.test/)", f'<p><a href="https://x.test/" {REL}>https://x.test/</a></p>'),
    ],
)
def test_markdown_becomes_html(text: str, expected: str) -> None:
    assert html(text) == expected


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "<b>x</b>", "a <img src=x onerror=alert(1)>", "<!-- a -->"]
)
def test_html_in_markdown_is_text(text: str) -> None:
    assert html(text) == f"<p>{text.replace('<', '&lt;').replace('>', '&gt;')}</p>"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "/settings", "//x.test/", "data:x", "x.test", "https://a@x.test/", "#1"]
)
def test_links_lead_to_whole_addresses_only(address: str) -> None:
    assert "href" not in html(f"[a]({address})")


@pytest.mark.parametrize("text", ["[a]: https://x.test/", "[^1]: note", "[a][b]"])
def test_definitions_that_stand_apart_are_not_swallowed(text: str) -> None:
    assert "[" in html(text)


def test_nothing_is_linked_in_the_words_of_a_link() -> None:
    rendered = render("[@alice #tag https://a.test/](https://b.test/) [#a](https://c.test/)", PEOPLE, TAGS, "markdown")
    assert rendered.html.count("href") == 2
    assert rendered.mentions == rendered.hashtags == rendered.unknown == ()


def test_people_and_tags_are_found_in_every_block() -> None:
    rendered = render("# @alice\n- #a\n\n> *#b*\n\n|#c|\n|-|\n|#d|", PEOPLE, TAGS, "markdown")
    assert rendered.mentions == ("alice",)
    assert rendered.hashtags == ("a", "b", "c", "d")


def test_what_nobody_would_nest_so_deep_is_plain_text() -> None:
    text = "> " * 40 + "a @alice"
    assert render(text, PEOPLE, TAGS, "markdown") == render(text, PEOPLE, TAGS, "plain")
    assert "<blockquote>" in html("> " * 20 + "a")


def test_plain_text_knows_no_markdown() -> None:
    assert render("# a\n- *b*", {}, TAGS).html == "<p># a<br>- *b*</p>"
