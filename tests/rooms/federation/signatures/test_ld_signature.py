"""RsaSignature2017: signatures of real servers, what is believed, and what no signature makes believed."""

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyld import jsonld
from pyld.documentloader.frozen import FrozenDocumentLoader

from fakes.keys import new_rsa, public_pem
from privapub.federation.documents import context
from privapub.federation.documents.context import ACTIVITYSTREAMS, SECURITY
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_post import read_post
from privapub.federation.signatures import ld_shape, ld_signature
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.ld_signature import LinkedSignature
from privapub.federation.signatures.request import BadSignature
from shared import place, shared

from .conftest import NOW, OWNER, Signer

KEY_ID = OWNER + "#main-key"
TERMS = {
    "toot": "http://joinmastodon.org/ns#",
    "sensitive": "as:sensitive",
    "Hashtag": "as:Hashtag",
    "focalPoint": {"@container": "@list", "@id": "toot:focalPoint"},
    "votersCount": "toot:votersCount",
}
NOTE: dict[str, Any] = {
    "id": "https://peer.test/n/1",
    "type": "Note",
    "attributedTo": OWNER,
    "to": [PUBLIC],
    "cc": [OWNER + "/followers"],
    "content": "<p>hé</p>",
    "contentMap": {"en": "<p>hé</p>"},
    "published": "2026-03-01T11:59:00Z",
    "sensitive": False,
    "votersCount": 3,
    "tag": [
        {"type": "Mention", "href": "https://sut.test/@alice", "name": "@alice"},
        {"type": "Hashtag", "href": "https://peer.test/tags/x", "name": "#x"},
    ],
    "attachment": [
        {"type": "Document", "mediaType": "image/png", "url": f"https://peer.test/{n}.png", "focalPoint": [0.5, -0.25]}
        for n in (3, 1, 2)
    ],
}
DOCUMENT: dict[str, Any] = {
    "@context": [ACTIVITYSTREAMS, SECURITY, TERMS],
    "id": "https://peer.test/a/1",
    "type": "Create",
    "actor": OWNER,
    "published": "2026-03-01T11:59:00Z",
    "to": [PUBLIC],
    "cc": [OWNER + "/followers"],
    "object": NOTE,
}
SENTENCES = {
    "expired": ("The signature within this document has expired.",),
    "wrong-algorithm": ("The signature within this document needs a key of another kind.",),
    "wrong-signature": ("The signature within this document does not fit it.",),
    "wrong-owner": ("Who signed this document is not who it is of.",),
    "too-large": ("What the signature within this document covers is too much to check.",),
    "malformed": (
        "The linked data of this document cannot be understood.",
        "The linked data of this document does not hang from one activity.",
    ),
}
_SHIPPED = FrozenDocumentLoader()


def sha256(document: dict[str, Any]) -> str:
    text: str = jsonld.normalize(
        document,
        {"algorithm": "URDNA2015", "format": "application/n-quads", "documentLoader": _SHIPPED},
    )
    return hashlib.sha256(text.encode()).hexdigest()


def sign(document: dict[str, Any], signer: Signer, **options: Any) -> dict[str, Any]:
    """As Mastodon does, with the library's own canonical form."""
    said = {"creator": KEY_ID, "created": "2026-03-01T12:00:00Z", **options}
    # What identity/v1 says of these names, security/v1 says too.
    signed = sha256({"@context": SECURITY, **said}) + sha256(document)
    value = base64.b64encode(signer.private.sign(signed.encode())).decode()
    return {**document, "signature": {"type": "RsaSignature2017", **said, "signatureValue": value}}


def only(document: dict[str, Any]) -> LinkedSignature:
    found = ld_signature.read(document)
    assert found is not None
    return found


def outcome(document: dict[str, Any], key: PublicKey, now: float = NOW) -> dict[str, Any] | str:
    """What is believed, or why nothing is."""
    found = ld_signature.read(document)
    try:
        return "no claim" if found is None else found.believed(key, now)
    except BadSignature as bad:
        return why(bad)


def why(bad: BadSignature) -> str:
    """The reason, which has one sentence for each of what it may be about."""
    assert str(bad) in SENTENCES[bad.reason]
    return bad.reason


def refused(document: dict[str, Any], key: PublicKey, now: float = NOW) -> str:
    """Why nothing is believed."""
    said = outcome(document, key, now)
    assert isinstance(said, str)
    return said


@pytest.fixture(scope="module")
def signed(rsa_signer: Signer) -> dict[str, Any]:
    return sign(DOCUMENT, rsa_signer)


# Activities in the shared corpus as their servers signed them, and the documents that hold their keys.
REAL = {
    "friendica/lemmy__friendica_activities_create_note": "friendica/lemmy__friendica_objects_person_1",
    "smithereen/lemmy__smithereen_activities_create_note": "smithereen/lemmy__smithereen_objects_person",
    "mastodon/akkoma__mastodon-follow-activity": "mastodon/akkoma__tesla_mock_admin_mastdon.example.org",
}


@pytest.mark.parametrize("name", REAL)
def test_what_a_real_server_signed_is_believed_and_reads_as_it_came(name: str) -> None:
    document = json.loads(shared(f"corpus/{name}.json").read_text())
    actor = json.loads(shared(f"corpus/{REAL[name]}.json").read_text())
    key = PublicKey.from_pem(actor["publicKey"]["id"], actor["id"], actor["publicKey"]["publicKeyPem"])
    found = only(document)
    assert found.key_id == key.id
    said = found.believed(key, NOW)
    ours, theirs = read_activity(said), read_activity(document)
    for field in ("id", "kind", "actor", "object_id", "to", "cc", "published"):
        assert getattr(ours, field) == getattr(theirs, field), field
    if theirs.kind == "Create":
        assert ours.object is not None
        assert theirs.object is not None
        read, came = read_post(ours.object), read_post(theirs.object)
        for field in ("uri", "author", "content", "published_at", "in_reply_to", "to", "cc"):
            if hasattr(came, field):
                assert getattr(read, field) == getattr(came, field), field
    document["object"] = "https://peer.test/n/other"
    assert refused(document, key) == "wrong-signature"


def from_the_wire() -> list[Any]:
    path = place() / "wire/requests.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    bodies = [json.loads(json.loads(line)["body"]) for line in lines if "signatureValue" in line]
    found = [body for body in bodies if "signature" in body]
    return [pytest.param(body, id=f"{number}") for number, body in enumerate(found)] or [
        pytest.param(None, id="absent")
    ]


@pytest.mark.parametrize("body", from_the_wire())
def test_what_friendica_sends_can_be_looked_at(body: dict[str, Any] | None, rsa_signer: Signer) -> None:
    shared("wire/requests.jsonl")
    assert body is not None
    assert refused(body, rsa_signer.public) == "wrong-signature"


def test_what_is_believed_reads_as_what_was_signed(signed: dict[str, Any], rsa_signer: Signer) -> None:
    said = only(signed).believed(rsa_signer.public, NOW)
    assert read_activity(said).id == DOCUMENT["id"]
    assert said["@context"] == ACTIVITYSTREAMS
    assert (said["type"], said["actor"], said["to"]) == ("Create", OWNER, PUBLIC)
    assert said["object"]["contentMap"] == {"en": "<p>hé</p>"}
    assert said["object"]["votersCount"] == 3
    assert said["object"]["sensitive"] is False
    assert [item["url"] for item in said["object"]["attachment"]] == [item["url"] for item in NOTE["attachment"]]
    assert said["object"]["attachment"][0]["focalPoint"] == [0.5, -0.25]
    assert {item["type"] for item in said["object"]["tag"]} == {"Mention", "Hashtag"}
    ours, theirs = read_post(said["object"]), read_post({"@context": DOCUMENT["@context"], **NOTE})
    assert ours.tags == theirs.tags
    assert ours.attachments == theirs.attachments


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for name, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*at, name)
        if isinstance(item, dict | list):
            yield from paths(item, (*at, name))


def changed(document: dict[str, Any], path: tuple[Any, ...], remove: bool) -> dict[str, Any]:
    copy = json.loads(json.dumps(document))
    place = copy
    for name in path[:-1]:
        place = place[name]
    if remove:
        del place[path[-1]]
    else:
        place[path[-1]] = f"{place[path[-1]]}x" if isinstance(place[path[-1]], str) else "https://peer.test/x"
    return dict(copy)


def test_no_change_of_any_property_is_believed(signed: dict[str, Any], rsa_signer: Signer) -> None:
    whole = only(signed).believed(rsa_signer.public, NOW)
    every = [path for path in paths(signed) if path != ("signature",)]
    assert len(every) > 60
    for path in every:
        for remove in (True, False):
            said = outcome(changed(signed, path, remove), rsa_signer.public)
            if isinstance(said, str):
                assert said in {"no claim", "wrong-signature", "malformed"}, path
            else:
                # What says nothing may differ: a term that is not used.
                assert said == whole, path
                assert path[0] == "@context", path


REDEFINED: dict[str, dict[str, Any]] = {
    # The same quads, in a document whose plain names say something else.
    "a name for another name": {
        "@context": [*DOCUMENT["@context"], {"said": "as:content", "content": "https://peer.test/x"}],
        "object": {**{k: v for k, v in NOTE.items() if k != "content"}, "said": NOTE["content"]},
    },
    "a name for nothing": {
        "@context": [*DOCUMENT["@context"], {"summary": None}],
        "object": {**NOTE, "summary": "<p>forged</p>"},
    },
    "an unexplained name": {"object": {**NOTE, "quoteUrl": "https://evil.test/n/1", "_misskey_quote": "x"}},
    "another actor": {
        "@context": [*DOCUMENT["@context"], {"who": {"@id": "as:actor", "@type": "@id"}, "actor": "x:nobody:"}],
        "who": OWNER,
        "actor": None,
    },
    "another kind": {
        "@context": [*DOCUMENT["@context"], {"Delete": "as:Create", "Create": "https://peer.test/Create"}],
        "type": "Delete",
    },
    "another id": {
        "@context": [*DOCUMENT["@context"], {"is": "@id", "id": None}],
        "is": DOCUMENT["id"],
        "id": "https://peer.test/a/2",
        "object": {**NOTE, "is": NOTE["id"], "id": "https://peer.test/n/2"},
    },
}


@pytest.mark.parametrize("change", REDEFINED.values(), ids=REDEFINED)
def test_a_name_that_means_something_else_changes_nothing_that_is_read(
    change: dict[str, Any], signed: dict[str, Any], rsa_signer: Signer
) -> None:
    whole = only(signed).believed(rsa_signer.public, NOW)
    said = only({**signed, **change}).believed(rsa_signer.public, NOW)
    assert json.dumps(said, sort_keys=True).count("forged") == 0
    for name in ("id", "type", "actor", "to", "cc"):
        assert said[name] == whole[name]
    assert said["object"]["content"] == whole["object"]["content"]
    assert set(said["object"]) == set(whole["object"])


def test_a_thing_within_cannot_be_made_the_whole(rsa_signer: Signer) -> None:
    undo = {
        "@context": [ACTIVITYSTREAMS],
        "id": "https://peer.test/a/2",
        "type": "Undo",
        "actor": OWNER,
        "object": {"id": "https://peer.test/a/3", "type": "Follow", "actor": OWNER, "object": "https://sut.test/u/1"},
    }
    signed = sign(undo, rsa_signer)
    turned = {**undo["object"], "@context": [ACTIVITYSTREAMS, {"undone": {"@reverse": "as:object"}}]}
    turned["undone"] = {name: undo[name] for name in ("id", "type", "actor")}
    assert sha256(turned) == sha256(undo)
    assert refused({**turned, "signature": signed["signature"]}, rsa_signer.public) == "no claim"
    # Nor where the two point to each other, so that either could be the whole.
    ring = {**undo, "object": {**undo["object"], "context": undo["id"]}}
    assert refused(sign(ring, rsa_signer), rsa_signer.public) == "malformed"


@pytest.mark.parametrize(
    "change",
    [
        {"@graph": []},
        {"@included": [{"id": "https://peer.test/n/2", "content": "x"}]},
        {"@reverse": {"object": {"id": "https://peer.test/a/9", "type": "Delete"}}},
        {"@nest": {"summary": "x"}},
        {"@id": "https://peer.test/a/1"},
        {"object": {**NOTE, "@graph": [{"id": "https://peer.test/n/2"}]}},
        {"tag": [{"@value": "x", "@type": "@json"}]},
        {"@context": [ACTIVITYSTREAMS, {"also": "@included"}]},
        {"@context": [ACTIVITYSTREAMS, {"also": {"@id": "@graph"}}]},
        {"@context": [ACTIVITYSTREAMS, {"of": {"@reverse": "as:object"}}]},
        {"@context": [ACTIVITYSTREAMS, {"of": {"@id": "as:of", "@container": "@graph"}}]},
        {"@context": [ACTIVITYSTREAMS, {"of": {"@id": "as:of", "@container": ["@set", "@id"]}}]},
        {"@context": [ACTIVITYSTREAMS, {"of": {"@id": "as:of", "@type": "@json"}}]},
        {"@context": [ACTIVITYSTREAMS, {"of": {"@id": "as:of", "@context": {"x": "as:y"}}}]},
        {"@context": [ACTIVITYSTREAMS, {"@base": "https://peer.test/"}]},
        {"@context": [ACTIVITYSTREAMS, {"@import": "https://peer.test/context"}]},
        {"@context": [ACTIVITYSTREAMS, {"@propagate": False}]},
        {"@context": [ACTIVITYSTREAMS, {"of": 5}]},
        {"@context": [ACTIVITYSTREAMS, None]},
        {"@context": [ACTIVITYSTREAMS, "https://peer.test/context"]},
        {"@context": "http://localhost/context"},
        {"object": {"@context": "https://peer.test/context", **NOTE}},
    ],
)
def test_what_could_make_one_document_look_like_another_is_not_looked_at(
    change: dict[str, Any], signed: dict[str, Any]
) -> None:
    assert ld_signature.read({**signed, **change}) is None


@pytest.mark.parametrize(
    "change",
    [
        {"type": "Ed25519Signature2018"},
        {"type": ["RsaSignature2017"]},
        {"creator": None},
        {"creator": "https://peer.test/u>"},
        {"creator": {"id": OWNER}},
        {"created": "yesterday"},
        {"created": '2026-03-01T12:00:00Z" .\n<x:a> <x:p> "'},
        {"nonce": 'x"'},
        {"nonce": "x" * 201},
        {"domain": "x\\"},
        {"nonce": "x\x7f"},
        {"signatureValue": "AAAA" * 512 + "\n"},
        {"nonce": "\u00e9"},
        {"expires": 5},
        {"name": "another option"},
        {"signatureValue": None},
        {"signatureValue": "!"},
        {"signatureValue": "AAAA" * 600},
    ],
)
def test_a_signature_of_another_kind_or_form_is_no_claim(change: dict[str, Any], signed: dict[str, Any]) -> None:
    assert ld_signature.read({**signed, "signature": {**signed["signature"], **change}}) is None


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "X" * 200},
        {"domain": "<{|^`}>"},
        {"nonce": ""},
        {"creator": "https://peer.test/" + "X" * 300},
        {"signatureValue": "A" * 2048},
        {"signatureValue": " AA\tAA\n"},
        {"id": "https://peer.test/s/1", "@context": "https://w3id.org/identity/v1"},
    ],
)
def test_a_signature_may_say_as_much_of_itself(change: dict[str, Any], signed: dict[str, Any]) -> None:
    assert ld_signature.read({**signed, "signature": {**signed["signature"], **change}}) is not None


@pytest.mark.parametrize("letter", list('<>"{}|^`\\ \n\x7f\u00e9'))
def test_no_name_of_a_key_can_end_where_it_is_written(letter: str, signed: dict[str, Any]) -> None:
    creator = f"https://peer.test/u{letter}"
    assert ld_signature.read({**signed, "signature": {**signed["signature"], "creator": creator}}) is None


def test_everything_that_a_signature_says_of_itself_is_signed(rsa_signer: Signer) -> None:
    options = {"nonce": "0af3", "domain": "peer.test", "expires": "2026-03-01T13:00:00Z"}
    document = sign(DOCUMENT, rsa_signer, **options)
    found = only(document)
    assert (found.created, found.expires) == (NOW, NOW + 3600)
    assert found.believed(rsa_signer.public, NOW)["id"] == DOCUMENT["id"]
    assert found.believed(rsa_signer.public, NOW + 3600)["id"] == DOCUMENT["id"]
    assert refused(document, rsa_signer.public, NOW + 3601) == "expired"
    for name in (*options, "created", "creator"):
        bare = {key: value for key, value in document["signature"].items() if key != name}
        assert refused({**document, "signature": bare}, rsa_signer.public) in {"wrong-signature", "no claim"}
        more = {**document["signature"], name: "2026-03-01T12:30:00Z"}
        assert refused({**document, "signature": more}, rsa_signer.public) == "wrong-signature"
    lines = {**document["signature"], "signatureValue": "\n".join(document["signature"]["signatureValue"])}
    assert only({**document, "signature": lines}).believed(rsa_signer.public, NOW)


def test_only_its_owner_vouches_for_an_activity(
    signed: dict[str, Any], rsa_signer: Signer, ed25519_signer: Signer
) -> None:
    assert refused(signed, ed25519_signer.public) == "wrong-algorithm"
    assert refused(signed, PublicKey.from_pem(KEY_ID, OWNER, public_pem(new_rsa()))) == "wrong-signature"
    other = PublicKey(KEY_ID, "https://peer.test/u/dave", "rsa", rsa_signer.public.key)
    assert refused(signed, other) == "wrong-owner"
    two = sign({**DOCUMENT, "actor": [OWNER, "https://peer.test/u/dave"]}, rsa_signer)
    assert refused(two, rsa_signer.public) == "wrong-owner"
    nobody = {name: value for name, value in DOCUMENT.items() if name != "id"}
    assert refused(sign(nobody, rsa_signer), rsa_signer.public) == "malformed"


def test_a_context_of_its_own_within_is_read(rsa_signer: Signer) -> None:
    within = {**DOCUMENT, "@context": ACTIVITYSTREAMS, "object": {"@context": [ACTIVITYSTREAMS, TERMS], **NOTE}}
    said = only(sign(within, rsa_signer)).believed(rsa_signer.public, NOW)
    assert said["object"]["votersCount"] == 3


def test_the_address_that_mastodon_shows_is_read_without_a_fetch(rsa_signer: Signer) -> None:
    shown = {"id": OWNER, "type": "Person", "webfinger": "carol@peer.test"}
    update = {"id": "https://peer.test/a/9", "type": "Update", "actor": OWNER, "object": shown}
    spelled = {"webfinger": f"{context.WEBFINGER}#webfinger"}
    document = sign({"@context": [ACTIVITYSTREAMS, spelled], **update}, rsa_signer)
    document["@context"] = [ACTIVITYSTREAMS, context.WEBFINGER]
    said = only(document).believed(rsa_signer.public, NOW)
    assert said["object"][f"{context.WEBFINGER}#webfinger"] == "carol@peer.test"


@pytest.mark.parametrize(
    "change",
    [
        {"content": "x" * ld_shape.LONGEST},
        {"tag": [{}] * (ld_shape.MOST_BESIDE + 1)},
        {"contentMap": {f"a{n}": "x" for n in range(ld_shape.MOST_BESIDE + 1)}},
        {f"p{n}": ["x"] * 199 for n in range(ld_shape.MOST_VALUES // 199)},
        {"@context": [ACTIVITYSTREAMS] * (ld_shape.MOST_CONTEXTS + 1)},
        {"tag": [{"@context": {}}] * (ld_shape.MOST_CONTEXTS + 1)},
        {"@context": {f"t{n}": f"as:t{n}" for n in range(ld_shape.MOST_TERMS + 1)}},
    ],
    ids=["long", "list", "object", "wide", "context", "contexts", "terms"],
)
def test_what_is_too_much_is_not_looked_at(change: dict[str, Any], signed: dict[str, Any]) -> None:
    assert ld_signature.read({**signed, **change}) is None


def test_what_is_hard_to_tell_apart_ends(signed: dict[str, Any], rsa_signer: Signer) -> None:
    clique = [{"id": f"_:x{n}", "tag": [f"_:x{m}" for m in range(9) if m != n]} for n in range(9)]
    terms = {"tag": {"@id": "as:tag", "@type": "@id"}}
    hard = {**signed, "@context": [ACTIVITYSTREAMS, terms], "tag": clique}
    assert refused(hard, rsa_signer.public) == "too-large"


def test_a_tree_that_grows_out_of_few_things_is_refused(rsa_signer: Signer) -> None:
    # Each of them points twice to the next one, which says something: read as a tree they would be a million.
    name = "https://peer.test/{}".format
    nodes = [{"id": name(n), "context": name(n + 1), "replies": name(n + 1)} for n in range(20)]
    document = sign({**DOCUMENT, "object": nodes[0], "tag": nodes}, rsa_signer)
    assert refused(document, rsa_signer.public) == "too-large"
