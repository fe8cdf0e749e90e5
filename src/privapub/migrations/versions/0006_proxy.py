"""What is kept for a while of files elsewhere, how often readers found them there, and posts that wait for media."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Nothing that is there changes."""
    _proxied()
    _held()


def _held() -> None:
    op.create_table(
        "held_post",
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("author_id", sa.BigInteger(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("named", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["actor.id"], name="fk_held_post_author_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_held_post_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", name="pk_held_post"),
    )
    op.create_index("ix_held_post_author", "held_post", ["author_id", "post_id"], unique=False)


def _proxied() -> None:
    # The row of the proxy is made when a server starts.
    op.create_table(
        "proxy",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("prefetch", sa.Boolean(), nullable=False),
        sa.Column("prefetch_after", sa.Double(), nullable=False),
        sa.Column("prefetch_until", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_proxy"),
    )
    op.create_table(
        "remote_file",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("again_at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_remote_file"),
    )
    op.create_index("ix_remote_file_turn", "remote_file", ["state", "turn"], unique=False)
    op.create_table(
        "cached_file",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("leaving", sa.Boolean(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_cached_file"),
    )
    leaving = sa.text("leaving")
    op.create_index(
        "ix_cached_file_leaving",
        "cached_file",
        ["leaving"],
        unique=False,
        sqlite_where=leaving,
        postgresql_where=leaving,
    )
    op.create_table(
        "proxy_count",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "outcome", name="pk_proxy_count"),
    )
