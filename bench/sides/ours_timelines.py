"""usage: ours_timelines.py URL POSTS FOLLOWS READS: processor time of a page of a home timeline, in ms."""

import asyncio
import sys
import time
from typing import Any

from starting import told

from privapub import identifiers
from privapub.actors.tables import actor
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.follows.tables import follow
from privapub.personas.tables import persona
from privapub.posts.tables import post
from privapub.timelines.home import home
from privapub.timelines.tables import timeline_entry

NOW = 1_800_000_000.0
STRANGERS = 500
AT_ONCE = 5000


def person(number: int, *, local: bool) -> dict[str, Any]:
    """A row of somebody."""
    uri = f"https://peer{number % 50}.test/u/{number}"
    return {
        "id": number + 1, "uri": uri, "kind": "Person", "local": local, "handle": f"u{number}",
        "host": f"peer{number % 50}.test", "inbox": f"{uri}/inbox", "created_at": NOW, "fields": [],
        "also_known_as": [], "tags": [],
    }  # fmt: skip


def written(number: int, posts: int, authors: int) -> dict[str, Any]:
    """A row of a post; one in four answers somebody, who half of the time is a stranger."""
    at = NOW - (posts - number) * 60
    answered = number % 4 == 0 and number > 0
    return {
        "id": int(at * 1000) << 20, "uri": f"https://peer.test/n/{number}", "author_id": 2 + number * 7 % authors,
        "local": False, "kind": "Note", "audience": "public", "content": "<p>Good morning to everybody.</p>" * 8,
        "in_reply_to": f"https://peer.test/n/{number - 1}" if answered else None,
        "in_reply_to_id": int((at - 60) * 1000) << 20 if answered else None,
        "published_at": at, "received_at": at,
    }  # fmt: skip


async def fill(database: Database, posts: int, follows: int) -> None:
    """One reader, whom it follows and as many strangers; what the followed wrote stands in its timeline."""
    authors = follows + STRANGERS
    async with database.write() as tx:
        await tx.execute(actor.insert(), [person(number, local=number == 0) for number in range(authors + 1)])
        await tx.execute(persona.insert(), [{"id": 1, "handle": "u0"}])
        await tx.execute(
            follow.insert(),
            [
                {"id": number, "follower_id": 1, "followed_id": 2 + number, "uri": f"f{number}", "state": "accepted",
                 "created_at": NOW}
                for number in range(follows)
            ],
        )  # fmt: skip
    for start in range(0, posts, AT_ONCE):
        rows = [written(number, posts, authors) for number in range(start, min(start + AT_ONCE, posts))]
        async with database.write() as tx:
            await tx.execute(post.insert(), rows)
            entries = [
                {"persona_id": 1, "entry_id": row["id"], "post_id": row["id"]}
                for row in rows
                if row["author_id"] < 2 + follows
            ]
            await tx.execute(timeline_entry.insert(), entries)


async def measure(url: str, posts: int, follows: int, reads: int) -> dict[str, float]:
    """The first page over and over, and pages from all over the timeline."""
    database = Database(url)
    await fill(database, posts, follows)
    oldest = NOW - posts * 60
    found = {}
    for name in ("first", "anywhere"):
        for count in (20, reads):  # the first of them only warm up
            async with database.read() as tx:
                began = time.process_time()
                for _ in range(count):
                    at = int(identifiers.uniform(oldest + posts * 6, NOW) * 1000) << 20
                    window = Window() if name == "first" else Window(before=at)
                    page = await home(tx, 1, window, NOW)
                    if len(page.items) != window.limit:
                        raise SystemExit(f"a page of {len(page.items)}")
                found[name] = 1000 * (time.process_time() - began) / count
    await database.close()
    return found


if __name__ == "__main__":
    told(asyncio.run(measure(sys.argv[1], *map(int, sys.argv[2:5]))))
