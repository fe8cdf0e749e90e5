"""What happened of late, for the processes that tell it to programs which listen."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text

from privapub.database.tables import metadata

event = Table(
    "event",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("kind", Text, nullable=False),  # see `events`
    Column("ref", BigInteger, nullable=False),  # the number of what it is about
    Column("persona_id", BigInteger),  # whom alone it concerns
    Column("at", Double, nullable=False),
    sqlite_autoincrement=True,  # no number comes again once its row is gone: who listens looks behind the last one
)
Index("ix_event_at", event.c.at)
