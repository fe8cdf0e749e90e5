"""Our posts as documents (ActivityStreams Vocabulary: Note, Question, Tombstone; ActivityPub, 5: addressing)."""

from collections.abc import Mapping
from typing import Any

from privapub import clock
from privapub.actors.read import Actor
from privapub.federation.documents import context
from privapub.federation.documents.members import without_nothing
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.write_emoji import emoji
from privapub.federation.documents.write_poll import question
from privapub.federation.documents.write_quote import quote_fields, quote_tag, with_fallback
from privapub.federation.documents.write_thread import around
from privapub.posts.read import Post

_UNKNOWN_AUDIENCE = "no addressing on the wire for the audience {!r}"


def note(post: Post, author: Actor) -> dict[str, Any]:
    """The post as its readers get it: the same for all of them. One that asks something is a Question.

    Raises ValueError for an audience that has no such rendering.
    """
    to, cc = addressing(post.audience, author, mentioned(post))
    content = with_fallback(post.content, post)
    document: dict[str, Any] = {
        "@context": context.OF_POST,
        "id": post.uri,
        "type": "Note",
        "attributedTo": author.uri,
        "to": to,
        "cc": cc,
        "published": clock.iso(post.published_at),
        "updated": clock.iso(post.edited_at) if post.edited_at is not None else None,
        "url": post.url or post.uri,
        "inReplyTo": post.in_reply_to,
        **around(post),
        "summary": post.summary or None,
        "sensitive": bool(post.sensitive or post.summary),
        "content": content,
        "contentMap": {post.language: content} if post.language else None,
        "source": {"content": post.source, "mediaType": f"text/{post.text_format}"} if post.source else None,
        "tag": [*(_tag(tag) for tag in post.tags), *quote_tag(post)],
        "attachment": [_attachment(one) for one in post.attachments],
        **quote_fields(post, author),
        **({} if post.poll is None else question(post.poll)),
    }
    return without_nothing(document)


def addressing(audience: str, author: Actor, named: list[str]) -> tuple[list[str], list[str]]:
    """`to` and `cc` of what is meant for an audience; `named` are the ids of those who are named in it."""
    followers = [author.followers] if author.followers else []
    if audience == "public":
        return [PUBLIC], [*followers, *named]
    if audience == "unlisted":
        return followers, [PUBLIC, *named]
    if audience == "followers":
        return followers, named
    if audience == "direct":
        return named, []
    raise ValueError(_UNKNOWN_AUDIENCE.format(audience))


def mentioned(post: Post) -> list[str]:
    """The ids of those whom the post mentions, each once."""
    return list(dict.fromkeys(tag["href"] for tag in post.tags if tag.get("type") == "Mention" and tag.get("href")))


def tombstone(post: Post) -> dict[str, Any]:
    """What is left of a deleted post."""
    document: dict[str, Any] = {"@context": context.PLAIN, "id": post.uri, "type": "Tombstone"}
    if post.deleted_at is not None:
        document["deleted"] = clock.iso(post.deleted_at)
    return document


def _attachment(one: Mapping[str, Any]) -> dict[str, Any]:
    """A file of the post. What it shows is its `name` as Mastodon has it, and its `summary` as newer programs do."""
    alt, seconds, preview = one.get("alt") or None, one.get("duration"), one.get("preview")
    return without_nothing(
        {
            "type": "Document",
            "mediaType": one.get("media_type") or None,
            "url": one["url"],
            "name": alt,
            "summary": alt,
            "width": one.get("width"),
            "height": one.get("height"),
            "blurhash": one.get("blurhash") or None,
            "focalPoint": one.get("focal_point"),
            "duration": None if seconds is None else f"PT{seconds:.3f}S",
            "icon": {"type": "Image", "url": preview} if preview else None,
        }
    )


def _tag(tag: Any) -> dict[str, Any]:
    if tag.get("type") == "Emoji":
        return emoji(tag)
    return {name: tag[name] for name in ("type", "href", "name") if tag.get(name)}
