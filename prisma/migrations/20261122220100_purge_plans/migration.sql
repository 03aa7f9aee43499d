-- What an answer still has is looked up for each by its index. As joins, PostgreSQL compared each of a batch with every open hold and every
-- job, by what it knew of these tables when they were small.
CREATE OR REPLACE FUNCTION "purge_offers"(p_after timestamptz, p_last text, p_limit int, OUT looked int, OUT gone int, OUT after text, OUT last text)
LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz := clock_timestamp();
    due timestamptz;
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
    DELETE FROM ask WHERE id = ANY (old);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('offers', gone);
END $$;
