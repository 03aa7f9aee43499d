-- Claims of a few jobs are placed whenever somebody looks: that it took long says of them only that the machine was busy.
CREATE OR REPLACE FUNCTION public.keep_claims(p_destination text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    at timestamptz := clock_timestamp();
    -- From the decision to the begin of the job.
    margin interval := '1 second';
    -- So long a claim stays where it is while nobody begins the job.
    patience interval := '1 minute';
    has destination%ROWTYPE;
    others taken[];
    need taken;
    one record;
    place timestamptz;
    until timestamptz;
    wide interval;
    is_roomy boolean;
    stays boolean;
    moved bigint[] := '{}';
    starts timestamptz[] := '{}';
    ends timestamptz[] := '{}';
    n int;
    looked int := 0;
BEGIN
    IF NOT EXISTS (SELECT FROM due_jobs(p_destination, at) w WHERE NOT (w.starts_at <= at AND w.ends_at >= at + w.run + margin)) THEN RETURN 0; END IF;
    SELECT * INTO has FROM destination d WHERE d.id = p_destination;
    IF has.claims_at > at THEN RETURN 0; END IF;
    SELECT coalesce(array_agg(x.t), '{}') INTO others FROM (
        SELECT ROW (r.starts_at, r.ends_at, r.cores, r.memory_mib, r.scratch_mib, r.gpu_type, r.gpus)::taken AS t
        FROM reservation r
        WHERE r.destination_id = p_destination AND r.state IN ('HELD', 'FIRM') AND r.ends_at > at
          AND NOT EXISTS (SELECT FROM due_jobs(p_destination, at) w WHERE w.reservation = r.id)
        UNION ALL
        SELECT ROW (c.starts_at, c.ends_at, c.cores, c.memory_mib, c.scratch_mib, NULL, 0)::taken
        FROM closure c WHERE c.destination_id = p_destination AND c.ends_at > at) AS x;
    -- Where all fit at the same time, whenever they are, each fits now.
    SELECT coalesce(sum(t.cores), 0) <= has.cores AND coalesce(sum(t.memory_mib), 0) <= has.memory_mib AND coalesce(sum(t.scratch_mib), 0) <= has.scratch_mib
           AND coalesce(bool_and(t.gpus = 0), true)
    INTO is_roomy FROM (
        SELECT o.cores, o.memory_mib, o.scratch_mib, 0 AS gpus FROM unnest(others) o
        UNION ALL SELECT w.cores, w.memory_mib, w.scratch_mib, w.gpus FROM due_jobs(p_destination, at) w) AS t;
    FOR one IN SELECT * FROM due_jobs(p_destination, at) w ORDER BY w.decided_at, w.id LOOP
        looked := looked + CASE WHEN is_roomy THEN 0 ELSE cardinality(others) END;
        need := ROW (NULL, NULL, one.cores, one.memory_mib, one.scratch_mib, one.gpu_type, one.gpus)::taken;
        place := CASE WHEN is_roomy THEN at ELSE earliest_place(has, others, need, at, one.run + margin) END;
        -- The destination has become too small for it.
        CONTINUE WHEN place IS NULL;
        IF place > at THEN
            place := earliest_place(has, others, need, at, one.run + patience);
            until := place + one.run + patience;
        ELSE
            -- One that has its place still stays there, and so do those behind it.
            stays := one.starts_at <= at AND one.ends_at >= at + one.run + margin;
            wide := CASE WHEN stays THEN one.ends_at - at ELSE one.run + patience END;
            IF NOT is_roomy AND earliest_place(has, others, need, at, wide) > at THEN wide := one.run + margin; END IF;
            until := at + wide;
            IF stays THEN place := one.starts_at; END IF;
        END IF;
        others := others || ROW (place, until, one.cores, one.memory_mib, one.scratch_mib, one.gpu_type, one.gpus)::taken;
        IF place <> one.starts_at OR until <> one.ends_at THEN
            moved := moved || one.reservation;
            starts := starts || place;
            ends := ends || until;
        END IF;
    END LOOP;
    UPDATE reservation r SET starts_at = m.starts_at, ends_at = m.ends_at
    FROM unnest(moved, starts, ends) AS m(id, starts_at, ends_at) WHERE r.id = m.id AND r.state = 'FIRM';
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        UPDATE job j SET claim_at = r.starts_at FROM reservation r
        WHERE r.id = ANY (moved) AND r.offer_id = j.id AND j.ended_at IS NULL AND (j.claim_at IS NULL OR r.starts_at > at OR j.claim_at > at);
        PERFORM recount_live(ARRAY[p_destination]);
    END IF;
    -- A few claims are placed in milliseconds, or the machine has no time for anybody.
    IF looked > 10000 AND clock_timestamp() > at + interval '50 milliseconds' THEN
        UPDATE destination d SET claims_at = least(clock_timestamp() + 20 * (clock_timestamp() - at), at + interval '30 seconds') WHERE d.id = p_destination;
    END IF;
    RETURN n;
END $function$;
