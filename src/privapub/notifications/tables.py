"""What each persona was told of."""

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Table, Text, UniqueConstraint

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
    UniqueConstraint("persona_id", "kind", "actor_id", "about"),
)
Index("ix_notification_persona", notification.c.persona_id, notification.c.id)
Index("ix_notification_post", notification.c.post_id)
Index("ix_notification_actor", notification.c.actor_id)
