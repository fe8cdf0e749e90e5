"""What belongs to a post of ours, as collections: answers, the thread, likes and boosts (FEP-7888, FEP-f228)."""

from typing import Any

from privapub.posts.read import Post


def replies_of(uri: str) -> str:
    """The id of the collection of what answers a post of ours."""
    return f"{uri}/replies"


def thread_of(uri: str) -> str:
    """The id of the collection of a post of ours and of all below it."""
    return f"{uri}/context"


def likes_of(uri: str) -> str:
    """The id of the collection of the likes of a post of ours."""
    return f"{uri}/likes"


def shares_of(uri: str) -> str:
    """The id of the collection of the boosts of a post of ours."""
    return f"{uri}/shares"


def around(post: Post) -> dict[str, Any]:
    """What a post's document says of that which belongs to it: where its answers, likes and boosts are listed.

    Those are collections within the document, not their ids alone: some readers refuse a post over an id there (apkit).
    `context` is the thread as whoever began it lists it, if we know that, else as we do from this post on;
    `conversation` says the same to those who read only that.
    """
    thread = post.context or thread_of(post.uri)
    return {
        "replies": {"id": replies_of(post.uri), "type": "Collection", "first": f"{replies_of(post.uri)}?page=true"},
        "likes": {"id": likes_of(post.uri), "type": "Collection"},
        "shares": {"id": shares_of(post.uri), "type": "Collection"},
        "context": thread,
        "conversation": post.conversation or thread,
    }
