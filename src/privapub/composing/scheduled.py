"""Posts for later: kept as they were typed, and published by a job when their time has come.

(none) --schedule--> kept --its time--> a post
                      ├── put_off: another time
                      └── cancel, or what it needs is gone by then: it stays until its author moves or cancels it
"""

from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from sqlalchemy import delete, func, select, update

from privapub import identifiers
from privapub.composing import once
from privapub.composing.compose import Asked, Draft, prepare, publish_draft
from privapub.composing.tables import scheduled_post
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound, PrivaPubError, Unavailable
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome
from privapub.media.attach import choose
from privapub.media.tables import medium
from privapub.outbound.answers import FetchProblem
from privapub.server import Server

SCHEDULED = "scheduled"
ATTEMPTS = 5
SOONEST = 300.0  # seconds
MOST, MOST_A_DAY = 300, 25


@dataclass(frozen=True)
class Params:
    """What was asked for, and by which program; other posts are named by their numbers."""

    asked: Asked
    application_id: int = 0


@dataclass(frozen=True)
class Scheduled:
    """A post for later."""

    id: int
    persona_id: int
    params: Params
    scheduled_at: float


async def schedule(tx: Transaction, persona_id: int, params: Params, at: float, now: float) -> int:
    """Keep this post until then; its number. Raises InvalidInput for too soon or too many, and as `attach.choose`."""
    await tx.alone(f"scheduled {persona_id}")
    await _check(tx, persona_id, at, now)
    number = identifiers.sortable(now)
    chosen = await choose(tx, persona_id, params.asked.media)
    values = {"id": number, "persona_id": persona_id, "params": asdict(params), "scheduled_at": at}
    await tx.execute(scheduled_post.insert().values(**values))
    if chosen:
        theirs = medium.c.id.in_([each.id for each in chosen])
        await tx.execute(update(medium).where(theirs).values(scheduled_id=number))
    await _plan(tx, number, at)
    return number


async def put_off(tx: Transaction, persona_id: int, number: int, at: float, now: float) -> Scheduled:
    """It is published then instead. Raises NotFound for no post for later of this persona, InvalidInput as before."""
    await tx.alone(f"scheduled {persona_id}")
    await by_id(tx, persona_id, number)
    await _check(tx, persona_id, at, now, number)
    await tx.execute(update(scheduled_post).where(scheduled_post.c.id == number).values(scheduled_at=at))
    await _plan(tx, number, at)
    return await by_id(tx, persona_id, number)


async def cancel(tx: Transaction, persona_id: int, number: int) -> None:
    """It is not published. Raises NotFound for no post for later of this persona."""
    mine = scheduled_post.c.id == number, scheduled_post.c.persona_id == persona_id
    if not (await tx.execute(delete(scheduled_post).where(*mine))).rowcount:
        raise NotFound
    await tx.execute(update(medium).where(medium.c.scheduled_id == number).values(scheduled_id=None))


async def by_id(tx: Transaction, persona_id: int, number: int) -> Scheduled:
    """The post for later of this persona; raises NotFound."""
    row = await tx.first(
        select(scheduled_post).where(scheduled_post.c.id == number, scheduled_post.c.persona_id == persona_id)
    )
    if row is None:
        raise NotFound
    return _from_row(row)


async def of(tx: Transaction, persona_id: int, window: Window) -> Page[Scheduled]:
    """What a persona has for later, the last that it made first."""
    mine = select(scheduled_post).where(scheduled_post.c.persona_id == persona_id)
    rows = await tx.all(window.of(mine, scheduled_post.c.id))
    return page_of(window, [_from_row(row) for row in rows], lambda each: each.id)


async def fetch(server: Server, job: Job) -> tuple[Scheduled, Draft] | Outcome:
    """The job, outside its transaction: find whom the post names. What was moved or cancelled is done."""
    async with server.database.read() as tx:
        row = await tx.first(_due(job))
    if row is None:
        return Done()
    kept = _from_row(row)
    try:
        draft = await prepare(server, kept.persona_id, kept.params.asked)
    except (FetchProblem, Unavailable):
        raise  # it is tried again
    except PrivaPubError as problem:
        return GiveUp(str(problem))
    return kept, draft


async def write(server: Server, tx: Transaction, job: Job, ready: tuple[Scheduled, Draft], now: float) -> None:
    """Publish it, if it is still to be published now. What raises is tried again, and then stays."""
    kept, draft = ready
    if await tx.first(_due(job).with_for_update()) is None:
        return
    post_id = await publish_draft(tx, server, draft, now, scheduled=kept.id)
    await once.became(tx, kept.id, post_id)
    await tx.execute(delete(scheduled_post).where(scheduled_post.c.id == kept.id))
    await tx.execute(update(medium).where(medium.c.scheduled_id == kept.id).values(scheduled_id=None))


async def _check(tx: Transaction, persona_id: int, at: float, now: float, besides: int = 0) -> None:
    if at < now + SOONEST:
        raise InvalidInput("Scheduled at The scheduled date must be in the future")
    others = select(func.count()).where(scheduled_post.c.persona_id == persona_id, scheduled_post.c.id != besides)
    if await tx.scalar(others) >= MOST:
        raise InvalidInput(f"You have exceeded the limit of {MOST} scheduled posts")
    day = at // 86_400 * 86_400
    of_day = others.where(scheduled_post.c.scheduled_at >= day, scheduled_post.c.scheduled_at < day + 86_400)
    if await tx.scalar(of_day) >= MOST_A_DAY:
        raise InvalidInput(f"You have exceeded the limit of {MOST_A_DAY} scheduled posts for today")


async def _plan(tx: Transaction, number: int, at: float) -> None:
    args: dict[str, Any] = {"scheduled": number, "at": at}
    await put(tx, [NewJob(SCHEDULED, SCHEDULED, args, run_at=at, dedupe_key=f"{SCHEDULED} {number} {at}")])


def _due(job: Job) -> Any:
    number, at = int(job.args["scheduled"]), float(job.args["at"])
    return select(scheduled_post).where(scheduled_post.c.id == number, scheduled_post.c.scheduled_at == at)


def _from_row(row: Any) -> Scheduled:
    return Scheduled(row.id, row.persona_id, msgspec.convert(row.params, Params), row.scheduled_at)
