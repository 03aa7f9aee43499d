-- What a client makes us keep is kept once, compressed where it is large, and counted for whose it is.

-- The client's own document; records of before have the ask as it was understood, in `description`.
ALTER TABLE "ask" ADD COLUMN "document" JSONB, ADD COLUMN "bytes" INTEGER NOT NULL DEFAULT 0, ALTER COLUMN "description" DROP NOT NULL;

-- How much is kept of each owner's asks. Those of before count nothing; they go with their age.
CREATE TABLE "stored" ("owner" TEXT PRIMARY KEY, "bytes" BIGINT NOT NULL);

-- LZ4 costs less time than PostgreSQL's own; a server that was built without it goes on with that.
DO $$ BEGIN
    ALTER TABLE "ask" ALTER "document" SET COMPRESSION lz4, ALTER "inputs" SET COMPRESSION lz4, ALTER "reasons" SET COMPRESSION lz4;
    ALTER TABLE "offer" ALTER "promise" SET COMPRESSION lz4;
    ALTER TABLE "trace" ALTER "steps" SET COMPRESSION lz4;
    ALTER TABLE "job_parameter" ALTER "content" SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

-- In the order of the owners, and last in a transaction, so that two of them never wait for each other.
CREATE FUNCTION "add_stored"(p_owners text[], p_bytes bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO stored (owner, bytes)
    SELECT x.owner, sum(x.bytes) FROM unnest(p_owners, p_bytes) AS x(owner, bytes) GROUP BY x.owner HAVING sum(x.bytes) <> 0 ORDER BY x.owner
    ON CONFLICT (owner) DO UPDATE SET bytes = stored.bytes + excluded.bytes
$$;

CREATE FUNCTION "count_stored"(p_asks jsonb, p_conflicts uuid[]) RETURNS void LANGUAGE sql AS $$
    SELECT add_stored(array_agg(a.owner), array_agg(a.bytes))
    FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, bytes bigint) WHERE a.bytes > 0 AND a.id <> ALL (p_conflicts)
$$;

CREATE OR REPLACE FUNCTION public.write_answers(p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO ask (id, owner, result, document, bytes, inputs, rules_digest, trace_key, reasons)
    SELECT a.id, a.owner, a.result, nullif(a.document, 'null'), coalesce(a.bytes, 0), coalesce(a.inputs, 'null'), a."rulesDigest", a."traceKey", a.reasons
    FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, result text, document jsonb, bytes int, inputs jsonb,
         "rulesDigest" text, "traceKey" text, reasons jsonb);
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

CREATE OR REPLACE FUNCTION public.purge_refusals(p_after timestamp with time zone, p_last text, p_limit integer, OUT looked integer, OUT gone integer, OUT after text, OUT last text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
    owners text[];
    bytes bigint[];
    due timestamptz := (SELECT clock_timestamp() - make_interval(secs => refusals_s) - interval '1 hour' FROM record_terms);
    ids uuid[];
BEGIN
    looked := 0;
    gone := 0;
    IF NOT may_purge() THEN RETURN; END IF;
    SELECT array_agg(d.id), count(*), max(d.created_at), (array_agg(d.id ORDER BY d.created_at DESC, d.id DESC))[1]
    INTO ids, looked, after, last FROM (
        SELECT a.id, a.created_at FROM ask a
        WHERE a.result = 'NO' AND (a.created_at, a.id) > (p_after, p_last::uuid) AND a.created_at < due
        ORDER BY a.created_at, a.id LIMIT p_limit) AS d;
    WITH removed AS (DELETE FROM ask WHERE id = ANY (ids) RETURNING ask.owner, ask.bytes)
    SELECT count(*), array_agg(r.owner), array_agg(-r.bytes::bigint) INTO gone, owners, bytes FROM removed r;
    PERFORM add_stored(owners, bytes);
    PERFORM count_purged('refusals', gone);
END $function$;

CREATE OR REPLACE FUNCTION public.purge_offers(p_after timestamp with time zone, p_last text, p_limit integer, OUT looked integer, OUT gone integer, OUT after text, OUT last text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
    at timestamptz := clock_timestamp();
    due timestamptz;
    owners text[];
    bytes bigint[];
    jobs_due timestamptz;
    ids uuid[];
    old uuid[];
BEGIN
    looked := 0;
    gone := 0;
    IF NOT may_purge() THEN RETURN; END IF;
    SELECT at - make_interval(secs => offers_s) - interval '1 hour', at - make_interval(secs => jobs_s) INTO due, jobs_due FROM record_terms;
    SELECT array_agg(d.id), count(*), max(d.created_at), (array_agg(d.id ORDER BY d.created_at DESC, d.id DESC))[1]
    INTO ids, looked, after, last FROM (
        SELECT a.id, a.created_at FROM ask a
        WHERE a.result = 'YES' AND (a.created_at, a.id) > (p_after, p_last::uuid) AND a.created_at < due
        ORDER BY a.created_at, a.id LIMIT p_limit) AS d;
    SELECT array_agg(a.id) INTO old FROM (
        SELECT id FROM ask WHERE id = ANY (ids)
          AND (SELECT true FROM offer o JOIN job j ON j.id = o.id
               WHERE o.ask_id = ask.id AND (j.archived_at IS NULL OR j.archived_at > jobs_due) LIMIT 1) IS NULL
          AND (SELECT true FROM reservation r
               WHERE r.ask_id = ask.id AND (r.state IN ('HELD', 'FIRM') OR (r.offer_id IS NOT NULL AND r.ends_at > jobs_due)) LIMIT 1) IS NULL
        FOR UPDATE SKIP LOCKED) AS a;
    WITH removed AS (DELETE FROM ask WHERE id = ANY (old) RETURNING ask.owner, ask.bytes)
    SELECT count(*), array_agg(r.owner), array_agg(-r.bytes::bigint) INTO gone, owners, bytes FROM removed r;
    PERFORM add_stored(owners, bytes);
    PERFORM count_purged('offers', gone);
END $function$;

CREATE OR REPLACE FUNCTION public.purge_names(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    DELETE FROM identity WHERE owner IN (SELECT i.owner FROM identity i
        WHERE i.seen_at < (SELECT clock_timestamp() - make_interval(secs => jobs_s) FROM record_terms)
          AND NOT EXISTS (SELECT 1 FROM job j WHERE j.owner = i.owner) LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('names', gone);
    DELETE FROM stored WHERE bytes = 0;
    RETURN gone;
END $function$;

-- Its parameters count as part of the ask, and go with it.
CREATE OR REPLACE FUNCTION public.keep_parameters(p_job uuid, p_parameters jsonb, p_replace boolean, p_states session_state[], p_most bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    s session_state;
    m start_mode;
    size bigint;
    before bigint;
BEGIN
    -- Whoever keeps parameters of this job at the same time waits here, so no name comes between.
    SELECT state INTO s FROM offer WHERE id = p_job FOR UPDATE;
    SELECT start_mode INTO m FROM job WHERE id = p_job AND destroyed_at IS NULL;
    IF m IS NULL OR NOT s = ANY (p_states) OR (p_replace AND m <> 'CLIENT') THEN RETURN 'illegal'; END IF;
    SELECT coalesce(sum(bytes), 0) INTO size FROM (
        SELECT octet_length(content) + octet_length(name) AS bytes FROM job_parameter
        WHERE job_id = p_job AND upper(name) NOT IN (SELECT upper(name) FROM jsonb_to_recordset(p_parameters) AS p (name text))
        UNION ALL
        SELECT octet_length(decode(p.content, 'base64')) + octet_length(p.name)
        FROM jsonb_to_recordset(p_parameters) AS p (name text, content text)) AS sizes;
    IF size > p_most THEN RETURN 'full'; END IF;
    SELECT coalesce(sum(octet_length(content) + octet_length(name)), 0) INTO before FROM job_parameter WHERE job_id = p_job;
    IF p_replace THEN
        DELETE FROM job_parameter
        WHERE job_id = p_job AND upper(name) IN (SELECT upper(name) FROM jsonb_to_recordset(p_parameters) AS p (name text));
    END IF;
    INSERT INTO job_parameter (job_id, name, media_type, content)
    SELECT p_job, p.name, p.type, decode(p.content, 'base64')
    FROM jsonb_to_recordset(p_parameters) AS p (name text, type text, content text)
    WHERE NOT EXISTS (SELECT FROM job_parameter k WHERE k.job_id = p_job AND upper(k.name) = upper(p.name));
    SELECT coalesce(sum(octet_length(content) + octet_length(name)), 0) INTO size FROM job_parameter WHERE job_id = p_job;
    UPDATE ask SET bytes = bytes + (size - before)::int WHERE id = (SELECT ask_id FROM offer WHERE id = p_job) AND size <> before;
    PERFORM add_stored(ARRAY[j.owner], ARRAY[size - before]) FROM job j WHERE j.id = p_job;
    RETURN 'kept';
END $function$;

-- Keys of updates count for their owner too; those of asks are counted with the ask.
CREATE FUNCTION "key_bytes"() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 512::bigint $$;

CREATE OR REPLACE FUNCTION public.accept_offer_once(p_key jsonb, p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
 RETURNS TABLE(verdict text, state session_state, winner uuid)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
    before jsonb := claim_key(p_owner, p_key ->> 'key', p_key ->> 'route', p_key ->> 'bodyHash', NULL);
BEGIN
    IF before ->> 'kind' = 'mismatch' THEN
        RETURN QUERY SELECT 'mismatch', NULL::session_state, NULL::uuid;
        RETURN;
    END IF;
    RETURN QUERY SELECT a.verdict, a.state, a.winner FROM accept_offer(p_offer, p_owner, p_start, p_queue_limit, p_keep_results) a;
    IF before IS NULL THEN PERFORM add_stored(ARRAY[p_owner], ARRAY[key_bytes()]); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.purge_keys(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    gone int;
    owners text[];
    bytes bigint[];
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    WITH removed AS (DELETE FROM idempotency WHERE (owner, key) IN (SELECT owner, key FROM idempotency
        WHERE created_at < transaction_timestamp() - interval '24 hours' ORDER BY created_at LIMIT p_limit FOR UPDATE SKIP LOCKED) RETURNING owner, ask_id)
    SELECT count(*), array_agg(r.owner), array_agg(CASE WHEN r.ask_id IS NULL THEN -key_bytes() ELSE 0 END) INTO gone, owners, bytes FROM removed r;
    PERFORM add_stored(owners, bytes);
    PERFORM count_purged('keys', gone);
    RETURN gone;
END $function$;
