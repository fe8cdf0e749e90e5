"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

LEASE_FUNCTION = """
CREATE OR REPLACE FUNCTION privapub_lease(
  p_scope text, p_stamp text, p_offset float8, p_alone boolean,
  p_kinds text[], p_free int[], p_caps int[], p_seconds float8[], p_attempts int[]
) RETURNS TABLE(
  id bigint, kind text, lane text, args text, attempt int, trigger text, created_at float8, run_at float8,
  lease_until float8, ordering_key text, dedupe_key text, once_for_ever boolean
) LANGUAGE plpgsql SET lock_timeout = '250ms' AS $$
#variable_conflict use_column
DECLARE
  t float8 := extract(epoch FROM clock_timestamp())::float8 + p_offset;
  due text[];
  mine text[];
  one record;
BEGIN
  IF p_alone THEN
    SELECT j.id, j.kind, j.lane, coalesce(l.cap, k.cap) AS cap, k.seconds, k.attempts INTO one
      FROM job j
      JOIN lane l ON l.scope = j.scope AND l.kind = j.kind AND l.lane = j.lane
      JOIN unnest(p_kinds, p_caps, p_seconds, p_attempts) AS k(kind, cap, seconds, attempts) ON k.kind = j.kind
      WHERE j.scope = p_scope AND j.state = 'waiting' AND j.alone AND j.run_at <= t
        AND l.open_until <= t AND l.not_before <= t
        AND (SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = j.kind AND r.lane = j.lane
             AND r.state = 'leased' AND r.lease_until > t) < coalesce(l.cap, k.cap)
      ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF l, j SKIP LOCKED;
    IF FOUND THEN
      RETURN QUERY UPDATE job SET state = 'leased', stamp = p_stamp, lease_until = t + one.seconds,
          lease_seconds = one.seconds, attempt = job.attempt + 1, attempts = one.attempts,
          first_leased_at = coalesce(job.first_leased_at, t)
        WHERE job.id = one.id AND job.state = 'waiting'
          AND (SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = one.kind AND r.lane = one.lane
               AND r.state = 'leased' AND r.lease_until > t) < one.cap
        RETURNING job.id, job.kind, job.lane, job.args, job.attempt, job.trigger, job.created_at, job.run_at,
          job.lease_until, job.ordering_key, job.dedupe_key, job.once_for_ever;
    END IF;
    RETURN;
  END IF;
  FOR i IN 1 .. coalesce(array_length(p_kinds, 1), 0) LOOP
    SELECT array_agg(x.lane ORDER BY x.next_at) INTO due FROM (
      SELECT l.lane, l.next_at FROM lane l
        WHERE l.scope = p_scope AND l.kind = p_kinds[i] AND l.next_at <= t
          AND (SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = p_kinds[i] AND r.lane = l.lane
               AND r.state = 'leased' AND r.lease_until > t) < coalesce(l.cap, p_caps[i])
        ORDER BY l.next_at LIMIT p_free[i]) x;
    CONTINUE WHEN due IS NULL;
    BEGIN
      PERFORM 1 FROM lane l WHERE l.scope = p_scope AND l.kind = p_kinds[i] AND l.lane = due[1] FOR UPDATE;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      NULL;
    END;
    SELECT array_agg(x.lane) INTO mine FROM (
      SELECT l.lane FROM lane l
        WHERE l.scope = p_scope AND l.kind = p_kinds[i] AND l.lane = ANY(due) FOR UPDATE SKIP LOCKED) x;
    CONTINUE WHEN mine IS NULL;
    RETURN QUERY WITH chosen AS MATERIALIZED (
        SELECT j.id FROM unnest(mine) AS m(lane)
          JOIN lane l ON l.scope = p_scope AND l.kind = p_kinds[i] AND l.lane = m.lane AND l.next_at <= t
          CROSS JOIN LATERAL (
            SELECT w.id, w.run_at FROM job w
              WHERE w.scope = p_scope AND w.kind = p_kinds[i] AND w.lane = m.lane
                AND w.state = 'waiting' AND NOT w.alone AND w.run_at <= t
              ORDER BY w.run_at, w.id
              LIMIT greatest(0, coalesce(l.cap, p_caps[i]) - (
                SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = p_kinds[i] AND r.lane = m.lane
                  AND r.state = 'leased' AND r.lease_until > t))
              FOR UPDATE SKIP LOCKED) j
          ORDER BY j.run_at, j.id LIMIT p_free[i])
      UPDATE job SET state = 'leased', stamp = p_stamp, lease_until = t + p_seconds[i],
          lease_seconds = p_seconds[i], attempt = job.attempt + 1, attempts = p_attempts[i],
          first_leased_at = coalesce(job.first_leased_at, t)
        FROM chosen WHERE job.id = chosen.id AND job.state = 'waiting'
        RETURNING job.id, job.kind, job.lane, job.args, job.attempt, job.trigger, job.created_at, job.run_at,
          job.lease_until, job.ordering_key, job.dedupe_key, job.once_for_ever;
    UPDATE lane SET next_at = n.next_at FROM (
        SELECT m.lane, greatest(w.run_at, l.open_until, l.not_before) AS next_at
          FROM unnest(mine) AS m(lane)
          JOIN lane l ON l.scope = p_scope AND l.kind = p_kinds[i] AND l.lane = m.lane
          CROSS JOIN LATERAL (
            SELECT w.run_at FROM job w WHERE w.scope = p_scope AND w.kind = p_kinds[i] AND w.lane = m.lane
              AND w.state = 'waiting' AND NOT w.alone ORDER BY w.run_at, w.id LIMIT 1) w) n
      WHERE lane.scope = p_scope AND lane.kind = p_kinds[i] AND lane.lane = n.lane
        AND lane.next_at IS DISTINCT FROM n.next_at;
    UPDATE lane SET next_at = NULL
      WHERE lane.scope = p_scope AND lane.kind = p_kinds[i] AND lane.lane = ANY(mine)
        AND NOT EXISTS (SELECT 1 FROM job w WHERE w.scope = p_scope AND w.kind = p_kinds[i]
          AND w.lane = lane.lane AND w.state = 'waiting' AND NOT w.alone);
  END LOOP;
  RETURN QUERY SELECT NULL::bigint, NULL::text, NULL::text, NULL::text,
    (EXISTS (SELECT 1 FROM job j JOIN lane l ON l.scope = j.scope AND l.kind = j.kind AND l.lane = j.lane
       WHERE j.scope = p_scope AND j.state = 'waiting' AND j.alone AND j.run_at <= t AND j.kind = ANY(p_kinds)
         AND l.open_until <= t AND l.not_before <= t))::int,
    NULL::text, NULL::float8,
    (SELECT min(x.next_at) FROM unnest(p_kinds) AS k(kind) CROSS JOIN LATERAL (
       SELECT l.next_at FROM lane l WHERE l.scope = p_scope AND l.kind = k.kind AND l.next_at > t
         ORDER BY l.next_at LIMIT 1) x),
    t, NULL::text, NULL::text, NULL::boolean;
END $$
"""


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "account",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("email", name=op.f("uq_account_email")),
    )
    op.create_table(
        "actor",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("local", sa.Boolean(), nullable=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("summary", sa.Text(), server_default="", nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("icon", sa.Text(), nullable=True),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column("fields", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("inbox", sa.Text(), nullable=False),
        sa.Column("shared_inbox", sa.Text(), nullable=True),
        sa.Column("outbox", sa.Text(), nullable=True),
        sa.Column("followers", sa.Text(), nullable=True),
        sa.Column("following", sa.Text(), nullable=True),
        sa.Column("locked", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("discoverable", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("indexable", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("also_known_as", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("moved_to", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), server_default="here", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=True),
        sa.Column("fetched_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_actor")),
        sa.UniqueConstraint("uri", name=op.f("uq_actor_uri")),
    )
    op.create_table(
        "arrival",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "host", "outcome", "reason", name=op.f("pk_arrival")),
    )
    op.create_table(
        "fetch",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.Float(precision=53), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Float(precision=53), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("hops", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fetch")),
    )
    op.create_index("ix_fetch_at", "fetch", ["at"], unique=False)
    op.create_table(
        "host_scheme",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("scheme", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_host_scheme")),
    )
    op.create_table(
        "incoming",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("activity_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.Column("actor_uri", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("received_at", sa.Double(), nullable=False),
        sa.Column("handled_at", sa.Double(), nullable=True),
        sa.Column("kept_out", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incoming")),
        sa.UniqueConstraint("owner", "activity_id", "digest", name=op.f("uq_incoming_owner_activity_id_digest")),
    )
    op.create_index("ix_incoming_received_at", "incoming", ["received_at"], unique=False)
    op.create_table(
        "job",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("scope", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), server_default="", nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("run_at", sa.Double(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=True),
        sa.Column("stamp", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("lease_seconds", sa.Double(), nullable=True),
        sa.Column("first_leased_at", sa.Double(), nullable=True),
        sa.Column("alone", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("dedupe_key", sa.Text(), nullable=True),
        sa.Column("once_for_ever", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("twin", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("ordering_key", sa.Text(), nullable=True),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("progress", sa.Double(), nullable=True),
        sa.Column("progress_note", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        postgresql_with={"fillfactor": "85", "autovacuum_vacuum_scale_factor": "0.02"},
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_job_alone",
        "job",
        ["scope", "run_at", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'waiting' AND alone"),
        postgresql_where=sa.text("state = 'waiting' AND alone"),
    )
    op.create_index(
        "ix_job_blocked",
        "job",
        ["scope", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'blocked'"),
        postgresql_where=sa.text("state = 'blocked'"),
    )
    op.create_index(
        "ix_job_finished_at",
        "job",
        ["scope", "finished_at"],
        unique=False,
        sqlite_where=sa.text("finished_at IS NOT NULL"),
        postgresql_where=sa.text("finished_at IS NOT NULL"),
    )
    op.create_index(
        "ix_job_lease_until",
        "job",
        ["scope", "lease_until"],
        unique=False,
        sqlite_where=sa.text("state = 'leased'"),
        postgresql_where=sa.text("state = 'leased'"),
    )
    op.create_index(
        "ix_job_leased",
        "job",
        ["scope", "kind", "lane", "lease_until"],
        unique=False,
        sqlite_where=sa.text("state = 'leased'"),
        postgresql_where=sa.text("state = 'leased'"),
    )
    op.create_index(
        "ix_job_ordered",
        "job",
        ["scope", "ordering_key", "id"],
        unique=False,
        sqlite_where=sa.text("ordering_key IS NOT NULL"),
        postgresql_where=sa.text("ordering_key IS NOT NULL"),
    )
    op.create_index(
        "ix_job_ordering_key",
        "job",
        ["scope", "ordering_key", "id"],
        unique=False,
        sqlite_where=sa.text("ordering_key IS NOT NULL AND finished_at IS NULL"),
        postgresql_where=sa.text("ordering_key IS NOT NULL AND finished_at IS NULL"),
    )
    op.create_index(
        "ix_job_waiting",
        "job",
        ["scope", "kind", "lane", "run_at", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'waiting' AND NOT alone"),
        postgresql_where=sa.text("state = 'waiting' AND NOT alone"),
    )
    op.create_index(
        "uq_job_dedupe_key",
        "job",
        ["scope", "dedupe_key", "twin"],
        unique=True,
        sqlite_where=sa.text("dedupe_key IS NOT NULL AND (once_for_ever OR finished_at IS NULL)"),
        postgresql_where=sa.text("dedupe_key IS NOT NULL AND (once_for_ever OR finished_at IS NULL)"),
    )
    op.create_table(
        "lane",
        sa.Column("scope", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("next_at", sa.Double(), nullable=True),
        sa.Column("not_before", sa.Double(), server_default="0", nullable=False),
        sa.Column("cap", sa.Integer(), nullable=True),
        sa.Column("fails", sa.Integer(), server_default="0", nullable=False),
        sa.Column("open_until", sa.Double(), server_default="0", nullable=False),
        sa.Column("quarantine", sa.Double(), server_default="0", nullable=False),
        sa.Column("heard_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("scope", "kind", "lane", name=op.f("pk_lane")),
        postgresql_with={"fillfactor": "50"},
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_lane_next_at",
        "lane",
        ["scope", "kind", "next_at"],
        unique=False,
        sqlite_where=sa.text("next_at IS NOT NULL"),
        postgresql_where=sa.text("next_at IS NOT NULL"),
    )
    op.create_table(
        "reader_fetch",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "host", name=op.f("pk_reader_fetch")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tombstone",
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("actor_uri", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("uri", "actor_uri", name=op.f("pk_tombstone")),
    )
    op.create_index("ix_tombstone_host", "tombstone", ["host", "at"], unique=False)
    op.create_table(
        "undone",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_undone")),
    )
    op.create_index(op.f("ix_undone_at"), "undone", ["at"], unique=False)
    op.create_table(
        "account_persona",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_account_persona_account_id")),
        sa.PrimaryKeyConstraint("persona_id", name=op.f("pk_account_persona")),
    )
    op.create_index(op.f("ix_account_persona_account_id"), "account_persona", ["account_id"], unique=False)
    op.create_table(
        "actor_key",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.Column("algorithm", sa.Text(), nullable=False),
        sa.Column("public", sa.Text(), nullable=False),
        sa.Column("private", sa.Text(), nullable=True),
        sa.Column("fetched_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_actor_key_actor_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_actor_key")),
    )
    op.create_index(op.f("ix_actor_key_actor_id"), "actor_key", ["actor_id"], unique=False)
    op.create_table(
        "follow",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("follower_id", sa.BigInteger(), nullable=False),
        sa.Column("followed_id", sa.BigInteger(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("answered_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["followed_id"], ["actor.id"], name=op.f("fk_follow_followed_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["follower_id"], ["actor.id"], name=op.f("fk_follow_follower_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_follow")),
        sa.UniqueConstraint("follower_id", "followed_id", name=op.f("uq_follow_follower_id_followed_id")),
    )
    op.create_index("ix_follow_followed", "follow", ["followed_id", "state"], unique=False)
    op.create_index("ix_follow_uri", "follow", ["uri"], unique=False)
    op.create_table(
        "persona",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("bio", sa.Text(), server_default="", nullable=False),
        sa.Column("shows_follows", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("closed_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["id"], ["actor.id"], name=op.f("fk_persona_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_persona")),
        sa.UniqueConstraint("handle", name=op.f("uq_persona_handle")),
    )
    op.create_table(
        "post",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("activity_uri", sa.Text(), nullable=True),
        sa.Column("author_id", sa.BigInteger(), nullable=False),
        sa.Column("local", sa.Boolean(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="Note", nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("summary", sa.Text(), server_default="", nullable=False),
        sa.Column("sensitive", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("in_reply_to", sa.Text(), nullable=True),
        sa.Column("in_reply_to_id", sa.BigInteger(), nullable=True),
        sa.Column("tags", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("attachments", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("published_at", sa.Double(), nullable=False),
        sa.Column("edited_at", sa.Double(), nullable=True),
        sa.Column("received_at", sa.Double(), nullable=False),
        sa.Column("deleted_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["author_id"], ["actor.id"], name=op.f("fk_post_author_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_post")),
        sa.UniqueConstraint("activity_uri", name=op.f("uq_post_activity_uri")),
        sa.UniqueConstraint("uri", name=op.f("uq_post_uri")),
    )
    op.create_index("ix_post_author", "post", ["author_id", "id"], unique=False)
    op.create_index("ix_post_in_reply_to", "post", ["in_reply_to"], unique=False)
    op.create_table(
        "rendering",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_rendering_actor_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rendering")),
    )
    op.create_index(op.f("ix_rendering_created_at"), "rendering", ["created_at"], unique=False)
    op.create_table(
        "post_recipient",
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["actor.id"], name=op.f("fk_post_recipient_actor_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_post_recipient_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", "actor_id", name=op.f("pk_post_recipient")),
    )
    op.create_index("ix_post_recipient_actor", "post_recipient", ["actor_id", "post_id"], unique=False)
    op.create_table(
        "sent",
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("inbox", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), server_default="", nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_sent_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", "inbox", "recipient", name=op.f("pk_sent")),
    )
    op.create_index("ix_sent_inbox", "sent", ["inbox"], unique=False)
    op.create_table(
        "timeline_entry",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["persona_id"], ["actor.id"], name=op.f("fk_timeline_entry_persona_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_timeline_entry_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "post_id", name=op.f("pk_timeline_entry")),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(LEASE_FUNCTION)
