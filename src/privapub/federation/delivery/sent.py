"""Who got what: one row for each post and inbox, so that what follows goes there too."""

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import select, update

from privapub.database.transaction import Transaction
from privapub.federation.delivery.inboxes import Target
from privapub.federation.delivery.tables import sent
from privapub.jobs.job import Job

WAITING, TAKEN, FAILED = "waiting", "taken", "failed"

OutcomeRow = tuple[Any, Any, Any, str, str]  # the post, inbox and recipient; the outcome, and why


async def note_waiting(tx: Transaction, post_id: int, targets: Iterable[Target], now: float) -> None:
    """Something about this post is on its way to these inboxes."""
    rows = sorted({(target.inbox, target.recipient) for target in targets})
    if rows:
        await tx.raw(_NOTE[tx.dialect], (post_id, now, json.dumps(rows)))


async def note_outcomes(tx: Transaction, rows: Iterable[OutcomeRow], now: float) -> None:
    """Write outcomes, as `outcome_row` makes them; those of activities that are about no post are passed over.

    Of several about one post and inbox the last is kept.
    """
    last = {row[:3]: row for row in rows if row[0] is not None}
    if last:
        values: tuple[Any, ...] = (json.dumps([last[key] for key in sorted(last)]), now)
        if tx.dialect == "postgresql":
            values += ([post for post, _, _ in last], [inbox for _, inbox, _ in last])
        await tx.raw(_OUTCOMES[tx.dialect], values)


def outcome_row(job: Job, outcome: str, why: str) -> OutcomeRow:
    """What became of a delivery, for `note_outcomes`; one that does not say of what is of no post."""
    arguments = job.args
    return arguments.get("post"), arguments.get("inbox"), arguments.get("recipient"), outcome, why


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


# One statement for all that ended together, whose rows the database takes out of one value. The inboxes are said once
# more on PostgreSQL, so that it looks them up, whatever it guesses of the table.
_OUTCOMES = {
    "sqlite": """
UPDATE sent SET outcome = h.value->>3, why = h.value->>4, at = ?2 FROM json_each(?1) h
  WHERE sent.post_id = h.value->>0 AND sent.inbox = h.value->>1 AND sent.recipient = h.value->>2""",
    "postgresql": """
UPDATE sent SET outcome = h->>3, why = h->>4, at = $2::float8 FROM json_array_elements($1::text::json) h
  WHERE sent.post_id = (h->>0)::bigint AND sent.inbox = h->>1 AND sent.recipient = h->>2
    AND sent.post_id = ANY($3::bigint[]) AND sent.inbox = ANY($4::text[])""",
}

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
