-- Jobs of a destination begin in the order in which they were accepted. Who is next is decided here, under the lock of the
-- destination; a message of the queue only says where to look, so that it does not matter which message comes first.

CREATE INDEX offer_accepted ON offer (destination_id, decided_at, id) WHERE state IN ('ACCEPTED', 'WAITING');

-- Whether a job waits to be begun by an executor.
CREATE FUNCTION is_waiting(p_state session_state, p_start start_mode) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT p_state = 'WAITING' OR (p_state = 'ACCEPTED' AND p_start = 'AUTO')
$$;

-- Asks the executors to look at a destination. One message for each is enough; the earlier time counts.
CREATE FUNCTION look_at_destination(p_destination text, p_at timestamptz) RETURNS void LANGUAGE sql AS $$
    SELECT graphile_worker.add_job('look', json_build_object('destination', p_destination), run_at => p_at, max_attempts => 25,
                                   job_key => 'look:' || p_destination, job_key_mode => 'preserve_run_at')
$$;

-- Begins, for this executor, the job of a destination that was accepted first among those that are due and fit.
-- Verdicts: 'begin'; 'crowded' when some are due and none of them fits; 'none'.
CREATE FUNCTION begin_next(p_destination text, p_executor text, p_host text, p_lease interval, p_away jsonb, p_shared jsonb, p_grace interval)
    RETURNS TABLE (job uuid, verdict text, destination text) LANGUAGE plpgsql AS $$
DECLARE
    due uuid;
    said text;
    is_crowded boolean := false;
BEGIN
    PERFORM 1 FROM destination d WHERE d.id = p_destination FOR NO KEY UPDATE;
    FOR due IN
        SELECT o.id FROM offer o JOIN job j ON j.id = o.id
        WHERE o.destination_id = p_destination AND o.state IN ('ACCEPTED', 'WAITING') AND is_waiting(o.state, j.start_mode)
          AND o.starts_at <= clock_timestamp()
        ORDER BY o.decided_at, o.id
    LOOP
        said := begin_job(due, p_executor, p_host, p_lease, p_away, p_shared, p_grace);
        IF said = 'begin' THEN RETURN QUERY SELECT due, said, p_destination; RETURN; END IF;
        is_crowded := is_crowded OR said = 'crowded';
    END LOOP;
    RETURN QUERY SELECT NULL::uuid, CASE WHEN is_crowded THEN 'crowded' ELSE 'none' END, p_destination;
END $$;

-- What a message about a job comes to: this executor goes on with that job when its executor is gone, and else begins the
-- next one of its destination. There are as many messages as jobs, so all of them begin. `p_followed`: this executor has
-- the job already.
CREATE FUNCTION take_job(p_job uuid, p_followed boolean, p_executor text, p_host text, p_lease interval, p_away jsonb, p_shared jsonb, p_grace interval)
    RETURNS TABLE (job uuid, verdict text, destination text) LANGUAGE plpgsql AS $$
DECLARE
    at_destination text;
    s session_state;
    said text;
BEGIN
    SELECT o.destination_id, o.state INTO at_destination, s FROM offer o WHERE o.id = p_job;
    IF NOT p_followed AND s IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        said := begin_job(p_job, p_executor, p_host, p_lease, p_away, p_shared, p_grace);
        IF said NOT IN ('busy', 'over') THEN RETURN QUERY SELECT p_job, said, at_destination; RETURN; END IF;
    END IF;
    RETURN QUERY SELECT n.job, n.verdict, n.destination
                 FROM begin_next(at_destination, p_executor, p_host, p_lease, p_away, p_shared, p_grace) n;
END $$;

-- Sends what nobody moves to the executors again: a job whose lease is over, and a destination where jobs wait that are due.
CREATE OR REPLACE FUNCTION nudge_jobs(p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    stuck uuid[];
    waiting text;
    n int := 0;
BEGIN
    SELECT array_agg(id) INTO stuck FROM (
        SELECT j.id FROM job j JOIN offer o ON o.id = j.id
        WHERE j.ended_at IS NULL AND coalesce(j.nudged_at, '-infinity') < clock_timestamp() - interval '5 s'
          AND o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') AND j.lease_until < clock_timestamp()
        ORDER BY j.created_at LIMIT p_limit FOR UPDATE OF j SKIP LOCKED) AS due;
    IF stuck IS NOT NULL THEN
        UPDATE job SET nudged_at = clock_timestamp() WHERE id = ANY (stuck);
        PERFORM send_to_executor('execute', id, clock_timestamp()) FROM unnest(stuck) AS id;
    END IF;
    FOR waiting IN
        SELECT DISTINCT o.destination_id FROM offer o JOIN job j ON j.id = o.id
        WHERE o.state IN ('ACCEPTED', 'WAITING') AND is_waiting(o.state, j.start_mode)
          AND greatest(o.starts_at, o.decided_at) < clock_timestamp() - interval '5 s'
          AND NOT EXISTS (SELECT 1 FROM graphile_worker.jobs m WHERE m.key = 'look:' || o.destination_id AND m.attempts < m.max_attempts)
    LOOP
        PERFORM look_at_destination(waiting, clock_timestamp());
        n := n + 1;
    END LOOP;
    RETURN coalesce(cardinality(stuck), 0) + n;
END $$;

-- The place in the queue as jobs are begun: those that are due in the order of accept, then the others by their start.
CREATE OR REPLACE FUNCTION queue_position(p_job uuid, p_farthest integer) RETURNS integer LANGUAGE plpgsql STABLE
SET plan_cache_mode TO 'force_generic_plan' AS $$
DECLARE
    o offer%ROWTYPE;
    now timestamptz := clock_timestamp();
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job;
    IF o.starts_at <= now THEN
        RETURN (SELECT 1 + count(*) FROM (
            SELECT FROM offer q JOIN job w ON w.id = q.id
            WHERE q.destination_id = o.destination_id AND q.state IN ('ACCEPTED', 'WAITING') AND is_waiting(q.state, w.start_mode)
              AND q.starts_at <= now AND (q.decided_at, q.id) < (o.decided_at, o.id)
            -- The order of the index offer_accepted.
            ORDER BY q.decided_at, q.id LIMIT p_farthest) AS before);
    END IF;
    RETURN (SELECT 1 + count(*) FROM (
        SELECT FROM offer q JOIN job w ON w.id = q.id
        WHERE q.destination_id = o.destination_id AND q.state IN ('ACCEPTED', 'WAITING') AND is_waiting(q.state, w.start_mode)
          AND q.starts_at <= o.starts_at AND (q.starts_at, q.decided_at, q.id) < (o.starts_at, o.decided_at, o.id)
        -- The order of the index offer_queue, but for those that start in the same instant.
        ORDER BY q.starts_at LIMIT p_farthest) AS before);
END $$;
