"""Posts as commands print them."""

from collections.abc import Mapping, Sequence
from typing import Any

from privapub import clock
from privapub.markup.text import shortened, text_of
from privapub.posts.hold import Held, of_posts
from privapub.posts.poll_read import Poll
from privapub.posts.read import Post
from privapub.server import Server

_LINE = 60  # characters of a text in a table
_QUOTES = {"accepted": "shown", "pending": "its author is asked", "rejected": "its author does not let it"}


def shown(post: Post, held: Held | None = None) -> dict[str, Any]:
    """A post as programs read it; `held` tells of one that waits for its media."""
    return {
        "id": str(post.id),
        "uri": post.uri,
        "audience": post.audience if held is None else held.audience,
        "text": post.source,
        "html": post.content,
        "summary": post.summary,
        "in_reply_to": post.in_reply_to,
        "quote": post.quote,
        "quote_state": post.quote_state or None,
        "published_at": clock.iso(post.published_at),
        "edited_at": post.edited_at and clock.iso(post.edited_at),
        **({} if post.poll is None else {"poll": poll_shown(post.poll)}),
        **({} if held is None else {"waits": True, "why": held.why}),
        **({} if not post.attachments else {"media": [_file(each) for each in post.attachments]}),
    }


async def shown_all(server: Server, posts: Sequence[Post]) -> list[dict[str, Any]]:
    """Posts of one's own, as programs read them."""
    async with server.database.read() as tx:
        held = await of_posts(tx, posts)
    return [shown(post, held.get(post.id)) for post in posts]


def _file(of: Mapping[str, Any]) -> dict[str, Any]:
    return {name: of.get(name) for name in ("url", "media_type", "alt", "width", "height", "duration")}


def poll_shown(poll: Poll) -> dict[str, Any]:
    """A poll as programs read it."""
    return {
        "multiple": poll.multiple,
        "options": [{"name": option.name, "votes": option.votes} for option in poll.options],
        "voters": poll.voters,
        "ends_at": poll.ends_at and clock.iso(poll.ends_at),
        "closed": poll.is_over(clock.now()),
    }


def line(row: Mapping[str, Any]) -> dict[str, Any]:
    """A post (of `shown`) as a table has it: its text on one line, and what else there is of it. Pure."""
    marks = (
        ("answer", row["in_reply_to"]),
        ("quote", row["quote"] and row["quote_state"] == "accepted"),
        (f"quote {row['quote_state']}", row["quote"] and row["quote_state"] != "accepted"),
        ("poll", "poll" in row),
        ("media", "media" in row),
        ("edited", row["edited_at"]),
        (f"waits: {row.get('why') or 'for media'}", row.get("waits")),
    )
    text = row["text"] if row["text"] is not None else text_of(row["html"])
    said = f"[{row['summary']}] {text}" if row["summary"] else text
    return {**row, "marks": ", ".join(mark for mark, there in marks if there), "text": shortened(said, _LINE)}


def paragraphs(row: Mapping[str, Any]) -> str:
    """A post (of `shown`, with its author) as people read it: who and when, its marks, its text, its address. Pure."""
    parts = (
        f"{row['boosted_by']} boosted" if row.get("boosted_by") else "",
        f"Filtered: {', '.join(row['filters'])}" if row.get("filters") else "",
        f"{row['author']}  {row['published_at']}  {row['audience']}" + ("  edited" if row["edited_at"] else ""),
        f"In answer to {row['in_reply_to']}" if row["in_reply_to"] else "",
        row["summary"],
        text_of(row["html"]),
        poll_lines(row["poll"]) if "poll" in row else "",
        f"Quotes {row['quote']} ({_QUOTES.get(row['quote_state'], row['quote_state'])})" if row["quote"] else "",
        f"{row['uri']}  (post {row['id']}{', entry ' + row['entry'] if 'entry' in row else ''})",
    )
    return "\n".join(part for part in parts if part)


def poll_lines(poll: Mapping[str, Any]) -> str:
    """A poll (of `poll_shown`) as people read it: each answer under the number by which it is voted for. Pure."""
    width = max(len(option["name"]) for option in poll["options"])
    answers = [
        f"  {number}  {option['name'].ljust(width)}  {option['votes'] or 0}"
        for number, option in enumerate(poll["options"], start=1)
    ]
    choice = "several answers" if poll["multiple"] else "one answer"
    end = "closed" if poll["closed"] else f"open until {poll['ends_at']}" if poll["ends_at"] else "open"
    voters = "" if poll["voters"] is None else f", {poll['voters']} voted"
    return "\n".join([f"Poll ({choice}, {end}{voters}):", *answers])
