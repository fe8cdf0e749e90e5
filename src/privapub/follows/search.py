"""Looking for people by what they are called.

Whoever is called by the whole of a handle is found; by the beginning of a handle or of a name those with whom the
persona has to do, and those who ask to be found. By a whole name here, or a whole address, even those from whom a block
parts the persona: it is how a block is taken back, and who is not found would learn from that of being blocked.
"""

from sqlalchemy import and_, func, or_, select, union

from privapub.actors import blocks, domain_blocks
from privapub.actors.read import HERE, Actor, from_row
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.moderation.domain_rules import BLOCKED, OPEN
from privapub.personas.tables import persona

LONGEST = 200
FOUND = 1000  # of those who ask to be found, the last who came
_THERE = (actor.c.state == HERE) & (actor.c.standing != BLOCKED) & ~actor.c.suspended
# Those who ask to be found, a bounded number.
discoverable = (
    select(actor.c.id)
    .where(actor.c.discoverable.is_(True), _THERE, actor.c.standing == OPEN)
    .order_by(actor.c.id.desc())
    .limit(FOUND)
)


async def by_address(tx: Transaction, handle: str, host: str) -> Actor | None:
    """Somebody known, by address: here the handle in any case, elsewhere in this spelling or in lower case."""
    spelled = select(actor).where(actor.c.handle.in_(sorted({handle, handle.lower()})), actor.c.host == host, _THERE)
    row = await tx.first(spelled.order_by(actor.c.id.desc()).limit(1))
    if row is None:
        ours = select(actor).join(persona, persona.c.id == actor.c.id)
        row = await tx.first(ours.where(persona.c.handle == handle.lower(), actor.c.host == host))
    return None if row is None else from_row(row)


async def named(
    tx: Transaction, persona_id: int, text: str, *, following: bool = False, limit: int = 40, offset: int = 0
) -> list[Actor]:
    """People who are called so, whom the persona follows first; with `following`, those alone."""
    wanted = text.strip().removeprefix("@")[:LONGEST]
    handle, _, host = wanted.lower().partition("@")
    if not handle:
        return []
    mine = select(follow.c.followed_id).where(follow.c.follower_id == persona_id, follow.c.state == ACCEPTED)
    theirs = select(follow.c.follower_id).where(follow.c.followed_id == persona_id, follow.c.state == ACCEPTED)
    whole = select(actor.c.id).where(actor.c.handle.in_(sorted({handle, wanted.partition("@")[0]})))
    ours = select(persona.c.id).where(persona.c.handle == handle)
    near = union(mine, theirs, whole, ours, select(discoverable.subquery().c.id)).subquery()
    called = func.lower(actor.c.handle).startswith(handle, autoescape=True)
    asked_for = and_(func.lower(actor.c.handle) == handle, actor.c.host == host if host else actor.c.local)
    if host:
        called = called & actor.c.host.startswith(host, autoescape=True)
    else:
        name = func.lower(actor.c.name)
        called = or_(called, name.startswith(handle, autoescape=True), name.contains(f" {handle}", autoescape=True))
    statement = select(actor).where(
        actor.c.id.in_(mine if following else select(near.c[0])),
        called,
        _THERE,
        or_(
            asked_for,
            and_(~blocks.between(persona_id, actor.c.id), ~domain_blocks.covers(persona_id, actor.c.id)),
        ),
    )
    ordered = statement.order_by(actor.c.id.in_(mine).desc(), actor.c.local.desc(), actor.c.id.desc())
    return [from_row(row) for row in await tx.all(ordered.limit(limit).offset(offset))]
