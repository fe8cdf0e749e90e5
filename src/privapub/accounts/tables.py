"""Logins, and which personas each holds. Nothing that federation can reach may read these."""

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Table, Text

from privapub.database.tables import metadata

account = Table(
    "account",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("email", Text, nullable=False, unique=True),  # lower case
    Column("password", Text, nullable=False),  # argon2id
    Column("created_at", Double, nullable=False),
)

account_persona = Table(
    "account_persona",
    metadata,
    Column("persona_id", BigInteger, primary_key=True, autoincrement=False),
    Column("account_id", BigInteger, ForeignKey("account.id"), nullable=False, index=True),
)
