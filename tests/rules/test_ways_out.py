"""Every way on which a post leaves the house asks `posts/audience.py`: this is the list of them.

A module that gets posts from the database must ask, or stand below with the reason why it need not. Who adds a way out
asks, and adds it to the list; who reads posts for something else says for what.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from rules.house import modules, used

# The ways out that there are. Each asks itself.
WAYS_OUT = {
    "client_api.oembed": "a public post, to pages elsewhere",
    "client_api.statuses": "posts by their number, and threads, to programs",
    "client_api.status_actions": "a post with which something was undone, empty where it is out of sight",
    "client_api.search": "what a search finds, and a post at an address",
    "effects.post_published": "to the inboxes of those who receive it (those of an edit are asked of it too)",
    "federation.served.collections": "the outbox",
    "federation.served.featured": "the pinned posts",
    "federation.served.post": "the document of a post, and of its Create",
    "federation.served.thread": "answers, thread, likes and boosts of a post",
    "notifications.notify": "what is told to a persona",
    "notifications.read": "what a persona was told",
    "timelines.conversations": "direct posts, by thread, to those who are in it",
    "timelines.fill": "into home timelines",
    "timelines.home": "home timelines and lists",
    "timelines.profile": "what somebody wrote and boosted, and what stands first in their profile",
    "timelines.read": "public timelines, tags, mentions",
    "web.persona": "the page of a persona",
    "web.post": "the page of a post",
}

# Modules that get posts and show none to anybody who was not asked about; or whole rooms of them.
NEED_NOT = {
    "posts": "the room itself: whoever calls it asks",
    "migrations": "rows from one shape to another",
    "federation.inbox": "takes in what others sent",
    "composing": "an author's own post, or one that is fetched to be answered",
    "client_api.live": "what the timelines have, which ask; of a deleted post its number",
    "client_api.gathered": "counts, and what is told of posts about which its callers have asked",
    "cli.persona": "the persona's own pinned posts, to its operator",
    "cli.post": "the author's own posts, to the author's operator",
    "cli.post_vote": "the persona's own vote",
    "cli.federation_show": "to the operator alone: what was taken in, and what of it was not understood",
    "effects.forget": "deletes, and shows nothing",
    "effects.boost_withdrawn": "names a post that was boosted, by its id alone",
    "notifications.policy": "whether a post answers one of the persona's own, and nothing else of it",
    "link_previews": "what a page says of itself, to whoever has the number of a post, and so has asked",
    "effects.poll_counted": "to whoever got the post",
    "effects.poll_ended": "hands on to what asks: `poll_counted`, `notifications`",
    "effects.post_boosted": "names a post by its id alone; `fill_boost` asks",
    "effects.post_deleted": "to whoever got the post; a tombstone says nothing",
    "effects.post_edited": "to whoever got the post and to whom `post_published` finds",
    "effects.post_pinned": "names a post by its id alone",
    "effects.post_received": "hands on to what asks: `timelines`, `notifications`",
    "effects.quote_answered": "names a post by its id alone, to the one who quotes it",
    "effects.reaction_added": "names a post by its id alone, to its author",
    "effects.reaction_withdrawn": "names a post by its id alone, to its author",
    "effects.stamp_revoked": "names a post by its id alone, to the one who quotes it",
    "effects.vote_cast": "names a poll by its id alone, to its author",
    "federation.served.refusal": "whose document it is, for nothing but to refuse it",
}

READS = re.compile(
    r"privapub\.posts\.(read\.(by_|of_author|from_row)|threads\.(below|replies|look)|pin\.pinned\b|tables\.post$)"
)
ASKS = re.compile(r"privapub\.posts\.audience\.(may_see|may_see_now|visible_to|recipients)$")


def reads_and_asks(names: Iterable[str]) -> tuple[bool, bool]:
    """Whether a module that uses these names gets posts, and whether it asks."""
    found = set(names)
    return any(READS.match(name) for name in found), any(ASKS.match(name) for name in found)


def looked_at() -> dict[str, tuple[bool, bool]]:
    return {
        module.removeprefix("privapub."): reads_and_asks(name for name, _ in used(path))
        for module, path in modules().items()
    }


def need_not(module: str) -> str | None:
    """The row that stands for a module."""
    return next((row for row in NEED_NOT if module == row or module.startswith(row + ".")), None)


def test_whoever_gets_posts_asks_who_may_see_them_or_says_why_not() -> None:
    wrong = [module for module, (reads, asks) in looked_at().items() if reads and not asks and need_not(module) is None]
    assert wrong == [], "these show posts and ask nobody: see the head of this file"


def test_every_known_way_out_still_asks() -> None:
    found = looked_at()
    assert [way for way in WAYS_OUT if way not in found] == [], "gone: change the list with it"
    assert [way for way in WAYS_OUT if not found[way][1]] == []


def test_what_asks_and_what_shows_is_on_the_list() -> None:
    """A served document, a page, a timeline, a notification that gets posts is a way out, and stands there as one."""
    showing = ("federation.served.", "web.", "timelines.", "notifications.", "client_api.")
    ways = [module for module, (reads, asks) in looked_at().items() if reads and asks and module.startswith(showing)]
    assert [way for way in ways if way not in WAYS_OUT and need_not(way) is None and way not in BESIDE] == []


# Ask, and show nothing of the post itself.
BESIDE = {"federation.served.stamp"}


def test_no_reason_outlives_what_it_excuses() -> None:
    found = looked_at()
    idle = [
        row for row in NEED_NOT if not any(reads and need_not(module) == row for module, (reads, _) in found.items())
    ]
    assert [row for row in idle if row != "migrations"] == []


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("from privapub.posts.read import by_id\nasync def f(tx): return await by_id(tx, 1)", (True, False)),
        (
            "from privapub.posts import read as posts\nasync def f(tx): return await posts.of_author(tx, 1)",
            (True, False),
        ),
        ("from privapub.posts.tables import post\nfrom sqlalchemy import select\nx = select(post)", (True, False)),
        (
            "from privapub.posts import audience as a, read\nx = a.visible_to(1, [read.by_id(1, 2)], None)",
            (True, True),
        ),
        ("from privapub.posts import audience\nx = audience.OPEN", (False, False)),
        ("from privapub.posts.read import Post\ndef f(post: Post) -> str: return post.uri", (False, False)),
    ],
)
def test_the_rule_knows_who_reads_and_who_asks(tmp_path: Path, source: str, verdict: tuple[bool, bool]) -> None:
    file = tmp_path / "sample.py"
    file.write_text(source)
    assert reads_and_asks(name for name, _ in used(file)) == verdict
