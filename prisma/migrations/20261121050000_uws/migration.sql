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
