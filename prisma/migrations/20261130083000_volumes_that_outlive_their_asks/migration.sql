-- A volume may outlive the record of its ask: once its store shrank, it was found as too much use every hour.
CREATE OR REPLACE FUNCTION public.guard_storage()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    n int;
BEGIN
    INSERT INTO oversell_trip (destination_id, resource, used, has)
    SELECT s.name, 'storage', x.used, s.size_mib
    FROM store s CROSS JOIN LATERAL (SELECT peak_stored(s.name, clock_timestamp(), 'infinity') AS used) x
    WHERE x.used > s.size_mib
      AND NOT EXISTS (SELECT 1 FROM storage_reservation r LEFT JOIN ask a ON a.id = r.ask_id
                      WHERE r.store = s.name AND r.state IN ('HELD', 'FIRM') AND (a.id IS NULL OR a.created_at <= s.shrunk_at))
      AND NOT EXISTS (SELECT 1 FROM oversell_trip t WHERE t.destination_id = s.name AND t.resource = 'storage'
                      AND t.found_at > clock_timestamp() - interval '1 hour');
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $function$;
