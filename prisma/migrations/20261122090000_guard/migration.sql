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
-- beyond it, and for GPUs, which it does not count, the exact use is. A FIRM one that takes the place of a hold released in this
-- transaction needs neither: an accept locks no destination.
CREATE FUNCTION guard_new_reservations() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    one record;
    beyond boolean;
BEGIN
    FOR one IN
        SELECT f.destination_id AS id, sum(f.cores) AS cores, sum(f.memory_mib) AS memory_mib, sum(f.scratch_mib) AS scratch_mib, max(f.gpus) AS gpus,
               array_agg(f.id) AS rows
        FROM fresh f
        WHERE f.state IN ('HELD', 'FIRM') AND f.ends_at > clock_timestamp() AND NOT (f.state = 'FIRM' AND EXISTS (
            SELECT 1 FROM reservation r
            WHERE r.ask_id = f.ask_id AND r.state = 'RELEASED' AND r.xmin::text::bigint >= pg_current_xact_id()::text::numeric % 4294967296
              AND r.destination_id = f.destination_id AND r.starts_at <= f.starts_at AND r.ends_at >= f.ends_at
              AND r.cores >= f.cores AND r.memory_mib >= f.memory_mib AND r.scratch_mib >= f.scratch_mib
              AND (f.gpus = 0 OR (r.gpu_type = f.gpu_type AND r.gpus >= f.gpus))))
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
