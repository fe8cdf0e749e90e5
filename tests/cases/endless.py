"""What the cases say of collections: what each is used as, and that reading it comes to an end."""

from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select

from cases.given import DO
from cases.play import MUST, MUST_NOT, Play
from cases.setup import first_of
from cases.words import Words
from fakes.activities import create, note
from fakes.world import CONTEXT, COVERED, Person
from makers import make_follow
from privapub import clock
from privapub.federation.documents import synchronization
from privapub.federation.documents.limits import MAX_TOTAL
from privapub.federation.documents.synchronization import HEADER, Synchronization
from privapub.posts.tables import post

USE = Words("use of a collection")
NEST = 40  # hosts, each of whose posts leads to one of the next: more than one activity may have asked


@DO.on(r"use each as (.+) of a fetched object")
async def use_each(play: Play, uses: str) -> None:
    """Each is named by somebody whom alice follows, and by a post of theirs that an answer to it has fetched."""
    play.notes["asked"] = {}
    for number, stub in enumerate(play.given["serve"]):
        url = first_of(stub["url"])
        play.notes["use"] = use = {"url": url, "actor": {}, "post": {}, "headers": ()}
        for _, meaning in USE.read(uses):
            await meaning(play)
        counted = {"id": url, "type": "Collection", "totalItems": stub["json"].get("totalItems", 0)}
        them = await _followed(play, f"https://peer.test/u/c{number}", use["actor"])
        root = f"https://peer.test/n/root{number}"
        play.world.serve(root, note(them, root, likes=counted, shares=counted, **use["post"]))
        await _answered(play, them, root, use["headers"])
        play.notes["asked"][url] = [each.path for each in play.received(method="GET")]
        play.forget_what_was_received()


async def _followed(play: Play, uri: str, changes: dict[str, Any]) -> Person:
    them = play.world.person(uri, changes=changes, key_name=play.on.named("carol").uri)
    known = await play.world.learnt(them)
    async with play.world.database.write() as tx:
        await make_follow(tx, play.on.alice.id, known.id)
    await play.drain()
    play.forget_what_was_received()
    return them


async def _answered(play: Play, them: Person, root: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
    """They send an answer to a post, which is read with its thread."""
    reply = note(them, f"{them.uri}/answer", inReplyTo=root)
    said = create(them, {"@context": CONTEXT, **reply}, f"{them.uri}/create")
    covered = (*COVERED, *(name.lower() for name, _ in headers))
    answer = await play.world.post(play.on.alice.inbox, said, by=them, headers=headers, covered=covered)
    assert answer.status == 202
    await play.drain()
    clock.advance(3600)  # a thread that grew is read again, and what failed may be tried again
    await play.drain()


@USE.on(r"replies")
async def as_replies(play: Play) -> None:
    play.notes["use"]["post"]["replies"] = play.notes["use"]["url"]


@USE.on(r"(outbox|featured)")
async def as_named(play: Play, name: str) -> None:
    play.notes["use"]["actor"][name] = play.notes["use"]["url"]


@USE.on(r"followers")
async def as_followers(play: Play) -> None:
    """Named by the actor, and by a header that says that the two servers differ in it."""
    use = play.notes["use"]
    use["actor"]["followers"] = use["url"]
    use["headers"] = ((HEADER, synchronization.write(Synchronization(use["url"], use["url"], "0" * 64))),)


def pages_of(play: Play, url: str) -> Counter[str]:
    """How often each page of a collection was asked for while it was used."""
    path = urlsplit(url).path
    return Counter(each for each in play.notes["asked"][url] if each.partition("?")[0] == path)


@MUST.on(r"finite: seen-page set, page cap, item cap, per-activity request budget \(for example (\d+)\)")
async def finite(play: Play, budget: str) -> None:
    """Each was read; no page twice by the same way, and what its items name is not all asked for."""
    for url, asked in play.notes["asked"].items():
        found = pages_of(play, url)
        assert found, f"{url} was not asked for"
        assert max(found.values()) <= 2 + 1, f"{url}: {found}"  # its replies, again an hour later, and who follows
        assert len(asked) <= int(budget), f"{url}: {len(asked)} requests"
    assert len(set(play.world.internet.names.asked)) <= int(budget)


@MUST.on(r"an empty page ends the walk")
async def empty_ends(play: Play) -> None:
    """Of pages of which each is empty, no more is read than where a walk begins, and one more."""
    empty = [stub["url"] for stub in play.given["serve"] if _is_empty(stub["json"]) and "{n}" in stub["url"]]
    assert empty
    for url in empty:
        found = pages_of(play, first_of(url))
        assert len(found) <= 2, found


def _is_empty(document: dict[str, Any]) -> bool:
    return document.get("items", document.get("orderedItems")) == []


@MUST.on(r"counts shown from totalItems are clamped")
async def clamped(play: Play) -> None:
    """As they are kept, for whatever shows them."""
    async with play.world.database.read() as tx:
        rows = await tx.all(select(post.c.likes_elsewhere, post.c.shares_elsewhere).where(post.c.uri.contains("/root")))
    highest = max(number or 0 for row in rows for number in row)
    claimed = max(stub["json"].get("totalItems", 0) for stub in play.given["serve"])
    assert highest == MAX_TOTAL < claimed


@MUST.on(r"page on a foreign host is not followed")
async def not_foreign(play: Play) -> None:
    firsts = [urlsplit(stub["json"]["first"]) for stub in play.given["serve"] if "first" in stub["json"]]
    assert firsts
    for asked in play.notes["asked"].values():
        assert not {first.path for first in firsts} & set(asked)


@MUST_NOT.on(r"recursion without a budget shared by all nested fetches")
async def shared_budget(play: Play) -> None:
    """Posts whose answers are on a host further each: the last of them are never asked for."""
    them = await _followed(play, "https://peer.test/u/nest", {})
    for number in range(NEST):
        host, following = f"https://n{number}.test", f"https://n{number + 1}.test/n/1"
        await play.site(urlsplit(host).netloc)
        author = play.world.person(f"{host}/u/1", "nested", key_name=them.key_name)
        above = f"https://n{number - 1}.test/n/1" if number else None
        play.world.serve(f"{host}/n/1", note(author, f"{host}/n/1", inReplyTo=above, replies=f"{host}/r/1"))
        replies = {"@context": CONTEXT, "id": f"{host}/r/1", "type": "Collection", "items": [following]}
        play.world.serve(f"{host}/r/1", replies)
    await _answered(play, them, "https://n0.test/n/1")
    assert play.received("n1.test", method="GET"), "no nested answer was read"
    assert not play.received(f"n{NEST - 1}.test"), "nothing ended it"
