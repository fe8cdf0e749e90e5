"""What being hard to fool needs: counts of what was answered and of what became of deliveries, rules about domains."""

import sqlalchemy as sa
from alembic import op

from privapub.outbound.target import host_of

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Take the step."""
    _rule_about_domains()
    op.add_column("incoming", sa.Column("original", sa.LargeBinary(), nullable=True))
    op.add_column("rendering", sa.Column("for_followers", sa.Boolean(), server_default="0", nullable=False))
    op.add_column("actor", sa.Column("etag", sa.Text(), nullable=True))
    op.add_column("actor", sa.Column("last_modified", sa.Text(), nullable=True))
    op.create_table(
        "relay",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("inbox", sa.Text(), nullable=False),
        sa.Column("actor_uri", sa.Text(), nullable=True),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("follow_uri", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("answered_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_relay"),
        sa.UniqueConstraint("inbox", name="uq_relay_inbox"),
    )
    in_turn = sa.text("ordering_key IS NOT NULL AND state IN ('waiting', 'leased')")
    op.create_index("ix_job_in_turn", "job", ["scope", "ordering_key"], sqlite_where=in_turn, postgresql_where=in_turn)
    op.create_table(
        "departure",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "host", "outcome", "reason", name="pk_departure"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "traffic",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("signed", sa.Boolean(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "kind", "method", "status", "signed", name="pk_traffic"),
        sqlite_with_rowid=False,
    )


def _rule_about_domains() -> None:
    """The rules, and for each remote actor the host of its id and how the rules stand to it."""
    op.create_table(
        "domain_policy",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("only_allowed", sa.Boolean(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_domain_policy"),
    )
    op.create_table(
        "domain_rule",
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("reject_media", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("reject_reports", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("public_comment", sa.Text(), server_default="", nullable=False),
        sa.Column("private_comment", sa.Text(), server_default="", nullable=False),
        sa.Column("obfuscate", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("domain", name="pk_domain_rule"),
    )
    op.add_column("follow", sa.Column("state_before", sa.Text(), nullable=True))
    op.add_column("actor", sa.Column("origin", sa.Text(), server_default="", nullable=False))
    op.add_column("actor", sa.Column("standing", sa.Text(), server_default="open", nullable=False))
    actor = sa.table("actor", sa.column("id"), sa.column("uri"), sa.column("local"), sa.column("origin"))
    by_id = sa.update(actor).where(actor.c.id == sa.bindparam("of")).values(origin=sa.bindparam("found"))
    connection, last = op.get_bind(), 0
    while True:
        some = sa.select(actor.c.id, actor.c.uri).where(actor.c.id > last, actor.c.local == sa.false())
        rows = connection.execute(some.order_by(actor.c.id).limit(5000)).all()
        if not rows:
            break
        connection.execute(by_id, [{"of": row.id, "found": host_of(row.uri)} for row in rows])
        last = rows[-1].id
    op.create_index("ix_actor_origin", "actor", ["origin", "host"])
    op.create_index("ix_notification_actor", "notification", ["actor_id"])
