"""The parts of a post: polls, files, places, quotes; collections; what is cut and noted."""

from typing import Any

import pytest

from privapub.federation.documents.limits import MAX_TEXTS, cut
from privapub.federation.documents.moments import duration, on_their_clock
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_collection import read_collection
from privapub.federation.documents.read_document import read_document
from privapub.federation.documents.read_nodeinfo import read_nodeinfo, read_nodeinfo_address
from privapub.federation.documents.read_place import Place
from privapub.federation.documents.read_poll import Option
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.documents.read_tombstone import Tombstone

CAROL = "https://peer.test/u/carol"
CONTEXT = "application/activity+json"


def a_post(kind: str = "Note", **more: Any) -> RemotePost:
    return read_post({"id": "https://peer.test/n/1", "type": kind, "attributedTo": CAROL, **more})


def test_a_poll_has_its_answers_counts_and_end() -> None:
    answers = [{"name": "tea", "replies": {"totalItems": 2}}, {"name": "milk", "_misskey_votes": 3}, {"name": "tea"}]
    post = a_post(
        "Question", oneOf=answers, votersCount=5, endTime="2026-03-02T00:00:00Z", closed="2026-03-01T00:00:00Z"
    )
    assert post.poll is not None
    assert post.poll.options == (Option("tea", 2), Option("milk", 3))
    assert (post.poll.voters, post.poll.ends_at, post.poll.closed) == (5, 1772323200.0, False)


def test_a_poll_of_many_answers_is_cut_and_so_is_its_endless_count() -> None:
    post = a_post(
        "Question", anyOf=[{"name": f"{number}"} for number in range(10_000)], votersCount=9e300, closed=True,
        endTime="9999999999-01-01T00:00:00Z",
    )  # fmt: skip
    assert post.poll is not None
    assert len(post.poll.options) == 20
    assert post.poll.multiple
    assert (post.poll.voters, post.poll.ends_at, post.poll.closed) == (10**9, None, True)
    assert {name for name, _sentence in post.notes} == {"anyOf", "endTime"}


def test_voters_may_be_a_list() -> None:
    poll = a_post("Question", oneOf=[{"name": "a"}], voters=["x", "y"]).poll
    assert poll is not None
    assert poll.voters == 2


def test_a_picture_has_its_words_its_centre_and_its_colours() -> None:
    picture = {
        "type": "Document", "mediaType": "image/png", "url": [{"type": "Link", "href": "https://peer.test/i.png"}],
        "summary": "a cat", "width": 20, "height": "10", "focalPoint": [-0.5, 1], "blurhash": "UBL",
    }  # fmt: skip
    (found,) = a_post(attachment=picture).attachments
    assert (found.alt, found.media_type, found.width, found.height) == ("a cat", "image/png", 20, 10)
    assert (found.focal_point, found.blurhash) == ((-0.5, 1.0), "UBL")


@pytest.mark.parametrize("point", ["x", [1], [2, 0], [None, 0], {"x": 0}])
def test_a_centre_that_is_none_costs_only_itself(point: Any) -> None:
    post = a_post(attachment={"type": "Image", "url": "https://peer.test/i.png", "focalPoint": point})
    assert post.attachments[0].focal_point is None
    assert post.notes[0][0] == "focalPoint"


def test_pages_that_a_post_points_to_are_links_in_its_text() -> None:
    post = a_post(content="hi", attachment=[{"type": "Link", "href": "https://x.test/?a&b", "name": "<Shop>"}, 7])
    assert post.content == 'hi<p><a href="https://x.test/?a&amp;b">&lt;Shop&gt;</a></p>'
    again = a_post(content=post.content, attachment={"type": "Link", "href": "https://x.test/?a&b"})
    assert again.content == post.content


def test_of_the_files_of_a_film_one_is_taken_also_from_within_its_stream() -> None:
    files = [
        {"type": "Link", "mediaType": "video/mp4", "href": f"https://peer.test/{height}.mp4", "height": height}
        for height in (240, 720, 1080)
    ]
    page = {"type": "Link", "mediaType": "text/html", "href": "https://peer.test/w/1"}
    for url in ([page, *files], [page, {"type": "Link", "mediaType": "application/x-mpegURL", "tag": files}]):
        post = a_post("Video", name="Film", url=url, duration="PT1H2M3.5S", icon={"url": "https://peer.test/p.jpg"})
        (film,) = post.attachments
        assert (film.type, film.url, film.height, film.preview) == (
            "Video", "https://peer.test/720.mp4", 720, "https://peer.test/p.jpg",
        )  # fmt: skip
        assert (post.url, post.duration) == ("https://peer.test/w/1", 3723.5)


def test_an_event_says_when_and_where_in_its_text() -> None:
    post = a_post(
        "Event", name="Tea", content="<p>Come</p>", startTime="2026-03-01T18:00:00+01:00", url="https://peer.test/e/1",
        location=[{"type": "Place", "name": "Hall <2>", "address": {"streetAddress": "Way 1", "postalCode": "1"}}],
        **{"ical:status": "CANCELLED"},
    )  # fmt: skip
    assert post.content == (
        "<h2>Tea</h2><p>🗓 2026-03-01 18:00 +01:00<br>❌ CANCELLED<br>📍 Hall &lt;2&gt;, Way 1, 1</p><p>Come</p>"
        '<p><a href="https://peer.test/e/1">https://peer.test/e/1</a></p>'
    )
    assert post.event is not None
    assert post.event.starts_at == 1772384400.0


def test_a_place_is_an_object_a_name_or_an_address() -> None:
    post = a_post(
        location=["Berlin", {"type": "Place", "geo": {"latitude": 1, "longitude": 2}}, "https://meet.test/1", 5]
    )
    assert post.places == (Place("Berlin"), Place(latitude=1.0, longitude=2.0), Place(url="https://meet.test/1"))
    assert "1.0000, 2.0000" in post.content
    assert post.notes == (("location", "This is no place."),)


@pytest.mark.parametrize("name", ["quote", "quoteUrl", "quoteUri", "_misskey_quote"])
def test_a_quote_has_four_names(name: str) -> None:
    assert a_post(**{name: "https://x.test/1"}).quote == "https://x.test/1"


def test_a_quote_may_be_a_link_among_the_tags() -> None:
    tag = {"type": "Link", "mediaType": CONTEXT, "href": "https://x.test/1", "name": "RE: https://x.test/1"}
    assert a_post(tag=[tag]).quote == "https://x.test/1"
    assert a_post(tag=[{**tag, "name": "x", "rel": "https://misskey-hub.net/ns#_misskey_quote"}]).quote
    assert a_post(tag=[{**tag, "name": "#1374"}]).quote is None
    assert a_post(tag=[{**tag, "mediaType": "text/html"}]).quote is None


def test_who_may_quote_is_read() -> None:
    policy = a_post(
        interactionPolicy={"canQuote": {"automaticApproval": "as:Public", "manualApproval": CAROL}}
    ).quote_policy
    assert policy is not None
    assert policy.automatic[0].endswith("#Public")
    assert policy.manual == (CAROL,)


def test_an_article_that_is_sensitive_is_warned_of() -> None:
    post = a_post("Article", name="Film", summary="<p>the end</p>", sensitive=True, contentMap={"en": "all"})
    assert (post.summary, post.excerpt, post.language) == ("the end", "", "en")


def test_one_bad_property_is_noted_with_a_sentence() -> None:
    post = a_post(content=42, published="soon", url="images/1", name={"en": "x"}, contentMap={"de-419-DE": "hallo"})
    assert post.content == "hallo"
    assert dict(post.notes) == {
        "content": "This is no text.",
        "published": "This is no date.",
        "url": "There is no http(s) URL in this.",
        "name": "This is a map of languages, which belongs in nameMap.",
        "contentMap": "'de-419-DE' is no language.",
    }


def test_a_text_and_its_translations_have_one_measure() -> None:
    texts = {tag: f"<p>{tag * 30_000}</p>" for tag in ("de", "fr", "es")} | {"it": "<p>ciao</p>"}
    post = a_post(content="<p>hi</p>", contentMap=texts)
    assert post.translations == (("de", texts["de"]), ("fr", texts["fr"]), ("it", texts["it"]))
    pages = [{"type": "Link", "href": f"https://peer.test/{n}?{'&' * 2000}"} for n in range(32)]
    long = a_post(content="<p>hi</p>", attachment=pages)
    assert MAX_TEXTS - 12_000 < len(long.content) <= MAX_TEXTS
    assert [name for name, _sentence in (*post.notes, *long.notes)] == ["content", "content"]


def test_text_is_cut_where_something_ends() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("<p>one two</p><p>three</p>", 12) == "<p>one"
    assert cut("one &amp; two", 6) == "one"
    assert cut("a" * 10, 4) == "aaaa"
    assert cut("eee\u0301e", 3) == "ee"


def test_durations_and_clocks() -> None:
    assert (duration("PT0.5S"), duration("P1DT1S"), duration(7), duration("long"), duration("P")) == (
        0.5,
        86401,
        7,
        None,
        None,
    )
    assert on_their_clock("2026-03-01T10:00:00Z") == "2026-03-01 10:00 UTC"
    assert on_their_clock(["x", "2026-03-01"]) == "2026-03-01"
    assert on_their_clock("never") == ""


def test_a_collection_gives_its_items_and_its_first_page() -> None:
    page = {
        "type": "CollectionPage",
        "id": "https://a.test/c?1",
        "items": ["https://a.test/1"],
        "next": "https://a.test/c?2",
    }
    found = read_collection({"type": "Collection", "id": "https://a.test/c", "totalItems": "3", "first": page})
    assert (found.total, found.items, found.first) == (3, (), "https://a.test/c?1")
    assert found.first_page is not None
    assert (found.first_page.items[0].id, found.first_page.next) == ("https://a.test/1", "https://a.test/c?2")
    assert found.first_page.is_page
    assert not found.is_ordered


def test_a_page_of_very_many_is_read_in_part() -> None:
    found = read_collection({"type": "OrderedCollection", "orderedItems": [{"id": "https://a.test/1"}, 7] * 2000})
    assert len(found.items) == 500
    assert [name for name, _sentence in found.notes] == ["orderedItems", "orderedItems"]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"type": "Collection", "orderedItems": ["x"]}, "wrong-items"),
        ({"type": "OrderedCollection", "items": ["x"]}, "wrong-items"),
        ({"type": "Collection", "first": {"type": "Create"}}, "wrong-first"),
        ({"type": "View", "actor": CAROL, "object": CAROL}, "kind-View"),
        ({"type": "View"}, "no-actor"),
        ({"type": "Zork"}, "wrong-type"),
        ({"type": "Tombstone"}, "bad-id"),
        ({"id": "https://a.test/1"}, "no-type"),
        ({"type": "Offer", "actor": CAROL, "object": 23}, "bad-object"),
    ],
)
def test_what_is_not_taken_in_says_why(document: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadDocument) as caught:
        read_document(document)
    assert caught.value.reason == reason


def test_a_tombstone_is_read() -> None:
    found = read_document({"type": "Tombstone", "id": CAROL, "formerType": "Note", "deleted": "2026-03-01"})
    assert found == Tombstone(CAROL, "Note", 1772323200.0)


def test_the_fields_of_a_profile_are_values_notes_or_links() -> None:
    fields = [
        {"type": "http://schema.org/PropertyValue", "http://schema.org/name": "a", "http://schema.org/value": "1"},
        {"type": "Note", "name": "b", "content": "2"},
        {"type": "Link", "name": "c", "href": "https://c.test/"},
        {"type": "PropertyValue", "value": "nameless"},
    ]
    actor = read_actor({"id": CAROL, "type": "Person", "inbox": f"{CAROL}/inbox", "attachment": fields})
    assert [each["name"] for each in actor.fields] == ["a", "b", "c"]
    assert actor.fields[2]["value"].startswith('<a href="https://c.test/"')
    assert actor.notes == (("attachment", "One of these fields has no name."),)


def test_keys_may_stand_elsewhere_and_actors_may_be_remembered() -> None:
    actor = read_actor(
        {
            "id": CAROL, "type": "Person", "inbox": f"{CAROL}/inbox", "publicKey": "https://peer.test/key/1",
            "memorial": True, "suspended": "true", "featured": {"id": f"{CAROL}/pins"}, "webfinger": "acct:c@peer.test",
        }
    )  # fmt: skip
    assert (actor.key_addresses, actor.keys) == (("https://peer.test/key/1",), ())
    assert (actor.memorial, actor.suspended, actor.featured) == (True, True, f"{CAROL}/pins")
    assert actor.webfinger == "c@peer.test"


def test_nodeinfo_names_the_program() -> None:
    schema = "http://nodeinfo.diaspora.software/ns/schema/"
    links = [{"rel": f"{schema}{version}", "href": f"https://a.test/{version}"} for version in ("1.0", "2.0", "2.1")]
    assert read_nodeinfo_address({"links": links}) == "https://a.test/2.1"
    assert read_nodeinfo({"software": {"name": "Mastodon", "version": "4.4"}}).software == "mastodon"
    for read in (read_nodeinfo, read_nodeinfo_address):
        with pytest.raises(BadDocument):
            read({"software": "x", "links": [{"rel": {}}]})
