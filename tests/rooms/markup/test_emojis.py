from privapub.markup.clean import clean
from privapub.markup.emojis import with_emojis

CAT = "https://peer.test/cat.png"
PICTURE = f'<img class="emoji" src="{CAT}" alt=":cat:" title=":cat:" loading="lazy">'


def test_a_short_name_becomes_its_picture() -> None:
    assert with_emojis("<p>a :cat::cat:</p>", {"cat": CAT}) == f"<p>a {PICTURE}{PICTURE}</p>"


def test_names_are_those_of_the_author_and_case_counts() -> None:
    assert with_emojis("<p>:Cat: :dog: 12:cat:</p>", {"cat": CAT}) == f"<p>:Cat: :dog: 12{PICTURE}</p>"


def test_code_and_addresses_stay_as_they_are() -> None:
    html = clean('<p><code>:cat:</code> <a href="https://peer.test/:cat:/">l</a></p><pre>:cat:</pre>')
    assert with_emojis(html, {"cat": CAT}) == html


def test_an_address_cannot_leave_its_attribute() -> None:
    html = with_emojis("<p>:cat:</p>", {"cat": 'https://peer.test/"><script>'})
    assert "<script>" not in html
    assert '"><' not in html.replace('lazy"><', "")


def test_html_without_short_names_is_not_touched() -> None:
    html = '<p>a: b &amp; c<br>d <a href="https://x.test/" rel="nofollow noopener noreferrer">e</a></p>'
    assert with_emojis(html, {"cat": CAT}) == html
