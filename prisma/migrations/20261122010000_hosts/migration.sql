-- Executors on several hosts. `job.host` is the home of a job: the host whose executors alone can reach its run, or, for an
-- engine that is reached from anywhere, the directory of jobs that those executors share.

-- Since when nobody can say what became of a job that was begun.
ALTER TABLE job ADD COLUMN unknown_since timestamptz;

DROP FUNCTION begin_job(uuid, text, text, interval, jsonb);

-- p_away: what maintenance takes of destinations in the next time, of which the database knows nothing: as the executor
-- reads the site file. p_shared: {home, destinations}: those whose engines are reached from anywhere, and what is then a job's
-- home in place of p_host. p_grace: so long after its lease a job waits for an executor of its home.
-- An executor takes a job that is due. verdict:
--   begin      it is yours: prepare and start it
--   resume     it is yours: an executor before you had begun it, or you had and this answer was lost
--   busy       another executor holds it
--   elsewhere  nobody holds it, and only an executor of another home can reach it
--   lost       it is yours to be ended: no executor of its home came back to it
--   crowded    due, but later than reserved, and the destination is full or away before it would end: try again
--   early      its time, or its client's PHASE=RUN, has not come
--   over       nothing to do
CREATE FUNCTION begin_job(p_job uuid, p_executor text, p_host text, p_lease interval, p_away jsonb DEFAULT '[]',
                          p_shared jsonb DEFAULT '{}', p_grace interval DEFAULT '5 minutes') RETURNS text LANGUAGE plpgsql AS $$
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
        UPDATE job SET executor = p_executor, lease_until = at + p_lease, unknown_since = NULL WHERE id = p_job;
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
END $$;

-- Jobs of these homes that nobody follows.
CREATE FUNCTION orphans(p_homes text[], p_limit int) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    SELECT id FROM job WHERE ended_at IS NULL AND lease_until < clock_timestamp() AND host = ANY (p_homes) ORDER BY lease_until LIMIT p_limit
$$;
