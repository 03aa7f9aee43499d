-- What the destinations of some rule files take is kept once for all asks that these decided, in "trace" under the key
-- 'rules ' and their digest: with it the steps of a decision say of every destination why it did not match. It stays as long
-- as one of those asks.
CREATE OR REPLACE FUNCTION purge_traces(p_keep interval, p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    DELETE FROM trace WHERE key IN (SELECT t.key FROM trace t WHERE t.used_at < clock_timestamp() - p_keep - interval '1 day'
                                      AND NOT EXISTS (SELECT 1 FROM ask a WHERE a.trace_key = t.key)
                                      AND NOT (starts_with(t.key, 'rules ') AND EXISTS (SELECT 1 FROM ask a WHERE 'rules ' || a.rules_digest = t.key))
                                    LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;
