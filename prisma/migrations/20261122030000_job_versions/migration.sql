-- A job's document changes with its rows, with the queue before it, and once when its quote is over. `job_versions` says
-- in little which of them a planner would see now, so that it need not read and print again what it has.

DROP FUNCTION read_jobs(uuid[], int, int);

-- A client's parameter is part of the job's document: the job's row changes with it. (Results come and go in statements
-- that change the job as well.)
CREATE FUNCTION touch_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE job SET run_id = run_id WHERE id = NEW.job_id;
    RETURN NULL;
END $$;
CREATE TRIGGER job_parameter_kept AFTER INSERT OR UPDATE ON job_parameter FOR EACH ROW EXECUTE FUNCTION touch_job();

-- Place of a job that waits in the queue of its destination, the next is 1; counted up to p_farthest.
CREATE FUNCTION queue_position(p_job uuid, p_farthest int) RETURNS int LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
        SELECT 1 + (SELECT count(*) FROM (SELECT FROM offer q JOIN job w ON w.id = q.id
                                          WHERE q.destination_id = o.destination_id AND q.state IN ('ACCEPTED', 'WAITING')
                                            AND (q.state = 'WAITING' OR w.start_mode = 'AUTO') AND (q.starts_at, q.id) < (o.starts_at, o.id)
                                          -- The order of the index offer_queue.
                                          ORDER BY q.starts_at, q.id LIMIT p_farthest) AS before)
        FROM offer o WHERE o.id = p_job);
END $$;

-- xmin is another one for each committed change of a row. The last value: whether the quote (src/uws/job.ts, which knows
-- milliseconds) is still ahead.
CREATE FUNCTION job_version(p_job xid, p_offer xid, p_identity xid, p_position int, p_over timestamptz, p_now timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT p_job::text || '.' || p_offer::text || '.' || coalesce(p_identity::text, '') || '.' || coalesce(p_position::text, '')
        || '.' || (date_trunc('milliseconds', p_over, 'UTC') > date_trunc('milliseconds', p_now, 'UTC'))::text
$$;

-- Versions of those of the jobs that are there and not destroyed. OFFSET 0: each is looked up by its key, whatever the
-- planner believes of the tables; it took whole tables of 2,000 rows, and five times as long.
CREATE FUNCTION job_versions(p_jobs uuid[], p_farthest int) RETURNS TABLE (id uuid, version text) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    now timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    SELECT j.id, job_version(j.xmin, o.xmin, i.xmin,
             CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO' THEN queue_position(j.id, p_farthest) END,
             coalesce(j.started_at, greatest(o.starts_at, j.created_at)) + make_interval(secs => j.execution_s), now)
    FROM unnest(p_jobs) AS wanted (job)
    CROSS JOIN LATERAL (SELECT xmin, * FROM job WHERE id = wanted.job OFFSET 0) AS j
    CROSS JOIN LATERAL (SELECT xmin, * FROM offer WHERE id = j.id OFFSET 0) AS o
    LEFT JOIN LATERAL (SELECT xmin, name FROM identity WHERE owner = j.owner OFFSET 0) AS i ON true
    WHERE j.destroyed_at IS NULL;
END $$;

-- UWS phase UNKNOWN: the engine cannot say what became of a job that was begun. The session's state stays; clients see this.

CREATE FUNCTION shown_state(p_state session_state, p_unknown_since timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_unknown_since IS NOT NULL AND p_state IN ('PREPARING', 'AVAILABLE', 'RUNNING') THEN 'UNKNOWN' ELSE p_state::text END
$$;

-- Jobs as clients look at them, each with all that its document shows and the version of that. A function, so that its
-- plan is made once for a connection: planning took longer than reading. OFFSET 0 as above. p_longest: bytes of a parameter that stands in
-- the document.
CREATE FUNCTION read_jobs(p_jobs uuid[], p_longest int, p_farthest int) RETURNS TABLE (
    id uuid, owner text, "ownerName" text, "runId" text, "createdAt" timestamptz, "startedAt" timestamptz, "endedAt" timestamptz,
    "executionS" int, "destructionAt" timestamptz, archived boolean, "startMode" text, error jsonb,
    state text, destination text, runner text, "startsAt" timestamptz, now timestamptz,
    results jsonb, parameters jsonb, "queuePosition" int, version text
) LANGUAGE plpgsql STABLE
-- What is asked for is always the primary key: one plan is good for all.
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    SELECT j.id, j.owner, i.name, j.run_id, j.created_at, j.started_at, j.ended_at,
           j.execution_s, j.destruction_at, j.archived_at IS NOT NULL, j.start_mode::text, j.error,
           shown_state(o.state, j.unknown_since), o.destination_id, o.runner, o.starts_at, at,
           coalesce((SELECT jsonb_agg(jsonb_build_object('id', r.id, 'path', r.path, 'mimeType', r.mime_type, 'size', r.size) ORDER BY r.place)
                     FROM job_result r WHERE r.job_id = j.id), '[]'),
           coalesce((SELECT jsonb_agg(jsonb_build_object('name', p.name, 'text', CASE
                                WHEN p.media_type IS NULL AND octet_length(p.content) <= p_longest THEN convert_from(p.content, 'UTF8') END) ORDER BY p.name)
                     FROM job_parameter p WHERE p.job_id = j.id), '[]'),
           queue.place,
           job_version(j.xmin, o.xmin, i.xmin, queue.place, coalesce(j.started_at, greatest(o.starts_at, j.created_at)) + make_interval(secs => j.execution_s), at)
    FROM unnest(p_jobs) AS wanted (job)
    CROSS JOIN LATERAL (SELECT xmin, * FROM job WHERE id = wanted.job OFFSET 0) AS j
    CROSS JOIN LATERAL (SELECT xmin, * FROM offer WHERE id = j.id OFFSET 0) AS o
    LEFT JOIN LATERAL (SELECT xmin, name FROM identity WHERE owner = j.owner OFFSET 0) AS i ON true
    CROSS JOIN LATERAL (SELECT CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO'
                                    THEN queue_position(j.id, p_farthest) END AS place OFFSET 0) AS queue
    WHERE j.destroyed_at IS NULL;
END $$;

-- The executor that holds a job says that its engine cannot say, or can again. False when it has lost the job.
CREATE FUNCTION doubt_job(p_job uuid, p_executor text, p_doubt boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE job SET unknown_since = CASE WHEN p_doubt THEN coalesce(unknown_since, clock_timestamp()) END
    WHERE id = p_job AND executor = p_executor AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM pg_notify('session', p_job || CASE WHEN p_doubt THEN ' UNKNOWN' ELSE ' KNOWN' END);
    RETURN true;
END $$;
