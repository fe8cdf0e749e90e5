"""Media, what is kept of others' media, previews of links, and custom emojis."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """One function for each part."""
    _uploads()
    _proxied()
    _previews()
    _emojis()


def _uploads() -> None:
    """What people here uploaded."""
    op.create_table(
        "medium",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.Column("use", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), server_default="", nullable=False),
        sa.Column("alt", sa.Text(), server_default="", nullable=False),
        sa.Column("focal_x", sa.Double(), nullable=True),
        sa.Column("focal_y", sa.Double(), nullable=True),
        sa.Column("blurhash", sa.Text(), server_default="", nullable=False),
        sa.Column("colour", sa.Text(), server_default="", nullable=False),
        sa.Column("width", sa.BigInteger(), nullable=True),
        sa.Column("height", sa.BigInteger(), nullable=True),
        sa.Column("duration", sa.Double(), nullable=True),
        sa.Column("animated", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("files", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=True),
        sa.Column("place", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name="fk_medium_actor_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_medium_post_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_medium"),
    )
    op.create_index("ix_medium_actor", "medium", ["actor_id", "id"], unique=False)
    op.create_index("ix_medium_post", "medium", ["post_id", "place"], unique=False)


def _proxied() -> None:
    """What is kept of others' media."""


def _previews() -> None:
    """Previews of links."""
    op.create_table(
        "link_preview",
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("found", sa.JSON(), server_default="{}", nullable=False),
        sa.Column("fetched_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("url", name="pk_link_preview"),
    )
    op.create_index("ix_link_preview_expires_at", "link_preview", ["expires_at"])
    op.create_table(
        "post_link",
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_post_link_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", name="pk_post_link"),
    )
    op.create_index("ix_post_link_url", "post_link", ["url"])
    op.create_table(
        "preview_count",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "outcome", name="pk_preview_count"),
    )
    op.add_column("actor", sa.Column("attribution_domains", sa.JSON(), server_default="[]", nullable=False))


def _emojis() -> None:
    """Custom emojis of this server."""
    op.create_table(
        "emoji",
        sa.Column("shortcode", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("category", sa.Text(), server_default="", nullable=False),
        sa.Column("added_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("shortcode", name="pk_emoji"),
    )
