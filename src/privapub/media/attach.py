"""What a persona uploaded becomes part of its post, stays so, and goes with it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, select, update

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.markup.characters import contained
from privapub.media.let_go import of_media
from privapub.media.read import READY, WAITING, Medium, from_row
from privapub.media.tables import medium

MOST = 4
ALT_LENGTH = 1500
_WHICH = "Only what this persona uploaded, what is {} and in no post yet can be attached."


def described(alt: str) -> str:
    """A description as it is kept; InvalidInput where it is too long (pure)."""
    kept = contained(alt.strip())
    if len(kept) > ALT_LENGTH:
        raise InvalidInput("This description is too long.", f"A description has up to {ALT_LENGTH} characters.")
    return kept


async def choose(
    tx: Transaction, actor_id: int, ids: Sequence[int], *, waiting: bool = False, scheduled: int | None = None
) -> list[Medium]:
    """The uploads with these numbers, in this order; nobody else attaches them until the transaction is over.

    Raises InvalidInput for more than may be, and, in one and the same way, for what is another's, not ready, part of
    a post already, given twice, or not there: whoever asks learns nothing of what others have. With `waiting`, what is
    still processed may be chosen too; with `scheduled`, what is kept for that post.
    """
    if len(ids) > MOST:
        raise InvalidInput("These are too many files.", f"A post has up to {MOST}.")
    if not ids:
        return []
    asked = [each for each in ids if 0 < each <= identifiers.LARGEST]
    free = (
        medium.c.actor_id == actor_id,
        medium.c.use == "post",
        medium.c.state.in_([READY, WAITING] if waiting else [READY]),
        medium.c.post_id.is_(None),
        medium.c.scheduled_id.is_(None) if scheduled is None else medium.c.scheduled_id == scheduled,
    )
    rows = await tx.all(select(medium).where(medium.c.id.in_(asked), *free).order_by(medium.c.id).with_for_update())
    found = {row.id: from_row(row) for row in rows}
    if len(found) != len(ids):
        raise InvalidInput("There is no such upload to attach.", _WHICH.format("not failed" if waiting else "ready"))
    return [found[each] for each in ids]


async def attach(tx: Transaction, post_id: int, chosen: Sequence[Medium]) -> None:
    """What was chosen in this transaction is part of the post from now on, in this order."""
    for place, each in enumerate(chosen):
        await tx.execute(update(medium).where(medium.c.id == each.id).values(post_id=post_id, place=place))


async def instead(tx: Transaction, post_id: int, actor_id: int, ids: Sequence[int]) -> list[Medium]:
    """The post has these uploads from now on, in this order; those of it that are not among them go. As `choose`."""
    if len(ids) > MOST:
        raise InvalidInput("These are too many files.", f"A post has up to {MOST}.")
    rows = await tx.all(select(medium).where(medium.c.post_id == post_id).order_by(medium.c.id).with_for_update())
    has = {row.id: from_row(row) for row in rows}
    new = {each.id: each for each in await choose(tx, actor_id, [each for each in ids if each not in has])}
    if len(set(ids)) != len(ids):
        raise InvalidInput("There is no such upload to attach.", _WHICH.format("ready"))
    await of_media(tx, and_(medium.c.post_id == post_id, medium.c.id.in_(sorted(set(has) - set(ids)))))
    await attach(tx, post_id, [(has | new)[each] for each in ids])
    return [(has | new)[each] for each in ids]


async def describe(
    tx: Transaction, post_id: int, alts: Sequence[str], focals: Sequence[tuple[float, float] | None] = ()
) -> None:
    """The descriptions of a post's files, in their order, from the first on; and what matters of them, where given."""
    for place, focal in enumerate(focals):
        if focal is not None:
            which = medium.c.post_id == post_id, medium.c.place == place
            await tx.execute(update(medium).where(*which).values(focal_x=focal[0], focal_y=focal[1]))
    for place, alt in enumerate(alts):
        which = medium.c.post_id == post_id, medium.c.place == place
        await tx.execute(update(medium).where(*which).values(alt=described(alt)))


async def describe_upload(
    tx: Transaction, actor_id: int, medium_id: int, *, alt: str | None, focus: tuple[float, float] | None
) -> bool:
    """An upload of a persona that is in no post is described so from now on; False where there is none.

    What is not given stays. Raises InvalidInput for a description that is too long.
    """
    changes: dict[str, Any] = {} if alt is None else {"alt": described(alt)}
    if focus is not None:
        changes |= {"focal_x": focus[0], "focal_y": focus[1]}
    free = medium.c.id == medium_id, medium.c.actor_id == actor_id, medium.c.post_id.is_(None)
    return bool((await tx.execute(update(medium).where(*free).values(**{"place": 0, **changes}))).rowcount)


def attachment(of: Medium, addresses: Addresses) -> dict[str, Any]:
    """What a post keeps of it: what posts from elsewhere have, and `small`, `moves` and `medium` besides. Pure.

    `preview_size` is there where somebody chose the picture that stands for it: it has a shape of its own.
    """

    def url(role: str) -> str | None:
        file = of.file(role)
        return None if file is None else addresses.medium(str(file["name"]))

    original, poster = of.file("original"), of.file("poster")
    chosen = poster if of.file("small") is None else None
    focal = None if of.focal_x is None or of.focal_y is None else [of.focal_x, of.focal_y]
    return {
        "type": "Document",
        "url": url("original"),
        "media_type": "" if original is None else original["media_type"],
        "alt": of.alt,
        "width": of.width,
        "height": of.height,
        "blurhash": of.blurhash,
        "focal_point": focal,
        "duration": of.duration,
        "preview": url("poster"),
        "small": url("small"),
        "moves": of.animated,
        "medium": str(of.id),
        **({} if chosen is None else {"preview_size": [chosen["width"], chosen["height"]]}),
    }
