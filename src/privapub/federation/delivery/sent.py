"""Who got what: one row for each post and inbox, so that what follows goes there too."""

import json
from collections.abc import Iterable

from sqlalchemy import bindparam, select, update

from privapub.database.transaction import Transaction
from privapub.federation.delivery.inboxes import Target
from privapub.federation.delivery.tables import sent
from privapub.jobs.job import Job

WAITING, TAKEN, FAILED = "waiting", "taken", "failed"


async def note_waiting(tx: Transaction, post_id: int, targets: Iterable[Target], now: float) -> None:
    """Something about this post is on its way to these inboxes."""
    rows = sorted({(target.inbox, target.recipient) for target in targets})
    if rows:
        await tx.raw(_NOTE[tx.dialect], (post_id, now, json.dumps(rows)))


async def note_outcomes(tx: Transaction, rows: list[dict[str, object]]) -> None:
    """Write outcomes, as `outcome_row` makes them; those of activities that are about no post are passed over."""
    rows = [row for row in rows if row["post"] is not None]
    if rows:
        await tx.execute(_OUTCOME, rows)


def outcome_row(job: Job, outcome: str, why: str, now: float) -> dict[str, object]:
    """What became of a delivery, for `note_outcomes`; one that does not say of what is of no post."""
    arguments = job.args
    return {
        "post": arguments.get("post"),
        "to": arguments.get("inbox"),
        "who": arguments.get("recipient"),
        "outcome": outcome,
        "why": why,
        "at": now,
    }


async def targets_of(tx: Transaction, post_id: int) -> list[Target]:
    """Every inbox that this post was ever sent to: its Updates and Deletes go there too."""
    rows = await tx.all(select(sent.c.inbox, sent.c.recipient).where(sent.c.post_id == post_id).order_by(sent.c.inbox))
    return [Target(row.inbox, row.recipient) for row in rows]


async def moved(tx: Transaction, old: Target, new: Target) -> None:
    """An inbox has another address now: whoever got something there will be found at the new one."""
    already = select(sent.c.post_id).where(sent.c.inbox == new.inbox, sent.c.recipient == new.recipient)
    await tx.execute(
        update(sent)
        .where(sent.c.inbox == old.inbox, sent.c.recipient == old.recipient, sent.c.post_id.not_in(already))
        .values(inbox=new.inbox, recipient=new.recipient)
    )


_OUTCOME = (
    update(sent)
    .where(sent.c.post_id == bindparam("post"), sent.c.inbox == bindparam("to"), sent.c.recipient == bindparam("who"))
    .values(outcome=bindparam("outcome"), why=bindparam("why"), at=bindparam("at"))
)

# One statement for a fan-out, whose rows the database takes out of one value.
_NOTE_COLUMNS = "INSERT INTO sent(post_id, inbox, recipient, outcome, why, at) SELECT "
_NOTE_AGAIN = """ ON CONFLICT (post_id, inbox, recipient)
  DO UPDATE SET outcome = excluded.outcome, why = excluded.why, at = excluded.at"""
_NOTE = {
    "sqlite": f"{_NOTE_COLUMNS}?1, e.value->>0, e.value->>1, '{WAITING}', '', ?2 FROM json_each(?3) e WHERE true"
    + _NOTE_AGAIN,
    "postgresql": f"{_NOTE_COLUMNS}$1::bigint, x->>0, x->>1, '{WAITING}', '', $2::float8"
    " FROM json_array_elements($3::text::json) x" + _NOTE_AGAIN,
}
