"""What is kept of posts before and while they are written."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text

from privapub.database.tables import metadata

# A program that is not sure whether it was heard says the same again, with the same key: it is done once.
said_once = Table(
    "said_once",
    metadata,
    Column("token_id", BigInteger, ForeignKey("token.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),  # the hash of what the program calls it
    Column("number", BigInteger, nullable=False),  # of the post that came of it
    Column("scheduled", Boolean, nullable=False),  # the number is that of a post for later
    Column("at", Double, nullable=False),
)
Index("ix_said_once_at", said_once.c.at)

# Posts for later.
scheduled_post = Table(
    "scheduled_post",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("params", JSON, nullable=False),  # `scheduled.Params`
    Column("scheduled_at", Double, nullable=False),
)
Index("ix_scheduled_post_persona", scheduled_post.c.persona_id, scheduled_post.c.id)
