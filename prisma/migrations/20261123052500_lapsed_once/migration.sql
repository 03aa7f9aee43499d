-- Of two sweepers at the same time the second may lock what the first has just freed: what it frees itself is counted, and nothing else.
CREATE OR REPLACE FUNCTION lapse_due(p_destinations text[], p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    due uuid[];
    lapsed integer;
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
    WITH freed AS (UPDATE reservation SET state = 'LAPSED' WHERE ask_id = ANY (due) AND state = 'HELD' RETURNING ask_id)
    SELECT count(DISTINCT ask_id) INTO lapsed FROM freed;
    RETURN lapsed;
END $$;
