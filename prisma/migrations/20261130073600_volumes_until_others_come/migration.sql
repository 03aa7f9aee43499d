-- New volumes of a job that begins late stay for as much of their lifetime as their store has room for: one moment without room took all of it.
CREATE OR REPLACE FUNCTION public.keep_volumes(p_job uuid, p_until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    one record;
    since timestamptz;
    crowded timestamptz;
BEGIN
    FOR one IN
        SELECT r.id, r.store, r.ends_at, p_until + make_interval(secs => s.lifetime) AS until
        FROM storage_reservation r JOIN offer o ON o.id = r.offer_id
        CROSS JOIN LATERAL jsonb_to_recordset(o.promise -> 'storage') AS s(kind text, object uuid, lifetime int)
        WHERE r.offer_id = p_job AND r.state = 'FIRM' AND s.kind = 'managed' AND s.object = r.object_id
          AND r.ends_at < p_until + make_interval(secs => s.lifetime)
        ORDER BY r.store, r.id
    LOOP
        PERFORM 1 FROM store WHERE name = one.store FOR NO KEY UPDATE;
        UPDATE storage_reservation SET ends_at = one.until WHERE id = one.id;
        -- What is due to be removed is gone by then.
        since := greatest(one.ends_at, clock_timestamp() + interval '61 seconds');
        WITH taken AS MATERIALIZED (
            SELECT r.size_mib, greatest(r.starts_at, since) AS begins, stored_until(r.state, r.ends_at, clock_timestamp()) AS ends FROM storage_reservation r
            WHERE r.store = one.store AND r.state IN ('HELD', 'FIRM') AND r.starts_at < one.until
        ), changes AS (
            SELECT begins AS at, size_mib FROM taken WHERE ends > since
            UNION ALL
            SELECT ends, -size_mib FROM taken WHERE ends > since
        ), totals AS (
            SELECT at, sum(size_mib) OVER (ORDER BY at) AS size_mib FROM changes
        )
        SELECT min(t.at) INTO crowded FROM totals t JOIN store s ON s.name = one.store WHERE t.size_mib > s.size_mib;
        IF crowded IS NOT NULL THEN
            UPDATE storage_reservation SET ends_at = CASE WHEN crowded > since THEN crowded ELSE one.ends_at END WHERE id = one.id;
        END IF;
    END LOOP;
END $function$;
