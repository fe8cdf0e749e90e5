"""Logins, and which personas each holds. Nothing that federation can reach may read these."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    Table,
    Text,
    false,
)

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

# Somebody at the pages, who has given a password. `half`: and no code yet, where the account asks for one.
session = Table(
    "session",
    metadata,
    Column("hash", Text, primary_key=True),  # SHA-256 of what the cookie says
    Column("account_id", BigInteger, ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("half", Boolean, nullable=False, server_default=false()),
    Column("created_at", Double, nullable=False),
    Column("day", Text, nullable=False),  # on which it was used last: the hour is nobody's business
)

# What makes the codes of an account (RFC 6238), from when it was shown on; asked for once it is `confirmed`.
second_factor = Table(
    "second_factor",
    metadata,
    Column(
        "account_id", BigInteger, ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("secret", Text, nullable=False),
    Column("step", BigInteger, nullable=False, server_default="0"),  # of the last code that was taken
    Column("confirmed", Boolean, nullable=False, server_default=false()),
)

# What lets somebody in whose device with the codes is gone, each once.
recovery_code = Table(
    "recovery_code",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("account_id", BigInteger, ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True),
)

# By which random word devices know an account (WebAuthn's user handle): it tells nothing of the account.
passkey_owner = Table(
    "passkey_owner",
    metadata,
    Column(
        "account_id", BigInteger, ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("handle", LargeBinary, nullable=False, unique=True),
)

# A key pair of which a device keeps the private half (WebAuthn).
passkey = Table(
    "passkey",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("account_id", BigInteger, ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("credential_id", LargeBinary, nullable=False, unique=True),  # by which the device knows it
    Column("public_key", LargeBinary, nullable=False),  # as COSE has it (RFC 9052)
    Column("counter", BigInteger, nullable=False),  # of its signatures; 0 where the device does not count them
    Column("name", Text, nullable=False),  # that its owner gave it
    Column("created_at", Double, nullable=False),
)

# What challenges are made with, and those that were answered: none is good twice.
challenge_secret = Table(
    "challenge_secret",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("secret", Text, nullable=False),
)
spent_challenge = Table(
    "spent_challenge",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("spent_at", Double, nullable=False),
)

# Who has signed up and may not come in yet. The persona is made when that is over; until then its handle is kept.
waiting = Table(
    "waiting",
    metadata,
    Column(
        "account_id", BigInteger, ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("handle", Text, nullable=False, unique=True),  # lower case
    Column("typed_handle", Text, nullable=False),
    Column("persona_id", BigInteger, nullable=False, unique=True),
    Column("for_email", Boolean, nullable=False),
    Column("for_approval", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", Double, nullable=False),
)

# Words by which somebody may sign up.
invitation = Table(
    "invitation",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("uses_left", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double),
)

# A letter to an account with a link that does something once. What the link says is made when it is sent.
letter = Table(
    "letter",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("account_id", BigInteger, ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("hash", Text, unique=True),
    Column("created_at", Double, nullable=False),
)
