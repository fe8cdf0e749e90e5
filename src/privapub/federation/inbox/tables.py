"""What came in, and what we must not be fooled by when it comes again or too early."""

from sqlalchemy import BigInteger, Column, Double, Index, LargeBinary, Table, Text, UniqueConstraint

from privapub.database.tables import metadata

# An activity that was verified at the door. One row for each owner, id and canonical content.
incoming = Table(
    "incoming",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("owner", Text, nullable=False),  # the persona's id, or '' for the shared inbox
    Column("activity_id", Text, nullable=False),  # as sent; an activity without one counts under its digest
    Column("digest", Text, nullable=False),  # of the canonical content, without signature, proof and context
    Column("kind", Text, nullable=False),
    Column("actor_id", BigInteger, nullable=False),
    Column("actor_uri", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("original", LargeBinary),  # the bytes as they came, where they may have to be sent on
    Column("received_at", Double, nullable=False),
    Column("handled_at", Double),
    Column("kept_out", Text),  # the reason, where it was not taken in
    UniqueConstraint("owner", "activity_id", "digest"),
)
Index("ix_incoming_received_at", incoming.c.received_at)

# An Undo that matched nothing swallows at most one such arrival within half an hour.
undone = Table(
    "undone",
    metadata,
    Column("key", Text, primary_key=True),  # actor, kind and object of what was undone
    Column("at", Double, nullable=False, index=True),
)
