-- The life of an accepted offer: started, executed, finished, swept. Every statement that moves a job names the states it
-- may come from; the trigger on offer.state is the second line. An executor owns a job while its lease lasts.
-- Lock order everywhere: ask, offer, job, destination, reservation.

-- Frees what a job no longer needs, at once, whatever was promised until later.
CREATE FUNCTION release_reservation(p_offer uuid) RETURNS void LANGUAGE sql AS $$
    UPDATE reservation SET state = 'RELEASED', ends_at = greatest(starts_at, least(ends_at, clock_timestamp()))
    WHERE offer_id = p_offer AND state = 'FIRM'
$$;

-- Ends a job in one of the three last states. No-op when it is already over.
CREATE FUNCTION end_job(p_job uuid, p_state session_state, p_error jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE offer SET state = p_state WHERE id = p_job AND state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE job SET ended_at = clock_timestamp(), error = p_error, lease_until = NULL WHERE id = p_job;
    PERFORM release_reservation(p_job);
    RETURN true;
END $$;

-- PHASE=RUN of a job that its client starts (UWS 2.2.3.5). verdict: running | already | illegal.
CREATE FUNCTION run_job(p_job uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    o offer%ROWTYPE;
    mode start_mode;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT start_mode INTO mode FROM job WHERE id = p_job;
    IF o.state = 'ACCEPTED' AND mode = 'CLIENT' THEN
        UPDATE offer SET state = 'WAITING' WHERE id = p_job;
        UPDATE job SET start_before = greatest(start_before, clock_timestamp() + interval '1 hour') WHERE id = p_job;
        PERFORM send_to_executor('execute', p_job, greatest(o.starts_at, clock_timestamp()));
        RETURN 'running';
    END IF;
    RETURN CASE WHEN o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN 'illegal' ELSE 'already' END;
END $$;

-- PHASE=ABORT (UWS 2.2.3.6). What has not begun is cancelled here; what runs is stopped by its executor.
-- verdict: cancelled | stopping | over.
CREATE FUNCTION abort_job(p_job uuid, p_error jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    s session_state;
BEGIN
    SELECT state INTO s FROM offer WHERE id = p_job FOR UPDATE;
    IF s IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN RETURN 'over'; END IF;
    IF s IN ('ACCEPTED', 'WAITING') THEN
        PERFORM end_job(p_job, 'CANCELLED', p_error);
        RETURN 'cancelled';
    END IF;
    UPDATE job SET abort_at = coalesce(abort_at, clock_timestamp()) WHERE id = p_job;
    PERFORM pg_notify('abort', p_job::text);
    RETURN 'stopping';
END $$;

-- An executor takes a job that is due. verdict:
--   begin    it is yours: prepare and start it
--   resume   it is yours: an executor before you had begun it, or you had and this answer was lost
--   busy     another executor holds it
--   crowded  due, but later than reserved and the destination is full now: try again
--   early    its time, or its client's PHASE=RUN, has not come
--   over     nothing to do
CREATE FUNCTION begin_job(p_job uuid, p_executor text, p_host text, p_lease interval) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    o offer%ROWTYPE;
    j job%ROWTYPE;
    at timestamptz;
    needed tstzrange;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT * INTO j FROM job WHERE id = p_job FOR UPDATE;
    IF NOT FOUND OR o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN RETURN 'over'; END IF;
    at := clock_timestamp();
    IF o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        IF j.lease_until > at AND j.executor <> p_executor THEN RETURN 'busy'; END IF;
        UPDATE job SET executor = p_executor, lease_until = at + p_lease WHERE id = p_job;
        RETURN 'resume';
    END IF;
    IF (o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT') OR o.starts_at > at THEN RETURN 'early'; END IF;
    -- Begun late, the run would outlast its reservation: move it, if the destination has room for that.
    needed := tstzrange(at, at + make_interval(secs => j.execution_s + o.release_s));
    PERFORM 1 FROM destination WHERE id = o.destination_id FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT 1 FROM reservation WHERE offer_id = p_job AND state = 'FIRM' AND tstzrange(starts_at, ends_at) @> needed)
       AND NOT fits(o.destination_id, needed, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus, p_job) THEN
        RETURN 'crowded';
    END IF;
    UPDATE reservation SET starts_at = lower(needed), ends_at = upper(needed) WHERE offer_id = p_job AND state = 'FIRM';
    UPDATE offer SET state = 'PREPARING' WHERE id = p_job;
    UPDATE job SET executor = p_executor, host = p_host, lease_until = at + p_lease, attempt = attempt + 1 WHERE id = p_job;
    RETURN 'begin';
END $$;

-- A step forward by the executor that holds the job; false when it has lost it.
CREATE FUNCTION advance_job(p_job uuid, p_executor text, p_state session_state) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    PERFORM 1 FROM job WHERE id = p_job AND executor = p_executor AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    -- In the order of the states: the end of a very short run may be written before its beginning.
    UPDATE offer SET state = p_state WHERE id = p_job AND state < p_state;
    IF p_state IN ('RUNNING', 'RELEASING') THEN
        UPDATE job SET started_at = coalesce(started_at, clock_timestamp()) WHERE id = p_job;
    END IF;
    RETURN true;
END $$;

-- The end of a run, with its results, in one transaction; false when this executor has lost the job.
CREATE FUNCTION finish_job(p_job uuid, p_executor text, p_state session_state, p_error jsonb, p_results jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    PERFORM 1 FROM job WHERE id = p_job AND executor = p_executor AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO job_result (job_id, id, place, path, mime_type, size)
    SELECT p_job, r.id, r.place, r.path, r."mimeType", r.size
    FROM jsonb_to_recordset(p_results) AS r(id text, place smallint, path text, "mimeType" text, size bigint)
    ON CONFLICT DO NOTHING;
    RETURN end_job(p_job, p_state, p_error);
END $$;

-- The executor says that it lives; it learns which of its jobs to stop and which it has lost.
CREATE FUNCTION keep_leases(p_executor text, p_jobs uuid[], p_lease interval) RETURNS TABLE (id uuid, stop boolean) LANGUAGE sql AS $$
    UPDATE job SET lease_until = clock_timestamp() + p_lease
    WHERE id = ANY (p_jobs) AND executor = p_executor AND ended_at IS NULL
    RETURNING id, abort_at IS NOT NULL
$$;

-- Jobs nobody moves: sent to the executors again. A lapsed lease is a dead executor; a job that is due and still waits
-- lost its message. Each is nudged at most every 5 s. Returns the number of messages.
CREATE FUNCTION nudge_jobs(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    stuck uuid[];
BEGIN
    SELECT array_agg(id) INTO stuck FROM (
        SELECT j.id FROM job j JOIN offer o ON o.id = j.id
        WHERE j.ended_at IS NULL AND coalesce(j.nudged_at, '-infinity') < clock_timestamp() - interval '5 s'
          AND ((o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') AND j.lease_until < clock_timestamp())
            OR ((o.state = 'WAITING' OR (o.state = 'ACCEPTED' AND j.start_mode = 'AUTO'))
                AND greatest(o.starts_at, o.decided_at) < clock_timestamp() - interval '5 s'))
        ORDER BY j.created_at LIMIT p_limit FOR UPDATE OF j SKIP LOCKED) AS due;
    IF stuck IS NULL THEN RETURN 0; END IF;
    UPDATE job SET nudged_at = clock_timestamp() WHERE id = ANY (stuck);
    PERFORM send_to_executor('execute', id, clock_timestamp()) FROM unnest(stuck) AS id;
    RETURN cardinality(stuck);
END $$;

-- Gives up jobs that were not begun in time: ABORTED when the client never said RUN, ERROR when the engine never came.
CREATE FUNCTION give_up_late_jobs(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    late record;
    n int := 0;
BEGIN
    FOR late IN
        SELECT o.id, j.start_mode = 'CLIENT' AND o.state = 'ACCEPTED' AS by_client FROM offer o JOIN job j ON j.id = o.id
        WHERE j.ended_at IS NULL AND j.start_before <= clock_timestamp() AND o.state IN ('ACCEPTED', 'WAITING')
        LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
    LOOP
        PERFORM end_job(late.id, CASE WHEN late.by_client THEN 'CANCELLED' ELSE 'FAILED' END::session_state,
            CASE WHEN late.by_client
                THEN '{"code":"start-window-missed","type":"transient","message":"The job was not started (PHASE=RUN) within its start window; its reservation is released."}'
                ELSE '{"code":"queue-limit-exceeded","type":"transient","message":"No executor could begin the job within the queue limit; its reservation is released."}'
            END::jsonb);
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;

-- Ends jobs that were begun and that no executor has followed for an hour beyond their longest run: whatever became of the
-- run, its wall time is over, and a client must not wait for ever.
CREATE FUNCTION give_up_lost_jobs(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    lost uuid;
    n int := 0;
BEGIN
    FOR lost IN
        SELECT o.id FROM offer o JOIN job j ON j.id = o.id
        WHERE j.ended_at IS NULL AND o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')
          AND j.lease_until + make_interval(secs => j.execution_s) < clock_timestamp() - interval '1 hour'
        LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
    LOOP
        PERFORM end_job(lost, 'FAILED', '{"code":"run-lost","type":"transient","message":"The executor that ran the job is gone and none came back to it; what became of the run is not known. Submit it again."}');
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;

-- Destruction (UWS 2.1.7): what runs is stopped, what is over becomes ARCHIVED and its files are removed by an executor.
CREATE FUNCTION archive_due_jobs(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    due record;
    n int := 0;
BEGIN
    FOR due IN
        SELECT j.id, j.ended_at IS NULL AS active FROM job j JOIN offer o ON o.id = j.id
        WHERE j.archived_at IS NULL AND j.destruction_at <= clock_timestamp() AND (j.ended_at IS NOT NULL OR j.abort_at IS NULL)
        LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
    LOOP
        IF due.active THEN
            PERFORM abort_job(due.id, '{"code":"destroyed","type":"fatal","message":"The job reached its destruction time."}');
        ELSE
            DELETE FROM job_result WHERE job_id = due.id;
            UPDATE job SET archived_at = clock_timestamp() WHERE id = due.id;
            PERFORM send_to_executor('remove', due.id, clock_timestamp());
            PERFORM pg_notify('session', due.id || ' ARCHIVED');
        END IF;
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;

-- DELETE of a job: stopped, forgotten, its files removed by an executor.
CREATE FUNCTION destroy_job(p_job uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    UPDATE job SET destroyed_at = clock_timestamp() WHERE id = p_job AND destroyed_at IS NULL;
    PERFORM abort_job(p_job, '{"code":"destroyed","type":"fatal","message":"The job was destroyed by its owner."}');
    PERFORM send_to_executor('remove', p_job, clock_timestamp());
END $$;

-- After the files are gone: the record of a destroyed job goes too. False while the job still runs.
CREATE FUNCTION forget_job(p_job uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM job WHERE id = p_job AND ended_at IS NULL;
    IF FOUND THEN RETURN false; END IF;
    DELETE FROM job WHERE id = p_job AND destroyed_at IS NOT NULL;
    RETURN true;
END $$;

-- Old records: archived jobs, and asks that nothing depends on.
CREATE FUNCTION purge_old(p_keep interval, p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM ask WHERE id IN (
        SELECT a.id FROM ask a WHERE a.created_at < clock_timestamp() - p_keep
          AND NOT EXISTS (SELECT 1 FROM offer o JOIN job j ON j.id = o.id
                          WHERE o.ask_id = a.id AND (j.archived_at IS NULL OR j.archived_at > clock_timestamp() - p_keep))
          AND NOT EXISTS (SELECT 1 FROM reservation r WHERE r.ask_id = a.id AND r.state IN ('HELD', 'FIRM'))
        LIMIT p_limit FOR UPDATE OF a SKIP LOCKED);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
