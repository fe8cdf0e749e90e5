"""What is on its way, and who got what."""

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Index, LargeBinary, Table, Text

from privapub.database.tables import metadata

# The bytes of an activity as they are sent, once for all who get the same ones.
rendering = Table(
    "rendering",
    metadata,
    Column("id", Text, primary_key=True),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),  # who signs
    Column("body", LargeBinary, nullable=False),
    Column("digest", Text, nullable=False),  # base64 of the SHA-256
    # Where it says that the author has other keys now: the PEM of the one before, which signs this for who knows no
    # other and does not ask.
    Column("former_key", Text),
    # Whether it is a post for followers: each server is told of whom of its own we know.
    Column("for_followers", Boolean, nullable=False, server_default="0"),
    Column("created_at", Double, nullable=False, index=True),
)

# Lives as long as the post or its tombstone. The recipient is '' for a shared inbox.
sent = Table(
    "sent",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("inbox", Text, primary_key=True),
    Column("recipient", Text, primary_key=True, server_default=""),
    Column("outcome", Text, nullable=False),  # waiting, taken, failed
    Column("why", Text, nullable=False, server_default=""),
    Column("at", Double, nullable=False),
)
Index("ix_sent_inbox", sent.c.inbox)
