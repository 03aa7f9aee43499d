-- Executors say that they live, which workers of the queue are theirs, and which engines answer them.

CREATE TABLE executor (
    name        text PRIMARY KEY,
    host        text NOT NULL,
    -- believed to live until then
    lease_until timestamptz NOT NULL,
    -- what locks messages of the queue in its name
    workers     text[] NOT NULL,
    -- destination -> true when its engine answered the last time
    engines     jsonb NOT NULL
);

CREATE FUNCTION beat_executor(p_name text, p_host text, p_lease interval, p_workers text[], p_engines jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO executor (name, host, lease_until, workers, engines) VALUES (p_name, p_host, clock_timestamp() + p_lease, p_workers, p_engines)
    ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until, workers = excluded.workers, engines = excluded.engines
$$;

-- Gives messages that these workers have locked to others at once; graphile-worker itself would wait for four hours. One
-- in whose place a later message came is done with.
CREATE FUNCTION unlock_messages(p_workers text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
    superseded bigint[];
BEGIN
    SELECT count(*)::int, array_agg(id) FILTER (WHERE key IS NULL AND attempts >= max_attempts) INTO n, superseded
    FROM graphile_worker.jobs WHERE locked_by = ANY (p_workers);
    IF n = 0 THEN RETURN 0; END IF;
    PERFORM graphile_worker.force_unlock_workers(p_workers);
    IF superseded IS NOT NULL THEN PERFORM graphile_worker.complete_jobs(superseded); END IF;
    RETURN n;
END $$;

-- Forgets executors that gave no sign of life, and unlocks their messages. Returns the number of those.
CREATE FUNCTION sweep_executors() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    gone record;
    n int := 0;
BEGIN
    FOR gone IN SELECT name, workers FROM executor WHERE lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED LOOP
        n := n + unlock_messages(gone.workers);
        DELETE FROM executor WHERE name = gone.name;
    END LOOP;
    RETURN n;
END $$;

-- Messages locked for a minute by a worker that no executor has: its executor was killed before it could say so.
CREATE FUNCTION unlock_stray_messages() RETURNS int LANGUAGE sql AS $$
    SELECT unlock_messages(ARRAY(
        SELECT DISTINCT locked_by FROM graphile_worker.jobs
        WHERE locked_at < clock_timestamp() - interval '1 minute'
          AND NOT EXISTS (SELECT 1 FROM executor WHERE locked_by = ANY (workers))))
$$;
