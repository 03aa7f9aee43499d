-- An ask takes less of PostgreSQL. Room for results is taken where it is looked for, in one statement, and no more by a trigger
-- that reads the offers again; bytes that are kept are counted by the statement that writes the asks.
DROP TRIGGER reservation_new_results ON reservation;
DROP FUNCTION guard_new_results();
DROP FUNCTION results_fit(jsonb);
DROP FUNCTION count_stored(jsonb, uuid[]);

CREATE FUNCTION take_results(p_holds jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    pools text[];
    needs bigint[];
BEGIN
    SELECT array_agg(n.pool ORDER BY n.pool), array_agg(n.mib ORDER BY n.pool) INTO pools, needs
    FROM (SELECT h.pool, sum(h.results)::bigint AS mib FROM jsonb_to_recordset(p_holds) AS h(pool text, results bigint) WHERE h.pool IS NOT NULL GROUP BY 1) n;
    IF pools IS NULL THEN RETURN true; END IF;
    IF cardinality(pools) > 1 THEN
        PERFORM 1 FROM result_pool WHERE name = ANY (pools) ORDER BY name FOR NO KEY UPDATE;
        IF EXISTS (SELECT FROM result_pool p JOIN unnest(pools, needs) AS n(pool, mib) ON n.pool = p.name WHERE p.live_mib + n.mib > p.size_mib) THEN RETURN false; END IF;
    END IF;
    UPDATE result_pool p SET live_mib = p.live_mib + n.mib FROM unnest(pools, needs) AS n(pool, mib) WHERE p.name = n.pool AND p.live_mib + n.mib <= p.size_mib;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION public.place_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    wanted text[];
    pools text[];
    roomy boolean;
    fits boolean;
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
    roomy := roomy AND clock_timestamp() BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds';
    IF roomy THEN roomy := take_results(p_holds); END IF;
    IF roomy THEN
        PERFORM write_answers(p_asks, p_offers, p_holds);
    ELSE
        pools := ARRAY(SELECT DISTINCT h ->> 'pool' FROM jsonb_array_elements(p_holds) h);
        PERFORM 1 FROM result_pool WHERE name = ANY (pools) ORDER BY name FOR NO KEY UPDATE;
        PERFORM lapse_due(wanted, 1000);
        PERFORM keep_claims(w) FROM unnest(wanted) AS w;
        PERFORM recount_live(wanted);
        PERFORM 1 FROM stored WHERE owner IN (SELECT a ->> 'owner' FROM jsonb_array_elements(p_asks) a) ORDER BY owner FOR NO KEY UPDATE;
        FOR one IN
            SELECT (a ->> 'id')::uuid AS id, jsonb_build_array(a) AS asks,
                   coalesce((SELECT jsonb_agg(o) FROM jsonb_array_elements(p_offers) o WHERE o -> 'ask' = a -> 'id'), '[]') AS offers,
                   coalesce((SELECT jsonb_agg(h) FROM jsonb_array_elements(p_holds) h WHERE h -> 'ask' = a -> 'id'), '[]') AS holds
            FROM jsonb_array_elements(p_asks) WITH ORDINALITY AS list(a, n) ORDER BY n
        LOOP
            fits := one.holds = '[]' OR (clock_timestamp() BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds' AND holds_fit(one.holds));
            IF fits THEN
                fits := take_results(one.holds);
                IF NOT fits AND NOT recounted THEN
                    PERFORM lapse_due(NULL, 1000);
                    PERFORM recount_results(pools);
                    recounted := true;
                    fits := take_results(one.holds);
                END IF;
            END IF;
            IF fits THEN
                PERFORM write_answers(one.asks, one.offers, one.holds);
            ELSE
                conflicts := conflicts || one.id;
            END IF;
        END LOOP;
    END IF;
    RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', to_jsonb(conflicts), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', d.id, 'cores', d.live_cores, 'memory', d.live_memory_mib, 'scratch', d.live_scratch_mib, 'results', p.live_mib))
        FROM destination d LEFT JOIN result_pool p ON p.name = d.result_pool WHERE d.id = ANY (wanted)), '[]'::jsonb));
END $function$;

CREATE OR REPLACE FUNCTION public.write_answers(p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    WITH written AS (
        INSERT INTO ask (id, owner, result, document, bytes, inputs, rules_digest, trace_key, reasons)
        SELECT a.id, a.owner, a.result, nullif(a.document, 'null'), coalesce(a.bytes, 0), coalesce(a.inputs, 'null'), a."rulesDigest", a."traceKey", a.reasons
        FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, result text, document jsonb, bytes int, inputs jsonb,
             "rulesDigest" text, "traceKey" text, reasons jsonb)
        RETURNING owner, bytes)
    INSERT INTO stored (owner, bytes) SELECT owner, sum(bytes) FROM written GROUP BY owner HAVING sum(bytes) <> 0 ORDER BY owner
    ON CONFLICT (owner) DO UPDATE SET bytes = stored.bytes + excluded.bytes;
    IF jsonb_array_length(p_offers) = 0 THEN RETURN; END IF;
    INSERT INTO offer (id, ask_id, place, owner, destination_id, runner, expires_at, promise, cores, memory_mib, scratch_mib,
                       gpu_type, gpus, starts_at, duration_s, prepare_s, start_window_s, release_s, results_mib)
    SELECT o.id, o.ask, o.place, o.owner, o.destination, o.runner, o."expiresAt", o.promise, o.cores,
           o.memory, o.scratch, o."gpuType", o.gpus, o."startsAt", o."durationS", o."prepareS", o."startWindowS", o."releaseS",
           coalesce(o.results, 0)
    FROM jsonb_to_recordset(p_offers) AS o(id uuid, ask uuid, place smallint, owner text, destination text, runner text,
         "expiresAt" timestamptz, promise jsonb, cores int, memory bigint, scratch bigint, "gpuType" text, gpus int,
         "startsAt" timestamptz, "durationS" int, "prepareS" int, "startWindowS" int, "releaseS" int, results bigint);
    INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores, memory_mib, scratch_mib, gpu_type, gpus)
    SELECT h.ask, h.destination, 'HELD', h."startsAt", h."endsAt", h."expiresAt", h.cores, h.memory, h.scratch, h."gpuType", h.gpus
    FROM jsonb_to_recordset(p_holds) AS h(ask uuid, destination text, "startsAt" timestamptz, "endsAt" timestamptz,
         "expiresAt" timestamptz, cores int, memory bigint, scratch bigint, "gpuType" text, gpus int);
END $function$;
