-- Decisions that are taken once, however often they are asked for, and within what an identity may have.

-- A key that a client gave (Idempotency-Key), and what it was given for. `ask_id` is what a POST /request became.
CREATE TABLE "idempotency" (
    "owner" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "ask_id" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT "idempotency_pkey" PRIMARY KEY ("owner", "key")
);
CREATE INDEX "idempotency_created_at_idx" ON "idempotency" ("created_at");

-- What counts against a quota: one row for each scope of an answer, while it may count. Cleaned whenever the scope is judged.
CREATE TABLE "quota_use" (
    "scope" TEXT NOT NULL,
    "ask_id" UUID NOT NULL REFERENCES "ask" ("id") ON DELETE CASCADE,
    CONSTRAINT "quota_use_pkey" PRIMARY KEY ("scope", "ask_id")
);
CREATE INDEX "quota_use_ask_id_idx" ON "quota_use" ("ask_id");

-- Takes a key for a decision. NULL: it is the first, go on. Otherwise {kind: replay, ask} or {kind: mismatch}. Whoever comes
-- with the same key at the same time waits here until the first has committed.
CREATE FUNCTION claim_key(p_owner text, p_key text, p_route text, p_body_hash text, p_ask uuid) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    k idempotency%ROWTYPE;
BEGIN
    DELETE FROM idempotency WHERE owner = p_owner AND key = p_key AND created_at < clock_timestamp() - interval '24 hours';
    LOOP
        INSERT INTO idempotency (owner, key, route, body_hash, ask_id) VALUES (p_owner, p_key, p_route, p_body_hash, p_ask) ON CONFLICT DO NOTHING;
        IF FOUND THEN RETURN NULL; END IF;
        SELECT * INTO k FROM idempotency WHERE owner = p_owner AND key = p_key;
        -- Gone again: the first did not come to a decision.
        CONTINUE WHEN NOT FOUND;
        IF k.route <> p_route OR k.body_hash <> p_body_hash THEN RETURN '{"kind": "mismatch"}'; END IF;
        RETURN jsonb_build_object('kind', 'replay', 'ask', k.ask_id);
    END LOOP;
END $$;

-- What a scope has now: open answers (each could become a job), jobs, and the most that these can come to. An answer counts
-- with its largest offer until one is accepted, so that no accept can pass a quota. GPU time is what was reserved, and once
-- it is over what was used, within the window. Forgets what counts no longer. The caller holds the scope's lock.
CREATE FUNCTION quota_usage(p_scope text, p_window interval)
RETURNS TABLE (holds bigint, jobs bigint, cores bigint, memory bigint, gpu_s bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    WITH offers AS MATERIALIZED (
        SELECT o.ask_id, o.id, o.cores, o.memory_mib, o.gpus * (o.start_window_s + o.duration_s + o.release_s)::bigint AS gpu_s,
               o.state = 'OFFERED' AND o.expires_at > at AS open,
               o.state IN ('ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') AS job
        FROM quota_use u JOIN offer o ON o.ask_id = u.ask_id WHERE u.scope = p_scope
    ), gpu AS MATERIALIZED (
        SELECT r.ask_id, sum(r.gpus * extract(epoch FROM r.ends_at - greatest(r.starts_at, at - p_window)))::bigint AS s
        FROM quota_use u JOIN reservation r ON r.ask_id = u.ask_id
        WHERE u.scope = p_scope AND r.offer_id IS NOT NULL AND r.gpus > 0 AND r.state IN ('FIRM', 'RELEASED') AND r.ends_at > at - p_window
        GROUP BY 1
    ), answers AS MATERIALIZED (
        SELECT u.ask_id, coalesce(bool_or(o.open), false) AS open, coalesce(bool_or(o.job), false) AS job,
               max(o.cores) FILTER (WHERE o.open OR o.job) AS cores, max(o.memory_mib) FILTER (WHERE o.open OR o.job) AS memory,
               max(o.gpu_s) FILTER (WHERE o.open) AS gpu_s
        FROM quota_use u LEFT JOIN offers o ON o.ask_id = u.ask_id WHERE u.scope = p_scope GROUP BY 1
    ), forgotten AS (
        DELETE FROM quota_use WHERE scope = p_scope
          AND ask_id IN (SELECT ask_id FROM answers WHERE NOT open AND NOT job) AND ask_id NOT IN (SELECT ask_id FROM gpu)
    )
    SELECT count(*) FILTER (WHERE a.open), count(*) FILTER (WHERE a.job), coalesce(sum(a.cores), 0)::bigint,
           coalesce(sum(a.memory), 0)::bigint, (coalesce(sum(a.gpu_s), 0) + coalesce((SELECT sum(s) FROM gpu), 0))::bigint
    FROM answers a;
END $$;

-- What of a quota an answer would exceed, each with what is used, asked and allowed; [] when nothing. A NULL limit is none.
CREATE FUNCTION quota_excesses(p_scope jsonb, p_used jsonb, p_cores bigint, p_memory bigint, p_gpu_s bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object('scope', p_scope -> 'scope', 'what', x.what, 'used', x.used, 'asked', x.asked, 'limit', x.most)), '[]')
    FROM (VALUES
        ('holds', (p_used ->> 'holds')::bigint, 1::bigint, (p_scope ->> 'holds')::bigint),
        ('jobs', (p_used ->> 'holds')::bigint + (p_used ->> 'jobs')::bigint, 1, (p_scope ->> 'jobs')::bigint),
        ('cores', (p_used ->> 'cores')::bigint, p_cores, (p_scope ->> 'cores')::bigint),
        ('memory', (p_used ->> 'memory')::bigint, p_memory, (p_scope ->> 'memory')::bigint),
        ('gpu-hours', (p_used ->> 'gpu_s')::bigint, p_gpu_s, (p_scope ->> 'gpuS')::bigint)) AS x(what, used, asked, most)
    WHERE x.used + x.asked > x.most AND x.asked > 0
$$;

-- Offers or holds of which those that p_shares names by their ask end sooner: the rest of their time shrinks to a share of
-- it, though not below half a minute.
CREATE FUNCTION shorten(p_items jsonb, p_shares jsonb) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(jsonb_agg(CASE WHEN p_shares ? (i ->> 'ask') THEN i || jsonb_build_object('expiresAt',
        least(x.expires, m.at + greatest((x.expires - m.at) * (p_shares ->> (i ->> 'ask'))::float8, interval '30 seconds')))
        ELSE i END), '[]')
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS at) m, jsonb_array_elements(p_items) i,
         LATERAL (SELECT (i ->> 'expiresAt')::timestamptz AS expires) x
$$;

-- place_answers for asks with a guard: a key, quotas, or both. Locks are taken in one order, keys, scopes, traces,
-- destinations, so that no two batches wait for each other. What a scope has is added up once for a batch, and what was let
-- through before in the batch is added to it. `verdicts` has what became of an ask that was not simply placed: replay,
-- mismatch, over; and for one that was placed with less time, when its offers expire.
CREATE FUNCTION place_guarded_answers(p_now timestamptz, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
    placed jsonb;
BEGIN
    FOR one IN SELECT a.id, a.owner, a.guard -> 'key' AS key FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, guard jsonb)
               WHERE a.guard ? 'key' ORDER BY a.owner, a.guard -> 'key' ->> 'key' LOOP
        has := claim_key(one.owner, one.key ->> 'key', one.key ->> 'route', one.key ->> 'bodyHash', one.id);
        IF has IS NOT NULL THEN verdicts := verdicts || jsonb_build_object(one.id, has); END IF;
    END LOOP;
    FOR one IN SELECT DISTINCT hashtext(s ->> 'scope') AS lock
               FROM jsonb_to_recordset(p_asks) AS a(guard jsonb), jsonb_array_elements(coalesce(a.guard -> 'scopes', '[]')) s ORDER BY 1 LOOP
        PERFORM pg_advisory_xact_lock(72707370, one.lock);
    END LOOP;
    FOR one IN
        SELECT a ->> 'id' AS id, a -> 'guard' -> 'scopes' AS scopes, m.cores, m.memory, m.gpu_s
        FROM jsonb_array_elements(p_asks) WITH ORDINALITY AS list(a, n)
        JOIN (SELECT o.ask, max(o.cores) AS cores, max(o.memory) AS memory, max(o.gpus * (o."startWindowS" + o."durationS" + o."releaseS")) AS gpu_s
              FROM jsonb_to_recordset(p_offers) AS o(ask text, cores bigint, memory bigint, gpus bigint, "startWindowS" bigint, "durationS" bigint, "releaseS" bigint)
              GROUP BY 1) AS m ON m.ask = a ->> 'id'
        WHERE jsonb_array_length(coalesce(a -> 'guard' -> 'scopes', '[]')) > 0 ORDER BY n
    LOOP
        CONTINUE WHEN verdicts ? one.id;
        excesses := '[]';
        share := 1;
        FOR scope IN SELECT jsonb_array_elements(one.scopes) LOOP
            has := usage -> (scope ->> 'scope');
            IF has IS NULL THEN
                SELECT to_jsonb(u) INTO has FROM quota_usage(scope ->> 'scope', make_interval(secs => coalesce((scope ->> 'windowS')::int, 0))) u;
                usage := usage || jsonb_build_object(scope ->> 'scope', has);
            END IF;
            excesses := excesses || quota_excesses(scope, has, one.cores, one.memory, one.gpu_s);
            IF (scope ->> 'holds')::bigint > 0 THEN
                share := least(share, ((scope ->> 'holds')::numeric - (has ->> 'holds')::bigint) / (scope ->> 'holds')::numeric);
            END IF;
        END LOOP;
        IF excesses <> '[]' THEN
            verdicts := verdicts || jsonb_build_object(one.id, jsonb_build_object('kind', 'over', 'excesses', excesses));
            CONTINUE;
        END IF;
        IF share < 1 THEN shares := shares || jsonb_build_object(one.id, share); END IF;
        FOR scope IN SELECT jsonb_array_elements(one.scopes) LOOP
            has := usage -> (scope ->> 'scope');
            usage := usage || jsonb_build_object(scope ->> 'scope', has || jsonb_build_object('holds', (has ->> 'holds')::bigint + 1,
                'cores', (has ->> 'cores')::bigint + one.cores, 'memory', (has ->> 'memory')::bigint + one.memory, 'gpu_s', (has ->> 'gpu_s')::bigint + one.gpu_s));
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
    WHERE a.result = 'YES' AND NOT conflicts ? a.id::text;
    -- What found no room was counted for those behind it, so that they may have been refused without need: they come again.
    IF conflicts <> '[]' THEN
        conflicts := conflicts || coalesce((SELECT jsonb_agg(v.key) FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' = 'over'), '[]');
    END IF;
    -- Not decided yet: the planner comes again with the same key.
    SELECT coalesce(jsonb_agg(v.key), '[]') INTO undecided FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' = 'over';
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
END $$;

-- accept_offer under a key. Accepting twice is the same as once, so a key changes nothing but that another body under it is
-- a mistake of the client: verdict `mismatch`.
CREATE FUNCTION accept_offer_once(p_key jsonb, p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
RETURNS TABLE (verdict text, state session_state, winner uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF claim_key(p_owner, p_key ->> 'key', p_key ->> 'route', p_key ->> 'bodyHash', NULL) ->> 'kind' = 'mismatch' THEN
        RETURN QUERY SELECT 'mismatch', NULL::session_state, NULL::uuid;
        RETURN;
    END IF;
    RETURN QUERY SELECT a.verdict, a.state, a.winner FROM accept_offer(p_offer, p_owner, p_start, p_queue_limit, p_keep_results) a;
END $$;

-- Keys are good for 24 hours.
CREATE FUNCTION purge_keys(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM idempotency WHERE (owner, key) IN (SELECT owner, key FROM idempotency
        WHERE created_at < clock_timestamp() - interval '24 hours' LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- Names of issuers' users whom nobody saw for so long, and who own nothing any more.
CREATE FUNCTION purge_names(p_keep interval, p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM identity WHERE owner IN (SELECT i.owner FROM identity i
        WHERE i.seen_at < clock_timestamp() - p_keep AND NOT EXISTS (SELECT 1 FROM job j WHERE j.owner = i.owner) LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
