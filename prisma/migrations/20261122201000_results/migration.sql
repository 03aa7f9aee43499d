-- What jobs leave for their clients lies on the disc of the directory of jobs until it is removed, so it is in the book until then: a
-- pool for the site, and one for each destination that has its own. An offer promises its job a place for so much; the place is taken
-- from the moment the offer is held. It is not a matter of time like cores: nobody knows when results are fetched and removed.

CREATE TABLE result_pool (
    name text PRIMARY KEY,
    size_mib bigint NOT NULL,
    -- No less than what is held and kept; recount_results makes it exact.
    live_mib bigint NOT NULL DEFAULT 0,
    -- When the site file last gave less, or to other destinations: what was promised before may be more than that.
    shrunk_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE destination ADD COLUMN result_pool text REFERENCES result_pool (name);
-- What the job of this offer may leave; 0 where nothing is counted.
ALTER TABLE offer ADD COLUMN results_mib bigint NOT NULL DEFAULT 0;

-- What a job has of its pool: all that was promised, then what it really left, until the files are gone. Without a foreign key: a
-- record that is purged frees no disc.
CREATE TABLE result_use (
    job_id uuid PRIMARY KEY,
    destination_id text NOT NULL,
    bytes bigint NOT NULL
);

-- The directory of a job that left nothing.
CREATE FUNCTION results_overhead() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 65536::bigint $$;

-- Offers and jobs of earlier versions may leave as much as their scratch space.
UPDATE offer SET results_mib = scratch_mib WHERE state = 'OFFERED';
INSERT INTO result_use (job_id, destination_id, bytes)
SELECT j.id, o.destination_id, CASE WHEN j.ended_at IS NULL THEN o.scratch_mib * 1048576
                                    ELSE results_overhead() + coalesce((SELECT sum(r.size) FROM job_result r WHERE r.job_id = j.id), 0) END
FROM job j JOIN offer o ON o.id = j.id WHERE j.archived_at IS NULL AND j.attempt > 0 OR j.ended_at IS NULL;

-- What open answers hold of a pool, each as much as its largest offer there, and what jobs have.
-- p_lapsed: also answers whose time is up and that nobody has swept yet. An accept that is under way is one of these.
CREATE FUNCTION results_used(p_pool text, p_lapsed boolean) RETURNS TABLE (held bigint, kept bigint) LANGUAGE sql STABLE AS $$
    WITH here AS MATERIALIZED (SELECT id FROM destination WHERE result_pool = p_pool)
    SELECT coalesce((SELECT sum(a.mib) FROM (
               SELECT max(o.results_mib) AS mib FROM offer o
               WHERE o.ask_id IN (SELECT r.ask_id FROM reservation r WHERE r.state = 'HELD' AND (p_lapsed OR r.expires_at > clock_timestamp()))
                 AND o.state = 'OFFERED' AND (p_lapsed OR o.expires_at > clock_timestamp()) AND o.destination_id IN (SELECT id FROM here)
               GROUP BY o.ask_id) a), 0)::bigint,
           coalesce((SELECT ceil(sum(u.bytes) / 1048576) FROM result_use u WHERE u.destination_id IN (SELECT id FROM here)), 0)::bigint
$$;

CREATE FUNCTION recount_results(p_pools text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM result_pool WHERE name = ANY (p_pools) ORDER BY name FOR NO KEY UPDATE;
    UPDATE result_pool p SET live_mib = u.held + u.kept FROM unnest(p_pools) AS named(name) CROSS JOIN LATERAL results_used(named.name, true) u
    WHERE p.name = named.name;
END $$;

-- Is there room for the results of some answers, by what the pools remember? Locks them, after the destinations.
CREATE FUNCTION results_fit(p_holds jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    one record;
    fit boolean := true;
BEGIN
    FOR one IN SELECT p.size_mib - p.live_mib >= n.mib AS fits
               FROM (SELECT h.pool, sum(h.results)::bigint AS mib FROM jsonb_to_recordset(p_holds) AS h(pool text, results bigint)
                     WHERE h.pool IS NOT NULL GROUP BY 1) n JOIN result_pool p ON p.name = n.pool
               ORDER BY p.name FOR NO KEY UPDATE OF p LOOP
        fit := fit AND one.fits;
    END LOOP;
    RETURN fit;
END $$;

-- The second line of defence, as guard_new_reservations is for the rest: answers that are written are added to what the pools
-- remember, and beyond a pool's size everything is added up.
CREATE FUNCTION guard_new_results() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    one record;
    beyond boolean;
BEGIN
    FOR one IN
        SELECT a.pool, sum(a.mib)::bigint AS mib FROM (
            SELECT d.result_pool AS pool, max(o.results_mib) AS mib
            FROM (SELECT DISTINCT f.ask_id FROM fresh f WHERE f.state = 'HELD') f JOIN offer o ON o.ask_id = f.ask_id AND o.state = 'OFFERED' AND o.results_mib > 0
            JOIN destination d ON d.id = o.destination_id AND d.result_pool IS NOT NULL GROUP BY o.ask_id, 1) a
        GROUP BY 1 ORDER BY 1
    LOOP
        UPDATE result_pool SET live_mib = live_mib + one.mib WHERE name = one.pool RETURNING live_mib > size_mib INTO beyond;
        IF beyond AND EXISTS (SELECT 1 FROM result_pool p, results_used(p.name, true) u WHERE p.name = one.pool AND u.held + u.kept > p.size_mib) THEN
            PERFORM refuse_oversell('the results of ' || one.pool);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER reservation_new_results AFTER INSERT ON reservation REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION guard_new_results();

-- An accepted offer's place becomes its job's.
CREATE FUNCTION keep_results() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO result_use (job_id, destination_id, bytes)
    SELECT id, destination_id, results_mib * 1048576 FROM offer WHERE id = NEW.id AND results_mib > 0 ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER job_results_kept AFTER INSERT ON job FOR EACH ROW EXECUTE FUNCTION keep_results();

-- After the run it is what the job left. What a lost run left, nobody has looked at.
CREATE FUNCTION count_results() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.attempt = 0 THEN
        DELETE FROM result_use WHERE job_id = NEW.id;
    ELSIF NEW.error ->> 'code' IS DISTINCT FROM 'run-lost' THEN
        UPDATE result_use u SET bytes = greatest(l.bytes, least(u.bytes, l.bytes + results_overhead()))
        FROM (SELECT coalesce(sum(r.size), 0) AS bytes FROM job_result r WHERE r.job_id = NEW.id) l WHERE u.job_id = NEW.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER job_results_counted AFTER UPDATE OF ended_at ON job FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL)
EXECUTE FUNCTION count_results();

-- A job left more than was promised: it keeps that while half of its pool is free for what is promised.
CREATE FUNCTION grow_results(p_job uuid, p_bytes bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    pool text;
    has bigint;
    more bigint;
BEGIN
    SELECT d.result_pool, u.bytes INTO pool, has FROM result_use u JOIN destination d ON d.id = u.destination_id WHERE u.job_id = p_job FOR UPDATE OF u;
    IF NOT FOUND OR pool IS NULL OR has >= p_bytes THEN RETURN true; END IF;
    more := ceil((p_bytes - has) / 1048576.0);
    PERFORM recount_results(ARRAY[pool]);
    UPDATE result_pool SET live_mib = live_mib + more WHERE name = pool AND live_mib + more <= size_mib / 2;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE result_use SET bytes = p_bytes WHERE job_id = p_job;
    RETURN true;
END $$;

-- What the sweepers look at: a pool of which more is used than there is, which must never be.
CREATE FUNCTION guard_results() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    INSERT INTO oversell_trip (destination_id, resource, used, has)
    SELECT p.name, 'results', u.held + u.kept, p.size_mib
    FROM result_pool p CROSS JOIN LATERAL results_used(p.name, true) u
    WHERE u.held + u.kept > p.size_mib
      AND NOT EXISTS (SELECT 1 FROM result_use w LEFT JOIN offer o ON o.id = w.job_id WHERE o.id IS NULL OR o.created_at <= p.shrunk_at)
      AND NOT EXISTS (SELECT 1 FROM reservation r JOIN ask a ON a.id = r.ask_id WHERE r.state = 'HELD' AND a.created_at <= p.shrunk_at)
      AND NOT EXISTS (SELECT 1 FROM oversell_trip t WHERE t.destination_id = p.name AND t.resource = 'results' AND t.found_at > clock_timestamp() - interval '1 hour');
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- Makes the pools what the site file says: [{name, size}], and {destination: pool}.
CREATE FUNCTION write_result_pools(p_pools jsonb, p_destinations jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- In the order of place_answers: destinations, then pools.
    PERFORM 1 FROM destination ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO result_pool (name, size_mib)
    SELECT p.name, p.size FROM jsonb_to_recordset(p_pools) AS p(name text, size bigint) ORDER BY p.name
    ON CONFLICT (name) DO UPDATE SET size_mib = excluded.size_mib,
        shrunk_at = CASE WHEN excluded.size_mib < result_pool.size_mib THEN clock_timestamp() ELSE result_pool.shrunk_at END;
    UPDATE result_pool SET shrunk_at = clock_timestamp()
    WHERE name IN (SELECT p_destinations ->> d.id FROM destination d WHERE d.result_pool IS DISTINCT FROM p_destinations ->> d.id);
    UPDATE destination d SET result_pool = p_destinations ->> d.id
    WHERE p_destinations ? d.id AND d.result_pool IS DISTINCT FROM p_destinations ->> d.id;
    PERFORM recount_results(ARRAY(SELECT name FROM result_pool ORDER BY name));
END $$;

CREATE OR REPLACE FUNCTION write_answers(p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO ask (id, owner, result, description, inputs, rules_digest, trace_key, reasons)
    SELECT a.id, a.owner, a.result, coalesce(a.description, 'null'), coalesce(a.inputs, 'null'), a."rulesDigest", a."traceKey", a.reasons
    FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, result text, description jsonb, inputs jsonb,
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

CREATE OR REPLACE FUNCTION place_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
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
    RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', to_jsonb(conflicts), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', d.id, 'cores', d.live_cores, 'memory', d.live_memory_mib, 'scratch', d.live_scratch_mib, 'results', p.live_mib))
        FROM destination d LEFT JOIN result_pool p ON p.name = d.result_pool WHERE d.id = ANY (wanted)), '[]'::jsonb));
END $function$;

CREATE OR REPLACE FUNCTION read_outlook(p_destinations text[])
 RETURNS jsonb
 LANGUAGE sql
AS $function$
    SELECT jsonb_build_object('now', clock_timestamp(), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', d.id, 'cores', d.live_cores, 'memory', d.live_memory_mib, 'scratch', d.live_scratch_mib, 'results', p.live_mib))
        FROM destination d LEFT JOIN result_pool p ON p.name = d.result_pool WHERE p_destinations IS NULL OR d.id = ANY (p_destinations)), '[]'::jsonb))
$function$;

CREATE OR REPLACE FUNCTION forget_job(p_job uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM job WHERE id = p_job AND ended_at IS NULL;
    IF FOUND THEN RETURN false; END IF;
    DELETE FROM result_use WHERE job_id = p_job;
    DELETE FROM job WHERE id = p_job AND destroyed_at IS NOT NULL;
    RETURN true;
END $function$;
