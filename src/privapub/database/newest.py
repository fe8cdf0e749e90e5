"""Tables of which no more than so many rows are kept."""

from typing import Any

from sqlalchemy import Column, Table, delete, select

from privapub.database.transaction import Transaction


async def keep_newest(tx: Transaction, table: Table, by: Column[Any], most: int, *which: Any) -> int:
    """Delete the rows of a table (of those of which `which` holds) beyond the newest `most`; returns how many.

    `by` says how new a row is; of those as old as the first beyond them none is kept.
    """
    first = await tx.scalar(select(by).where(*which).order_by(by.desc()).offset(most).limit(1))
    if first is None:
        return 0
    gone: int = (await tx.execute(delete(table).where(*which, by <= first))).rowcount
    return gone
