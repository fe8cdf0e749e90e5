"""What the client API keeps: programs and their tokens, and what people keep by them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """One function for each part."""
    _oauth()


def _oauth() -> None:
    """Programs, codes and tokens."""
    op.create_table(
        "application",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("website", sa.Text(), nullable=True),
        sa.Column("redirect_uris", sa.JSON(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_application"),
        sa.UniqueConstraint("client_id", name="uq_application_client_id"),
    )
    op.create_table(
        "code",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("application_id", sa.BigInteger(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("token_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["application_id"], ["application.id"], name="fk_code_application_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name="pk_code"),
    )
    op.create_index("ix_code_application_id", "code", ["application_id"], unique=False)
    op.create_table(
        "token",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("application_id", sa.BigInteger(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=True),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["application_id"], ["application.id"], name="fk_token_application_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("hash", name="uq_token_hash"),
    )
    op.create_index("ix_token_application_id", "token", ["application_id"], unique=False)
    op.create_index("ix_token_persona_id", "token", ["persona_id"], unique=False)
