"""What reading the whole fediverse needs: reactions, boosts, polls, pins, quotes, blocks, lists, notifications."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

LEASE_FUNCTION = """
CREATE OR REPLACE FUNCTION privapub_lease(
  p_scope text, p_stamp text, p_offset float8, p_alone boolean,
  p_kinds text[], p_free int[], p_failing int[], p_caps int[], p_seconds float8[], p_attempts int[]
) RETURNS TABLE(
  id bigint, kind text, lane text, args text, attempt int, trigger text, created_at float8, run_at float8,
  lease_until float8, ordering_key text, dedupe_key text, once_for_ever boolean,
  failing boolean, probe boolean
) LANGUAGE plpgsql SET lock_timeout = '250ms' AS $$
#variable_conflict use_column
DECLARE
  t float8 := extract(epoch FROM clock_timestamp())::float8 + p_offset;
  due text[];
  mine text[];
  one record;
  i int;
BEGIN
  -- A lease need not outlive the machine's own fall, where it is as good as expired: it waits for no disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  IF p_alone THEN
    SELECT j.id, j.kind, j.lane, coalesce(l.cap, k.cap) AS cap, k.seconds, k.attempts,
        l.fails > 0 AS failing, l.quarantine > 0 AS probe INTO one
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
          job.lease_until, job.ordering_key, job.dedupe_key, job.once_for_ever, one.failing, one.probe;
    END IF;
    RETURN;
  END IF;
  -- Most kinds have nothing due, and there are many: they are passed over in one statement.
  FOR i IN SELECT k.place FROM unnest(p_kinds) WITH ORDINALITY AS k(kind, place) WHERE
      EXISTS (SELECT 1 FROM lane l
        WHERE l.scope = p_scope AND l.kind = k.kind AND l.next_at <= t AND l.fails = 0) OR
      EXISTS (SELECT 1 FROM lane l
        WHERE l.scope = p_scope AND l.kind = k.kind AND l.next_at <= t AND l.fails > 0)
    ORDER BY k.place
  LOOP
    SELECT array_agg(x.lane ORDER BY x.next_at) INTO due FROM (
      (SELECT l.lane, l.next_at FROM lane l
        WHERE l.scope = p_scope AND l.kind = p_kinds[i] AND l.next_at <= t AND l.fails = 0
          AND (SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = p_kinds[i] AND r.lane = l.lane
               AND r.state = 'leased' AND r.lease_until > t) < coalesce(l.cap, p_caps[i])
        ORDER BY l.next_at LIMIT p_free[i])
      UNION ALL
      (SELECT l.lane, l.next_at FROM lane l
        WHERE l.scope = p_scope AND l.kind = p_kinds[i] AND l.next_at <= t AND l.fails > 0
          AND (SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = p_kinds[i] AND r.lane = l.lane
               AND r.state = 'leased' AND r.lease_until > t) < coalesce(l.cap, p_caps[i])
        ORDER BY l.next_at LIMIT least(p_free[i], p_failing[i]))) x;
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
        SELECT y.id, y.failing, y.probe FROM (SELECT j.id, j.run_at, l.fails > 0 AS failing, l.quarantine > 0 AS probe,
            row_number() OVER (PARTITION BY l.fails > 0 ORDER BY j.run_at, j.id) AS place
          FROM unnest(mine) AS m(lane)
          JOIN lane l ON l.scope = p_scope AND l.kind = p_kinds[i] AND l.lane = m.lane AND l.next_at <= t
          CROSS JOIN LATERAL (
            SELECT w.id, w.run_at FROM job w
              WHERE w.scope = p_scope AND w.kind = p_kinds[i] AND w.lane = m.lane
                AND w.state = 'waiting' AND NOT w.alone AND w.run_at <= t
              ORDER BY w.run_at, w.id
              LIMIT greatest(0, coalesce(l.cap, p_caps[i]) - (
                SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = p_kinds[i] AND r.lane = m.lane
                  AND r.state = 'leased' AND r.lease_until > t))
              FOR UPDATE SKIP LOCKED) j) y
          WHERE NOT y.failing OR y.place <= p_failing[i]
          ORDER BY y.run_at, y.id LIMIT p_free[i])
      UPDATE job SET state = 'leased', stamp = p_stamp, lease_until = t + p_seconds[i],
          lease_seconds = p_seconds[i], attempt = job.attempt + 1, attempts = p_attempts[i],
          first_leased_at = coalesce(job.first_leased_at, t)
        FROM chosen WHERE job.id = chosen.id AND job.state = 'waiting'
        RETURNING job.id, job.kind, job.lane, job.args, job.attempt, job.trigger, job.created_at, job.run_at,
          job.lease_until, job.ordering_key, job.dedupe_key, job.once_for_ever, chosen.failing, chosen.probe;
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
       (SELECT l.next_at FROM lane l WHERE l.scope = p_scope AND l.kind = k.kind AND l.next_at > t AND l.fails = 0
         ORDER BY l.next_at LIMIT 1)
       UNION ALL
       (SELECT l.next_at FROM lane l WHERE l.scope = p_scope AND l.kind = k.kind AND l.next_at > t AND l.fails > 0
         ORDER BY l.next_at LIMIT 1)) x),
    t, NULL::text, NULL::text, NULL::boolean, NULL::boolean, NULL::boolean;
END $$
"""


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "thread",
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.Double(), nullable=False),
        sa.Column("read_at", sa.Double(), nullable=True),
        sa.Column("found", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("root", name=op.f("pk_thread")),
    )
    with op.batch_alter_table("thread", schema=None) as batch_op:
        batch_op.create_index("ix_thread_asked", ["asked_at"], unique=False)

    op.create_table(
        "block",
        sa.Column("blocker_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("blocked_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["blocked_id"], ["actor.id"], name=op.f("fk_block_blocked_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["blocker_id"], ["actor.id"], name=op.f("fk_block_blocker_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("blocker_id", "blocked_id", name=op.f("pk_block")),
    )
    with op.batch_alter_table("block", schema=None) as batch_op:
        batch_op.create_index("ix_block_blocked", ["blocked_id"], unique=False)

    op.create_table(
        "featured_tag",
        sa.Column("actor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_featured_tag_actor_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("actor_id", "tag", name=op.f("pk_featured_tag")),
    )
    op.create_table(
        "mute",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("muted_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("notifications", sa.Boolean(), server_default="1", nullable=False),
        sa.Column("ends_at", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["muted_id"], ["actor.id"], name=op.f("fk_mute_muted_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name=op.f("fk_mute_persona_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "muted_id", name=op.f("pk_mute")),
    )
    op.create_table(
        "people_list",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("replies", sa.Text(), server_default="list", nullable=False),
        sa.Column("exclusive", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["persona_id"], ["actor.id"], name=op.f("fk_people_list_persona_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people_list")),
    )
    with op.batch_alter_table("people_list", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_people_list_persona_id"), ["persona_id"], unique=False)

    op.create_table(
        "report",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("reporter_id", sa.BigInteger(), nullable=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("local", sa.Boolean(), nullable=False),
        sa.Column("post_uris", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("comment", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("forwarded_at", sa.Double(), nullable=True),
        sa.Column("closed_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["reporter_id"], ["actor.id"], name=op.f("fk_report_reporter_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["target_id"], ["actor.id"], name=op.f("fk_report_target_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report")),
        sa.UniqueConstraint("uri", name=op.f("uq_report_uri")),
    )
    with op.batch_alter_table("report", schema=None) as batch_op:
        batch_op.create_index("ix_report_target", ["target_id", "id"], unique=False)

    op.create_table(
        "word_filter",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("words", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("post_ids", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("ends_at", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["persona_id"], ["actor.id"], name=op.f("fk_word_filter_persona_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_word_filter")),
    )
    with op.batch_alter_table("word_filter", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_word_filter_persona_id"), ["persona_id"], unique=False)

    op.create_table(
        "boost",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_boost_actor_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_boost_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_boost")),
        sa.UniqueConstraint("post_id", "actor_id", name=op.f("uq_boost_post_id_actor_id")),
        sa.UniqueConstraint("uri", name=op.f("uq_boost_uri")),
    )
    with op.batch_alter_table("boost", schema=None) as batch_op:
        batch_op.create_index("ix_boost_actor", ["actor_id", "id"], unique=False)

    op.create_table(
        "list_member",
        sa.Column("list_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("actor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_list_member_actor_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["list_id"], ["people_list.id"], name=op.f("fk_list_member_list_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("list_id", "actor_id", name=op.f("pk_list_member")),
    )
    with op.batch_alter_table("list_member", schema=None) as batch_op:
        batch_op.create_index("ix_list_member_actor", ["actor_id"], unique=False)

    op.create_table(
        "notification",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=True),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("dismissed_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_notification_actor_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["persona_id"], ["actor.id"], name=op.f("fk_notification_persona_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_notification_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification")),
        sa.UniqueConstraint(
            "persona_id", "kind", "actor_id", "about", name=op.f("uq_notification_persona_id_kind_actor_id_about")
        ),
    )
    with op.batch_alter_table("notification", schema=None) as batch_op:
        batch_op.create_index("ix_notification_persona", ["persona_id", "id"], unique=False)
        batch_op.create_index("ix_notification_post", ["post_id"], unique=False)

    op.create_table(
        "pin",
        sa.Column("actor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_pin_actor_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_pin_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("actor_id", "post_id", name=op.f("pk_pin")),
    )
    with op.batch_alter_table("pin", schema=None) as batch_op:
        batch_op.create_index("ix_pin_post", ["post_id"], unique=False)

    op.create_table(
        "poll",
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("multiple", sa.Boolean(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("voters_elsewhere", sa.BigInteger(), nullable=True),
        sa.Column("ends_at", sa.Double(), nullable=True),
        sa.Column("closed_at", sa.Double(), nullable=True),
        sa.Column("read_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_poll_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", name=op.f("pk_poll")),
    )
    op.create_table(
        "poll_vote",
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("actor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("choice", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("uri", sa.Text(), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_poll_vote_actor_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_poll_vote_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", "actor_id", "choice", name=op.f("pk_poll_vote")),
    )
    with op.batch_alter_table("poll_vote", schema=None) as batch_op:
        batch_op.create_index("ix_poll_vote_actor", ["actor_id"], unique=False)

    op.create_table(
        "post_tag",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_post_tag_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("tag", "post_id", name=op.f("pk_post_tag")),
    )
    with op.batch_alter_table("post_tag", schema=None) as batch_op:
        batch_op.create_index("ix_post_tag_post", ["post_id"], unique=False)

    op.create_table(
        "quote_stamp",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.Column("quoting", sa.Text(), nullable=False),
        sa.Column("actor_uri", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_quote_stamp_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_quote_stamp")),
        sa.UniqueConstraint("post_id", "quoting", name=op.f("uq_quote_stamp_post_id_quoting")),
    )
    op.create_table(
        "reaction",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=False),
        sa.Column("emoji", sa.Text(), server_default="", nullable=False),
        sa.Column("picture", sa.Text(), nullable=True),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name=op.f("fk_reaction_actor_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_reaction_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reaction")),
        sa.UniqueConstraint("post_id", "actor_id", "emoji", name=op.f("uq_reaction_post_id_actor_id_emoji")),
    )
    with op.batch_alter_table("reaction", schema=None) as batch_op:
        batch_op.create_index("ix_reaction_actor", ["actor_id", "id"], unique=False)
        batch_op.create_index("ix_reaction_uri", ["uri"], unique=False)

    with op.batch_alter_table("actor", schema=None) as batch_op:
        batch_op.add_column(sa.Column("featured", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("featured_tags", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("language", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("tags", sa.JSON(), server_default="[]", nullable=False))
        batch_op.add_column(sa.Column("notes", sa.JSON(), server_default="[]", nullable=False))
        batch_op.add_column(sa.Column("memorial", sa.Boolean(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("suspended", sa.Boolean(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("inbox_gone_at", sa.Double(), nullable=True))

    with op.batch_alter_table("persona", schema=None) as batch_op:
        batch_op.add_column(sa.Column("text_format", sa.Text(), server_default="plain", nullable=False))

    with op.batch_alter_table("rendering", schema=None) as batch_op:
        batch_op.add_column(sa.Column("former_key", sa.Text(), nullable=True))

    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.add_column(sa.Column("text_format", sa.Text(), server_default="plain", nullable=False))
        batch_op.add_column(sa.Column("translations", sa.JSON(), server_default="[]", nullable=False))
        batch_op.add_column(sa.Column("license", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("quote", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("quote_state", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("quote_stamp", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("quote_policy", sa.Text(), server_default="public", nullable=False))
        batch_op.add_column(sa.Column("context", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("conversation", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("replies", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("likes_elsewhere", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("shares_elsewhere", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("replies_elsewhere", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("notes", sa.JSON(), server_default="[]", nullable=False))
        batch_op.create_index("ix_post_in_reply_to_id", ["in_reply_to_id", "id"], unique=False)
        batch_op.create_index("ix_post_public", ["audience", "id"], unique=False)
        batch_op.create_index(
            "ix_post_local",
            ["audience", "id"],
            unique=False,
            sqlite_where=sa.text("local = 1"),
            postgresql_where=sa.text("local"),
        )
        batch_op.create_index(
            "ix_post_quote",
            ["quote"],
            unique=False,
            sqlite_where=sa.text("quote IS NOT NULL"),
            postgresql_where=sa.text("quote IS NOT NULL"),
        )

    _number_the_entries()
    if op.get_bind().dialect.name == "postgresql":
        op.execute(LEASE_FUNCTION)


def _number_the_entries() -> None:
    """The entries of timelines get numbers of their own, as boosts will stand there too; so far there were posts."""
    op.execute("CREATE TABLE timeline_entry_before AS SELECT persona_id, post_id FROM timeline_entry")
    op.drop_table("timeline_entry")
    op.create_table(
        "timeline_entry",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.Column("boost_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["boost_id"], ["boost.id"], name="fk_timeline_entry_boost_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name="fk_timeline_entry_persona_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_timeline_entry_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "entry_id", name="pk_timeline_entry"),
    )
    op.execute(
        "INSERT INTO timeline_entry(persona_id, entry_id, post_id) SELECT persona_id, post_id, post_id"
        " FROM timeline_entry_before"
    )
    op.drop_table("timeline_entry_before")
    op.create_index("ix_timeline_entry_boost", "timeline_entry", ["boost_id"])
    op.create_index("ix_timeline_entry_post", "timeline_entry", ["post_id", "persona_id"])
