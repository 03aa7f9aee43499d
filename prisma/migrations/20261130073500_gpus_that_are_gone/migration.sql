-- A job waits while its destination has fewer GPUs of its type than it was promised: it began, and failed.
CREATE OR REPLACE FUNCTION public.begin_job(p_job uuid, p_executor text, p_host text, p_lease interval, p_shared jsonb DEFAULT '{}'::jsonb, p_grace interval DEFAULT '00:05:00'::interval)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    o offer%ROWTYPE;
    j job%ROWTYPE;
    at timestamptz;
    needed tstzrange;
    is_home boolean;
    lacks_runner boolean;
BEGIN
    PERFORM 1 FROM destination WHERE id = (SELECT destination_id FROM offer WHERE id = p_job) FOR NO KEY UPDATE;
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT * INTO j FROM job WHERE id = p_job FOR UPDATE;
    IF NOT FOUND OR o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN RETURN 'over'; END IF;
    at := clock_timestamp();
    -- What is to be stopped ends, and is stopped once somebody has its runner again.
    lacks_runner := NOT coalesce(p_shared -> 'runners' ? o.runner, true) AND j.abort_at IS NULL;
    IF o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        IF j.lease_until > at AND j.executor <> p_executor THEN RETURN 'busy'; END IF;
        is_home := j.host IS NULL OR j.host = p_host OR coalesce(j.host = p_shared ->> 'home', false);
        IF (is_home AND lacks_runner) OR (NOT is_home AND j.lease_until + p_grace > at) THEN
            IF j.unknown_since IS NULL THEN
                UPDATE job SET unknown_since = at WHERE id = p_job;
                PERFORM pg_notify('session', p_job || ' UNKNOWN');
            END IF;
            -- Those that nobody has asked for so long come first.
            UPDATE job SET lease_until = at WHERE id = p_job AND is_home;
            RETURN 'elsewhere';
        END IF;
        UPDATE job SET executor = p_executor, lease_until = at + p_lease, unknown_since = NULL,
            attempt = attempt + CASE WHEN executor = p_executor THEN 0 ELSE 1 END
        WHERE id = p_job;
        RETURN CASE WHEN is_home THEN 'resume' ELSE 'lost' END;
    END IF;
    IF (o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT') OR o.starts_at > at OR lacks_runner THEN RETURN 'early'; END IF;
    -- Devices that are gone cannot be shared, as cores and memory can.
    IF o.gpus > coalesce((SELECT (d.gpus ->> o.gpu_type)::bigint FROM destination d WHERE d.id = o.destination_id), 0) THEN RETURN 'crowded'; END IF;
    -- Begun late, the run would outlast its reservation: move it, if the destination has room for that.
    needed := tstzrange(at, at + make_interval(secs => j.execution_s + o.release_s));
    IF NOT EXISTS (SELECT 1 FROM reservation WHERE offer_id = p_job AND state = 'FIRM' AND tstzrange(starts_at, ends_at) @> needed)
       AND NOT fits(o.destination_id, needed, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus, p_job) THEN
        RETURN 'crowded';
    END IF;
    UPDATE reservation SET starts_at = lower(needed), ends_at = upper(needed) WHERE offer_id = p_job AND state = 'FIRM';
    PERFORM keep_volumes(p_job, upper(needed));
    UPDATE offer SET state = 'PREPARING' WHERE id = p_job;
    UPDATE job SET executor = p_executor, lease_until = at + p_lease, attempt = attempt + 1,
        host = CASE WHEN p_shared -> 'destinations' ? o.destination_id THEN p_shared ->> 'home' ELSE p_host END
    WHERE id = p_job;
    RETURN 'begin';
END $function$;
