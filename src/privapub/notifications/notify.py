"""Telling a persona of what others did. Each thing is told once, and nothing is told of what its reader may not see."""

from collections.abc import Collection
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Double, Executable, Text, bindparam, delete, false, select

from privapub import identifiers
from privapub.actors import blocks, mutes
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction, insert_into
from privapub.follows.read import ACCEPTED, PENDING, Follow
from privapub.follows.tables import follow
from privapub.notifications import policy, push
from privapub.notifications.tables import notification
from privapub.personas.tables import persona
from privapub.posts import audience, thread_mutes
from privapub.posts import read as posts
from privapub.posts.audience import Recipients
from privapub.posts.read import DIRECT, Post
from privapub.posts.tables import boost, poll_vote
from privapub.stream import events

MENTION, STATUS, REBLOG, FOLLOW, FOLLOW_REQUEST = "mention", "status", "reblog", "follow", "follow_request"
FAVOURITE, REACTION, POLL, UPDATE, QUOTE = "favourite", "reaction", "poll", "update", "quote"
QUOTED_UPDATE, MOVE = "quoted_update", "move"
KINDS = (
    MENTION, STATUS, REBLOG, FOLLOW, FOLLOW_REQUEST, FAVOURITE, REACTION, POLL, UPDATE, QUOTE, QUOTED_UPDATE, MOVE
)  # fmt: skip
# What one asked for oneself, by a vote, a boost, a quote, a follow: no policy is about it.
_WANTED = frozenset({STATUS, POLL, UPDATE, QUOTED_UPDATE, MOVE})


async def notify(
    tx: Transaction,
    persona_id: int,
    kind: str,
    actor_id: int,
    *,
    post_id: int | None = None,
    about: str = "",
    now: float,
) -> int | None:
    """Tell a persona that somebody did this; the number of the notification, or None where it is not to be told.

    `about` tells it from another of its kind by the same actor: with the same one it is told once. Not told is what is
    not ours to tell (the persona is a remote actor, or closed), what one did oneself, what somebody did whom a block
    parts from the persona or whose notifications it mutes, what comes from a blocked server or, where the persona does
    not follow who did it, from a limited one, what its policy drops, and what is about a post that it may not see or
    whose thread it muted.
    """
    if kind not in KINDS:
        raise ValueError(f"no kind of notification: {kind}")
    if post_id is None:
        return await _tell(tx, persona_id, kind, actor_id, None, about, now)
    post = await posts.by_id(tx, post_id)
    return None if post is None else await _tell_of(tx, persona_id, kind, actor_id, post, about, now)


async def _tell_of(
    tx: Transaction, persona_id: int, kind: str, actor_id: int, post: Post, about: str, now: float
) -> int | None:
    if persona_id == actor_id or not await audience.may_see_now(tx, post, persona_id):
        return None
    return await _tell(tx, persona_id, kind, actor_id, post, about, now)


async def _tell(
    tx: Transaction, persona_id: int, kind: str, actor_id: int, post: Post | None, about: str, now: float
) -> int | None:
    """All that `notify` asks, but whether the persona may see the post: in one statement with the row itself."""
    if persona_id == actor_id:
        return None
    if post is not None and await thread_mutes.muted_among(tx, persona_id, [post.id]):
        return None
    values: dict[str, Any] = {"number": identifiers.sortable(now), "persona": persona_id, "what": kind, "who": actor_id}
    values |= {"post": None if post is None else post.id, "why": about, "now": now}
    judged = kind not in _WANTED
    if judged:
        values |= {"direct": post is not None and post.audience == DIRECT, "answers": post and post.in_reply_to_id}
        values |= {"new": now - policy.NEW_ACCOUNT, "lately": now - policy.NEW_FOLLOWER}
    told = await tx.first(_telling(tx.dialect, judged=judged), **values)
    if told is None:
        return None
    if not told.filtered:
        await events.say(tx, events.NOTIFICATION, told.id, persona_id)
        await push.plan(tx, told.id, persona_id, kind, actor_id)
    number: int = told.id
    return number


@cache
def _telling(dialect: str, *, judged: bool) -> Executable:
    to, who = bindparam("persona", type_=BigInteger), bindparam("who", type_=BigInteger)
    now = bindparam("now", type_=Double)
    verdict = policy.verdict(to, who) if judged else None
    row = {
        "id": bindparam("number", type_=BigInteger),
        "persona_id": persona.c.id,
        "kind": bindparam("what", type_=Text),
        "actor_id": who,
        "post_id": bindparam("post", type_=BigInteger),
        "about": bindparam("why", type_=Text),
        "created_at": now,
        "filtered": false() if verdict is None else verdict.filtered,
    }
    listens = select(*row.values()).where(
        persona.c.id == to,
        persona.c.closed_at.is_(None),
        ~blocks.between(to, who),
        ~mutes.muted(to, who, now, notifications=True),
        ~policy.kept_out(to, who),
    )
    if verdict is not None:
        listens = listens.where(~verdict.dropped)
    key = [notification.c.persona_id, notification.c.kind, notification.c.actor_id, notification.c.about]
    telling = insert_into(notification, dialect).from_select(list(row), listens)
    statement: Executable = telling.on_conflict_do_nothing(index_elements=key).returning(
        notification.c.id, notification.c.filtered
    )
    return statement


async def withdraw(tx: Transaction, persona_id: int, kind: str, actor_id: int, about: str = "") -> bool:
    """It was undone: the persona is not told of it any more; False where it was not."""
    gone = await tx.execute(
        delete(notification).where(
            notification.c.persona_id == persona_id,
            notification.c.kind == kind,
            notification.c.actor_id == actor_id,
            notification.c.about == about,
        )
    )
    return gone.rowcount > 0


async def forget_actors(tx: Transaction, actor_ids: Collection[int], limit: int) -> int:
    """Drop some of what was told of these remote actors; of how many rows."""
    some = select(notification.c.id).where(notification.c.actor_id.in_(sorted(actor_ids))).limit(limit)
    return (await tx.execute(delete(notification).where(notification.c.id.in_(some)))).rowcount


async def of_post(tx: Transaction, post: Post, now: float, to: Recipients | None = None) -> None:
    """Whoever is named by a post (new, or naming more than before) is told of it.

    `to`: the post's recipients, where they have just been asked for.
    """
    if post.deleted_at is not None:
        return
    if to is None:
        to = await audience.recipients(tx, post)
    for persona_id in to.actor_ids:
        await _tell(tx, persona_id, MENTION, post.author_id, post, str(post.id), now)


async def of_new(tx: Transaction, post: Post, now: float, to: Recipients) -> None:
    """Those of ours who want to hear of each post of its author are told, unless it names them.

    Not of answers to others, as on Mastodon.
    """
    if post.deleted_at is not None or not to.followers:
        return
    if post.in_reply_to is not None:
        answered = None if post.in_reply_to_id is None else await posts.by_id(tx, post.in_reply_to_id)
        if answered is None or answered.author_id != post.author_id:
            return
    wanting = await tx.all(_WANTING, author=post.author_id)
    for persona_id in sorted({row.follower_id for row in wanting} - set(to.actor_ids)):
        await _tell_of(tx, persona_id, STATUS, post.author_id, post, str(post.id), now)


_WANTING = select(follow.c.follower_id).where(
    follow.c.followed_id == bindparam("author", type_=BigInteger), follow.c.state == ACCEPTED, follow.c.notify
)


async def of_follow(tx: Transaction, answered: Follow, now: float) -> None:
    """A persona has a follower, or somebody who asks to be one. A question that was answered is told no more."""
    about = str(answered.id)
    if answered.state == PENDING:
        await notify(tx, answered.followed_id, FOLLOW_REQUEST, answered.follower_id, about=about, now=now)
    elif answered.state == ACCEPTED:
        await withdraw(tx, answered.followed_id, FOLLOW_REQUEST, answered.follower_id, about)
        await notify(tx, answered.followed_id, FOLLOW, answered.follower_id, about=about, now=now)


async def of_reaction(tx: Transaction, post: Post, actor_id: int, emoji: str, now: float) -> None:
    """The author of a post is told who likes it (`emoji` "") or reacts to it, for as long as they do."""
    kind, about = _of_emoji(post, emoji)
    await _tell_of(tx, post.author_id, kind, actor_id, post, about, now)


async def reaction_gone(tx: Transaction, post: Post, actor_id: int, emoji: str) -> None:
    """They took it back."""
    kind, about = _of_emoji(post, emoji)
    await withdraw(tx, post.author_id, kind, actor_id, about)


def _of_emoji(post: Post, emoji: str) -> tuple[str, str]:
    return (REACTION, f"{post.id} {emoji}") if emoji else (FAVOURITE, str(post.id))


async def of_boost(tx: Transaction, post: Post, actor_id: int, now: float) -> None:
    """The author of a post is told who boosts it, for as long as they do."""
    await _tell_of(tx, post.author_id, REBLOG, actor_id, post, str(post.id), now)


async def boost_gone(tx: Transaction, post: Post, actor_id: int) -> None:
    """They took it back."""
    await withdraw(tx, post.author_id, REBLOG, actor_id, str(post.id))


async def of_quote(tx: Transaction, quoting: Post, quoted_author_id: int, now: float) -> None:
    """Whose post is quoted is told of the post that does."""
    await _tell_of(tx, quoted_author_id, QUOTE, quoting.author_id, quoting, str(quoting.id), now)


async def of_edit(tx: Transaction, post: Post, now: float) -> None:
    """Those of ours who boosted a post are told that it reads differently now, once for each edit."""
    if post.edited_at is None:  # what changed is not how it reads: who may quote it, or whether its own quote stands
        return
    boosters = (
        select(boost.c.actor_id)
        .join(actor, actor.c.id == boost.c.actor_id)
        .where(boost.c.post_id == post.id, actor.c.local)
    )
    if post.local:  # what is told of after another change is not an edit from before the boost
        boosters = boosters.where(boost.c.created_at <= post.edited_at)
    about = f"{post.id} {post.edited_at}"
    await _each(tx, {row.actor_id for row in await tx.all(boosters)}, UPDATE, post, about, now)


async def of_poll_end(tx: Transaction, post: Post, now: float) -> None:
    """A poll is over: those of ours who voted are told, and its author."""
    voters = await tx.all(
        select(poll_vote.c.actor_id)
        .join(actor, actor.c.id == poll_vote.c.actor_id)
        .where(poll_vote.c.post_id == post.id, actor.c.local)
        .distinct()
    )
    await _each(tx, {row.actor_id for row in voters}, POLL, post, str(post.id), now)
    if post.local and await _listens(tx, post.author_id):
        await _own(tx, post, now)


async def _own(tx: Transaction, post: Post, now: float) -> None:
    # The one thing that one is told of oneself: that one's own poll is over.
    await tx.execute(
        tx.insert(notification)
        .values(
            id=identifiers.sortable(now),
            persona_id=post.author_id,
            kind=POLL,
            actor_id=post.author_id,
            post_id=post.id,
            about=str(post.id),
            created_at=now,
        )
        .on_conflict_do_nothing()
    )


async def _each(tx: Transaction, persona_ids: Collection[int], kind: str, post: Post, about: str, now: float) -> None:
    for persona_id in sorted(persona_ids):
        await _tell_of(tx, persona_id, kind, post.author_id, post, about, now)


async def _listens(tx: Transaction, actor_id: int) -> bool:
    return await tx.first(_OPEN, id=actor_id) is not None


_OPEN = select(persona.c.id).where(persona.c.id == bindparam("id"), persona.c.closed_at.is_(None))
