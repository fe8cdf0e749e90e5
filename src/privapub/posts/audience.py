"""Who may see a post, and who receives it: the one privacy decision of the house.

The decisions are pure; what looks up (`recipients`, `may_see_now`, `visible_to`) only gathers the facts for them.
Blocks count either way, for posts that are for everyone too; mutes change nothing of who may see what. What was written
on a server that is blocked here is seen by nobody. Whatever is not understood is kept from everybody but the author and
those who are named.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, exists, or_, select

from privapub.actors import blocks, standing
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.follows import read as follows
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.moderation.domain_rules import BLOCKED, LIMITED
from privapub.personas.defaults import AUDIENCES
from privapub.posts import read
from privapub.posts.boost_read import Boost
from privapub.posts.read import FOLLOWERS, PUBLIC, UNLISTED, Post
from privapub.posts.tables import post as post_table
from privapub.posts.tables import post_recipient

# Seen by everyone, also by who is not signed in.
OPEN = frozenset({PUBLIC, UNLISTED})
# What a persona may choose when it publishes.
CHOICES = AUDIENCES

_TO_FOLLOWERS = OPEN | {FOLLOWERS}


@dataclass(frozen=True)
class Recipients:
    """To whom a post goes: all accepted followers of its author, or not; and actors by number.

    Nobody receives it whom its author blocks or who blocks its author: followers are to be looked up with
    `actors.blocks.between`, the numbers hold none of them.
    """

    followers: bool
    actor_ids: tuple[int, ...]


def may_see(
    post: Post,
    viewer_id: int | None,
    *,
    follows: bool = False,
    named: bool = False,
    blocked: bool = False,
    hidden: bool = False,
) -> bool:
    """Whether this viewer (None: somebody unknown) may see the post (pure).

    `follows`: the viewer follows the author, and that was accepted. `named`: the post names the viewer. `blocked`:
    the viewer blocks the author or the author the viewer. `hidden`: the server of the author is blocked. Nobody sees a
    deleted post.
    """
    if post.deleted_at is not None or blocked or hidden:
        return False
    if post.audience in OPEN:
        return True
    if viewer_id is None:
        return False
    return viewer_id == post.author_id or named or (follows and post.audience == FOLLOWERS)


def addressed(post: Post, named_ids: Iterable[int], blocked_ids: Collection[int] = ()) -> Recipients:
    """To whom the post goes, given whom it names and whom a block parts from its author (pure). Not to its author."""
    return Recipients(
        followers=post.audience in _TO_FOLLOWERS,
        actor_ids=tuple(sorted(set(named_ids) - {post.author_id} - set(blocked_ids))),
    )


async def recipients(tx: Transaction, post: Post) -> Recipients:
    """To whom the post goes now."""
    named = await tx.all(_NAMED, post=post.id, author=post.author_id)
    return addressed(post, [row.actor_id for row in named], {row.actor_id for row in named if row.parted})


_NAMED = (
    select(
        post_recipient.c.actor_id,
        blocks.between(bindparam("author", type_=BigInteger), post_recipient.c.actor_id).label("parted"),
    )
    .where(post_recipient.c.post_id == bindparam("post"))
    .order_by(post_recipient.c.actor_id)
)


async def may_see_now(tx: Transaction, post: Post, viewer_id: int | None) -> bool:
    """Whether this viewer may see the post, as things stand."""
    return bool(await visible_to(tx, [post], viewer_id))


async def seen(tx: Transaction, post_id: int, viewer_id: int) -> Post:
    """The post with this number, which the viewer may see now; it is held as by `read.held`. Else NotFound."""
    post = await read.held(tx, post_id)
    if post is None or not await may_see_now(tx, post, viewer_id):
        raise NotFound("There is no such post.")
    return post


async def may_see_boost(tx: Transaction, boost: Boost, viewer_id: int | None) -> bool:
    """Whether this viewer may know, as things stand, that the booster passed a post on: whom the boost was for.

    Of the post itself nothing is asked.
    """
    if await standing.blocked_among(tx, {boost.actor_id}):
        return False
    if viewer_id is None or viewer_id == boost.actor_id:
        return viewer_id is not None or boost.audience in OPEN
    if await blocks.either_way(tx, viewer_id, [boost.actor_id]):
        return False
    return boost.audience in OPEN or boost.actor_id in await follows.followed_among(tx, viewer_id, {boost.actor_id})


async def visible_to(tx: Transaction, posts: Collection[Post], viewer_id: int | None) -> list[Post]:
    """Those of these posts that this viewer may see, in their order, with four questions to the database at most."""
    hidden = await standing.blocked_among(tx, {post.author_id for post in posts if not post.local})
    if viewer_id is None:
        return [post for post in posts if may_see(post, None, hidden=post.author_id in hidden)]
    closed = [post for post in posts if post.audience not in OPEN]
    followed = await follows.followed_among(tx, viewer_id, {post.author_id for post in closed})
    named = await read.naming(tx, viewer_id, [post.id for post in closed])
    blocked = await blocks.either_way(tx, viewer_id, {post.author_id for post in posts})
    return [
        post
        for post in posts
        if may_see(
            post,
            viewer_id,
            follows=post.author_id in followed,
            named=post.id in named,
            blocked=post.author_id in blocked,
            hidden=post.author_id in hidden,
        )
    ]


def facts(viewer_id: Any) -> list[Any]:
    """What is to be known of posts for `may_see_row`: columns for a question that gets them.

    The viewer is a number, a value that is given when it is asked, or None.
    """
    hidden = standing.is_blocked(post_table.c.author_id).label("author_hidden")
    if viewer_id is None:
        return [hidden]
    followed, named = _followed(viewer_id), _named(viewer_id)
    blocked = blocks.between(viewer_id, post_table.c.author_id).label("author_blocked")
    return [hidden, followed.label("author_followed"), named.label("viewer_named"), blocked]


def may_see_row(post: Post, row: Any, viewer_id: int | None) -> bool:
    """Whether this viewer may see the post, by the row with its `facts` (pure)."""
    if viewer_id is None:
        return may_see(post, None, hidden=bool(row.author_hidden))
    return may_see(
        post,
        viewer_id,
        follows=bool(row.author_followed),
        named=bool(row.viewer_named),
        blocked=bool(row.author_blocked),
        hidden=bool(row.author_hidden),
    )


def _followed(viewer_id: Any, of: Any = post_table) -> ColumnElement[bool]:
    this = follow.alias()
    return (
        exists()
        .where(
            this.c.follower_id == viewer_id,
            this.c.followed_id == of.c.author_id,
            this.c.state == follows.ACCEPTED,
        )
        .correlate_except(this)
    )


def _named(viewer_id: Any, of: Any = post_table) -> ColumnElement[bool]:
    this = post_recipient.alias()
    return exists().where(this.c.post_id == of.c.id, this.c.actor_id == viewer_id).correlate_except(this)


def passed_over(reader: Any, author: Any) -> ColumnElement[bool]:
    """Whether rules about domains keep what somebody wrote or did out of what a reader did not ask for.

    That is a timeline or a notification. What comes from a blocked server is kept from everybody, what comes from a
    limited one from those who do not follow its author. (Columns or numbers; `reader` None is somebody unknown.)
    """
    this = actor.alias()
    if reader is None:
        kept: ColumnElement[bool] = this.c.standing.in_([BLOCKED, LIMITED])
    else:
        theirs = follow.alias()
        followed = exists().where(
            theirs.c.follower_id == reader, theirs.c.followed_id == this.c.id, theirs.c.state == ACCEPTED
        )
        kept = or_(this.c.standing == BLOCKED, and_(this.c.standing == LIMITED, ~followed.correlate_except(theirs)))
    return exists().where(this.c.id == author, kept).correlate_except(this)


def seen_by(viewer_id: int | None) -> ColumnElement[bool]:
    """What this viewer may see as things stand: a condition on posts for larger questions.

    A page that is read with it is filled by what is visible alone, so that neither its length nor where it ends tells
    of anything else; what rules about domains keep out of timelines is not in it. What comes of it is asked of
    `visible_to` like everything.
    """
    return and_(visible(viewer_id), ~passed_over(viewer_id, post_table.c.author_id))


def visible(viewer_id: int | None, of: Any = post_table) -> ColumnElement[bool]:
    """As `may_see` decides, as things stand: a condition on posts. What rules about domains pass over is in it.

    `of`: the table of posts, or its alias where it stands twice in a question.
    """
    is_open = of.c.audience.in_(sorted(OPEN))
    offered = ~standing.is_blocked(of.c.author_id)
    if viewer_id is None:
        return and_(of.c.deleted_at.is_(None), is_open, offered)
    return and_(
        of.c.deleted_at.is_(None),
        ~blocks.between(viewer_id, of.c.author_id),
        offered,
        or_(
            is_open,
            of.c.author_id == viewer_id,
            _named(viewer_id, of),
            and_(of.c.audience == FOLLOWERS, _followed(viewer_id, of)),
        ),
    )
