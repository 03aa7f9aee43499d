-- The second line of defence stands at the table: no statement, whoever wrote it, can reserve more than there is. The first line is
-- in place_answers and begin_job, which look before they write; sweepers look at everything afterwards (guard_oversell).

-- Counts what was refused here: a sequence, so that the count outlives the transaction that is refused. Must stay 0.
CREATE SEQUENCE oversell_refusal;

-- Is more reserved than there is at an instant of this window? GPUs of one type; NULL: none.
CREATE FUNCTION is_oversold(p_destination text, p_window tstzrange, p_gpu_type text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT u.cores > d.cores OR u.memory_mib > d.memory_mib OR u.scratch_mib > d.scratch_mib
        OR (p_gpu_type IS NOT NULL AND u.gpus > coalesce((d.gpus ->> p_gpu_type)::bigint, 0))
    FROM destination d CROSS JOIN LATERAL peak_use(d.id, p_window, p_gpu_type, NULL) AS u WHERE d.id = p_destination
$$;

CREATE FUNCTION refuse_oversell(p_destination text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('oversell_refusal');
    RAISE EXCEPTION 'more would be reserved at % than there is', p_destination USING ERRCODE = 'check_violation';
END $$;

-- New reservations are added to live_*, under the row's lock. While that bound is below what there is, nothing else is looked at;
-- beyond it, and for GPUs, which it does not count, the exact use is.
CREATE FUNCTION guard_new_reservations() RETURNS trigger LANGUAGE plpgsql AS $$
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
        IF EXISTS (SELECT 1 FROM fresh f WHERE f.id = ANY (one.rows) AND is_oversold(f.destination_id, tstzrange(f.starts_at, f.ends_at), f.gpu_type)) THEN
            PERFORM refuse_oversell(one.id);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER "reservation_new" AFTER INSERT ON "reservation" REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION guard_new_reservations();

-- One that becomes more than it was, at another time or anew.
CREATE FUNCTION guard_changed_reservation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE destination SET live_cores = live_cores + NEW.cores, live_memory_mib = live_memory_mib + NEW.memory_mib,
        live_scratch_mib = live_scratch_mib + NEW.scratch_mib
    WHERE id = NEW.destination_id;
    IF is_oversold(NEW.destination_id, tstzrange(NEW.starts_at, NEW.ends_at), NEW.gpu_type) THEN
        PERFORM refuse_oversell(NEW.destination_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER "reservation_changed" AFTER UPDATE ON "reservation" FOR EACH ROW
    WHEN (NEW.state IN ('HELD', 'FIRM') AND NOT (
        OLD.state IN ('HELD', 'FIRM') AND NEW.destination_id = OLD.destination_id AND NEW.starts_at >= OLD.starts_at AND NEW.ends_at <= OLD.ends_at
        AND NEW.cores <= OLD.cores AND NEW.memory_mib <= OLD.memory_mib AND NEW.scratch_mib <= OLD.scratch_mib
        AND (NEW.gpus = 0 OR (NEW.gpu_type IS NOT DISTINCT FROM OLD.gpu_type AND NEW.gpus <= OLD.gpus))))
    EXECUTE FUNCTION guard_changed_reservation();

-- As before, without live_*: the table adds to it.
CREATE OR REPLACE FUNCTION write_answers(p_asks jsonb, p_offers jsonb, p_holds jsonb) RETURNS void LANGUAGE plpgsql AS $$
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
    INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores, memory_mib, scratch_mib, gpu_type, gpus)
    SELECT h.ask, h.destination, 'HELD', h."startsAt", h."endsAt", h."expiresAt", h.cores, h.memory, h.scratch, h."gpuType", h.gpus
    FROM jsonb_to_recordset(p_holds) AS h(ask uuid, destination text, "startsAt" timestamptz, "endsAt" timestamptz,
         "expiresAt" timestamptz, cores int, memory bigint, scratch bigint, "gpuType" text, gpus int);
END $$;

-- As before, but that the hold itself becomes the firm reservation, which is a row less to write, and no more than was held: an
-- accept locks no destination, and nothing has to be looked at.
CREATE OR REPLACE FUNCTION accept_offer(p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
RETURNS TABLE (verdict text, state session_state, winner uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    o offer%ROWTYPE;
    won uuid;
    at timestamptz;
    starts timestamptz;
    firm_from timestamptz;
    firm_until timestamptz;
    is_firm boolean;
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
    firm_from := starts - make_interval(secs => o.prepare_s);
    firm_until := starts + make_interval(secs => o.start_window_s + o.duration_s + o.release_s);
    UPDATE reservation SET state = 'FIRM', offer_id = o.id, expires_at = NULL, starts_at = firm_from, ends_at = firm_until,
        cores = o.cores, memory_mib = o.memory_mib, scratch_mib = o.scratch_mib, gpu_type = o.gpu_type, gpus = o.gpus
    WHERE id = (SELECT min(id) FROM reservation
                WHERE ask_id = o.ask_id AND state = 'HELD' AND destination_id = o.destination_id AND starts_at <= firm_from AND ends_at >= firm_until
                  AND cores >= o.cores AND memory_mib >= o.memory_mib AND scratch_mib >= o.scratch_mib
                  AND (o.gpus = 0 OR (gpu_type = o.gpu_type AND gpus >= o.gpus)));
    is_firm := FOUND;
    UPDATE reservation SET state = 'RELEASED' WHERE ask_id = o.ask_id AND state = 'HELD';
    IF NOT is_firm THEN
        INSERT INTO reservation (ask_id, offer_id, destination_id, state, starts_at, ends_at, cores, memory_mib, scratch_mib, gpu_type, gpus)
        VALUES (o.ask_id, o.id, o.destination_id, 'FIRM', firm_from, firm_until, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus);
    END IF;
    INSERT INTO job (id, owner, start_mode, start_before, execution_s, destruction_at)
    VALUES (o.id, o.owner, p_start,
            starts + CASE p_start WHEN 'CLIENT' THEN make_interval(secs => o.start_window_s) ELSE p_queue_limit END,
            o.duration_s, starts + make_interval(secs => o.duration_s) + p_keep_results);
    IF p_start = 'AUTO' THEN
        PERFORM send_to_executor('execute', o.id, starts);
    END IF;
    RETURN QUERY SELECT 'accepted', 'ACCEPTED'::session_state, o.id;
END $$;
