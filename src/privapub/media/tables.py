"""What personas uploaded, and what is kept for a while of files elsewhere."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text, text

from privapub.database.tables import metadata

# One row an upload, with the names of the files that were made of it.
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
)
Index("ix_medium_actor", medium.c.actor_id, medium.c.id)
Index("ix_medium_post", medium.c.post_id, medium.c.place)

# The one row of the proxy of files elsewhere.
proxy = Table(
    "proxy",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # 1
    Column("secret", Text, nullable=False),  # by which its addresses are signed
    Column("bytes", BigInteger, nullable=False),  # of all rows of `cached_file` together
    Column("turn", BigInteger, nullable=False),  # counts up as files are stored and read
    # As the settings of the process that started last have it: whether files are fetched before anybody looks, and
    # after how many seconds, at least and at most.
    Column("prefetch", Boolean, nullable=False),
    Column("prefetch_after", Double, nullable=False),
    Column("prefetch_until", Double, nullable=False),
)

# A file elsewhere: what is kept of it, or why nothing is. Nothing here tells when it was read, or by whom.
remote_file = Table(
    "remote_file",
    metadata,
    Column("key", Text, primary_key=True),  # the signature of its use and address
    Column("host", Text, nullable=False),
    Column("state", Text, nullable=False),  # coming, ready, failed
    Column("files", JSON, nullable=False),  # as those of `medium`; while a film is coming, its announced bytes
    Column("turn", BigInteger, nullable=False),  # of its last reading, or of its storing: the lowest goes first
    Column("tries", BigInteger, nullable=False),  # in vain, one after the other
    Column("reason", Text, nullable=False, server_default=""),  # of the failure, as telemetry calls it
    Column("again_at", Double, nullable=False, server_default="0"),  # when it may be tried again
)
Index("ix_remote_file_turn", remote_file.c.state, remote_file.c.turn)

# What may be in the folder of the cache: a row is there before its file is, and goes after it.
cached_file = Table(
    "cached_file",
    metadata,
    Column("name", Text, primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    Column("leaving", Boolean, nullable=False, server_default="0"),  # nothing names it: it is to be deleted
)
_leaving = text("leaving")
Index("ix_cached_file_leaving", cached_file.c.leaving, sqlite_where=_leaving, postgresql_where=_leaving)
