"""One entry of a timeline as its reader gets it."""

from dataclasses import dataclass

from privapub.posts.boost_read import Boost
from privapub.posts.read import Post
from privapub.timelines.matching import Match


@dataclass(frozen=True)
class Entry:
    """A post that its reader may see. `id` is its key in the timeline: the post's number, or that of the boost.

    `matches`: the reader's filters that do not hide it but want a word before it.
    """

    id: int
    post: Post
    boost_id: int | None = None
    booster_id: int | None = None
    matches: tuple[Match, ...] = ()
    boost: Boost | None = None
