"""The tables of telemetry."""

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, Table, Text

from privapub.database.tables import metadata

fetch = Table(
    "fetch",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("at", Float(53), nullable=False),
    Column("host", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("outcome", Text, nullable=False),  # ok, refused or failed
    Column("reason", Text, nullable=False),  # "" where the outcome is ok
    Column("status", Integer),
    Column("seconds", Float(53), nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("hops", Integer, nullable=False),
)
Index("ix_fetch_at", fetch.c.at)

# All that remains of a fetch that a reader caused. A column more would be one too many.
reader_fetch = Table(
    "reader_fetch",
    metadata,
    Column("day", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# What knocked at the inbox. The host is '' where the sender was not verified.
arrival = Table(
    "arrival",
    metadata,
    Column("day", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),  # queued, copy, refused, dropped, undecided, handled, kept-out
    Column("reason", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
)

# What became of deliveries.
departure = Table(
    "departure",
    metadata,
    Column("day", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),  # taken, later, given-up
    Column("reason", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# What was answered. There is no host in it, and no place for one.
traffic = Table(
    "traffic",
    metadata,
    Column("day", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("method", Text, primary_key=True),
    Column("status", Integer, primary_key=True, autoincrement=False),
    Column("signed", Boolean, primary_key=True),
    Column("count", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# How looking for previews of links ended: no host, no address.
preview_count = Table(
    "preview_count",
    metadata,
    Column("day", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),  # card, no-card, failed
    Column("count", BigInteger, nullable=False),
)

# How often a file elsewhere was wanted by a reader, and was there or was not: no host, no address.
proxy_count = Table(
    "proxy_count",
    metadata,
    Column("day", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),  # hit, miss
    Column("count", BigInteger, nullable=False),
)
