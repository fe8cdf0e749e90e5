"""What each persona has in its home timeline."""

from sqlalchemy import BigInteger, Column, ForeignKey, Table

from privapub.database.tables import metadata

timeline_entry = Table(
    "timeline_entry",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
)
