-- Offers, quotas, jobs and results until their own ends, and no further.

CREATE OR REPLACE FUNCTION public.lapse_due(p_destinations text[], p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    due uuid[];
    lapsed integer;
    at timestamptz;
BEGIN
    SELECT array_agg(locked.id) INTO due FROM (
        SELECT a.id FROM ask a
        WHERE a.id IN (SELECT r.ask_id FROM reservation r
                       WHERE r.state = 'HELD' AND r.expires_at <= clock_timestamp()
                         AND (p_destinations IS NULL OR r.destination_id = ANY (p_destinations))
                       ORDER BY r.expires_at LIMIT p_limit)
        FOR UPDATE SKIP LOCKED) AS locked;
    IF due IS NULL THEN RETURN 0; END IF;
    -- Siblings expire at times of their own.
    at := clock_timestamp();
    UPDATE offer SET state = 'EXPIRED', decided_at = at WHERE ask_id = ANY (due) AND state = 'OFFERED' AND expires_at <= at;
    WITH freed AS (UPDATE reservation SET state = 'LAPSED' WHERE ask_id = ANY (due) AND state = 'HELD' AND expires_at <= at RETURNING ask_id)
    SELECT count(DISTINCT ask_id) INTO lapsed FROM freed;
    RETURN lapsed;
END $function$;

CREATE OR REPLACE FUNCTION public.quota_usage(p_scope text, p_window interval, p_results boolean)
 RETURNS TABLE(holds bigint, jobs bigint, cores bigint, memory bigint, gpu_s bigint, results bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    WITH offers AS MATERIALIZED (
        SELECT o.ask_id, o.id, o.cores, o.memory_mib, o.gpus * (o.start_window_s + o.duration_s + o.release_s)::bigint AS gpu_s,
               o.state = 'OFFERED' AND o.expires_at > at AS open, o.state = 'OFFERED' AS undecided,
               o.state IN ('ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') AS job,
               o.results_mib, CASE WHEN p_results THEN (SELECT w.bytes FROM result_use w WHERE w.job_id = o.id) END AS kept
        FROM quota_use u JOIN offer o ON o.ask_id = u.ask_id WHERE u.scope = p_scope
    ), gpu AS MATERIALIZED (
        SELECT r.ask_id, sum(r.gpus * extract(epoch FROM r.ends_at - greatest(r.starts_at, at - p_window)))::bigint AS s
        FROM quota_use u JOIN reservation r ON r.ask_id = u.ask_id
        WHERE u.scope = p_scope AND r.offer_id IS NOT NULL AND r.gpus > 0 AND r.state IN ('FIRM', 'RELEASED') AND r.ends_at > at - p_window
        GROUP BY 1
    ), answers AS MATERIALIZED (
        SELECT u.ask_id, coalesce(bool_or(o.open), false) AS open, coalesce(bool_or(o.undecided), false) AS undecided,
               coalesce(bool_or(o.job), false) AS job,
               max(o.cores) FILTER (WHERE o.open OR o.job) AS cores, max(o.memory_mib) FILTER (WHERE o.open OR o.job) AS memory,
               max(o.gpu_s) FILTER (WHERE o.open) AS gpu_s,
               max(o.results_mib) FILTER (WHERE o.open) AS results, sum(o.kept) AS kept
        FROM quota_use u LEFT JOIN offers o ON o.ask_id = u.ask_id WHERE u.scope = p_scope GROUP BY 1
    -- Who accepts an offer right now may have done so in time: it is forgotten once it counts as expired in the book.
    ), forgotten AS (
        DELETE FROM quota_use WHERE scope = p_scope
          AND ask_id IN (SELECT ask_id FROM answers WHERE NOT undecided AND NOT job AND kept IS NULL) AND ask_id NOT IN (SELECT ask_id FROM gpu)
    )
    SELECT count(*) FILTER (WHERE a.open), count(*) FILTER (WHERE a.job), coalesce(sum(a.cores), 0)::bigint,
           coalesce(sum(a.memory), 0)::bigint, (coalesce(sum(a.gpu_s), 0) + coalesce((SELECT sum(s) FROM gpu), 0))::bigint,
           (coalesce(sum(a.results), 0) + ceil(coalesce(sum(a.kept), 0) / 1048576))::bigint
    FROM answers a;
END $function$;

DROP FUNCTION public.keep_leases(text, uuid[], interval);
CREATE FUNCTION public.keep_leases(p_executor text, p_jobs uuid[], p_lease interval)
 RETURNS TABLE(id uuid, stop boolean, unknown boolean)
 LANGUAGE sql
AS $function$
    UPDATE job SET lease_until = clock_timestamp() + p_lease
    WHERE id = ANY (p_jobs) AND executor = p_executor AND ended_at IS NULL
    RETURNING id, abort_at IS NOT NULL, unknown_since IS NOT NULL
$function$;

CREATE OR REPLACE FUNCTION public.begin_next(p_destination text, p_executor text, p_host text, p_lease interval, p_shared jsonb, p_grace interval)
 RETURNS TABLE(job uuid, verdict text, destination text)
 LANGUAGE plpgsql
AS $function$
DECLARE
    due uuid;
    said text;
BEGIN
    PERFORM 1 FROM destination d WHERE d.id = p_destination FOR NO KEY UPDATE;
    PERFORM keep_claims(p_destination);
    FOR due IN
        SELECT w.id FROM due_jobs(p_destination, clock_timestamp()) w
        WHERE w.starts_at <= clock_timestamp() AND w.ends_at >= clock_timestamp() + w.run
        ORDER BY w.decided_at, w.id
    LOOP
        said := begin_job(due, p_executor, p_host, p_lease, p_shared, p_grace);
        IF said = 'begin' THEN
            -- What it leaves is kept for as long as if it had begun in its time.
            UPDATE job j SET destruction_at = j.destruction_at + (r.starts_at - greatest(o.starts_at, o.decided_at))
            FROM offer o JOIN reservation r ON r.offer_id = o.id AND r.state = 'FIRM' WHERE j.id = due AND o.id = due AND j.claim_at IS NOT NULL;
            RETURN QUERY SELECT due, said, p_destination;
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY SELECT NULL::uuid, CASE WHEN EXISTS (SELECT FROM due_jobs(p_destination, clock_timestamp())) THEN 'crowded' ELSE 'none' END, p_destination;
END $function$;

CREATE OR REPLACE FUNCTION public.put_back_job(p_job uuid, p_executor text, p_attempt integer, p_after interval)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    aborted timestamptz;
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job AND state = 'PREPARING' FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE job SET executor = NULL, host = NULL, lease_until = NULL
    WHERE id = p_job AND executor = p_executor AND attempt = p_attempt AND ended_at IS NULL RETURNING abort_at INTO aborted;
    IF NOT FOUND THEN RETURN false; END IF;
    -- It has not begun after all: what begin_next added for a late begin.
    UPDATE job j SET destruction_at = j.destruction_at - (r.starts_at - greatest(o.starts_at, o.decided_at))
    FROM offer o JOIN reservation r ON r.offer_id = o.id AND r.state = 'FIRM' WHERE j.id = p_job AND o.id = p_job AND j.claim_at IS NOT NULL;
    IF aborted IS NOT NULL THEN
        RETURN end_job(p_job, 'CANCELLED', '{"code":"aborted","type":"fatal","message":"stopped on request before it began"}');
    END IF;
    UPDATE offer SET state = 'WAITING' WHERE id = p_job;
    PERFORM look_at_destination((SELECT destination_id FROM offer WHERE id = p_job), clock_timestamp() + p_after);
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.run_job(p_job uuid, p_queue_limit interval)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    o offer%ROWTYPE;
    j job%ROWTYPE;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT * INTO j FROM job WHERE id = p_job;
    IF o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT' THEN
        IF j.start_before <= clock_timestamp() THEN RETURN 'late'; END IF;
        UPDATE offer SET state = 'WAITING' WHERE id = p_job;
        UPDATE job SET start_before = greatest(start_before, greatest(o.starts_at, clock_timestamp()) + p_queue_limit) WHERE id = p_job;
        PERFORM send_to_executor('execute', p_job, greatest(o.starts_at, clock_timestamp()));
        RETURN 'running';
    END IF;
    RETURN CASE WHEN o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN 'illegal' ELSE 'already' END;
END $function$;

-- A hundred machines with a thousand results each.
ALTER TABLE job_result ALTER COLUMN place TYPE integer;
CREATE OR REPLACE FUNCTION public.finish_job(p_job uuid, p_executor text, p_state session_state, p_error jsonb, p_results jsonb, p_attempt integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    PERFORM 1 FROM job WHERE id = p_job AND executor = p_executor AND attempt = coalesce(p_attempt, attempt) AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO job_result (job_id, id, place, path, mime_type, size)
    SELECT p_job, r.id, r.place, r.path, r."mimeType", r.size
    FROM jsonb_to_recordset(p_results) AS r(id text, place int, path text, "mimeType" text, size bigint)
    ON CONFLICT DO NOTHING;
    RETURN end_job(p_job, p_state, p_error, p_usage);
END $function$;
