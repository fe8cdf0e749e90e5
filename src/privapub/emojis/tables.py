"""The custom emojis of this server."""

from sqlalchemy import BigInteger, Column, Double, Table, Text

from privapub.database.tables import metadata

emoji = Table(
    "emoji",
    metadata,
    Column("shortcode", Text, primary_key=True),  # without colons; case counts
    Column("file", Text, nullable=False),  # its name in the store
    Column("media_type", Text, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("category", Text, nullable=False, server_default=""),
    Column("added_at", Double, nullable=False),
)
