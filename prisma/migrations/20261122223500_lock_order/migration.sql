-- One order for every lock: destinations (by name), pools of results (by name), then offers (by id), their jobs, their
-- reservations. Two that took them in different orders waited for each other until PostgreSQL ended one (40P01):
-- keep_claims had a reservation and wanted its job, while end_job had the job and wanted the reservation; begin_job had a
-- job and wanted its destination; place_answers took pools in the order of its asks.
DROP FUNCTION public.begin_job(uuid, text, text, interval, jsonb, jsonb, interval);

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
BEGIN
    PERFORM 1 FROM destination WHERE id = (SELECT destination_id FROM offer WHERE id = p_job) FOR NO KEY UPDATE;
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
        UPDATE job SET executor = p_executor, lease_until = at + p_lease, unknown_since = NULL,
            attempt = attempt + CASE WHEN executor = p_executor THEN 0 ELSE 1 END
        WHERE id = p_job;
        RETURN CASE WHEN is_home THEN 'resume' ELSE 'lost' END;
    END IF;
    IF (o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT') OR o.starts_at > at THEN RETURN 'early'; END IF;
    -- Begun late, the run would outlast its reservation: move it, if the destination has room for that.
    needed := tstzrange(at, at + make_interval(secs => j.execution_s + o.release_s));
    IF NOT EXISTS (SELECT 1 FROM reservation WHERE offer_id = p_job AND state = 'FIRM' AND tstzrange(starts_at, ends_at) @> needed)
       AND NOT fits(o.destination_id, needed, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus, p_job) THEN
        RETURN 'crowded';
    END IF;
    UPDATE reservation SET starts_at = lower(needed), ends_at = upper(needed) WHERE offer_id = p_job AND state = 'FIRM';
    UPDATE offer SET state = 'PREPARING' WHERE id = p_job;
    UPDATE job SET executor = p_executor, lease_until = at + p_lease, attempt = attempt + 1,
        host = CASE WHEN p_shared -> 'destinations' ? o.destination_id THEN p_shared ->> 'home' ELSE p_host END
    WHERE id = p_job;
    RETURN 'begin';
END $function$;

CREATE OR REPLACE FUNCTION public.begin_next(p_destination text, p_executor text, p_host text, p_lease interval, p_shared jsonb, p_grace interval)
 RETURNS TABLE(job uuid, verdict text, destination text)
 LANGUAGE plpgsql
AS $function$
DECLARE
    due uuid;
    said text;
BEGIN
    PERFORM 1 FROM destination d WHERE d.id = p_destination FOR NO KEY UPDATE;
    PERFORM keep_claims(p_destination);
    FOR due IN
        SELECT w.id FROM due_jobs(p_destination, clock_timestamp()) w
        WHERE w.starts_at <= clock_timestamp() AND w.ends_at >= clock_timestamp() + w.run
        ORDER BY w.decided_at, w.id
    LOOP
        said := begin_job(due, p_executor, p_host, p_lease, p_shared, p_grace);
        IF said = 'begin' THEN
            -- What it leaves is kept for as long as if it had begun in its time.
            UPDATE job j SET destruction_at = j.destruction_at + (clock_timestamp() - greatest(o.starts_at, o.decided_at))
            FROM offer o WHERE j.id = due AND o.id = due AND j.claim_at IS NOT NULL;
            RETURN QUERY SELECT due, said, p_destination;
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY SELECT NULL::uuid, CASE WHEN EXISTS (SELECT FROM due_jobs(p_destination, clock_timestamp())) THEN 'crowded' ELSE 'none' END, p_destination;
END $function$;

CREATE OR REPLACE FUNCTION public.take_job(p_job uuid, p_followed boolean, p_executor text, p_host text, p_lease interval, p_shared jsonb, p_grace interval)
 RETURNS TABLE(job uuid, verdict text, destination text)
 LANGUAGE plpgsql
AS $function$
DECLARE
    at_destination text;
    s session_state;
    said text;
BEGIN
    SELECT o.destination_id, o.state INTO at_destination, s FROM offer o WHERE o.id = p_job;
    IF NOT p_followed AND s IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        said := begin_job(p_job, p_executor, p_host, p_lease, p_shared, p_grace);
        IF said NOT IN ('busy', 'over') THEN RETURN QUERY SELECT p_job, said, at_destination; RETURN; END IF;
    END IF;
    RETURN QUERY SELECT n.job, n.verdict, n.destination FROM begin_next(at_destination, p_executor, p_host, p_lease, p_shared, p_grace) n;
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

CREATE OR REPLACE FUNCTION public.place_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    wanted text[];
    roomy boolean;
    conflicts uuid[] := '{}';
    one record;
    recounted boolean := false;
BEGIN
    IF p_traces <> '[]' THEN
        INSERT INTO trace (key, steps) SELECT t.key, t.steps FROM jsonb_to_recordset(p_traces) AS t(key text, steps jsonb) ORDER BY t.key
        ON CONFLICT (key) DO UPDATE SET used_at = clock_timestamp();
    END IF;
    IF p_holds = '[]' THEN
        PERFORM write_answers(p_asks, p_offers, p_holds);
        PERFORM count_stored(p_asks, '{}');
        RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', '[]'::jsonb, 'live', '[]'::jsonb);
    END IF;
    WITH needed AS MATERIALIZED (
        SELECT h.destination AS id, sum(h.cores) AS cores, sum(h.memory) AS memory, sum(h.scratch) AS scratch, sum(h.gpus) AS gpus
        FROM jsonb_to_recordset(p_holds) AS h(destination text, cores bigint, memory bigint, scratch bigint, gpus bigint) GROUP BY 1),
    locked AS MATERIALIZED (
        SELECT id, open, cores - live_cores AS cores, memory_mib - live_memory_mib AS memory, scratch_mib - live_scratch_mib AS scratch
        FROM destination WHERE id = ANY (ARRAY(SELECT id FROM needed)) ORDER BY id FOR NO KEY UPDATE)
    SELECT array_agg(n.id),
           bool_and(coalesce(l.open AND n.gpus = 0 AND n.cores <= l.cores AND n.memory <= l.memory AND n.scratch <= l.scratch, false))
    INTO wanted, roomy FROM needed n LEFT JOIN locked l ON l.id = n.id;
    IF roomy AND clock_timestamp() BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds' AND results_fit(p_holds) THEN
        PERFORM write_answers(p_asks, p_offers, p_holds);
    ELSE
        PERFORM results_fit(p_holds);
        PERFORM lapse_due(wanted, 1000);
        PERFORM keep_claims(w) FROM unnest(wanted) AS w;
        PERFORM recount_live(wanted);
        FOR one IN
            SELECT (a ->> 'id')::uuid AS id, jsonb_build_array(a) AS asks,
                   coalesce((SELECT jsonb_agg(o) FROM jsonb_array_elements(p_offers) o WHERE o -> 'ask' = a -> 'id'), '[]') AS offers,
                   coalesce((SELECT jsonb_agg(h) FROM jsonb_array_elements(p_holds) h WHERE h -> 'ask' = a -> 'id'), '[]') AS holds
            FROM jsonb_array_elements(p_asks) WITH ORDINALITY AS list(a, n) ORDER BY n
        LOOP
            IF NOT recounted AND NOT results_fit(one.holds) THEN
                PERFORM lapse_due(NULL, 1000);
                PERFORM recount_results(ARRAY(SELECT DISTINCT h ->> 'pool' FROM jsonb_array_elements(p_holds) h));
                recounted := true;
            END IF;
            IF one.holds <> '[]' AND (clock_timestamp() NOT BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds'
               OR NOT holds_fit(one.holds) OR NOT results_fit(one.holds)) THEN
                conflicts := conflicts || one.id;
            ELSE
                PERFORM write_answers(one.asks, one.offers, one.holds);
            END IF;
        END LOOP;
    END IF;
    PERFORM count_stored(p_asks, conflicts);
    RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', to_jsonb(conflicts), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', d.id, 'cores', d.live_cores, 'memory', d.live_memory_mib, 'scratch', d.live_scratch_mib, 'results', p.live_mib))
        FROM destination d LEFT JOIN result_pool p ON p.name = d.result_pool WHERE d.id = ANY (wanted)), '[]'::jsonb));
END $function$;
