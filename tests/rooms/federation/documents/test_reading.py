import json
from typing import Any

import pytest

from privapub.federation.documents import strict_json
from privapub.federation.documents.moments import moment
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import PUBLIC, link
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_post import audience_of, read_post
from privapub.federation.documents.read_tags import Tag
from shared import shared

CAROL = "https://peer.test/u/carol"
PEM = """-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC4fWnVsWPBTCDUqOwz8GDc7WZv
MWbqhyRbk3KBpN0gTNnBD2gLqUgqbdzsEfI4IwyPOpq3BNR7C4cR2rH1Y4jWOpaD
4i5w3VBdFxyHvLfjPjYQ5RTHFB0nH+4YfGHmZz3m7i8X6Yr2D4C3QoqtIyfQyqOI
3rCK5Vn0zFIqhPzBEwIDAQAB
-----END PUBLIC KEY-----"""
MULTIKEY = "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2"


def an_actor(**changes: Any) -> dict[str, Any]:
    actor = {"id": CAROL, "type": "Person", "preferredUsername": "carol", "inbox": f"{CAROL}/inbox"}
    return {**actor, **changes}


def a_note(**changes: Any) -> dict[str, Any]:
    note = {
        "id": "https://peer.test/n/1",
        "type": "Note",
        "attributedTo": CAROL,
        "content": "<p>hi</p>",
        "to": [PUBLIC],
    }
    return {**note, **changes}


@pytest.mark.parametrize("actor", [CAROL, [CAROL], {"id": CAROL, "type": "Person"}, [{"id": CAROL}], [None, CAROL]])
def test_an_actor_is_a_string_an_object_or_a_list(actor: Any) -> None:
    assert read_activity({"type": "Follow", "actor": actor, "object": "https://sut.test/a"}).actor == CAROL


def test_an_embedded_object_is_kept_beside_its_id() -> None:
    activity = read_activity({"type": ["Create"], "actor": CAROL, "object": [a_note()], "to": "as:Public", "cc": None})
    assert activity.object == a_note()
    assert activity.object_id == "https://peer.test/n/1"
    assert activity.to == (PUBLIC,)
    assert activity.cc == ()
    assert activity.id is None


@pytest.mark.parametrize("name", ["object", "target", "instrument"])
def test_an_embedded_object_counts_only_where_it_is_what_is_named(name: str) -> None:
    first, other = "https://peer.test/n/1", {"type": "Note", "id": "https://other.test/n/1"}
    found = read_activity({"type": "Create", "actor": CAROL, name: [first, other]})
    ids = {"object": found.object_id, "target": found.target, "instrument": found.instrument_id}
    embedded = {"object": found.object, "target": found.target_object, "instrument": found.instrument}
    assert (ids[name], embedded[name]) == (first, None)
    assert [noted for noted, _sentence in found.notes] == [name]


@pytest.mark.parametrize("uri", ["https://h.test/@a@h.test/", "https://h.test", "https://h.test/?author=1", "urn:x:1"])
def test_ids_are_kept_verbatim(uri: str) -> None:
    activity = read_activity({"id": uri, "type": "Undo", "actor": CAROL, "object": {"id": uri}})
    assert activity.id == activity.object_id == uri


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"actor": CAROL}, "no-type"),
        ({"type": 5, "actor": CAROL}, "no-type"),
        ({"type": "Like"}, "no-actor"),
        ({"type": "Like", "actor": "carol"}, "no-actor"),
        ({"type": "Like", "actor": "https://user@peer.test/u"}, "no-actor"),
        ({"type": "Like", "actor": CAROL, "id": 7}, "bad-id"),
        ({"type": "Like", "actor": CAROL, "id": "https://x.test/a b"}, "bad-id"),
        ({"type": "Like", "actor": CAROL, "id": "x" * 3000}, "bad-id"),
        ({"type": "Create", "actor": CAROL, "object": {"id": "https://x.test/\n"}}, "bad-id"),
    ],
)
def test_activities_that_cannot_be_used_say_why(document: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadDocument) as caught:
        read_activity(document)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01T10:00:00Z", 1772359200.0),
        ("2026-03-01T10:00:00.5Z", 1772359200.5),
        ("2026-03-01T10:00:00.123456789Z", 1772359200.123456789),
        ("2026-03-01T12:00:00+02:00", 1772359200.0),
        ("2026-03-01T05:00:00-0500", 1772359200.0),
        ("2026-03-01 10:00", 1772359200.0),
        (["2026-03-01T10:00:00Z"], 1772359200.0),
        ("yesterday", None),
        ("2026-13-01T10:00:00Z", None),
        ("9999999999-01-01T00:00:00Z", None),
        ("1912-03-01T10:00:00Z", None),
        ("2026-03-01", 1772323200.0),
        ("2026-03-01T10:00:00+99:99", None),
        (1772359200, None),
        (None, None),
    ],
)
def test_moments_have_many_forms(text: Any, expected: float | None) -> None:
    assert moment(text) == expected


def test_a_link_for_people_is_preferred() -> None:
    video = {"type": "Link", "mediaType": "video/mp4", "href": "https://x.test/v.mp4"}
    page = {"type": "Link", "mediaType": "text/html", "href": "https://x.test/v"}
    assert link([video, page], ("text/html",)) == "https://x.test/v"
    assert link([video]) == "https://x.test/v.mp4"
    assert link(["javascript:alert(1)", {"href": "/relative"}]) is None


def test_the_variants_of_public_are_told_apart_from_what_looks_like_it() -> None:
    case = json.loads(shared("cases/inbox/06-public-aliases.json").read_text())
    for variant in case["given"]["variants"]:
        post = read_post(variant["steps"][0]["json"]["object"])
        assert audience_of(post, f"{CAROL}/followers") in variant["visibility"].split("-or-"), variant["name"]


def test_the_cases_of_unstorable_characters() -> None:
    case = json.loads(shared("cases/inbox/09-nul-and-surrogates.json").read_text())
    for variant in case["given"]["variants"]:
        raw = variant["steps"][0]["raw"].replace("{alice.id}", "https://sut.test/alice").encode()
        if variant["name"] == "nul-in-id":
            with pytest.raises(BadDocument):
                read_activity(strict_json.read(raw))
        else:
            activity = read_activity(strict_json.read(raw))
            assert activity.object is not None
            assert "\x00" not in repr(read_post(activity.object))


@pytest.mark.parametrize(
    ("to", "cc", "audience"),
    [
        ([PUBLIC], [], "public"),
        ([f"{CAROL}/followers"], [PUBLIC], "unlisted"),
        ([f"{CAROL}/followers"], [], "followers"),
        ([], [f"{CAROL}/followers"], "followers"),
        (["https://sut.test/a"], [], "direct"),
        (["https://other.test/u/x/followers"], [], "direct"),
        (None, None, "direct"),
    ],
)
def test_an_audience_falls_to_the_more_private_side(to: Any, cc: Any, audience: str) -> None:
    assert audience_of(read_post(a_note(to=to, cc=cc)), f"{CAROL}/followers") == audience


def test_a_note_with_everything_odd_is_still_read() -> None:
    post = read_post(
        a_note(
            published="never", updated=5, summary={"x": 1}, sensitive="true", tag="x", attachment={"type": "Image"},
            url=[{"href": 3}], inReplyTo=["https://x.test/1"], contentMap="de", to={"id": PUBLIC}, cc=[5, None],
        )
    )  # fmt: skip
    assert post.content == "<p>hi</p>"
    assert post.published_at is None
    assert post.sensitive
    assert post.in_reply_to == "https://x.test/1"
    assert post.to == (PUBLIC,)
    assert post.tags == post.attachments == ()


def test_content_may_stand_in_its_map_alone() -> None:
    post = read_post(a_note(content=None, contentMap={"de": "<p>hallo</p>"}))
    assert (post.content, post.language) == ("<p>hallo</p>", "de")


def test_plain_content_becomes_html() -> None:
    assert read_post(a_note(content="a < b\nc\n\nd", mediaType="text/plain")).content == "<p>a &lt; b<br>c</p><p>d</p>"


def test_an_article_shows_its_title_and_no_warning() -> None:
    post = read_post(a_note(type="Article", name="On <tea>", summary="An excerpt"))
    assert post.content == (
        '<h2>On &lt;tea&gt;</h2><p>hi</p><p><a href="https://peer.test/n/1">https://peer.test/n/1</a></p>'
    )
    assert post.summary == ""
    assert post.excerpt == "An excerpt"


def test_a_warning_is_plain_text() -> None:
    assert read_post(a_note(summary="<p>food</p><p>&amp; drink</p>")).summary == "food & drink"


def test_a_video_is_by_the_person_and_not_by_the_channel() -> None:
    authors = [{"type": "Group", "id": "https://peer.test/c"}, {"type": "Person", "id": CAROL}]
    assert read_post(a_note(type="Video", attributedTo=authors)).author == CAROL


def test_tags_and_pictures_are_read_and_bounded() -> None:
    tags = [{"type": "Mention", "href": f"https://x.test/{n}", "name": f"@{n}"} for n in range(5000)]
    pictures = [
        {"type": "Image", "url": f"https://x.test/{n}.png", "name": "x" * 200_000, "width": 10**12} for n in range(50)
    ]
    post = read_post(a_note(tag=[{"type": "Hashtag", "name": "tea"}, *tags], attachment=pictures))
    assert post.tags[0] == Tag("Hashtag", "#tea", "")
    assert len(post.tags) == 200
    assert len(post.attachments) == 32
    assert len(post.attachments[0].alt) == 10_000
    assert post.attachments[0].width is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"type": "Tombstone"}, "gone"),
        ({"type": "Zork"}, "wrong-type"),
        ({"id": None}, "bad-id"),
        ({"id": "ftp://x.test/1"}, "bad-id"),
        ({"attributedTo": None}, "no-author"),
        ({"attributedTo": []}, "no-author"),
    ],
)
def test_posts_that_cannot_be_used_say_why(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadDocument) as caught:
        read_post(a_note(**changes))
    assert caught.value.reason == reason


def test_an_actor_with_the_least_is_read() -> None:
    actor = read_actor(an_actor())
    assert (actor.uri, actor.handle, actor.inbox, actor.name) == (CAROL, "carol", f"{CAROL}/inbox", "")
    assert actor.keys == actor.fields == ()
    assert not actor.locked


def test_an_actor_with_much_is_read() -> None:
    actor = read_actor(
        an_actor(
            type=["Service", "x:Bot"], name="Carol \u202e", summary="<p>x", manuallyApprovesFollowers=True,
            url=[{"type": "Link", "href": "https://peer.test/@carol", "mediaType": "text/html"}],
            icon=[{"type": "Image", "url": "https://peer.test/i.png"}], image={"url": {"href": "https://peer.test/b"}},
            endpoints={"sharedInbox": "https://peer.test/inbox"}, followers={"id": f"{CAROL}/f"}, updated="2026-03-01",
            attachment=[{"type": "PropertyValue", "name": f"n{n}", "value": "<b>v"} for n in range(5000)],
            alsoKnownAs="https://old.test/c",
            attributionDomains=["Blog.Test", "blog.test", "a b", "bücher.test", 7, "https://x.test/y"],
        )
    )  # fmt: skip
    assert (actor.kind, actor.name, actor.url) == ("Service", "Carol", "https://peer.test/@carol")
    assert (actor.icon, actor.image) == ("https://peer.test/i.png", "https://peer.test/b")
    assert (actor.shared_inbox, actor.followers) == ("https://peer.test/inbox", f"{CAROL}/f")
    assert actor.locked
    assert len(actor.fields) == 16
    assert actor.fields[0] == {"name": "n0", "value": "<b>v"}
    assert actor.also_known_as == ("https://old.test/c",)
    assert actor.attribution_domains == ("blog.test", "xn--bcher-kva.test")
    assert actor.updated_at == 1772323200.0


@pytest.mark.parametrize(
    ("picture", "alt"),
    [
        ({"type": "Image", "url": "https://peer.test/i.png", "name": " A cat "}, "A cat"),
        ([{"type": "Image", "url": "https://peer.test/i.png", "summary": "A \u202ecat"}], "A cat"),
        ({"type": "Image", "url": "https://peer.test/i.png", "name": "A cat", "summary": "Another"}, "A cat"),
        ({"type": "Image", "url": "https://peer.test/i.png", "name": "x" * 20_000}, "x" * 10_000),
        ({"type": "Image", "url": "https://peer.test/i.png", "name": {"en": 3}}, ""),
        ("https://peer.test/i.png", ""),
        (None, ""),
    ],
)
def test_what_the_pictures_of_an_actor_show_is_read(picture: Any, alt: str) -> None:
    assert read_actor(an_actor(icon=picture)).icon_alt == alt
    assert read_actor(an_actor(image=picture)).image_alt == alt


def test_a_name_of_a_million_letters_is_cut() -> None:
    assert len(read_actor(an_actor(name="a" * 1_000_000)).name) == 500


@pytest.mark.parametrize("as_list", [False, True])
def test_keys_are_an_object_or_a_list(as_list: bool) -> None:
    rsa = {"id": f"{CAROL}#main-key", "owner": CAROL, "publicKeyPem": PEM}
    multikey = {"id": f"{CAROL}#e", "type": "Multikey", "controller": CAROL, "publicKeyMultibase": MULTIKEY}
    actor = read_actor(
        an_actor(publicKey=[rsa] if as_list else rsa, assertionMethod=[multikey] if as_list else multikey)
    )
    assert [(key[0], key[1], key[2]) for key in actor.keys] == [
        (f"{CAROL}#main-key", CAROL, "rsa"),
        (f"{CAROL}#e", CAROL, "ed25519"),
    ]
    assert actor.keys[1][3] == MULTIKEY
    assert actor.notes == ()


@pytest.mark.parametrize(
    "key",
    [
        {"id": f"{CAROL}#k", "owner": "https://peer.test/u/mallory", "publicKeyPem": PEM},
        {
            "id": f"{CAROL}#k",
            "owner": CAROL,
            "publicKeyPem": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        },
        {"id": f"{CAROL}#k", "owner": CAROL, "publicKeyPem": 5},
        {"id": None, "owner": CAROL, "publicKeyPem": PEM},
        {"id": "not a url", "owner": CAROL, "publicKeyPem": PEM},
    ],
)
def test_a_key_that_is_not_the_actors_or_no_key_is_left_out_and_noted(key: dict[str, Any]) -> None:
    actor = read_actor(an_actor(publicKey=key))
    assert actor.keys == ()
    assert [name for name, _sentence in actor.notes] == ["publicKey"]


@pytest.mark.parametrize("multibase", ["z", "", "zz0z", "u6Mk", "z6MkInvalidKey", "z" + "1" * 5000, 7])
def test_a_multikey_that_is_none_is_left_out(multibase: Any) -> None:
    key = {"id": f"{CAROL}#e", "type": "Multikey", "controller": CAROL, "publicKeyMultibase": multibase}
    assert read_actor(an_actor(assertionMethod=[key])).keys == ()


@pytest.mark.parametrize(
    ("said", "uri", "handle"),
    [
        ("Carol.x", CAROL, "Carol.x"),
        (None, "https://h.test/@a@h.test/", "a@h.test"),
        ("a b", "https://h.test/u/x", "x"),
        (None, "https://h.test", ""),
        (7, "https://h.test/?author=1", ""),
    ],
)
def test_without_a_usable_handle_the_end_of_the_id_stands_in(said: Any, uri: str, handle: str) -> None:
    expected = "" if "@" in handle else handle
    assert read_actor(an_actor(id=uri, preferredUsername=said)).handle == expected


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"type": "Note"}, "wrong-type"),
        ({"type": ["Person", "Tombstone"]}, "gone"),
        ({"id": "carol"}, "bad-id"),
        ({"inbox": None}, "no-inbox"),
        ({"inbox": "javascript:x"}, "no-inbox"),
        ({"inbox": "http://[bad/inbox"}, "no-inbox"),
        ({"inbox": "https://peer.test:99999/inbox"}, "no-inbox"),
    ],
)
def test_actors_that_cannot_be_used_say_why(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadDocument) as caught:
        read_actor(an_actor(**changes))
    assert caught.value.reason == reason


def test_what_stands_for_no_character_is_no_part_of_a_hashtag() -> None:
    tags = [{"type": "Hashtag", "name": name} for name in ("#ber\ufffdlin", "#\ufffd")]
    post = read_post(a_note(tag=tags))
    assert post.tags == (Tag("Hashtag", "#berlin", ""),)
