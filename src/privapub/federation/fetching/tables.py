"""What asking other servers taught about them."""

from sqlalchemy import Column, Double, Table, Text

from privapub.database.tables import metadata

# Which signature scheme a host took last; believed for 30 days.
host_scheme = Table(
    "host_scheme",
    metadata,
    Column("host", Text, primary_key=True),
    Column("scheme", Text, nullable=False),  # rfc9421, cavage
    Column("at", Double, nullable=False),
)
