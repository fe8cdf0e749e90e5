"""An older release, that never was: deliveries are rows of a table of their own, and there is no queue."""

import sqlalchemy as sa
from alembic import op

from rooms.migrations.killed import REAL_HEAD

revision = "9001"
down_revision = REAL_HEAD


def upgrade() -> None:
    """Take the step."""
    op.drop_table("job")
    op.drop_table("lane")
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("activity", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("held_until", sa.Double(), nullable=True),
        sa.UniqueConstraint("activity", "host"),
    )
