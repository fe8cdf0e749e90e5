"""What a local actor has beyond an actor. Whose login it is stands elsewhere, out of reach of federation."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Table, Text

from privapub.database.tables import metadata

persona = Table(
    "persona",
    metadata,
    Column("id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("handle", Text, nullable=False, unique=True),  # lower case: handles differ by more than case
    Column("bio", Text, nullable=False, server_default=""),  # as typed
    Column("text_format", Text, nullable=False, server_default="plain"),  # how it types: plain, markdown
    Column("shows_follows", Boolean, nullable=False, server_default="0"),  # whether followers and following are counted
    Column("closed_at", Double),
    Column("fields", JSON, nullable=False, server_default="[]"),  # as typed: [{"name": …, "value": …}]
    # How it posts where it does not say.
    Column("audience", Text, nullable=False, server_default="public"),
    Column("sensitive", Boolean, nullable=False, server_default="0"),
    Column("language", Text),
    Column("quote_policy", Text, nullable=False, server_default="public"),
)
