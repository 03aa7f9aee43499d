-- What engines say about when they would start a job. Executors ask them and write it here; planners read it now and then, and
-- no ask waits for an engine.

-- Work that one executor of all does, so often.
CREATE TABLE duty (
    name    text PRIMARY KEY,
    done_at timestamptz NOT NULL
);

-- Whether this caller is to do it now: true for one of all that ask within the interval.
CREATE FUNCTION claim_duty(p_name text, p_every interval) RETURNS boolean LANGUAGE sql AS $$
    WITH claimed AS (
        INSERT INTO duty (name, done_at) VALUES (p_name, clock_timestamp())
        ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at WHERE duty.done_at <= clock_timestamp() - p_every
        RETURNING 1)
    SELECT EXISTS (SELECT FROM claimed)
$$;

CREATE TABLE forecast (
    destination_id text NOT NULL,
    -- of the shape in the site file
    place          smallint NOT NULL,
    cores          int NOT NULL,
    memory_mib     bigint NOT NULL,
    gpu_type       text,
    gpus           int NOT NULL DEFAULT 0,
    duration_s     int NOT NULL,
    -- when the engine would start such a job that was submitted at the time of asking
    starts_at      timestamptz NOT NULL,
    -- an engine that was not asked again by then has said nothing
    valid_until    timestamptz NOT NULL,
    PRIMARY KEY (destination_id, place)
);

-- Takes the place of all that was written of a destination. p_rows: [{cores, memory, gpuType, gpus, duration, wait}]; waits are
-- milliseconds from now, so that only one clock counts.
CREATE FUNCTION write_forecasts(p_destination text, p_rows jsonb, p_valid interval) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM forecast WHERE destination_id = p_destination;
    INSERT INTO forecast (destination_id, place, cores, memory_mib, gpu_type, gpus, duration_s, starts_at, valid_until)
    SELECT p_destination, r.place - 1, r.cores, r.memory, r."gpuType", coalesce(r.gpus, 0), r.duration,
           clock_timestamp() + make_interval(secs => r.wait / 1000), clock_timestamp() + p_valid
    FROM ROWS FROM (jsonb_to_recordset(p_rows) AS (cores int, memory bigint, "gpuType" text, gpus int, duration int, wait float8)) WITH ORDINALITY
         AS r(cores, memory, "gpuType", gpus, duration, wait, place)
    ON CONFLICT (destination_id, place) DO NOTHING;
END $$;
