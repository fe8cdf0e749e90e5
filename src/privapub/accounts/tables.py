"""Logins, and which personas each holds. Nothing that federation can reach may read these."""

from sqlalchemy import JSON, BigInteger, Column, Double, ForeignKey, Table, Text

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

# A program that was registered (RFC 7591 in Mastodon's form). It is nobody's: whoever asks may register one.
application = Table(
    "application",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("client_id", Text, nullable=False, unique=True),
    Column("secret", Text, nullable=False),  # SHA-256 of what the program was told
    Column("name", Text, nullable=False),
    Column("website", Text),
    Column("redirect_uris", JSON, nullable=False),
    Column("scopes", Text, nullable=False),  # that it may ask for, with spaces between
    Column("created_at", Double, nullable=False),
)

# A code by which a program gets a token, once (RFC 6749, section 4.1.2).
code = Table(
    "code",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("application_id", BigInteger, ForeignKey("application.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("persona_id", BigInteger, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("challenge", Text, nullable=False, server_default=""),  # of PKCE (RFC 7636), by S256
    Column("created_at", Double, nullable=False),
    Column("token_id", BigInteger),  # that was given for it: a code that comes again takes it back
)

# What a program shows. It knows one persona, or none; what it was is kept nowhere, only its hash.
token = Table(
    "token",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("hash", Text, nullable=False, unique=True),  # SHA-256
    Column("application_id", BigInteger, ForeignKey("application.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("persona_id", BigInteger, index=True),
    Column("scopes", Text, nullable=False),
    Column("created_at", Double, nullable=False),
)
