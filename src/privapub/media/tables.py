"""What personas uploaded: one row an upload, with the names of the files that were made of it."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text

from privapub.database.tables import metadata

medium = Table(
    "medium",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("use", Text, nullable=False),  # post, avatar, header
    Column("state", Text, nullable=False),  # waiting, ready, failed
    Column("why", Text, nullable=False, server_default=""),  # a sentence for whoever uploaded it, of what failed
    Column("kind", Text, nullable=False, server_default=""),  # image, video, audio: known when it is ready
    Column("alt", Text, nullable=False, server_default=""),  # what it shows, in words
    Column("focal_x", Double),  # from -1 to 1, to the right
    Column("focal_y", Double),  # from -1 to 1, upwards
    Column("blurhash", Text, nullable=False, server_default=""),
    Column("colour", Text, nullable=False, server_default=""),  # #rrggbb, the average
    Column("width", BigInteger),
    Column("height", BigInteger),
    Column("duration", Double),  # seconds
    Column("animated", Boolean, nullable=False, server_default="0"),
    Column("files", JSON, nullable=False, server_default="[]"),  # [{role, name, media_type, width, height, bytes}]
    Column("source", Text),  # the stored name of the upload as it came, while it waits
    Column("bytes", BigInteger, nullable=False),  # that its stored files have together
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="SET NULL")),  # what it is attached to
    Column("place", BigInteger, nullable=False, server_default="0"),  # which of the post's media, from 0
    Column("created_at", Double, nullable=False),
    Column("scheduled_id", BigInteger),  # the post for which it is kept, of one that is to be published later
    Column("poster_source", Text),  # the stored name of the picture that is to stand for a film, while it waits
)
Index("ix_medium_actor", medium.c.actor_id, medium.c.id)
Index("ix_medium_post", medium.c.post_id, medium.c.place)
