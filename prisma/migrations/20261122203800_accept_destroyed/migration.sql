-- The job of an offer that is accepted again may have been destroyed meanwhile: there is nothing to go on with.
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
    INSERT INTO job (id, owner, start_mode, start_before, execution_s, destruction_at)
    VALUES (o.id, o.owner, p_start,
            starts + CASE p_start WHEN 'CLIENT' THEN make_interval(secs => o.start_window_s) ELSE p_queue_limit END,
            o.duration_s, starts + make_interval(secs => o.duration_s) + p_keep_results);
    IF p_start = 'AUTO' THEN
        PERFORM send_to_executor('execute', o.id, starts);
    END IF;
    RETURN QUERY SELECT 'accepted', 'ACCEPTED'::session_state, o.id;
END $function$;
