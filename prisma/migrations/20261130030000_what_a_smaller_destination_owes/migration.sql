-- A destination that became smaller keeps what it promised, and refuses neither accepts nor the claims of others.

CREATE OR REPLACE FUNCTION public.guard_new_reservations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    one record;
    beyond boolean;
BEGIN
    FOR one IN
        SELECT f.destination_id AS id, sum(f.cores) AS cores, sum(f.memory_mib) AS memory_mib, sum(f.scratch_mib) AS scratch_mib, max(f.gpus) AS gpus,
               array_agg(f.id) AS rows
        FROM fresh f
        WHERE f.state IN ('HELD', 'FIRM') AND f.ends_at > clock_timestamp()
        GROUP BY 1 ORDER BY 1
    LOOP
        UPDATE destination d SET live_cores = d.live_cores + one.cores, live_memory_mib = d.live_memory_mib + one.memory_mib,
            live_scratch_mib = d.live_scratch_mib + one.scratch_mib
        WHERE d.id = one.id
        RETURNING d.live_cores > d.cores OR d.live_memory_mib > d.memory_mib OR d.live_scratch_mib > d.scratch_mib INTO beyond;
        CONTINUE WHEN NOT beyond AND one.gpus = 0;
        -- An accept takes no more than was held, which stays promised when the destination becomes smaller.
        IF EXISTS (SELECT 1 FROM fresh f WHERE f.id = ANY (one.rows) AND is_oversold(f.destination_id, tstzrange(f.starts_at, f.ends_at), f.gpu_type)
                     AND NOT (f.state = 'FIRM' AND EXISTS (SELECT FROM ask a JOIN destination d ON d.id = one.id WHERE a.id = f.ask_id AND a.created_at <= d.shrunk_at))) THEN
            PERFORM refuse_oversell(one.id);
        END IF;
    END LOOP;
    RETURN NULL;
END $function$;

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
    -- Whoever ends one of them has its offer; what stands below is read after that.
    PERFORM 1 FROM offer WHERE id IN (SELECT w.id FROM due_jobs(p_destination, at) w) ORDER BY id FOR NO KEY UPDATE;
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
        -- The destination has become too small for it. What it has it keeps, and the others come after that.
        IF place IS NULL THEN
            IF one.ends_at > at THEN
                others := others || ROW (one.starts_at, one.ends_at, one.cores, one.memory_mib, one.scratch_mib, one.gpu_type, one.gpus)::taken;
            END IF;
            CONTINUE;
        END IF;
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
