-- A job that is over keeps what it used: processor time and memory as far as its engine counts them, and the time of its run.

ALTER TABLE "job" ADD COLUMN "usage" JSONB;

DROP FUNCTION end_job(uuid, session_state, jsonb);
DROP FUNCTION finish_job(uuid, text, session_state, jsonb, jsonb, integer);
DROP FUNCTION read_jobs(uuid[], integer, integer);

CREATE OR REPLACE FUNCTION public.end_job(p_job uuid, p_state session_state, p_error jsonb, p_usage jsonb DEFAULT NULL::jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    home text;
BEGIN
    UPDATE offer SET state = p_state WHERE id = p_job AND state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE job SET ended_at = clock_timestamp(), error = p_error, lease_until = NULL,
        usage = CASE WHEN started_at IS NULL THEN p_usage
                     ELSE coalesce(p_usage, '{}') || jsonb_build_object('wallS', round(extract(epoch FROM clock_timestamp() - started_at), 3)) END
    WHERE id = p_job RETURNING host INTO home;
    -- Nobody knows what became of it: should anything of it run, whoever can reach it ends it.
    IF p_error ->> 'code' = 'run-lost' AND home IS NOT NULL THEN PERFORM send_to_executor('stop@' || home, p_job, clock_timestamp()); END IF;
    PERFORM release_reservation(p_job);
    RETURN true;
END $function$;

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
    FROM jsonb_to_recordset(p_results) AS r(id text, place smallint, path text, "mimeType" text, size bigint)
    ON CONFLICT DO NOTHING;
    RETURN end_job(p_job, p_state, p_error, p_usage);
END $function$;

CREATE OR REPLACE FUNCTION public.read_jobs(p_jobs uuid[], p_longest integer, p_farthest integer)
 RETURNS TABLE(id uuid, owner text, "ownerName" text, "runId" text, "createdAt" timestamp with time zone, "startedAt" timestamp with time zone, "endedAt" timestamp with time zone, "executionS" integer, "destructionAt" timestamp with time zone, archived boolean, "startMode" text, error jsonb, state text, destination text, runner text, "startsAt" timestamp with time zone, "claimAt" timestamp with time zone, now timestamp with time zone, results jsonb, parameters jsonb, "queuePosition" integer, usage jsonb, version text)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    SELECT j.id, j.owner, i.name, j.run_id, j.created_at, j.started_at, j.ended_at,
           j.execution_s, j.destruction_at, j.archived_at IS NOT NULL, j.start_mode::text, j.error,
           shown_state(o.state, j.unknown_since), o.destination_id, o.runner, o.starts_at,
           CASE WHEN is_waiting(o.state, j.start_mode) THEN j.claim_at END, at,
           coalesce((SELECT jsonb_agg(jsonb_build_object('id', r.id, 'path', r.path, 'mimeType', r.mime_type, 'size', r.size) ORDER BY r.place)
                     FROM job_result r WHERE r.job_id = j.id), '[]'),
           coalesce((SELECT jsonb_agg(jsonb_build_object('name', p.name, 'text', CASE
                                WHEN p.media_type IS NULL AND octet_length(p.content) <= p_longest THEN convert_from(p.content, 'UTF8') END) ORDER BY p.name)
                     FROM job_parameter p WHERE p.job_id = j.id), '[]'),
           queue.place, j.usage,
           job_version(j.xmin, o.xmin, i.xmin, queue.place, coalesce(j.started_at, greatest(o.starts_at, j.created_at, j.claim_at)) + make_interval(secs => j.execution_s), at)
    FROM unnest(p_jobs) AS wanted (job)
    CROSS JOIN LATERAL (SELECT xmin, * FROM job WHERE id = wanted.job OFFSET 0) AS j
    CROSS JOIN LATERAL (SELECT xmin, * FROM offer WHERE id = j.id OFFSET 0) AS o
    LEFT JOIN LATERAL (SELECT xmin, name FROM identity WHERE owner = j.owner OFFSET 0) AS i ON true
    CROSS JOIN LATERAL (SELECT CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO'
                                    THEN queue_position(j.id, p_farthest) END AS place OFFSET 0) AS queue
    WHERE j.destroyed_at IS NULL;
END $function$;
