-- Parameters that a client gave a job besides those of its offer (UWS 2.2.3.1): kept and shown, without effect on the run.
CREATE TABLE job_parameter (
    job_id     uuid NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    name       text NOT NULL,
    -- null: the value is text and stands in the job's document
    media_type text,
    content    bytea NOT NULL,
    PRIMARY KEY (job_id, name)
);

-- The queue of a destination, for the place of a job in it.
CREATE INDEX offer_queue ON offer (destination_id, starts_at, id) WHERE state IN ('ACCEPTED', 'WAITING');

-- Keeps parameters of a job: a later value takes the place of an earlier one when p_replace. Locks the offer first, like
-- begin_job, so that a job that is begun meanwhile is not changed.
-- verdict: kept | illegal (the job is past the states) | full (more than p_most bytes in all).
CREATE FUNCTION keep_parameters(p_job uuid, p_parameters jsonb, p_replace boolean, p_states session_state[], p_most bigint)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    s session_state;
    m start_mode;
    size bigint;
BEGIN
    SELECT state INTO s FROM offer WHERE id = p_job FOR UPDATE;
    SELECT start_mode INTO m FROM job WHERE id = p_job AND destroyed_at IS NULL;
    IF m IS NULL OR NOT s = ANY (p_states) OR (p_replace AND m <> 'CLIENT') THEN RETURN 'illegal'; END IF;
    SELECT coalesce(sum(bytes), 0) INTO size FROM (
        SELECT octet_length(content) + octet_length(name) AS bytes FROM job_parameter
        WHERE job_id = p_job AND name NOT IN (SELECT name FROM jsonb_to_recordset(p_parameters) AS p (name text))
        UNION ALL
        SELECT length(p.content) + octet_length(p.name) FROM jsonb_to_recordset(p_parameters) AS p (name text, content text)) AS sizes;
    IF size > p_most THEN RETURN 'full'; END IF;
    INSERT INTO job_parameter AS kept (job_id, name, media_type, content)
    SELECT p_job, p.name, p.type, decode(p.content, 'base64')
    FROM jsonb_to_recordset(p_parameters) AS p (name text, type text, content text)
    ON CONFLICT (job_id, name) DO UPDATE SET
        media_type = CASE WHEN p_replace THEN excluded.media_type ELSE kept.media_type END,
        content = CASE WHEN p_replace THEN excluded.content ELSE kept.content END;
    RETURN 'kept';
END $$;

-- Jobs as clients look at them, each with all that its document shows. A function, so that its plan is made once for a
-- connection: planning took longer than reading. p_longest: bytes of a parameter that stands in the document.
-- p_farthest: a place in the queue is counted up to here.
CREATE FUNCTION read_jobs(p_jobs uuid[], p_longest int, p_farthest int) RETURNS TABLE (
    id uuid, owner text, "ownerName" text, "runId" text, "createdAt" timestamptz, "startedAt" timestamptz, "endedAt" timestamptz,
    "executionS" int, "destructionAt" timestamptz, archived boolean, "startMode" text, error jsonb,
    state text, destination text, runner text, "startsAt" timestamptz, now timestamptz,
    results jsonb, parameters jsonb, "queuePosition" int
) LANGUAGE plpgsql STABLE
-- What is asked for is always the primary key: one plan is good for all.
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT j.id, j.owner, i.name, j.run_id, j.created_at, j.started_at, j.ended_at,
           j.execution_s, j.destruction_at, j.archived_at IS NOT NULL, j.start_mode::text, j.error,
           o.state::text, o.destination_id, o.runner, o.starts_at, clock_timestamp(),
           coalesce((SELECT jsonb_agg(jsonb_build_object('id', r.id, 'path', r.path, 'mimeType', r.mime_type, 'size', r.size) ORDER BY r.place)
                     FROM job_result r WHERE r.job_id = j.id), '[]'),
           coalesce((SELECT jsonb_agg(jsonb_build_object('name', p.name, 'text', CASE
                                WHEN p.media_type IS NULL AND octet_length(p.content) <= p_longest THEN convert_from(p.content, 'UTF8') END) ORDER BY p.name)
                     FROM job_parameter p WHERE p.job_id = j.id), '[]'),
           CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO' THEN
             1 + (SELECT count(*) FROM (SELECT FROM offer q JOIN job w ON w.id = q.id
                                        WHERE q.destination_id = o.destination_id AND q.state IN ('ACCEPTED', 'WAITING')
                                          AND (q.state = 'WAITING' OR w.start_mode = 'AUTO') AND (q.starts_at, q.id) < (o.starts_at, o.id)
                                        LIMIT p_farthest) AS before)::int END
    FROM unnest(p_jobs) AS wanted (job)
    JOIN job j ON j.id = wanted.job JOIN offer o ON o.id = j.id LEFT JOIN identity i ON i.owner = j.owner
    WHERE j.destroyed_at IS NULL;
END $$;
