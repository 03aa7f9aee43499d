-- What a client calls its task: an ask has it, and its job from the start (UWS runId).
ALTER TABLE "ask" ADD COLUMN "name" TEXT;

CREATE OR REPLACE FUNCTION public.write_answers(p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    WITH written AS (
        INSERT INTO ask (id, owner, name, result, document, bytes, inputs, rules_digest, trace_key, reasons)
        SELECT a.id, a.owner, a.name, a.result, nullif(a.document, 'null'), coalesce(a.bytes, 0), coalesce(a.inputs, 'null'), a."rulesDigest", a."traceKey", a.reasons
        FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, name text, result text, document jsonb, bytes int, inputs jsonb,
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

CREATE OR REPLACE FUNCTION public.accept_offer(p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
 RETURNS TABLE(verdict text, state session_state, winner uuid)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
    o offer%ROWTYPE;
    won uuid;
    at timestamptz;
    starts timestamptz;
    firm_from timestamptz;
    firm_until timestamptz;
    is_firm boolean;
    named text;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_offer AND owner = p_owner;
    IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', NULL::session_state, NULL::uuid; RETURN; END IF;
    SELECT name INTO named FROM ask WHERE id = o.ask_id FOR UPDATE;
    at := clock_timestamp();
    -- Accepted later than its preparation should begin, it starts later; it expires before that would be too late.
    starts := greatest(o.starts_at, at + make_interval(secs => o.prepare_s));
    UPDATE offer SET state = 'ACCEPTED', decided_at = at, starts_at = CASE prepare_s WHEN 0 THEN starts_at ELSE starts END
    WHERE id = p_offer AND state = 'OFFERED' AND expires_at > at;
    IF NOT FOUND THEN
        SELECT * INTO o FROM offer WHERE id = p_offer;
        SELECT id INTO won FROM offer WHERE ask_id = o.ask_id AND state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED');
        RETURN QUERY SELECT CASE
            WHEN won = p_offer AND EXISTS (SELECT FROM job WHERE id = won AND destroyed_at IS NULL) THEN 'again'
            WHEN won = p_offer THEN 'destroyed'
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
    INSERT INTO job (id, owner, run_id, start_mode, start_before, execution_s, destruction_at)
    VALUES (o.id, o.owner, named, p_start,
            starts + CASE p_start WHEN 'CLIENT' THEN make_interval(secs => o.start_window_s) ELSE p_queue_limit END,
            o.duration_s, starts + make_interval(secs => o.duration_s) + p_keep_results);
    IF p_start = 'AUTO' THEN
        PERFORM send_to_executor('execute', o.id, starts);
    END IF;
    RETURN QUERY SELECT 'accepted', 'ACCEPTED'::session_state, o.id;
END $function$;

-- A page of the list of jobs is read in this order, whatever the number of jobs. Archived jobs are listed only when they are
-- asked for, and an owner may have many more of them than of others.
DROP INDEX "job_owner_created_at_idx";
CREATE INDEX "job_of_owner" ON "job" ("owner", "created_at" DESC, "id" DESC);
CREATE INDEX "job_shown" ON "job" ("owner", "created_at" DESC, "id" DESC) WHERE "archived_at" IS NULL AND "destroyed_at" IS NULL;
CREATE INDEX "job_newest" ON "job" ("created_at" DESC, "id" DESC);
-- The offers of an owner that are still open: few of all that were made.
CREATE INDEX "offer_open" ON "offer" ("owner") WHERE "state" = 'OFFERED';
