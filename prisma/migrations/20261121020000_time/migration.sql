-- Offers over time, and a book that many may write at once.

-- Kept free before the start of an offer, for the destination to be made ready.
ALTER TABLE "offer" ADD COLUMN "prepare_s" INTEGER NOT NULL DEFAULT 0 CHECK ("prepare_s" >= 0);

-- The steps of a decision, once for all asks that were decided by the same steps.
CREATE TABLE "trace" (
    "key" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "trace_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "trace_used_at_idx" ON "trace" ("used_at");
ALTER TABLE "ask" ALTER COLUMN "trace" DROP NOT NULL, ADD COLUMN "trace_key" TEXT;

-- live_*: no less than what all HELD and FIRM reservations of the destination add up to, whenever they are. Added to under
-- the row's lock by whoever writes holds; counted anew under the same lock. Never taken off by accepts, rejections and
-- ends of jobs, which so need no lock. shrunk_at: when the site file last gave less than before.
ALTER TABLE "destination"
    ADD COLUMN "live_cores" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "live_memory_mib" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "live_scratch_mib" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "shrunk_at" TIMESTAMPTZ(6) NOT NULL DEFAULT '-infinity';

-- What the second line of defence found; it must stay empty.
CREATE TABLE "oversell_trip" (
    "id" BIGSERIAL NOT NULL,
    "destination_id" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "used" BIGINT NOT NULL,
    "has" BIGINT NOT NULL,
    "found_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "oversell_trip_pkey" PRIMARY KEY ("id")
);

-- A b-tree costs a third of the range index to write, and finds the same: what is live ends in the future.
DROP INDEX "reservation_live";
CREATE INDEX "reservation_live" ON "reservation" ("destination_id", "ends_at") WHERE "state" IN ('HELD', 'FIRM');

CREATE OR REPLACE FUNCTION peak_use(p_destination text, p_window tstzrange, p_gpu_type text, p_but_offer uuid)
RETURNS TABLE (cores bigint, memory_mib bigint, scratch_mib bigint, gpus bigint) LANGUAGE sql STABLE AS $$
    WITH taken AS MATERIALIZED (
        SELECT r.cores, r.memory_mib, r.scratch_mib, CASE WHEN r.gpu_type = p_gpu_type THEN r.gpus ELSE 0 END AS gpus,
               greatest(r.starts_at, lower(p_window)) AS begins, r.ends_at AS ends
        FROM reservation r
        WHERE r.destination_id = p_destination AND r.state IN ('HELD', 'FIRM')
          AND r.ends_at > lower(p_window) AND r.starts_at < upper(p_window)
          AND (p_but_offer IS NULL OR r.offer_id IS DISTINCT FROM p_but_offer)
    ), changes AS (
        SELECT begins AS at, cores, memory_mib, scratch_mib, gpus FROM taken
        UNION ALL
        SELECT ends, -cores, -memory_mib, -scratch_mib, -gpus FROM taken WHERE ends < upper(p_window)
    ), totals AS (
        SELECT sum(cores) OVER by_time AS cores, sum(memory_mib) OVER by_time AS memory_mib,
               sum(scratch_mib) OVER by_time AS scratch_mib, sum(gpus) OVER by_time AS gpus
        FROM changes WINDOW by_time AS (ORDER BY at)
    )
    SELECT coalesce(max(cores), 0)::bigint, coalesce(max(memory_mib), 0)::bigint,
           coalesce(max(scratch_mib), 0)::bigint, coalesce(max(gpus), 0)::bigint
    FROM totals
$$;

CREATE OR REPLACE FUNCTION read_book(p_destinations text[], p_until interval) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
    WITH moment AS (SELECT clock_timestamp() AS now),
    taken AS (
        SELECT r.destination_id, greatest(r.starts_at, m.now) AS starts_at,
               CASE WHEN r.ends_at < m.now + interval '10 minutes'
                   THEN date_bin('1 second', r.ends_at + interval '0.999999 s', 'epoch')
                   ELSE date_bin('1 minute', least(r.ends_at, m.now + p_until) + interval '59.999999 s', 'epoch')
               END AS ends_at,
               r.gpu_type, sum(r.cores) AS cores, sum(r.memory_mib) AS memory_mib, sum(r.scratch_mib) AS scratch_mib, sum(r.gpus) AS gpus
        FROM moment m, reservation r
        WHERE r.destination_id = ANY (p_destinations)
          AND (r.state = 'FIRM' OR (r.state = 'HELD' AND r.expires_at > m.now))
          AND r.ends_at > m.now AND r.starts_at < m.now + p_until
        GROUP BY 1, 2, 3, 4)
    SELECT jsonb_build_object('now', m.now, 'reservations', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'destination', t.destination_id, 'startsAt', t.starts_at, 'endsAt', t.ends_at, 'cores', t.cores,
            'memory', t.memory_mib, 'scratch', t.scratch_mib, 'gpuType', t.gpu_type, 'gpus', t.gpus))
        FROM taken t), '[]'::jsonb))
    FROM moment m
$$;

-- Counts anew what is live at these destinations. The caller holds their row locks: nobody writes holds meanwhile, and an
-- accept turns a hold into no more than it was.
CREATE FUNCTION recount_live(p_destinations text[]) RETURNS void LANGUAGE sql AS $$
    UPDATE destination d SET live_cores = s.cores, live_memory_mib = s.memory_mib, live_scratch_mib = s.scratch_mib
    FROM (SELECT named.id, coalesce(sum(r.cores), 0) AS cores, coalesce(sum(r.memory_mib), 0) AS memory_mib,
                 coalesce(sum(r.scratch_mib), 0) AS scratch_mib
          FROM unnest(p_destinations) AS named(id)
          LEFT JOIN reservation r ON r.destination_id = named.id AND r.state IN ('HELD', 'FIRM')
          GROUP BY named.id) AS s
    WHERE d.id = s.id
$$;
SELECT recount_live(array_agg(id)) FROM destination;

-- What planners remember between two readings of the book: the database's time and what is live at each destination.
CREATE FUNCTION read_outlook(p_destinations text[]) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
    SELECT jsonb_build_object('now', clock_timestamp(), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', id, 'cores', live_cores, 'memory', live_memory_mib, 'scratch', live_scratch_mib))
        FROM destination WHERE p_destinations IS NULL OR id = ANY (p_destinations)), '[]'::jsonb))
$$;

-- Do these holds fit beside everything that is reserved? The caller holds the row locks of their destinations.
CREATE FUNCTION holds_fit(p_holds jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    hold record;
BEGIN
    FOR hold IN SELECT * FROM jsonb_to_recordset(p_holds) AS h(destination text, "startsAt" timestamptz, "endsAt" timestamptz,
                     cores bigint, memory bigint, scratch bigint, "gpuType" text, gpus bigint) LOOP
        IF NOT EXISTS (SELECT 1 FROM destination WHERE id = hold.destination AND open)
           OR NOT fits(hold.destination, tstzrange(hold."startsAt", hold."endsAt"), hold.cores, hold.memory, hold.scratch,
                       hold."gpuType", hold.gpus, NULL) THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $$;

-- Writes answers that are known to fit. Every offer and hold names its ask.
CREATE FUNCTION write_answers(p_asks jsonb, p_offers jsonb, p_holds jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ask (id, owner, result, description, inputs, rules_digest, trace_key, reasons)
    SELECT a.id, a.owner, a.result, coalesce(a.description, 'null'), coalesce(a.inputs, 'null'), a."rulesDigest", a."traceKey", a.reasons
    FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, result text, description jsonb, inputs jsonb,
         "rulesDigest" text, "traceKey" text, reasons jsonb);
    IF jsonb_array_length(p_offers) = 0 THEN RETURN; END IF;
    INSERT INTO offer (id, ask_id, place, owner, destination_id, runner, expires_at, promise, cores, memory_mib, scratch_mib,
                       gpu_type, gpus, starts_at, duration_s, prepare_s, start_window_s, release_s)
    SELECT o.id, o.ask, o.place, o.owner, o.destination, o.runner, o."expiresAt", o.promise, o.cores,
           o.memory, o.scratch, o."gpuType", o.gpus, o."startsAt", o."durationS", o."prepareS", o."startWindowS", o."releaseS"
    FROM jsonb_to_recordset(p_offers) AS o(id uuid, ask uuid, place smallint, owner text, destination text, runner text,
         "expiresAt" timestamptz, promise jsonb, cores int, memory bigint, scratch bigint, "gpuType" text, gpus int,
         "startsAt" timestamptz, "durationS" int, "prepareS" int, "startWindowS" int, "releaseS" int);
    WITH h AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(p_holds) AS h(ask uuid, destination text, "startsAt" timestamptz, "endsAt" timestamptz,
             "expiresAt" timestamptz, cores int, memory bigint, scratch bigint, "gpuType" text, gpus int)),
    held AS (
        INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores, memory_mib, scratch_mib, gpu_type, gpus)
        SELECT ask, destination, 'HELD', "startsAt", "endsAt", "expiresAt", cores, memory, scratch, "gpuType", gpus FROM h)
    UPDATE destination d SET live_cores = live_cores + s.cores, live_memory_mib = live_memory_mib + s.memory,
           live_scratch_mib = live_scratch_mib + s.scratch
    FROM (SELECT destination, sum(cores) AS cores, sum(memory) AS memory, sum(scratch) AS scratch FROM h GROUP BY 1) AS s
    WHERE d.id = s.destination;
END $$;

-- Writes some answers with their offers and holds, each wholly or not at all. p_now is what the planner believes the time to
-- be: answers planned with a wrong clock are conflicts. Destination rows are locked in the order of their ids, after the
-- traces. First all holds together against live_*, which needs no look at reservations; when that is not enough, one answer
-- after the other against the exact use at every instant of its holds.
-- Returns the database's time, the ids of the asks that conflict, and what is live at the destinations of the holds now.
CREATE FUNCTION place_answers(p_now timestamptz, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    wanted text[] := ARRAY(SELECT DISTINCT h.destination FROM jsonb_to_recordset(p_holds) AS h(destination text) ORDER BY 1);
    conflicts uuid[] := '{}';
    one record;
BEGIN
    IF jsonb_array_length(p_traces) > 0 THEN
        INSERT INTO trace (key, steps) SELECT t.key, t.steps FROM jsonb_to_recordset(p_traces) AS t(key text, steps jsonb) ORDER BY t.key
        ON CONFLICT (key) DO UPDATE SET used_at = clock_timestamp();
    END IF;
    IF cardinality(wanted) = 0 THEN
        PERFORM write_answers(p_asks, p_offers, p_holds);
        RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', '[]'::jsonb, 'live', '[]'::jsonb);
    END IF;
    PERFORM 1 FROM destination WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE;
    IF abs(extract(epoch FROM clock_timestamp() - p_now)) <= 5 AND NOT EXISTS (
        SELECT 1 FROM (SELECT h.destination, sum(h.cores) AS cores, sum(h.memory) AS memory, sum(h.scratch) AS scratch, sum(h.gpus) AS gpus
              FROM jsonb_to_recordset(p_holds) AS h(destination text, cores bigint, memory bigint, scratch bigint, gpus bigint)
              GROUP BY 1) AS n
        LEFT JOIN destination d ON d.id = n.destination
        WHERE d.id IS NULL OR NOT d.open OR n.gpus > 0 OR d.live_cores + n.cores > d.cores
           OR d.live_memory_mib + n.memory > d.memory_mib OR d.live_scratch_mib + n.scratch > d.scratch_mib)
    THEN
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
            IF jsonb_array_length(one.holds) > 0
               AND (abs(extract(epoch FROM clock_timestamp() - p_now)) > 5 OR NOT holds_fit(one.holds)) THEN
                conflicts := conflicts || one.id;
            ELSE
                PERFORM write_answers(one.asks, one.offers, one.holds);
            END IF;
        END LOOP;
    END IF;
    RETURN read_outlook(wanted) || jsonb_build_object('conflicts', to_jsonb(conflicts));
END $$;

DROP FUNCTION place_answer(jsonb, jsonb, jsonb);

-- The second line of defence: looks at every destination for an instant at which more is reserved than there is, and does
-- not believe live_*. A site file that gives less than before makes that without anybody's fault: such a destination is
-- looked at again when what was reserved before is gone. Returns the number of new findings.
CREATE FUNCTION guard_oversell() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    WITH parts AS (
        SELECT d.id, NULL AS gpu_type FROM destination d
        WHERE EXISTS (SELECT 1 FROM reservation r WHERE r.destination_id = d.id AND r.state IN ('HELD', 'FIRM')
                      HAVING sum(r.cores) > d.cores OR sum(r.memory_mib) > d.memory_mib OR sum(r.scratch_mib) > d.scratch_mib)
        UNION ALL
        SELECT d.id, g.key FROM destination d, jsonb_each(d.gpus) AS g
        WHERE (SELECT sum(r.gpus) FROM reservation r WHERE r.destination_id = d.id AND r.state IN ('HELD', 'FIRM')
                 AND r.gpu_type = g.key) > g.value::bigint
    ), over AS (
        SELECT d.id, x.resource, x.used, x.has
        FROM parts p JOIN destination d ON d.id = p.id
        CROSS JOIN LATERAL peak_use(d.id, tstzrange(clock_timestamp(), 'infinity'), p.gpu_type, NULL) AS u
        CROSS JOIN LATERAL (VALUES ('cores', u.cores, d.cores::bigint), ('memory', u.memory_mib, d.memory_mib),
            ('scratch', u.scratch_mib, d.scratch_mib), (p.gpu_type, u.gpus, (d.gpus ->> p.gpu_type)::bigint)) AS x(resource, used, has)
        WHERE x.used > x.has AND x.resource IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM reservation r JOIN ask a ON a.id = r.ask_id
                          WHERE r.destination_id = d.id AND r.state IN ('HELD', 'FIRM') AND a.created_at <= d.shrunk_at)
    )
    INSERT INTO oversell_trip (destination_id, resource, used, has)
    SELECT DISTINCT o.id, o.resource, o.used, o.has FROM over o
    WHERE NOT EXISTS (SELECT 1 FROM oversell_trip t WHERE t.destination_id = o.id AND t.resource = o.resource
                      AND t.found_at > clock_timestamp() - interval '1 hour');
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- Traces that no ask has. A planner says again after an hour that it uses one, so the day is more than enough.
CREATE FUNCTION purge_traces(p_keep interval, p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM trace WHERE key IN (SELECT t.key FROM trace t WHERE t.used_at < clock_timestamp() - p_keep - interval '1 day'
                                      AND NOT EXISTS (SELECT 1 FROM ask a WHERE a.trace_key = t.key)
                                    LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

CREATE OR REPLACE FUNCTION accept_offer(p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
RETURNS TABLE (verdict text, state session_state, winner uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    o offer%ROWTYPE;
    won uuid;
    at timestamptz;
    starts timestamptz;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_offer AND owner = p_owner;
    IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', NULL::session_state, NULL::uuid; RETURN; END IF;
    PERFORM 1 FROM ask WHERE id = o.ask_id FOR UPDATE;
    at := clock_timestamp();
    -- Accepted later than its preparation should begin, it starts later; it expires before that would be too late.
    starts := greatest(o.starts_at, at + make_interval(secs => o.prepare_s));
    UPDATE offer SET state = 'ACCEPTED', decided_at = at, starts_at = CASE prepare_s WHEN 0 THEN starts_at ELSE starts END
    WHERE id = p_offer AND state = 'OFFERED' AND expires_at > at;
    IF NOT FOUND THEN
        SELECT * INTO o FROM offer WHERE id = p_offer;
        SELECT id INTO won FROM offer WHERE ask_id = o.ask_id AND state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED');
        RETURN QUERY SELECT CASE
            WHEN won = p_offer THEN 'again'
            WHEN won IS NOT NULL THEN 'sibling'
            WHEN o.state IN ('OFFERED', 'EXPIRED') THEN 'expired'
            ELSE 'illegal' END, o.state, won;
        RETURN;
    END IF;
    UPDATE offer SET state = 'REJECTED', decided_at = at WHERE ask_id = o.ask_id AND state = 'OFFERED';
    UPDATE reservation SET state = 'RELEASED' WHERE ask_id = o.ask_id AND state = 'HELD';
    INSERT INTO reservation (ask_id, offer_id, destination_id, state, starts_at, ends_at, cores, memory_mib, scratch_mib, gpu_type, gpus)
    VALUES (o.ask_id, o.id, o.destination_id, 'FIRM', starts - make_interval(secs => o.prepare_s),
            starts + make_interval(secs => o.start_window_s + o.duration_s + o.release_s),
            o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus);
    INSERT INTO job (id, owner, start_mode, start_before, execution_s, destruction_at)
    VALUES (o.id, o.owner, p_start,
            starts + CASE p_start WHEN 'CLIENT' THEN make_interval(secs => o.start_window_s) ELSE p_queue_limit END,
            o.duration_s, starts + make_interval(secs => o.duration_s) + p_keep_results);
    IF p_start = 'AUTO' THEN
        PERFORM send_to_executor('execute', o.id, starts);
    END IF;
    RETURN QUERY SELECT 'accepted', 'ACCEPTED'::session_state, o.id;
END $$;

CREATE OR REPLACE FUNCTION reject_offer(p_offer uuid, p_owner text) RETURNS TABLE (verdict text, state session_state) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    o offer%ROWTYPE;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_offer AND owner = p_owner;
    IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', NULL::session_state; RETURN; END IF;
    PERFORM 1 FROM ask WHERE id = o.ask_id FOR UPDATE;
    UPDATE offer SET state = 'REJECTED', decided_at = clock_timestamp()
    WHERE id = p_offer AND state = 'OFFERED' AND expires_at > clock_timestamp();
    IF NOT FOUND THEN
        SELECT * INTO o FROM offer WHERE id = p_offer;
        RETURN QUERY SELECT CASE o.state WHEN 'REJECTED' THEN 'again' WHEN 'OFFERED' THEN 'expired' WHEN 'EXPIRED' THEN 'expired'
                            ELSE 'illegal' END, o.state;
        RETURN;
    END IF;
    UPDATE reservation r SET
        state = CASE WHEN rest.n = 0 THEN 'RELEASED'::reservation_state ELSE r.state END,
        cores = coalesce(rest.cores, r.cores), memory_mib = coalesce(rest.memory_mib, r.memory_mib),
        scratch_mib = coalesce(rest.scratch_mib, r.scratch_mib), gpus = coalesce(rest.gpus, r.gpus)
    FROM (SELECT held.id, count(s.id) AS n, max(s.cores) AS cores, max(s.memory_mib) AS memory_mib,
                 max(s.scratch_mib) AS scratch_mib, max(s.gpus) AS gpus
          FROM reservation held LEFT JOIN offer s
            ON s.ask_id = held.ask_id AND s.state = 'OFFERED' AND s.destination_id = held.destination_id
           AND s.gpu_type IS NOT DISTINCT FROM held.gpu_type
           AND tstzrange(s.starts_at - make_interval(secs => s.prepare_s),
                         greatest(s.expires_at + make_interval(secs => s.prepare_s), s.starts_at)
                         + make_interval(secs => s.start_window_s + s.duration_s + s.release_s)) && tstzrange(held.starts_at, held.ends_at)
          WHERE held.ask_id = o.ask_id AND held.state = 'HELD' GROUP BY held.id) AS rest
    WHERE r.id = rest.id;
    RETURN QUERY SELECT 'rejected', 'REJECTED'::session_state;
END $$;

-- A job that is run before its time waits for it, and then for an executor.
CREATE OR REPLACE FUNCTION run_job(p_job uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    o offer%ROWTYPE;
    mode start_mode;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT start_mode INTO mode FROM job WHERE id = p_job;
    IF o.state = 'ACCEPTED' AND mode = 'CLIENT' THEN
        UPDATE offer SET state = 'WAITING' WHERE id = p_job;
        UPDATE job SET start_before = greatest(start_before, o.starts_at + interval '1 hour', clock_timestamp() + interval '1 hour') WHERE id = p_job;
        PERFORM send_to_executor('execute', p_job, greatest(o.starts_at, clock_timestamp()));
        RETURN 'running';
    END IF;
    RETURN CASE WHEN o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN 'illegal' ELSE 'already' END;
END $$;
