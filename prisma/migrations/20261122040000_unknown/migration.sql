-- UWS phase UNKNOWN: the engine cannot say what became of a job that was begun. The session's state stays; clients see this.

CREATE FUNCTION shown_state(p_state session_state, p_unknown_since timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_unknown_since IS NOT NULL AND p_state IN ('PREPARING', 'AVAILABLE', 'RUNNING') THEN 'UNKNOWN' ELSE p_state::text END
$$;

-- The executor that holds a job says that its engine cannot say, or can again. False when it has lost the job.
CREATE FUNCTION doubt_job(p_job uuid, p_executor text, p_doubt boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE job SET unknown_since = CASE WHEN p_doubt THEN coalesce(unknown_since, clock_timestamp()) END
    WHERE id = p_job AND executor = p_executor AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM pg_notify('session', p_job || CASE WHEN p_doubt THEN ' UNKNOWN' ELSE ' KNOWN' END);
    RETURN true;
END $$;

-- read_jobs shows it. Its text is taken as it is, so that nothing else of it is said twice.
DO $$
DECLARE
    text text := pg_get_functiondef('read_jobs(uuid[], int, int)'::regprocedure);
BEGIN
    IF position('o.state::text, o.destination_id' IN text) = 0 THEN RAISE EXCEPTION 'read_jobs is not what this migration knows'; END IF;
    EXECUTE replace(text, 'o.state::text, o.destination_id', 'shown_state(o.state, j.unknown_since), o.destination_id');
END $$;
