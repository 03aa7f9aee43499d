-- The attempt is the fence of a job: it grows whenever another executor takes the job, and whatever an executor does with a
-- job counts only under the attempt that it took.

CREATE OR REPLACE FUNCTION public.begin_job(p_job uuid, p_executor text, p_host text, p_lease interval, p_away jsonb DEFAULT '[]'::jsonb, p_shared jsonb DEFAULT '{}'::jsonb, p_grace interval DEFAULT '00:05:00'::interval)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    o offer%ROWTYPE;
    j job%ROWTYPE;
    at timestamptz;
    needed tstzrange;
    away record;
    is_home boolean;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT * INTO j FROM job WHERE id = p_job FOR UPDATE;
    IF NOT FOUND OR o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN RETURN 'over'; END IF;
    at := clock_timestamp();
    IF o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        IF j.lease_until > at AND j.executor <> p_executor THEN RETURN 'busy'; END IF;
        is_home := j.host IS NULL OR j.host = p_host OR coalesce(j.host = p_shared ->> 'home', false);
        IF NOT is_home AND j.lease_until + p_grace > at THEN
            IF j.unknown_since IS NULL THEN
                UPDATE job SET unknown_since = at WHERE id = p_job;
                PERFORM pg_notify('session', p_job || ' UNKNOWN');
            END IF;
            RETURN 'elsewhere';
        END IF;
        UPDATE job SET executor = p_executor, lease_until = at + p_lease, unknown_since = NULL,
            attempt = attempt + CASE WHEN executor = p_executor THEN 0 ELSE 1 END
        WHERE id = p_job;
        RETURN CASE WHEN is_home THEN 'resume' ELSE 'lost' END;
    END IF;
    IF (o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT') OR o.starts_at > at THEN RETURN 'early'; END IF;
    -- Begun late, the run would outlast its reservation: move it, if the destination has room for that.
    needed := tstzrange(at, at + make_interval(secs => j.execution_s + o.release_s));
    PERFORM 1 FROM destination WHERE id = o.destination_id FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT 1 FROM reservation WHERE offer_id = p_job AND state = 'FIRM' AND tstzrange(starts_at, ends_at) @> needed) THEN
        -- All of it together, whenever in the time it is: no more than that is ever away.
        SELECT coalesce(sum(a.cores), 0)::bigint AS cores, coalesce(sum(a.memory), 0)::bigint AS memory, coalesce(sum(a.scratch), 0)::bigint AS scratch INTO away
        FROM jsonb_to_recordset(p_away) AS a(destination text, "startsAt" timestamptz, "endsAt" timestamptz, cores bigint, memory bigint, scratch bigint)
        WHERE a.destination = o.destination_id AND tstzrange(a."startsAt", a."endsAt") && needed;
        IF NOT fits(o.destination_id, needed, o.cores + away.cores, o.memory_mib + away.memory, o.scratch_mib + away.scratch, o.gpu_type, o.gpus, p_job) THEN
            RETURN 'crowded';
        END IF;
    END IF;
    UPDATE reservation SET starts_at = lower(needed), ends_at = upper(needed) WHERE offer_id = p_job AND state = 'FIRM';
    UPDATE offer SET state = 'PREPARING' WHERE id = p_job;
    UPDATE job SET executor = p_executor, lease_until = at + p_lease, attempt = attempt + 1,
        host = CASE WHEN p_shared -> 'destinations' ? o.destination_id THEN p_shared ->> 'home' ELSE p_host END
    WHERE id = p_job;
    RETURN 'begin';
END $function$;

CREATE OR REPLACE FUNCTION public.end_job(p_job uuid, p_state session_state, p_error jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    home text;
BEGIN
    UPDATE offer SET state = p_state WHERE id = p_job AND state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE job SET ended_at = clock_timestamp(), error = p_error, lease_until = NULL WHERE id = p_job RETURNING host INTO home;
    -- Nobody knows what became of it: should anything of it run, whoever can reach it ends it.
    IF p_error ->> 'code' = 'run-lost' AND home IS NOT NULL THEN PERFORM send_to_executor('stop@' || home, p_job, clock_timestamp()); END IF;
    PERFORM release_reservation(p_job);
    RETURN true;
END $function$;

DROP FUNCTION advance_job(uuid, text, session_state);
CREATE FUNCTION public.advance_job(p_job uuid, p_executor text, p_state session_state, p_attempt integer DEFAULT NULL)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    PERFORM 1 FROM job WHERE id = p_job AND executor = p_executor AND attempt = coalesce(p_attempt, attempt) AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    -- In the order of the states: the end of a very short run may be written before its beginning.
    UPDATE offer SET state = p_state WHERE id = p_job AND state < p_state;
    IF p_state IN ('RUNNING', 'RELEASING') THEN
        UPDATE job SET started_at = coalesce(started_at, clock_timestamp()) WHERE id = p_job;
    END IF;
    RETURN true;
END $function$;

DROP FUNCTION doubt_job(uuid, text, boolean);
CREATE FUNCTION public.doubt_job(p_job uuid, p_executor text, p_doubt boolean, p_attempt integer DEFAULT NULL)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE job SET unknown_since = CASE WHEN p_doubt THEN coalesce(unknown_since, clock_timestamp()) END
    WHERE id = p_job AND executor = p_executor AND attempt = coalesce(p_attempt, attempt) AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM pg_notify('session', p_job || CASE WHEN p_doubt THEN ' UNKNOWN' ELSE ' KNOWN' END);
    RETURN true;
END $function$;

DROP FUNCTION finish_job(uuid, text, session_state, jsonb, jsonb);
CREATE FUNCTION public.finish_job(p_job uuid, p_executor text, p_state session_state, p_error jsonb, p_results jsonb, p_attempt integer DEFAULT NULL)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    PERFORM 1 FROM job WHERE id = p_job AND executor = p_executor AND attempt = coalesce(p_attempt, attempt) AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO job_result (job_id, id, place, path, mime_type, size)
    SELECT p_job, r.id, r.place, r.path, r."mimeType", r.size
    FROM jsonb_to_recordset(p_results) AS r(id text, place smallint, path text, "mimeType" text, size bigint)
    ON CONFLICT DO NOTHING;
    RETURN end_job(p_job, p_state, p_error);
END $function$;

-- Whether an executor still has a job under its attempt, and then for a whole lease from now: asked right before its run starts.
CREATE FUNCTION hold_job(p_job uuid, p_executor text, p_attempt integer, p_lease interval) RETURNS boolean LANGUAGE sql AS $function$
    WITH held AS (
        UPDATE job SET lease_until = clock_timestamp() + p_lease
        WHERE id = p_job AND executor = p_executor AND attempt = p_attempt AND ended_at IS NULL
        RETURNING 1)
    SELECT EXISTS (SELECT FROM held)
$function$;

-- A job that could not be begun for a reason that passes (a full disc) waits again, and keeps its place.
INSERT INTO session_transition VALUES ('PREPARING', 'WAITING');

CREATE FUNCTION put_back_job(p_job uuid, p_executor text, p_attempt integer, p_after interval) RETURNS boolean LANGUAGE plpgsql AS $function$
DECLARE
    aborted timestamptz;
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job AND state = 'PREPARING' FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE job SET executor = NULL, host = NULL, lease_until = NULL
    WHERE id = p_job AND executor = p_executor AND attempt = p_attempt AND ended_at IS NULL RETURNING abort_at INTO aborted;
    IF NOT FOUND THEN RETURN false; END IF;
    IF aborted IS NOT NULL THEN
        RETURN end_job(p_job, 'CANCELLED', '{"code":"aborted","type":"fatal","message":"stopped on request before it began"}');
    END IF;
    UPDATE offer SET state = 'WAITING' WHERE id = p_job;
    PERFORM look_at_destination((SELECT destination_id FROM offer WHERE id = p_job), clock_timestamp() + p_after);
    RETURN true;
END $function$;

-- Destroyed or archived jobs whose files nobody removes: no executor of their host has been there for five minutes, and nothing
-- of them can run there any more. Whoever has their files, since the directory of jobs is the same, may take them over.
CREATE FUNCTION stranded_files(p_homes text[], p_limit integer) RETURNS TABLE (id uuid, host text) LANGUAGE sql STABLE AS $function$
    SELECT j.id, j.host FROM graphile_worker.jobs m JOIN job j ON m.key = 'remove@' || j.host || ':' || j.id
    WHERE m.task_identifier LIKE 'remove@%' AND m.run_at < clock_timestamp() - interval '5 min' AND j.host <> ALL (p_homes) AND NOT starts_with(j.host, 'jobs:')
      AND j.ended_at IS NOT NULL AND coalesce(j.started_at, j.ended_at) + make_interval(secs => j.execution_s) < clock_timestamp() - interval '5 min'
      AND NOT EXISTS (SELECT FROM executor e WHERE e.host = j.host)
    ORDER BY random() LIMIT p_limit
$function$;

CREATE FUNCTION inherit_files(p_job uuid, p_from text, p_home text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    UPDATE job SET host = p_home WHERE id = p_job AND host = p_from AND ended_at IS NOT NULL;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM graphile_worker.remove_job('remove@' || p_from || ':' || p_job);
    PERFORM send_to_executor('remove@' || p_home, p_job, clock_timestamp());
END $function$;
