"""After: what the outbox left unsent becomes jobs; and back."""

# ruff: noqa: S608 - the statements are put together from what stands here

from alembic import op

from privapub.migrations.hand_over import hand_over

revision = "9002b"
down_revision = "9002a"

UNSENT = "state IN ('pending', 'sending')"
# What the outbox can express: a delivery, in no order.
DELIVERIES = "scope = '' AND kind = 'send' AND ordering_key IS NULL AND state IN ('waiting', 'leased')"
LANES = """
INSERT INTO lane(scope, kind, lane, next_at)
  SELECT scope, kind, lane, min(run_at) FROM job WHERE state = 'waiting' GROUP BY scope, kind, lane
  ORDER BY scope, kind, lane
ON CONFLICT (scope, kind, lane) DO UPDATE SET next_at = excluded.next_at"""


def upgrade() -> None:
    """Take the step."""
    made = "json_object" if op.get_bind().dialect.name == "sqlite" else "json_build_object"
    hand_over(
        op.get_bind(),
        source="outbox",
        held="SELECT count(*) FROM outbox WHERE state = 'sending' AND held_until > :now",
        make=f"""
          INSERT INTO job(kind, lane, args, state, created_at, run_at, attempt, dedupe_key, once_for_ever)
          SELECT 'send', 'host:' || host, CAST({made}('activity', activity, 'host', host) AS text), 'waiting',
            :now, :now, attempts, activity || ' ' || host, true
          FROM outbox WHERE {UNSENT} ORDER BY id""",
        mark=f"UPDATE outbox SET state = 'taken', held_until = NULL WHERE {UNSENT}",
    )
    op.execute(LANES)


def downgrade() -> None:
    """Hand back what the older release can send."""
    args = "args" if op.get_bind().dialect.name == "sqlite" else "args::json"
    hand_over(
        op.get_bind(),
        source="job",
        held="SELECT count(*) FROM job WHERE state = 'leased' AND lease_until > :now",
        make=f"""
          INSERT INTO outbox(activity, host, state, attempts)
          SELECT {args}->>'activity', {args}->>'host', 'pending', attempt FROM job WHERE {DELIVERIES} ORDER BY id
          ON CONFLICT (activity, host) DO UPDATE SET state = 'pending', attempts = excluded.attempts
            WHERE outbox.state = 'taken'""",
        mark=f"DELETE FROM job WHERE {DELIVERIES}",
    )
