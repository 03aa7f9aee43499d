-- One function per decision, so that each is one round trip and one transaction. VOLATILE functions take a new snapshot
-- for every statement at READ COMMITTED: that is what makes "lock, then read" right; never call them from a STABLE one.

-- Highest use of a destination at any instant of the window, exact: a running sum over what begins and ends in it
-- (1.2 ms for 1,000 reservations; looking at every reservation for every moment took 69 ms). Where one ends as another
-- begins, both changes are of the same instant: intervals are half-open.
-- HELD counts until it is lapsed by a statement that locks the ask, never by the clock alone: an accept that was in time
-- may still be committing.
CREATE FUNCTION peak_use(p_destination text, p_window tstzrange, p_gpu_type text, p_but_offer uuid)
RETURNS TABLE (cores bigint, memory_mib bigint, scratch_mib bigint, gpus bigint) LANGUAGE sql STABLE AS $$
    WITH taken AS MATERIALIZED (
        SELECT r.cores, r.memory_mib, r.scratch_mib, CASE WHEN r.gpu_type = p_gpu_type THEN r.gpus ELSE 0 END AS gpus,
               greatest(r.starts_at, lower(p_window)) AS begins, r.ends_at AS ends
        FROM reservation r
        WHERE r.destination_id = p_destination AND r.state IN ('HELD', 'FIRM')
          AND tstzrange(r.starts_at, r.ends_at) && p_window
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

-- Does this amount fit the destination over the window, beside everything that is reserved? The caller holds the row lock.
CREATE FUNCTION fits(p_destination text, p_window tstzrange, p_cores bigint, p_memory bigint, p_scratch bigint,
                     p_gpu_type text, p_gpus bigint, p_but_offer uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    used record;
    has record;
BEGIN
    SELECT * INTO has FROM destination WHERE id = p_destination;
    SELECT * INTO used FROM peak_use(p_destination, p_window, p_gpu_type, p_but_offer);
    RETURN used.cores + p_cores <= has.cores
       AND used.memory_mib + p_memory <= has.memory_mib
       AND used.scratch_mib + p_scratch <= has.scratch_mib
       AND (p_gpus = 0 OR used.gpus + p_gpus <= coalesce((has.gpus ->> p_gpu_type)::bigint, 0));
END $$;

-- Ends offers whose time is up and frees their holds. Locks the asks first and skips those that an accept holds, so two
-- sweepers and any number of accepts can run at once. NULL destinations: all of them. Returns the number of asks.
CREATE FUNCTION lapse_due(p_destinations text[], p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    due uuid[];
BEGIN
    SELECT array_agg(locked.id) INTO due FROM (
        SELECT a.id FROM ask a
        WHERE a.id IN (SELECT r.ask_id FROM reservation r
                       WHERE r.state = 'HELD' AND r.expires_at <= clock_timestamp()
                         AND (p_destinations IS NULL OR r.destination_id = ANY (p_destinations))
                       ORDER BY r.expires_at LIMIT p_limit)
        FOR UPDATE SKIP LOCKED) AS locked;
    IF due IS NULL THEN RETURN 0; END IF;
    UPDATE offer SET state = 'EXPIRED', decided_at = clock_timestamp() WHERE ask_id = ANY (due) AND state = 'OFFERED';
    UPDATE reservation SET state = 'LAPSED' WHERE ask_id = ANY (due) AND state = 'HELD';
    RETURN cardinality(due);
END $$;

-- What the planner plans on: the database's time and what is reserved at these destinations from now on. Reservations
-- over the same interval are one row with their sum; ends are rounded up, to the second when they are near and to the
-- minute when they are more than ten minutes away, so there are few rows however many holds there are (45 ms for 6,000
-- holds, one row each, became 3 ms). The plan errs to the safe side by less than that; place_answer is exact.
CREATE FUNCTION read_book(p_destinations text[], p_until interval) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
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
          AND tstzrange(r.starts_at, r.ends_at) && tstzrange(m.now, m.now + p_until)
        GROUP BY 1, 2, 3, 4)
    SELECT jsonb_build_object('now', m.now, 'reservations', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'destination', t.destination_id, 'startsAt', t.starts_at, 'endsAt', t.ends_at, 'cores', t.cores,
            'memory', t.memory_mib, 'scratch', t.scratch_mib, 'gpuType', t.gpu_type, 'gpus', t.gpus))
        FROM taken t), '[]'::jsonb))
    FROM moment m
$$;

-- Writes an answer with its offers and holds, or nothing: 'placed', or 'conflict' when somebody else took the capacity
-- between the planner's reading and now. Destination rows are locked in the order of their ids.
CREATE FUNCTION place_answer(p_ask jsonb, p_offers jsonb, p_holds jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    wanted text[];
    hold record;
BEGIN
    SELECT array_agg(DISTINCT h ->> 'destination') INTO wanted FROM jsonb_array_elements(p_holds) h;
    IF wanted IS NOT NULL THEN
        PERFORM 1 FROM destination WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE;
        PERFORM lapse_due(wanted, 100);
        FOR hold IN SELECT * FROM jsonb_to_recordset(p_holds) AS h(destination text, "startsAt" timestamptz, "endsAt" timestamptz,
                         cores bigint, memory bigint, scratch bigint, "gpuType" text, gpus bigint) LOOP
            IF NOT EXISTS (SELECT 1 FROM destination WHERE id = hold.destination AND open)
               OR NOT fits(hold.destination, tstzrange(hold."startsAt", hold."endsAt"), hold.cores, hold.memory, hold.scratch,
                           hold."gpuType", hold.gpus, NULL) THEN
                RETURN 'conflict';
            END IF;
        END LOOP;
    END IF;
    INSERT INTO ask (id, owner, result, description, inputs, rules_digest, trace, reasons)
    SELECT (p_ask ->> 'id')::uuid, p_ask ->> 'owner', p_ask ->> 'result', p_ask -> 'description', p_ask -> 'inputs',
           p_ask ->> 'rulesDigest', p_ask -> 'trace', p_ask -> 'reasons';
    INSERT INTO offer (id, ask_id, place, owner, destination_id, runner, expires_at, promise, cores, memory_mib, scratch_mib,
                       gpu_type, gpus, starts_at, duration_s, start_window_s, release_s)
    SELECT o.id, (p_ask ->> 'id')::uuid, o.place, p_ask ->> 'owner', o.destination, o.runner, o."expiresAt", o.promise, o.cores,
           o.memory, o.scratch, o."gpuType", o.gpus, o."startsAt", o."durationS", o."startWindowS", o."releaseS"
    FROM jsonb_to_recordset(p_offers) AS o(id uuid, place smallint, destination text, runner text, "expiresAt" timestamptz,
         promise jsonb, cores int, memory bigint, scratch bigint, "gpuType" text, gpus int, "startsAt" timestamptz,
         "durationS" int, "startWindowS" int, "releaseS" int);
    INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores, memory_mib, scratch_mib, gpu_type, gpus)
    SELECT (p_ask ->> 'id')::uuid, h.destination, 'HELD', h."startsAt", h."endsAt", h."expiresAt", h.cores, h.memory, h.scratch, h."gpuType", h.gpus
    FROM jsonb_to_recordset(p_holds) AS h(destination text, "startsAt" timestamptz, "endsAt" timestamptz, "expiresAt" timestamptz,
         cores int, memory bigint, scratch bigint, "gpuType" text, gpus int);
    RETURN 'placed';
END $$;

-- The hand-over: a message to the executors in the same transaction as the decision (transactional outbox).
-- At-least-once; begin_job is idempotent by job id. job_key: a later message for the same job replaces a waiting one.
CREATE FUNCTION send_to_executor(p_task text, p_job uuid, p_at timestamptz) RETURNS void LANGUAGE sql AS $$
    SELECT graphile_worker.add_job(p_task, json_build_object('job', p_job), run_at => p_at, max_attempts => 25,
                                   job_key => p_task || ':' || p_job)
$$;

-- Accepts an offer. Locks the ask, so that siblings decide one after the other; the update is guarded by state and by the
-- database's clock (R5, R6). verdict: accepted | again | sibling | expired | illegal | unknown.
CREATE FUNCTION accept_offer(p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
RETURNS TABLE (verdict text, state session_state, winner uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    o offer%ROWTYPE;
    won uuid;
    at timestamptz;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_offer AND owner = p_owner;
    IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', NULL::session_state, NULL::uuid; RETURN; END IF;
    PERFORM 1 FROM ask WHERE id = o.ask_id FOR UPDATE;
    at := clock_timestamp();
    UPDATE offer SET state = 'ACCEPTED', decided_at = at WHERE id = p_offer AND state = 'OFFERED' AND expires_at > at;
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
    VALUES (o.ask_id, o.id, o.destination_id, 'FIRM', greatest(o.starts_at, at),
            greatest(o.starts_at, at) + make_interval(secs => o.start_window_s + o.duration_s + o.release_s),
            o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus);
    INSERT INTO job (id, owner, start_mode, start_before, execution_s, destruction_at)
    VALUES (o.id, o.owner, p_start,
            greatest(o.starts_at, at) + CASE p_start WHEN 'CLIENT' THEN make_interval(secs => o.start_window_s) ELSE p_queue_limit END,
            o.duration_s, greatest(o.starts_at, at) + make_interval(secs => o.duration_s) + p_keep_results);
    IF p_start = 'AUTO' THEN
        PERFORM send_to_executor('execute', o.id, greatest(o.starts_at, at));
    END IF;
    RETURN QUERY SELECT 'accepted', 'ACCEPTED'::session_state, o.id;
END $$;

-- Rejects an offer; its siblings stay, and what is held for them shrinks to what they still need.
-- verdict: rejected | again | expired | illegal | unknown.
CREATE FUNCTION reject_offer(p_offer uuid, p_owner text) RETURNS TABLE (verdict text, state session_state) LANGUAGE plpgsql AS $$
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
           AND tstzrange(s.starts_at, greatest(s.expires_at, s.starts_at)
                         + make_interval(secs => s.start_window_s + s.duration_s + s.release_s)) && tstzrange(held.starts_at, held.ends_at)
          WHERE held.ask_id = o.ask_id AND held.state = 'HELD' GROUP BY held.id) AS rest
    WHERE r.id = rest.id;
    RETURN QUERY SELECT 'rejected', 'REJECTED'::session_state;
END $$;
