-- GPU hours of an offer count its preparation, as those of the job do that it becomes.

CREATE OR REPLACE FUNCTION public.quota_usage(p_scope text, p_window interval, p_results boolean)
 RETURNS TABLE(holds bigint, jobs bigint, cores bigint, memory bigint, gpu_s bigint, results bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    WITH offers AS MATERIALIZED (
        SELECT o.ask_id, o.id, o.cores, o.memory_mib, o.gpus * (o.prepare_s + o.start_window_s + o.duration_s + o.release_s)::bigint AS gpu_s,
               o.state = 'OFFERED' AND o.expires_at > at AS open, o.state = 'OFFERED' AS undecided,
               o.state IN ('ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') AS job,
               o.results_mib, CASE WHEN p_results THEN (SELECT w.bytes FROM result_use w WHERE w.job_id = o.id) END AS kept
        FROM quota_use u JOIN offer o ON o.ask_id = u.ask_id WHERE u.scope = p_scope
    ), gpu AS MATERIALIZED (
        SELECT r.ask_id, sum(r.gpus * extract(epoch FROM r.ends_at - greatest(r.starts_at, at - p_window)))::bigint AS s
        FROM quota_use u JOIN reservation r ON r.ask_id = u.ask_id
        WHERE u.scope = p_scope AND r.offer_id IS NOT NULL AND r.gpus > 0 AND r.state IN ('FIRM', 'RELEASED') AND r.ends_at > at - p_window
        GROUP BY 1
    ), answers AS MATERIALIZED (
        SELECT u.ask_id, coalesce(bool_or(o.open), false) AS open, coalesce(bool_or(o.undecided), false) AS undecided,
               coalesce(bool_or(o.job), false) AS job,
               max(o.cores) FILTER (WHERE o.open OR o.job) AS cores, max(o.memory_mib) FILTER (WHERE o.open OR o.job) AS memory,
               max(o.gpu_s) FILTER (WHERE o.open) AS gpu_s,
               max(o.results_mib) FILTER (WHERE o.open) AS results, sum(o.kept) AS kept
        FROM quota_use u LEFT JOIN offers o ON o.ask_id = u.ask_id WHERE u.scope = p_scope GROUP BY 1
    -- Who accepts an offer right now may have done so in time: it is forgotten once it counts as expired in the book.
    ), forgotten AS (
        DELETE FROM quota_use WHERE scope = p_scope
          AND ask_id IN (SELECT ask_id FROM answers WHERE NOT undecided AND NOT job AND kept IS NULL) AND ask_id NOT IN (SELECT ask_id FROM gpu)
    )
    SELECT count(*) FILTER (WHERE a.open), count(*) FILTER (WHERE a.job), coalesce(sum(a.cores), 0)::bigint,
           coalesce(sum(a.memory), 0)::bigint, (coalesce(sum(a.gpu_s), 0) + coalesce((SELECT sum(s) FROM gpu), 0))::bigint,
           (coalesce(sum(a.results), 0) + ceil(coalesce(sum(a.kept), 0) / 1048576))::bigint
    FROM answers a;
END $function$;

CREATE OR REPLACE FUNCTION public.place_guarded_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    given jsonb := p_asks;
    verdicts jsonb := '{}';
    usage jsonb := '{}';
    shares jsonb := '{}';
    conflicts jsonb;
    undecided jsonb := '[]';
    one record;
    scope jsonb;
    has jsonb;
    excesses jsonb;
    share numeric;
    works jsonb := '{}';
    part record;
    place text;
    placed jsonb;
    pooled boolean := false;
BEGIN
    FOR one IN SELECT a.id, a.owner, a.guard -> 'key' AS key FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, guard jsonb)
               WHERE a.guard ? 'key' ORDER BY a.owner, a.guard -> 'key' ->> 'key' LOOP
        has := claim_key(one.owner, one.key ->> 'key', one.key ->> 'route', one.key ->> 'bodyHash', one.id);
        IF has IS NOT NULL THEN verdicts := verdicts || jsonb_build_object(one.id, has); END IF;
    END LOOP;
    FOR one IN SELECT DISTINCT hashtext(s.scope) AS lock FROM jsonb_to_recordset(p_asks) AS a(owner text, guard jsonb), LATERAL (
                   SELECT q ->> 'scope' AS scope FROM jsonb_array_elements(coalesce(a.guard -> 'scopes', '[]')) q
                   -- One for all pools of an owner: locks are few, and pools may be many.
                   UNION ALL SELECT 'pools|' || (a.guard ->> 'person') WHERE jsonb_array_length(coalesce(a.guard -> 'pools', '[]')) > 0) s
               ORDER BY 1 LOOP
        PERFORM pg_advisory_xact_lock(72707370, one.lock);
    END LOOP;
    IF NOT EXISTS (SELECT FROM jsonb_array_elements(p_asks) a WHERE a #> '{guard,scopes}' <> '[]') AND EXISTS (SELECT FROM jsonb_array_elements(p_asks) a WHERE a #> '{guard,pools}' <> '[]') THEN
        pooled := take_pools((SELECT coalesce(jsonb_agg(a), '[]') FROM jsonb_array_elements(p_asks) a WHERE a #> '{guard,pools}' <> '[]' AND NOT verdicts ? (a ->> 'id')));
    END IF;
    FOR one IN
        SELECT a ->> 'id' AS id, a -> 'guard' ->> 'person' AS person, coalesce(a -> 'guard' -> 'scopes', '[]') AS scopes, coalesce(a -> 'guard' -> 'pools', '[]') AS pools,
               m.cores, m.memory, m.gpu_s, m.results
        FROM jsonb_array_elements(p_asks) WITH ORDINALITY AS list(a, n)
        JOIN (SELECT o.ask, max(o.cores) AS cores, max(o.memory) AS memory, max(o.gpus * (o."prepareS" + o."startWindowS" + o."durationS" + o."releaseS")) AS gpu_s, max(coalesce(o.results, 0)) AS results
              FROM jsonb_to_recordset(p_offers) AS o(ask text, cores bigint, memory bigint, gpus bigint, results bigint, "prepareS" bigint, "startWindowS" bigint, "durationS" bigint, "releaseS" bigint)
              GROUP BY 1) AS m ON m.ask = a ->> 'id'
        WHERE NOT pooled AND (coalesce(a -> 'guard' -> 'scopes', '[]') <> '[]' OR coalesce(a -> 'guard' -> 'pools', '[]') <> '[]') ORDER BY n
    LOOP
        CONTINUE WHEN verdicts ? one.id;
        excesses := '[]';
        share := 1;
        FOR scope IN SELECT jsonb_array_elements(one.scopes) LOOP
            IF scope ? 'shareS' THEN
                FOR part IN SELECT * FROM work_asked(p_offers, one.id) LOOP
                    place := (scope ->> 'scope') || '|' || part.destination;
                    IF NOT works ? place THEN
                        -- Of the same owner and in the same batch there may be some that needed no look.
                        works := works || jsonb_build_object(place, work_used(scope ->> 'scope', scope ? 'byOwner', part.destination) + coalesce((
                            SELECT sum(w.work) FROM jsonb_to_recordset(p_asks) AS a(id text, owner text, guard jsonb), work_asked(p_offers, a.id) w
                            WHERE scope ? 'byOwner' AND a.owner = scope ->> 'scope' AND w.destination = part.destination
                              AND coalesce(jsonb_array_length(a.guard -> 'scopes'), 0) = 0), 0));
                    END IF;
                    IF (works ->> place)::float8 + part.work > (scope ->> 'shareS')::float8 + 0.001 THEN
                        excesses := excesses || jsonb_build_object('scope', scope -> 'scope', 'what', 'share', 'used', works -> place, 'asked', part.work,
                            'limit', scope -> 'shareS', 'destination', part.destination);
                    END IF;
                END LOOP;
            END IF;
            CONTINUE WHEN scope ? 'shareOnly';
            has := usage -> (scope ->> 'scope');
            IF has IS NULL THEN
                SELECT to_jsonb(u) INTO has
                FROM quota_usage(scope ->> 'scope', make_interval(secs => coalesce((scope ->> 'windowS')::int, 0)), scope ? 'results') u;
                usage := usage || jsonb_build_object(scope ->> 'scope', has);
            END IF;
            excesses := excesses || quota_excesses(scope, has, one.cores, one.memory, one.gpu_s, one.results);
            IF (scope ->> 'holds')::bigint > 0 THEN
                share := least(share, ((scope ->> 'holds')::numeric - (has ->> 'holds')::bigint) / (scope ->> 'holds')::numeric);
            END IF;
        END LOOP;
        IF excesses <> '[]' THEN
            verdicts := verdicts || jsonb_build_object(one.id, jsonb_build_object('kind', 'over', 'excesses', excesses));
            CONTINUE;
        END IF;
        IF one.pools <> '[]' THEN
            has := admit_to_pools(one.id::uuid, one.person, one.pools);
            IF has <> '[]' THEN
                verdicts := verdicts || jsonb_build_object(one.id, jsonb_build_object('kind', 'full', 'pools', has));
                CONTINUE;
            END IF;
        END IF;
        IF share < 1 THEN shares := shares || jsonb_build_object(one.id, share); END IF;
        FOR scope IN SELECT jsonb_array_elements(one.scopes) LOOP
            IF scope ? 'shareS' THEN
                SELECT works || coalesce(jsonb_object_agg(w.place, (works ->> w.place)::float8 + w.work), '{}') INTO works
                FROM (SELECT (scope ->> 'scope') || '|' || a.destination AS place, a.work FROM work_asked(p_offers, one.id) a) w;
            END IF;
            CONTINUE WHEN scope ? 'shareOnly';
            has := usage -> (scope ->> 'scope');
            usage := usage || jsonb_build_object(scope ->> 'scope', has || jsonb_build_object('holds', (has ->> 'holds')::bigint + 1,
                'cores', (has ->> 'cores')::bigint + one.cores, 'memory', (has ->> 'memory')::bigint + one.memory, 'gpu_s', (has ->> 'gpu_s')::bigint + one.gpu_s,
                'results', (has ->> 'results')::bigint + one.results));
        END LOOP;
    END LOOP;
    IF verdicts <> '{}' THEN
        p_asks := coalesce((SELECT jsonb_agg(a) FROM jsonb_array_elements(p_asks) a WHERE NOT verdicts ? (a ->> 'id')), '[]');
        p_offers := coalesce((SELECT jsonb_agg(o) FROM jsonb_array_elements(p_offers) o WHERE NOT verdicts ? (o ->> 'ask')), '[]');
        p_holds := coalesce((SELECT jsonb_agg(h) FROM jsonb_array_elements(p_holds) h WHERE NOT verdicts ? (h ->> 'ask')), '[]');
    END IF;
    IF shares <> '{}' THEN
        p_offers := shorten(p_offers, shares);
        p_holds := shorten(p_holds, shares);
    END IF;
    placed := place_answers(p_now, p_traces, p_asks, p_offers, p_holds);
    conflicts := placed -> 'conflicts';
    INSERT INTO quota_use (scope, ask_id)
    SELECT s ->> 'scope', a.id FROM jsonb_to_recordset(p_asks) AS a(id uuid, result text, guard jsonb), jsonb_array_elements(coalesce(a.guard -> 'scopes', '[]')) s
    WHERE a.result = 'YES' AND NOT s ? 'shareOnly' AND NOT conflicts ? a.id::text;
    -- What found no room was counted for those behind it, so that they may have been refused without need: they come again.
    IF conflicts <> '[]' THEN
        conflicts := conflicts || coalesce((SELECT jsonb_agg(v.key) FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' IN ('over', 'full')), '[]');
        DELETE FROM resource_pool_use WHERE ask_id IN (SELECT u::uuid FROM jsonb_array_elements_text(conflicts) u);
    END IF;
    -- Not decided yet: the planner comes again with the same key.
    SELECT coalesce(jsonb_agg(v.key), '[]') INTO undecided FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' IN ('over', 'full');
    DELETE FROM idempotency WHERE ask_id IN (SELECT u::uuid FROM jsonb_array_elements_text(undecided || conflicts) u)
      AND (owner, key) IN (SELECT a.owner, a.guard -> 'key' ->> 'key' FROM jsonb_to_recordset(given) AS a(owner text, guard jsonb));
    -- The same key twice in one batch, and the first came to no decision: the second is as undecided.
    conflicts := conflicts || coalesce((SELECT jsonb_agg(v.key) FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' = 'replay'
        AND NOT EXISTS (SELECT 1 FROM ask WHERE id = (v.value ->> 'ask')::uuid)), '[]');
    SELECT coalesce(jsonb_object_agg(v.key, v.value), '{}') INTO verdicts FROM jsonb_each(verdicts) v WHERE NOT conflicts ? v.key;
    RETURN placed || jsonb_build_object('conflicts', conflicts, 'verdicts', verdicts || coalesce((
        SELECT jsonb_object_agg(t.ask, jsonb_build_object('kind', 'placed', 'expires', t.expires))
        FROM (SELECT o ->> 'ask' AS ask, jsonb_object_agg(o ->> 'id', o -> 'expiresAt') AS expires FROM jsonb_array_elements(p_offers) o
              WHERE shares ? (o ->> 'ask') AND NOT conflicts ? (o ->> 'ask') GROUP BY 1) t), '{}'));
END $function$;
