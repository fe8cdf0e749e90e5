"""Posts, ours and others', and to whom by name they were addressed."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text

from privapub.database.tables import metadata

post = Table(
    "post",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("uri", Text, nullable=False, unique=True),  # the object's id on the wire, verbatim
    Column("activity_uri", Text, unique=True),  # the id of our Create
    Column("author_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("local", Boolean, nullable=False),
    Column("kind", Text, nullable=False, server_default="Note"),
    Column("audience", Text, nullable=False),  # public, unlisted, followers, circle, direct
    Column("source", Text),  # as typed
    Column("content", Text, nullable=False, server_default=""),  # cleaned HTML
    Column("summary", Text, nullable=False, server_default=""),  # the content warning, plain text
    Column("sensitive", Boolean, nullable=False, server_default="0"),
    Column("language", Text),
    Column("url", Text),
    Column("in_reply_to", Text),
    Column("in_reply_to_id", BigInteger),
    Column("tags", JSON, nullable=False, server_default="[]"),  # mentions and hashtags as they were written or received
    Column("attachments", JSON, nullable=False, server_default="[]"),
    Column("published_at", Double, nullable=False),
    Column("edited_at", Double),
    Column("received_at", Double, nullable=False),
    Column("deleted_at", Double),  # a tombstone: everything else that was said is emptied
)
Index("ix_post_author", post.c.author_id, post.c.id)
Index("ix_post_in_reply_to", post.c.in_reply_to)

post_recipient = Table(
    "post_recipient",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True),
)
Index("ix_post_recipient_actor", post_recipient.c.actor_id, post_recipient.c.post_id)

# A Delete that came before what it deletes: the uri may not come to life for a year. Bounded per host.
tombstone = Table(
    "tombstone",
    metadata,
    Column("uri", Text, primary_key=True),
    Column("actor_uri", Text, primary_key=True),  # who deleted it: suppresses only what is theirs
    Column("host", Text, nullable=False),
    Column("at", Double, nullable=False),
)
Index("ix_tombstone_host", tombstone.c.host, tombstone.c.at)
