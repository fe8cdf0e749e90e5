"""The ids that a collection lists, page by page, from one host and to an end."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from privapub.federation.documents.properties import identity, types
from privapub.federation.documents.read_collection import Item, RemoteCollection
from privapub.federation.fetching.origin import bare, same_origin

PAGES = 100  # of one collection
# Of an activity in a collection, what it is about is the post (FEP-f228, collection of activities; FEP-171b).
ABOUT_POSTS = frozenset({"Create", "Update", "Add", "Announce"})
OTHER_ACTIVITIES = frozenset({"Like", "Dislike", "EmojiReact", "Delete", "Undo", "Remove", "Follow", "Tombstone"})

# Gives the collection or page at an address, or None where there is none.
Open = Callable[[str], Awaitable[RemoteCollection | None]]


async def ids_in(uri: str, open_page: Open) -> AsyncGenerator[list[str], None]:
    """The ids of the posts in a collection, a page at a time.

    A page on another host is not followed, nor one that was read already; a fetched page with nothing in it is the end.
    """
    found = await open_page(uri)
    if found is None:
        return
    read, here, following = {bare(uri)}, found, found.first or found.next
    if found.items:
        yield posts_of(found)
    if found.first_page is not None:  # it stood in the collection: Mastodon's is empty, and the next is not
        here, following = found.first_page, found.first_page.next
        read.add(bare(here.uri or uri))
        if here.items:
            yield posts_of(here)
    for _ in range(PAGES):
        if following is None or bare(following) in read or not same_origin(following, uri):
            return
        read.add(bare(following))
        page = await open_page(following)
        if page is None or not page.items:
            return
        yield posts_of(page)
        following = page.next


def posts_of(page: RemoteCollection) -> list[str]:
    """The ids of the posts that a page lists, in its order, each once (pure)."""
    return list(dict.fromkeys(uri for item in page.items if (uri := _post(item)) is not None))


def _post(item: Item) -> str | None:
    if item.object is None:
        return item.id
    return post_in(item.object) or (None if set(types(item.object)) & OTHER_ACTIVITIES else item.id)


def post_in(document: dict[str, Any]) -> str | None:
    """The id of what an activity is about, where that is a post; None for what is no such activity (pure)."""
    if not set(types(document)) & ABOUT_POSTS:
        return None
    about = document.get("object")
    if isinstance(about, dict) and set(types(about)) & ABOUT_POSTS:
        about = about.get("object")  # an Add of a Create (FEP-171b)
    return identity(about)
