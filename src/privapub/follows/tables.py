"""Who follows whom: state, not history. One row for each pair, whichever of the two is ours (or both)."""

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text, UniqueConstraint, text

from privapub.database.tables import metadata

follow = Table(
    "follow",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("follower_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("followed_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("uri", Text, nullable=False),  # the id of the Follow activity that is in force, verbatim
    Column("state", Text, nullable=False),  # pending, accepted, rejected, suspended
    Column("created_at", Double, nullable=False),
    Column("answered_at", Double),
    Column("state_before", Text),  # of a suspended one
    # What a persona of ours wants of whom it follows; nobody else is told.
    Column("boosts", Boolean, nullable=False, server_default="1"),
    Column("notify", Boolean, nullable=False, server_default="0"),  # of each new post
    Column("languages", Text, nullable=False, server_default=""),  # those it reads, as ",de,en,"; "" for all
    Column("endorsed_at", Double),  # since when its profile names them
    UniqueConstraint("follower_id", "followed_id"),
)
Index("ix_follow_followed", follow.c.followed_id, follow.c.state)
Index("ix_follow_uri", follow.c.uri)
# The few who want to hear of each post.
Index("ix_follow_notify", follow.c.followed_id, sqlite_where=text("notify = 1"), postgresql_where=text("notify"))

# What the admin subscribed to: few, and followed by the application actor.
relay = Table(
    "relay",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("inbox", Text, nullable=False, unique=True),
    Column("actor_uri", Text),  # who it is: known when it answers, where it was asked by its inbox
    Column("object", Text, nullable=False),  # what our Follow names
    Column("follow_uri", Text, nullable=False),
    Column("state", Text, nullable=False),  # pending, accepted, rejected
    Column("created_at", Double, nullable=False),
    Column("answered_at", Double),
)
