"""Who got what: one row for each post and inbox, so that what follows goes there too."""

from collections.abc import Iterable

from sqlalchemy import bindparam, select, update

from privapub.database.transaction import Transaction
from privapub.federation.delivery.inboxes import Target
from privapub.federation.delivery.tables import sent
from privapub.jobs.job import Job

WAITING, TAKEN, FAILED = "waiting", "taken", "failed"


async def note_waiting(tx: Transaction, post_id: int, targets: Iterable[Target], now: float) -> None:
    """Something about this post is on its way to these inboxes."""
    rows = [
        {"post_id": post_id, "inbox": t.inbox, "recipient": t.recipient, "outcome": WAITING, "why": "", "at": now}
        for t in targets
    ]
    if rows:
        statement = tx.insert(sent)
        await tx.execute(
            statement.on_conflict_do_update(
                index_elements=["post_id", "inbox", "recipient"],
                set_={"outcome": WAITING, "why": "", "at": statement.excluded.at},
            ),
            rows,
        )


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
