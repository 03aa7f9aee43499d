-- What an answer takes of a resource pool of the rule files (TPV 3.3), from the answer on until nothing of it can be
-- accepted any more and its job is over. Its owner may be a person with several identities. The amounts are those of the rules: cores, GB, GPUs. An answer is written after what it takes.
CREATE TABLE "resource_pool_use" (
    "pool" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "ask_id" UUID NOT NULL REFERENCES "ask" ("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    "oversize" BOOLEAN NOT NULL,
    "cores" DOUBLE PRECISION NOT NULL,
    "mem_gb" DOUBLE PRECISION NOT NULL,
    "gpus" DOUBLE PRECISION NOT NULL,
    CONSTRAINT "resource_pool_use_pkey" PRIMARY KEY ("pool", "owner", "ask_id")
);
CREATE INDEX "resource_pool_use_ask_id_idx" ON "resource_pool_use" ("ask_id");

-- Can something of an answer still be accepted, or is its job not over? Before its ask is there, it is being written by this very transaction.
CREATE FUNCTION is_alive(p_ask uuid, p_at timestamptz DEFAULT clock_timestamp()) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM offer o WHERE o.ask_id = p_ask AND (o.state IN ('ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')
            OR (o.state = 'OFFERED' AND o.expires_at > p_at)))
        OR NOT EXISTS (SELECT FROM ask a WHERE a.id = p_ask)
$$;

-- What holds something of pools now. NULL for a parameter is every one.
CREATE FUNCTION pool_holders(p_pool text, p_owner text) RETURNS SETOF resource_pool_use LANGUAGE sql STABLE AS $$
    SELECT * FROM resource_pool_use u WHERE (p_pool IS NULL OR u.pool = p_pool) AND (p_owner IS NULL OR u.owner = p_owner) AND is_alive(u.ask_id)
$$;

-- Removes what no longer holds anything of pools of one owner. The caller holds the lock of this owner's pools.
CREATE FUNCTION leave_pools(p_owner text, p_pools text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    -- Who accepts an offer at this moment may have done so in time, which is to be seen when their transaction is over.
    PERFORM 1 FROM ask a WHERE a.id IN (
        SELECT u.ask_id FROM resource_pool_use u JOIN offer o ON o.ask_id = u.ask_id
        WHERE u.owner = p_owner AND u.pool = ANY (p_pools) AND o.state = 'OFFERED' AND o.expires_at <= at) ORDER BY a.id FOR SHARE;
    DELETE FROM resource_pool_use u WHERE u.owner = p_owner AND u.pool = ANY (p_pools) AND NOT is_alive(u.ask_id, at);
END $$;

-- When an answer will have ended at the latest; NULL where nobody knows.
CREATE FUNCTION pool_ends(p_ask uuid) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN max(e.at) > clock_timestamp() THEN max(e.at) END
    FROM (SELECT CASE WHEN o.state = 'OFFERED' THEN o.starts_at + make_interval(secs => o.start_window_s + o.duration_s + o.release_s)
                      ELSE (SELECT max(r.ends_at) FROM reservation r WHERE r.offer_id = o.id AND r.state = 'FIRM') END AS at
          FROM offer o WHERE o.ask_id = p_ask AND o.state IN ('OFFERED', 'ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')) e
$$;

-- Does one more fit beside what is held? (TPV 3.3, _decide.) NULL bounds nothing.
CREATE FUNCTION pool_fits(p_claim jsonb, p_cores float8, p_mem_gb float8, p_gpus float8, p_oversize bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN (p_claim ->> 'oversize')::boolean THEN p_oversize < (p_claim ->> 'mostOversize')::float8
            AND NOT ((p_claim ->> 'reserve')::boolean AND (p_cores <> 0 OR p_mem_gb <> 0 OR p_gpus <> 0))
        ELSE NOT ((p_claim ->> 'reserve')::boolean AND p_oversize > 0)
            AND coalesce(p_cores + (p_claim #>> '{request,cores}')::float8 <= (p_claim #>> '{budget,cores}')::float8, true)
            AND coalesce(p_mem_gb + (p_claim #>> '{request,mem}')::float8 <= (p_claim #>> '{budget,mem}')::float8, true)
            AND coalesce(p_gpus + (p_claim #>> '{request,gpus}')::float8 <= (p_claim #>> '{budget,gpus}')::float8, true)
        END
$$;

-- A pool that has no room for a claim: what is held of it, and from when on there is room, if all holders end when they should.
-- What no longer holds anything of it has left it before.
CREATE FUNCTION full_pool(p_owner text, p_claim jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH holders AS MATERIALIZED (SELECT * FROM resource_pool_use u WHERE u.pool = p_claim ->> 'pool' AND u.owner = p_owner),
    ending AS (SELECT h.*, pool_ends(h.ask_id) AS ends FROM holders h),
    held AS (
        SELECT coalesce(sum(h.cores) FILTER (WHERE NOT h.oversize), 0) AS cores, coalesce(sum(h.mem_gb) FILTER (WHERE NOT h.oversize), 0) AS mem_gb,
               coalesce(sum(h.gpus) FILTER (WHERE NOT h.oversize), 0) AS gpus, count(*) FILTER (WHERE h.oversize) AS oversize
        FROM holders h),
    after AS (
        SELECT h.ends, coalesce(sum(h.cores) FILTER (WHERE NOT h.oversize) OVER w, 0) AS cores, coalesce(sum(h.mem_gb) FILTER (WHERE NOT h.oversize) OVER w, 0) AS mem_gb,
               coalesce(sum(h.gpus) FILTER (WHERE NOT h.oversize) OVER w, 0) AS gpus, count(*) FILTER (WHERE h.oversize) OVER w AS oversize
        FROM ending h WINDOW w AS (ORDER BY h.ends DESC NULLS FIRST GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    SELECT jsonb_build_object('pool', p_claim -> 'pool', 'cores', held.cores, 'mem', held.mem_gb, 'gpus', held.gpus, 'oversize', held.oversize, 'freeAt',
               (SELECT min(a.ends) FROM after a WHERE a.ends IS NOT NULL AND pool_fits(p_claim, a.cores, a.mem_gb, a.gpus, a.oversize)))
    FROM held WHERE NOT pool_fits(p_claim, held.cores, held.mem_gb, held.gpus, held.oversize)
$$;

-- Takes what all answers of a batch need of their pools, where all of it fits together; else nothing, and each is to be looked at alone.
-- The caller holds a lock for the pools of each owner.
CREATE FUNCTION take_pools(p_asks jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    fits boolean;
    crowded boolean;
BEGIN
    IF EXISTS (SELECT FROM jsonb_array_elements(p_asks) a, jsonb_array_elements(a #> '{guard,pools}') c WHERE (c ->> 'oversize')::boolean OR (c ->> 'reserve')::boolean) THEN
        RETURN false;
    END IF;
    -- What is over is counted, too, as long as there is room all the same: to look at each costs more than all the rest. Where much is written
    -- down, one in so many batches looks.
    FOR attempt IN 1 .. 2 LOOP
        WITH needed AS MATERIALIZED (
            SELECT c.pool, a.guard ->> 'person' AS owner, count(*) AS claims, sum((c.request ->> 'cores')::float8) AS cores, sum((c.request ->> 'mem')::float8) AS mem,
                   sum((c.request ->> 'gpus')::float8) AS gpus, min((c.budget ->> 'cores')::float8) AS most_cores, min((c.budget ->> 'mem')::float8) AS most_mem,
                   min((c.budget ->> 'gpus')::float8) AS most_gpus
            FROM jsonb_to_recordset(p_asks) AS a(guard jsonb), jsonb_to_recordset(a.guard -> 'pools') AS c(pool text, request jsonb, budget jsonb)
            GROUP BY 1, 2)
        SELECT bool_and(coalesce(h.cores + n.cores <= n.most_cores, true) AND coalesce(h.mem + n.mem <= n.most_mem, true) AND coalesce(h.gpus + n.gpus <= n.most_gpus, true)),
               bool_or(h.rows / 128 <> (h.rows + n.claims) / 128)
        INTO fits, crowded
        FROM needed n CROSS JOIN LATERAL (
            SELECT count(*) AS rows, coalesce(sum(u.cores) FILTER (WHERE NOT u.oversize), 0) AS cores, coalesce(sum(u.mem_gb) FILTER (WHERE NOT u.oversize), 0) AS mem,
                   coalesce(sum(u.gpus) FILTER (WHERE NOT u.oversize), 0) AS gpus
            FROM resource_pool_use u WHERE u.pool = n.pool AND u.owner = n.owner) h;
        EXIT WHEN attempt = 2 OR (fits AND NOT crowded);
        PERFORM leave_pools(n.owner, n.pools) FROM (
            SELECT a #>> '{guard,person}' AS owner, array_agg(DISTINCT c ->> 'pool') AS pools
            FROM jsonb_array_elements(p_asks) a, jsonb_array_elements(a #> '{guard,pools}') c GROUP BY 1) n;
    END LOOP;
    IF NOT fits THEN RETURN false; END IF;
    INSERT INTO resource_pool_use (pool, owner, ask_id, oversize, cores, mem_gb, gpus)
    SELECT c.pool, a.guard ->> 'person', a.id, false, (c.request ->> 'cores')::float8, (c.request ->> 'mem')::float8, (c.request ->> 'gpus')::float8
    FROM jsonb_to_recordset(p_asks) AS a(id uuid, guard jsonb), jsonb_to_recordset(a.guard -> 'pools') AS c(pool text, request jsonb);
    RETURN true;
END $$;

-- Takes what an answer needs of all its pools, or nothing. @returns the pools that have no room for it; the caller holds the lock
-- of this owner's pools.
CREATE FUNCTION admit_to_pools(p_ask uuid, p_owner text, p_claims jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    found jsonb;
BEGIN
    PERFORM leave_pools(p_owner, ARRAY(SELECT c ->> 'pool' FROM jsonb_array_elements(p_claims) c));
    SELECT coalesce(jsonb_agg(f.pool ORDER BY f.n) FILTER (WHERE f.pool IS NOT NULL), '[]') INTO found
    FROM (SELECT full_pool(p_owner, c) AS pool, n FROM jsonb_array_elements(p_claims) WITH ORDINALITY AS list(c, n)) f;
    IF found = '[]' THEN
        INSERT INTO resource_pool_use (pool, owner, ask_id, oversize, cores, mem_gb, gpus)
        SELECT c ->> 'pool', p_owner, p_ask, (c ->> 'oversize')::boolean, (c #>> '{request,cores}')::float8, (c #>> '{request,mem}')::float8, (c #>> '{request,gpus}')::float8
        FROM jsonb_array_elements(p_claims) c;
    END IF;
    RETURN found;
END $$;

-- As before, and what pools of the rule files leave: decided for each answer after its quotas.
CREATE OR REPLACE FUNCTION place_guarded_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
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
        JOIN (SELECT o.ask, max(o.cores) AS cores, max(o.memory) AS memory, max(o.gpus * (o."startWindowS" + o."durationS" + o."releaseS")) AS gpu_s, max(coalesce(o.results, 0)) AS results
              FROM jsonb_to_recordset(p_offers) AS o(ask text, cores bigint, memory bigint, gpus bigint, results bigint, "startWindowS" bigint, "durationS" bigint, "releaseS" bigint)
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
