"""A persona changes a post of its own."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import update

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput
from privapub.jobs.enqueue import put_fact
from privapub.markup.render import Format
from privapub.media.attach import attachment, describe, described, instead
from privapub.posts import hold, read, text_index, versions
from privapub.posts.facts import PostEdited
from privapub.posts.poll_read import Poll
from privapub.posts.polls import NewPoll, ask, checked
from privapub.posts.publish import check_text
from privapub.posts.read import HELD, QUESTION, Post
from privapub.posts.recipients import name
from privapub.posts.tables import post
from privapub.posts.tags import replace as replace_tags


async def edit(
    tx: Transaction,
    post_id: int,
    author_id: int,
    *,
    source: str,
    content_html: str,
    summary: str | None = None,
    mentions: Collection[int] = (),
    tags: Sequence[Mapping[str, Any]] = (),
    text_format: Format | None = None,
    poll: NewPoll | None = None,
    alts: Sequence[str] = (),
    focals: Sequence[tuple[float, float] | None] = (),
    drop_failed: bool = False,
    sensitive: bool | None = None,
    language: str | None = None,
    media: Sequence[int] | None = None,
    addresses: Addresses | None = None,
    now: float,
) -> bool:
    """The post reads so from now on; fact PostEdited where it reads differently, and True.

    A warning (`summary`), a format, a poll, a language and whether its files are hidden (`sensitive`) stay where they
    are not given; so do the audience and what it answers. `alts` describe its files anew, from the first on, and
    `focals` say what matters of them; `media` are the numbers of those that it has from now on (with the `addresses` of
    what is new), and what is not among them goes. A poll with other answers begins anew, and nobody has voted in it.
    Who is named for the first time may see it from now on, and who was named before still may. Raises NotFound
    where there is no such post of this author (any more), InvalidInput for no text or too much, and for more
    descriptions than there are files, Conflict for other files of a post that waits. With `drop_failed` a post that
    waits gives up those of its files that could not be processed, so that it can go.
    """
    known = await read.own(tx, post_id, author_id)
    summary = known.summary if summary is None else summary
    gone = await hold.drop_failed(tx, post_id, author_id) if drop_failed and known.audience == HELD else frozenset()
    files = [dict(file) for file in known.attachments if not gone or int(file["medium"]) not in gone]
    if media is not None and addresses is not None:
        if known.audience == HELD:
            raise Conflict("Its files are still processed: they cannot be changed now.")
        files = [dict(attachment(each, addresses)) for each in await instead(tx, post_id, author_id, media)]
    check_text(source, summary, bare=not files)
    if len(alts) > len(files):
        raise InvalidInput("There are more descriptions than files in this post.")
    for file, alt in zip(files, alts, strict=False):
        file["alt"] = described(alt)
    for file, focal in zip(files, focals, strict=False):
        file["focal_point"] = file.get("focal_point") if focal is None else list(focal)
    changes: dict[str, Any] = {
        "source": source,
        "text_format": known.text_format if text_format is None else text_format,
        "content": content_html,
        "summary": summary,
        "sensitive": bool(summary) or (_was_sensitive(known) if sensitive is None else sensitive),
        "language": language or known.language,
        "tags": [dict(tag) for tag in tags],
        "attachments": files,
    }
    before = {name: getattr(known, name) for name in changes}
    before |= {name: [dict(each) for each in before[name]] for name in ("tags", "attachments")}
    wanted = None if poll is None else checked(poll)
    if changes == before and (wanted is None or _asks_the_same(known.poll, wanted)):
        return False
    if wanted is not None:
        changes["kind"] = QUESTION
    # Later than the last time, whatever the clock says: others go by it (an older `updated` is ignored).
    edited_at: float | None = max(now, (known.edited_at or known.published_at) + 0.001)
    if known.audience == HELD:  # nobody has read it: what stood there before is nobody's business
        edited_at = None
    else:
        await versions.keep(tx, post.c.id == post_id)
    await tx.execute(update(post).where(post.c.id == post_id).values(**changes, edited_at=edited_at))
    await describe(tx, post_id, alts, focals)
    named = set(mentions) - {author_id}
    await (hold.name(tx, post_id, named) if known.audience == HELD else name(tx, post_id, named))
    await replace_tags(tx, post_id, tags)
    if poll is not None:
        await ask(tx, post_id, poll, now)
    await text_index.keep(tx, post_id)
    await put_fact(tx, PostEdited(post_id), about=f"post {post_id}")
    return True


def _asks_the_same(has: Poll | None, wanted: NewPoll) -> bool:
    if has is None or (tuple(option.name for option in has.options), has.multiple) != (wanted.options, wanted.multiple):
        return False
    return wanted.hides is None or wanted.hides == has.hides


def _was_sensitive(known: Post) -> bool:
    """Whether its files were hidden by themselves, and not for the warning."""
    return known.sensitive and not known.summary
