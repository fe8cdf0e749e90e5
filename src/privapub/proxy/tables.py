"""What is kept of files elsewhere."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, Index, Table, Text, text

from privapub.database.tables import metadata

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
