-- Keeps parameters of a job by their names as they are written. Names that differ in case alone are one (DALI § 4.1): with
-- p_replace the new one takes the place of the old, else the old one stays. Rows of before may have both.
-- verdict: kept | illegal (the job is past the states) | full (more than p_most bytes in all).
CREATE OR REPLACE FUNCTION keep_parameters(p_job uuid, p_parameters jsonb, p_replace boolean, p_states session_state[], p_most bigint)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    s session_state;
    m start_mode;
    size bigint;
BEGIN
    -- Whoever keeps parameters of this job at the same time waits here, so no name comes between.
    SELECT state INTO s FROM offer WHERE id = p_job FOR UPDATE;
    SELECT start_mode INTO m FROM job WHERE id = p_job AND destroyed_at IS NULL;
    IF m IS NULL OR NOT s = ANY (p_states) OR (p_replace AND m <> 'CLIENT') THEN RETURN 'illegal'; END IF;
    SELECT coalesce(sum(bytes), 0) INTO size FROM (
        SELECT octet_length(content) + octet_length(name) AS bytes FROM job_parameter
        WHERE job_id = p_job AND upper(name) NOT IN (SELECT upper(name) FROM jsonb_to_recordset(p_parameters) AS p (name text))
        UNION ALL
        SELECT octet_length(decode(p.content, 'base64')) + octet_length(p.name)
        FROM jsonb_to_recordset(p_parameters) AS p (name text, content text)) AS sizes;
    IF size > p_most THEN RETURN 'full'; END IF;
    IF p_replace THEN
        DELETE FROM job_parameter
        WHERE job_id = p_job AND upper(name) IN (SELECT upper(name) FROM jsonb_to_recordset(p_parameters) AS p (name text));
    END IF;
    INSERT INTO job_parameter (job_id, name, media_type, content)
    SELECT p_job, p.name, p.type, decode(p.content, 'base64')
    FROM jsonb_to_recordset(p_parameters) AS p (name text, type text, content text)
    WHERE NOT EXISTS (SELECT FROM job_parameter k WHERE k.job_id = p_job AND upper(k.name) = upper(p.name));
    RETURN 'kept';
END $$;
