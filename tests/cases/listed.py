"""What the cases say of lists that programs read page by page: their order, their cursors, and where they lead."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cases import clients, verbs
from cases.given import REQUEST, field
from cases.play import MUST, MUST_NOT, Play, Reply, Sentence
from cases.setup import SETUP, follows
from cases.stage import allowed
from cases.steps import THING
from cases.words import Unknown, Words
from privapub import clock
from privapub.posts import delete as deleting

WALK = Words("walk")
ANSWER = Words("answer to a list")
HOME = "/api/v1/timelines/home"
TIMES = {"once": 1, "twice": 2}
MANY = 45  # more than any page has
MOST = 40  # which Mastodon documents


# Notes have numbers in the words of a case, and others here


async def _note(play: Play, number: str) -> None:
    """Alice writes the next one, a second after the one before."""
    clock.advance(1)
    made = await verbs.post(play.world, play.on.alice, f"note {number}")
    play.notes.setdefault("numbers", {})[number] = str(made.id)
    await play.drain()


def _named(play: Play, pages: list[Reply]) -> list[list[str]]:
    """What pages list, as the case calls it."""
    names = {number: name for name, number in play.notes.get("numbers", {}).items()}
    return [[names.get(each["id"], each["id"]) for each in page.json] for page in pages]


def _here(play: Play, query: str) -> str:
    """A query with the numbers that the notes have here."""
    numbers = play.notes["numbers"]
    return re.sub(r"((?:max|min|since)_id=)(\d+)", lambda found: found[1] + numbers.get(found[2], found[2]), query)


def _cursor(url: str | None) -> dict[str, list[str]]:
    return (
        {} if url is None else {name: value for name, value in parse_qs(urlsplit(url).query).items() if "_id" in name}
    )


# A timeline


@SETUP.on(r"home timeline of alice, newest first: (\d+(?: \d+)*)")
async def home(play: Play, numbers: str) -> None:
    for number in reversed(numbers.split()):
        await _note(play, number)
    assert _named(play, [await clients.asked(play, play.on.alice, "GET", HOME)]) == [numbers.split()]


@REQUEST.on(r"(\?\S+)")
async def part_of_home(play: Play, query: str) -> None:
    """One part of it; what it is to be, the case tells beside it."""
    reply = await clients.asked(play, play.on.alice, "GET", HOME + _here(play, query))
    expected = play.notes["expected"]
    if isinstance(expected, list):
        assert reply.status == 200, f"{query}: {reply.body}"
        play.notes.setdefault("parts", []).append((query, expected, reply))
        return
    play.notes["part"] = (query, reply)
    for _, meaning in ANSWER.read(expected):
        await meaning(play)


@ANSWER.on(r"(\d{3}) or (\d{3})")
async def either(play: Play, *statuses: str) -> None:
    query, reply = play.notes["part"]
    assert str(reply.status) in statuses, f"{query}: {reply.status}"


@ANSWER.on(r"200 \[\] or 4xx, not 500")
async def nothing_or_refused(play: Play) -> None:
    query, reply = play.notes["part"]
    assert allowed(reply.status, "4xx") or (reply.status, reply.json) == (200, []), f"{query}: {reply.status}"


@ANSWER.on(r"at most the maximum")
async def at_most(play: Play) -> None:
    """Of a timeline that has more than that."""
    query, reply = play.notes["part"]
    assert (reply.status, len(reply.json)) == (200, len(play.notes["numbers"]))
    bob = play.on.ours["bob"]
    for number in range(MANY):
        await verbs.post(play.world, bob, f"one of many: {number}")
    await play.drain()
    found = await clients.asked(play, bob, "GET", HOME + query)
    assert (found.status, len(found.json)) == (200, MOST)


@MUST.on(r"ids in this order", r"min_id pages are those next to the cursor, still newest first")
@MUST_NOT.on(r"treat min_id as since_id")
async def in_this_order(play: Play) -> None:
    """Among the parts are some after a `min_id` which are others than those after the same `since_id`."""
    for query, expected, reply in play.notes["parts"]:
        assert _named(play, [reply]) == [expected], query
    assert [query for query, _, _ in play.notes["parts"] if "min_id" in query]


@MUST.on(
    r"Link next uses max_id of the last item, prev uses min_id of the first item, unchanged(?: \(no \+1/-1\))?",
)
async def cursors(play: Play) -> None:
    """Where a part has anything."""
    looked_at = 0
    for query, _, reply in play.notes["parts"]:
        found = reply.json
        assert bool(found) is (clients.link(reply, "prev") is not None), query
        for relation, name, place in (("next", "max_id", -1), ("prev", "min_id", 0)):
            if url := clients.link(reply, relation):
                assert _cursor(url) == {name: [found[place]["id"]]}, f"{query}: {url}"
                looked_at += 1
    assert looked_at > len(play.notes["parts"])


@field("walk")
async def walked(play: Play, value: Any, due: list[Sentence]) -> None:
    del due
    for _, meaning in WALK.read(value):
        await meaning(play)


@WALK.on(
    r"follow rel=next from (\?\S+) to the end, then rel=prev back to the start, while note (\d+) is added in the middle"
    r" of the walk and note (\d+) is deleted"
)
async def there_and_back(play: Play, query: str, added: str, deleted: str) -> None:
    first = await clients.asked(play, play.on.alice, "GET", HOME + query)
    await _note(play, added)
    async with play.world.database.write() as tx:
        await deleting.delete(tx, int(play.notes["numbers"][deleted]), play.on.alice.id, clock.now())
    await play.drain()
    further = clients.link(first, "next")
    assert further is not None
    there = [first, *await clients.walk(play, play.on.alice, further)]
    last = next(each for each in reversed(there) if each.json)
    back = clients.link(last, "prev")
    assert back is not None
    play.notes["there"] = there
    play.notes["back"] = [last, *await clients.walk(play, play.on.alice, back, "prev")]
    play.notes["surviving"] = [each for each in play.notes["numbers"] if each != deleted]
    play.notes["added"] = added


@MUST.on(r"the walk sees every surviving note once, and (\d+) on the way back")
async def seen_once(play: Play, added: str) -> None:
    """In their order, the newest first, and on the way back each page before the one before it."""
    wanted = sorted(play.notes["surviving"], key=lambda name: -int(play.notes["numbers"][name]))
    there = [name for page in _named(play, play.notes["there"]) for name in page]
    back = [name for page in reversed(_named(play, play.notes["back"])) for name in page]
    assert there == [name for name in wanted if name != added]
    assert (added, back) == (play.notes["added"], wanted)


# Lists in an order of their own


@SETUP.on(r"alice bookmarked notes (\d+(?:, \d+)*) in this order of time(?: \(\d+ last\))?")
async def bookmarked(play: Play, numbers: str) -> None:
    """And liked them in this order, and others followed her in one that is not that of their numbers."""
    order = numbers.split(", ")
    for number in range(1, max(map(int, order)) + 1):
        await _note(play, str(number))
    for number in order:
        clock.advance(1)
        for what in ("bookmark", "favourite"):
            path = f"/api/v1/statuses/{play.notes['numbers'][number]}/{what}"
            await clients.told(play.world, play.on.alice, "POST", path)
    for name in ("dave", "carol", "bob"):
        clock.advance(1)
        await follows(play, name, "alice")


@SETUP.on(r"pinned notes (\d+) then (\d+)")
async def pinned(play: Play, *numbers: str) -> None:
    for number in numbers:
        clock.advance(1)
        await clients.told(play.world, play.on.alice, "POST", f"/api/v1/statuses/{play.notes['numbers'][number]}/pin")


@THING.on(r"a status id")
async def a_status(play: Play) -> None:
    play.notes["thing"] = next(iter(play.notes["numbers"].values()))


@REQUEST.on(r"GET (/api/[^\s{}]+) and follow next (\w+)", r"GET (/api/[^\s{}]+) \((same|follow next)\)")
async def follow_next(play: Play, path: str, how: str) -> None:
    """To the end, which comes no sooner than the case says."""
    if how == "same":
        path, how = f"{path}?{play.notes['query']}", play.notes["how"]
    bare, _, play.notes["query"] = path.partition("?")
    play.notes["how"] = how
    pages = await clients.walk(play, play.on.alice, path)
    assert len(pages) > TIMES.get(how, 1), f"{path} ends after {len(pages)}"
    whole = await clients.asked(play, play.on.alice, "GET", bare)
    play.notes.setdefault("lists", {})[bare.rpartition("/")[2]] = (pages, whole)


@REQUEST.on(r"GET (/api/[^\s{}]+), then its rel=prev")
async def then_prev(play: Play, path: str) -> None:
    first = await clients.asked(play, play.on.alice, "GET", path)
    assert first.json
    url = clients.link(first, "prev")
    play.notes["prev"] = [] if url is None else (await clients.asked(play, play.on.alice, "GET", url)).json


@REQUEST.on(r"GET (/api/[^\s{}]+)")
async def as_a_reader(play: Play, path: str) -> None:
    reply = await clients.asked(play, play.on.alice, "GET", path)
    assert reply.status < 500, f"{path}: {reply.body}"


def _all(play: Play, name: str) -> list[str]:
    if name not in play.notes.get("lists", {}):
        raise Unknown("list", name)
    return [each for page in _named(play, play.notes["lists"][name][0]) for each in page]


@MUST.on(r"(\w+) order (\d+(?:, \d+)*), each once")
async def order(play: Play, name: str, numbers: str) -> None:
    assert _all(play, name) == numbers.split(", ")


@MUST.on(r"pinned: prev gives \[\]")
async def no_newer_pins(play: Play) -> None:
    assert play.notes["prev"] == []


@MUST_NOT.on(r"page by status id, so that items repeat or vanish")
async def each_once(play: Play) -> None:
    """The whole list at once and page by page is the same."""
    for name, (_, reply) in play.notes["lists"].items():
        (whole,) = _named(play, [reply])
        assert len(whole) > 2, name
        assert _all(play, name) == whole, name
        assert len(set(whole)) == len(whole), name


@MUST.on(r"cursors in Link are honoured as given, also after the bookmark they came from is removed")
async def honoured(play: Play) -> None:
    """The first page's cursor leads to the rest, though its bookmark and its like are gone."""
    for name, undo in (("bookmarks", "unbookmark"), ("favourites", "unfavourite")):
        pages, _ = play.notes["lists"][name]
        url = clients.link(pages[0], "next")
        assert url is not None
        await clients.told(play.world, play.on.alice, "POST", f"/api/v1/statuses/{pages[0].json[0]['id']}/{undo}")
        rest = _named(play, await clients.walk(play, play.on.alice, url))
        assert [each for page in rest for each in page] == _all(play, name)[1:], name
