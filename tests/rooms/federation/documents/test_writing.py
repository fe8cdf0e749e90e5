import dataclasses
from typing import Any

import pytest

from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor, Key
from privapub.federation.documents import strict_json
from privapub.federation.documents import write_activity as write
from privapub.federation.documents.encode import encode
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_post import audience_of, read_post
from privapub.federation.documents.write_actor import person
from privapub.federation.documents.write_collection import collection, page
from privapub.federation.documents.write_post import note, tombstone
from privapub.posts.read import Post

WELL_KNOWN = {"https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1"}
ADDRESSES = Addresses("https://sut.test")
URI = "https://sut.test/actors/abc"
DECEMBER = 1796083200.0  # 2026-12-01T00:00:00Z
PEM = """-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC4fWnVsWPBTCDUqOwz8GDc7WZv
MWbqhyRbk3KBpN0gTNnBD2gLqUgqbdzsEfI4IwyPOpq3BNR7C4cR2rH1Y4jWOpaD
4i5w3VBdFxyHvLfjPjYQ5RTHFB0nH+4YfGHmZz3m7i8X6Yr2D4C3QoqtIyfQyqOI
3rCK5Vn0zFIqhPzBEwIDAQAB
-----END PUBLIC KEY-----"""
KEYS = (
    Key(f"{URI}#main-key", 1, "rsa", PEM, 0),
    Key(f"{URI}#ed25519-key", 1, "ed25519", "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2", 0),
)
ALICE = Actor(
    id=1, uri=URI, kind="Person", local=True, handle="alice", host="sut.test", name="Alice", summary="<p>hi</p>",
    url="https://sut.test/@alice", icon=None, image=None, fields=({"name": "web", "value": "<b>x</b>"},),
    inbox=f"{URI}/inbox", shared_inbox="https://sut.test/inbox", outbox=f"{URI}/outbox", followers=f"{URI}/followers",
    following=f"{URI}/following", locked=True, discoverable=False, indexable=False, also_known_as=(), moved_to=None,
    state="here", created_at=DECEMBER + 4000.5, updated_at=None, fetched_at=None,
)  # fmt: skip
CAROL = "https://peer.test/u/carol"
TAGS = ({"type": "Mention", "href": CAROL, "name": "@carol@peer.test"}, {"type": "Hashtag", "href": "x", "name": "#x"})
POST = Post(
    id=7, uri="https://sut.test/posts/p", activity_uri="https://sut.test/activities/c", author_id=1, local=True,
    kind="Note", audience="public", source="hi", content="<p>hi</p>", summary="", sensitive=False, language="en",
    url=None, in_reply_to="https://peer.test/n/1", in_reply_to_id=None, tags=TAGS, attachments=(),
    published_at=DECEMBER, edited_at=None, received_at=DECEMBER, deleted_at=None,
)  # fmt: skip


def read_back(document: dict[str, Any]) -> dict[str, Any]:
    return strict_json.read(encode(document))


def contexts(document: Any) -> set[str]:
    """Every context URL that is named anywhere in a document."""
    if isinstance(document, list):
        return set().union(*(contexts(item) for item in document))
    if not isinstance(document, dict):
        return set()
    named = document.get("@context", [])
    own = {name for name in (named if isinstance(named, list) else [named]) if isinstance(name, str)}
    return own.union(*(contexts(value) for value in document.values()))


def test_an_actor_is_read_as_it_was_meant() -> None:
    actor = read_actor(read_back(person(ALICE, KEYS, ADDRESSES)))
    assert (actor.uri, actor.kind, actor.handle, actor.name) == (URI, "Person", "alice", "Alice")
    assert (actor.inbox, actor.outbox, actor.followers) == (ALICE.inbox, ALICE.outbox, ALICE.followers)
    assert (actor.shared_inbox, actor.url) == ("https://sut.test/inbox", "https://sut.test/@alice")
    assert actor.locked
    assert not actor.discoverable
    assert actor.fields == ({"name": "web", "value": "<b>x</b>"},)
    assert actor.keys == tuple((key.id, URI, key.algorithm, key.public) for key in KEYS)


def test_the_emojis_of_a_profile_go_with_it() -> None:
    tag = {"type": "Emoji", "name": ":cat:", "href": "https://sut.test/media/c.webp", "media_type": "image/webp"}
    document = person(dataclasses.replace(ALICE, tags=(tag,)), KEYS, ADDRESSES)
    icon = {"type": "Image", "mediaType": "image/webp", "url": tag["href"]}
    assert document["tag"] == [{"type": "Emoji", "name": ":cat:", "icon": icon}]
    assert [(each.type, each.name, each.href) for each in read_actor(read_back(document)).tags] == [
        ("Emoji", ":cat:", tag["href"])
    ]
    assert "tag" not in person(ALICE, KEYS, ADDRESSES)


def test_what_the_pictures_of_a_persona_show_is_said_in_both_ways_and_of_no_picture_nothing() -> None:
    icon = "https://sut.test/media/a.webp"
    document = person(dataclasses.replace(ALICE, icon=icon, icon_alt="A cat", image_alt="A wood"), KEYS, ADDRESSES)
    assert document["icon"] == {"type": "Image", "url": icon, "name": "A cat", "summary": "A cat"}
    assert "image" not in document
    read = read_actor(read_back(document))
    assert (read.icon, read.icon_alt, read.image_alt) == (icon, "A cat", "")
    assert person(dataclasses.replace(ALICE, icon=icon), KEYS, ADDRESSES)["icon"] == {"type": "Image", "url": icon}


def test_an_actor_tells_the_day_of_its_creation_and_no_moment() -> None:
    assert person(ALICE, KEYS, ADDRESSES)["published"] == "2026-12-01T00:00:00Z"


def test_an_edit_of_the_first_day_is_no_date() -> None:
    same_day = dataclasses.replace(ALICE, updated_at=ALICE.created_at + 60)
    next_day = dataclasses.replace(ALICE, updated_at=ALICE.created_at + 86400)
    assert "updated" not in person(same_day, KEYS, ADDRESSES)
    assert person(next_day, KEYS, ADDRESSES)["updated"] == "2026-12-02T01:06:40.500Z"


def test_an_actor_tells_no_counts_and_no_number_of_ours() -> None:
    text = encode(person(ALICE, KEYS, ADDRESSES)).decode()
    assert "totalItems" not in text
    assert "null" not in text


@pytest.mark.parametrize(
    ("audience", "to", "cc"),
    [
        ("public", [PUBLIC], [f"{URI}/followers", CAROL]),
        ("unlisted", [f"{URI}/followers"], [PUBLIC, CAROL]),
        ("followers", [f"{URI}/followers"], [CAROL]),
        ("direct", [CAROL], []),
    ],
)
def test_a_note_is_addressed_by_its_audience(audience: str, to: list[str], cc: list[str]) -> None:
    document = note(dataclasses.replace(POST, audience=audience), ALICE)
    assert (document["to"], document["cc"]) == (to, cc)
    assert audience_of(read_post(read_back(document)), ALICE.followers) == audience


def test_files_are_read_as_they_were_meant_with_what_they_show_said_twice() -> None:
    picture = {
        "type": "Document", "url": "https://sut.test/media/a.webp", "media_type": "image/webp", "alt": "a cat",
        "width": 1000, "height": 600, "blurhash": "UBL", "focal_point": [-0.5, 1.0], "duration": None, "preview": None,
        "small": "https://sut.test/media/b.webp", "medium": "12",
    }  # fmt: skip
    bare = {"alt": "", "width": None, "height": None, "blurhash": "", "focal_point": None}
    film = picture | bare | {
        "url": "https://sut.test/media/c.mp4", "media_type": "video/mp4", "duration": 12.5,
        "preview": "https://sut.test/media/d.webp",
    }  # fmt: skip
    document = read_back(note(dataclasses.replace(POST, attachments=(picture, film)), ALICE))
    assert document["attachment"] == [
        {
            "type": "Document", "mediaType": "image/webp", "url": picture["url"], "name": "a cat", "summary": "a cat",
            "width": 1000, "height": 600, "blurhash": "UBL", "focalPoint": [-0.5, 1.0],
        },
        {
            "type": "Document", "mediaType": "video/mp4", "url": film["url"], "duration": "PT12.500S",
            "icon": {"type": "Image", "url": film["preview"]},
        },
    ]  # fmt: skip
    first, second = read_post(document).attachments
    assert (first.url, first.media_type, first.alt, first.width, first.height) == (
        picture["url"], "image/webp", "a cat", 1000, 600,
    )  # fmt: skip
    assert (first.focal_point, first.blurhash) == ((-0.5, 1.0), "UBL")
    assert (second.url, second.alt, second.duration, second.preview) == (film["url"], "", 12.5, film["preview"])


def test_an_audience_without_a_rendering_gets_none() -> None:
    with pytest.raises(ValueError, match="circle"):
        note(dataclasses.replace(POST, audience="circle"), ALICE)


def test_a_note_is_read_as_it_was_meant() -> None:
    post = read_post(read_back(note(dataclasses.replace(POST, summary="food", edited_at=DECEMBER + 60), ALICE)))
    assert (post.uri, post.author, post.content) == (POST.uri, URI, "<p>hi</p>")
    assert (post.summary, post.sensitive, post.language) == ("food", True, "en")
    assert (post.in_reply_to, post.url) == ("https://peer.test/n/1", POST.uri)
    assert (post.published_at, post.updated_at) == (DECEMBER, DECEMBER + 60)
    assert [tag.type for tag in post.tags] == ["Mention", "Hashtag"]


def test_a_tombstone_says_nothing_of_what_was_there() -> None:
    assert set(tombstone(dataclasses.replace(POST, deleted_at=DECEMBER))) == {"@context", "id", "type", "deleted"}


def test_a_create_is_addressed_and_dated_like_its_note() -> None:
    document = note(POST, ALICE)
    create = write.create(document, POST.activity_uri or "")
    activity = read_activity(read_back(create))
    assert (activity.id, activity.kind, activity.actor) == (POST.activity_uri, "Create", URI)
    assert (list(activity.to), list(activity.cc)) == (document["to"], document["cc"])
    assert activity.published == DECEMBER
    assert activity.object is not None
    assert "@context" not in activity.object


def test_an_update_of_a_note_is_dated_by_the_edit() -> None:
    edited = note(dataclasses.replace(POST, edited_at=DECEMBER + 60), ALICE)
    assert read_activity(read_back(write.update(edited, "https://sut.test/activities/u"))).published == DECEMBER + 60


def test_an_update_of_an_actor_is_by_that_actor() -> None:
    activity = read_activity(read_back(write.update(person(ALICE, KEYS, ADDRESSES), "https://sut.test/activities/u")))
    assert (activity.kind, activity.actor, activity.object_id) == ("Update", URI, URI)


@pytest.mark.parametrize("audience", ["public", "unlisted", "followers", "direct"])
def test_a_delete_names_nobody(audience: str) -> None:
    gone = dataclasses.replace(POST, audience=audience, deleted_at=DECEMBER)
    document = write.delete(gone, ALICE, "https://sut.test/activities/d")
    assert CAROL not in encode(document).decode()
    activity = read_activity(read_back(document))
    assert (activity.kind, activity.object_id) == ("Delete", POST.uri)
    assert (PUBLIC in (*activity.to, *activity.cc)) == (audience in {"public", "unlisted"})


def test_answers_embed_the_follow_with_strings() -> None:
    asked = write.follow("https://peer.test/f/1", CAROL, URI)
    for made, kind in ((write.accept, "Accept"), (write.reject, "Reject"), (write.undo, "Undo")):
        document = made("https://sut.test/activities/x", URI, asked)
        assert document["type"] == kind
        assert document["object"] == {"id": "https://peer.test/f/1", "type": "Follow", "actor": CAROL, "object": URI}


def test_a_collection_without_a_total_tells_none() -> None:
    assert "totalItems" not in collection(f"{URI}/followers", None)
    assert collection(f"{URI}/followers", 0)["totalItems"] == 0


def test_only_well_known_contexts_are_named() -> None:
    document = note(POST, ALICE)
    for written in (
        person(ALICE, KEYS, ADDRESSES),
        document,
        tombstone(POST),
        write.create(document, "https://sut.test/activities/c"),
        write.delete(POST, ALICE, "https://sut.test/activities/d"),
        write.follow("https://sut.test/activities/f", URI, CAROL),
        page(f"{URI}/outbox?page=true", f"{URI}/outbox", [write.create(document, "x")], terms=document["@context"]),
    ):
        assert contexts(written) <= WELL_KNOWN
        assert contexts(written)
