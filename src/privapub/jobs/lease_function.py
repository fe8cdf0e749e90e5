"""Leasing on PostgreSQL: one function, one round trip.

Lanes are locked first (kinds and lanes in the order of their bytes, as everybody who locks several does), and what is
leased is chosen under a snapshot taken afterwards: a single statement that did both leased jobs twice when processes
raced. For the lane that has waited longest the function waits its turn, since one that is much written to would
otherwise never be free when it looks; the others it takes as they come. Lanes that fail are looked for apart from the
others (each sort has an index), so that however many of them are due, they hide no healthy one.

Its statements are planned once, for every kind and whatever the tables hold: to plan them for each call takes as long
as the call. A plan that was made while a table was empty must be as good when it is full: so by an index, and rows are
named as well as joined, which leaves no other way to find them.

The last row has no id: `run_at` is when something may next be leased, `lease_until` the moment of this call, and
`attempt` whether a job waits that must run alone.
"""

LEASE_FUNCTION = """
CREATE OR REPLACE FUNCTION privapub_lease(
  p_scope text, p_stamp text, p_offset float8, p_alone boolean,
  p_kinds text[], p_free int[], p_failing int[], p_caps int[], p_seconds float8[], p_attempts int[]
) RETURNS TABLE(
  id bigint, kind text, lane text, args text, attempt int, trigger text, created_at float8, run_at float8,
  lease_until float8, ordering_key text, dedupe_key text, once_for_ever boolean,
  failing boolean, probe boolean
) LANGUAGE plpgsql
  SET lock_timeout = '250ms' SET plan_cache_mode = 'force_generic_plan'
  SET enable_seqscan = 'off' SET enable_bitmapscan = 'off' AS $$
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
          FROM lane l CROSS JOIN LATERAL (
            SELECT w.id, w.run_at FROM job w
              WHERE w.scope = p_scope AND w.kind = p_kinds[i] AND w.lane = l.lane
                AND w.state = 'waiting' AND NOT w.alone AND w.run_at <= t
              ORDER BY w.run_at, w.id
              LIMIT greatest(0, coalesce(l.cap, p_caps[i]) - (
                SELECT count(*) FROM job r WHERE r.scope = p_scope AND r.kind = p_kinds[i] AND r.lane = l.lane
                  AND r.state = 'leased' AND r.lease_until > t))
              FOR UPDATE SKIP LOCKED) j
          WHERE l.scope = p_scope AND l.kind = p_kinds[i] AND l.lane = ANY(mine) AND l.next_at <= t) y
          WHERE NOT y.failing OR y.place <= p_failing[i]
          ORDER BY y.run_at, y.id LIMIT p_free[i])
      UPDATE job SET state = 'leased', stamp = p_stamp, lease_until = t + p_seconds[i],
          lease_seconds = p_seconds[i], attempt = job.attempt + 1, attempts = p_attempts[i],
          first_leased_at = coalesce(job.first_leased_at, t)
        FROM chosen WHERE job.id = ANY(ARRAY(SELECT c.id FROM chosen c)) AND job.id = chosen.id
          AND job.state = 'waiting'
        RETURNING job.id, job.kind, job.lane, job.args, job.attempt, job.trigger, job.created_at, job.run_at,
          job.lease_until, job.ordering_key, job.dedupe_key, job.once_for_ever, chosen.failing, chosen.probe;
    UPDATE lane SET next_at = n.next_at FROM (
        SELECT l.lane, (
          SELECT greatest(w.run_at, l.open_until, l.not_before) FROM job w
            WHERE w.scope = p_scope AND w.kind = p_kinds[i] AND w.lane = l.lane
              AND w.state = 'waiting' AND NOT w.alone ORDER BY w.run_at, w.id LIMIT 1) AS next_at
          FROM lane l WHERE l.scope = p_scope AND l.kind = p_kinds[i] AND l.lane = ANY(mine)) n
      WHERE lane.scope = p_scope AND lane.kind = p_kinds[i] AND lane.lane = ANY(mine) AND lane.lane = n.lane
        AND lane.next_at IS DISTINCT FROM n.next_at;
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
