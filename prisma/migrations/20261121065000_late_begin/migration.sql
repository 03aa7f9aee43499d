-- A job that is begun late does not run into a maintenance of its destination.

DROP FUNCTION begin_job(uuid, text, text, interval);

-- p_away: what maintenance takes of destinations in the next time, of which the database knows nothing: as the executor
-- reads the site file. An executor takes a job that is due. verdict:
--   begin    it is yours: prepare and start it
--   resume   it is yours: an executor before you had begun it, or you had and this answer was lost
--   busy     another executor holds it
--   crowded  due, but later than reserved, and the destination is full or away before it would end: try again
--   early    its time, or its client's PHASE=RUN, has not come
--   over     nothing to do
CREATE FUNCTION begin_job(p_job uuid, p_executor text, p_host text, p_lease interval, p_away jsonb DEFAULT '[]') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    o offer%ROWTYPE;
    j job%ROWTYPE;
    at timestamptz;
    needed tstzrange;
    away record;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT * INTO j FROM job WHERE id = p_job FOR UPDATE;
    IF NOT FOUND OR o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN RETURN 'over'; END IF;
    at := clock_timestamp();
    IF o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        IF j.lease_until > at AND j.executor <> p_executor THEN RETURN 'busy'; END IF;
        UPDATE job SET executor = p_executor, lease_until = at + p_lease WHERE id = p_job;
        RETURN 'resume';
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
    UPDATE job SET executor = p_executor, host = p_host, lease_until = at + p_lease, attempt = attempt + 1 WHERE id = p_job;
    RETURN 'begin';
END $$;
