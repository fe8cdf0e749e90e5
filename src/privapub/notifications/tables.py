"""What each persona was told of."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text, UniqueConstraint, text

from privapub.database.tables import metadata

notification = Table(
    "notification",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    # mention, status, reblog, follow, follow_request, favourite, reaction, poll, update, quote, quoted_update, move
    Column("kind", Text, nullable=False),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),  # who did it
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE")),  # which post it is about
    Column("about", Text, nullable=False),  # what tells it from another of its kind: a thing is told once
    Column("created_at", Double, nullable=False),
    Column("dismissed_at", Double),
    Column("filtered", Boolean, nullable=False, server_default="0"),  # kept apart by the persona's policy
    UniqueConstraint("persona_id", "kind", "actor_id", "about"),
)
Index("ix_notification_persona", notification.c.persona_id, notification.c.id)
Index("ix_notification_post", notification.c.post_id)
Index("ix_notification_actor", notification.c.actor_id)
# What is kept apart is looked for by itself, and there is little of it.
Index(
    "ix_notification_filtered",
    notification.c.persona_id,
    notification.c.actor_id,
    notification.c.id,
    sqlite_where=text("filtered = 1"),
    postgresql_where=text("filtered"),
)

# What a persona does with what it is told by people whom it does not know: accept, filter, drop. No row: the defaults.
notification_policy = Table(
    "notification_policy",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("for_not_following", Text, nullable=False),
    Column("for_not_followers", Text, nullable=False),
    Column("for_new_accounts", Text, nullable=False),
    Column("for_private_mentions", Text, nullable=False),
    Column("for_limited_accounts", Text, nullable=False),
)

# Whose notifications it wants to get all the same.
notification_permission = Table(
    "notification_permission",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("created_at", Double, nullable=False),
)
Index("ix_notification_permission_actor", notification_permission.c.actor_id)

# How far a persona has read: a number of a notification, or of an entry of the home timeline.
marker = Table(
    "marker",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("timeline", Text, primary_key=True),  # home, notifications
    Column("last_read_id", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),  # how often it was set
    Column("updated_at", Double, nullable=False),
)

# Where a program wants to be woken when its persona is told something (RFC 8030): one for each token.
push_subscription = Table(
    "push_subscription",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("token_id", BigInteger, ForeignKey("token.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("endpoint", Text, nullable=False),
    Column("p256dh", Text, nullable=False),  # its public key, base64url
    Column("auth", Text, nullable=False),  # its secret, base64url
    Column("standard", Boolean, nullable=False),  # RFC 8291, else the draft before it
    Column("alerts", JSON, nullable=False),  # the types that it wants
    Column("policy", Text, nullable=False),  # of whom: all, followed, follower, none
    Column("created_at", Double, nullable=False),
)

# By which push services know this server (RFC 8292). One row.
push_key = Table(
    "push_key",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("private", Text, nullable=False),  # PEM of a key on P-256
)
