-- A message that an executor has locked and never heard of: PostgreSQL committed the lock and died before its answer arrived.
-- The executor lives, so nobody else frees the message before the four hours of the queue's library are over.
-- An answer takes 12 s at most, so a lock of 30 s whose message is not in hand has nobody.
CREATE FUNCTION unlock_unheard(p_workers text[], p_in_hand bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    unheard bigint[];
    superseded bigint[];
BEGIN
    SELECT array_agg(id), array_agg(id) FILTER (WHERE key IS NULL AND attempts >= max_attempts) INTO unheard, superseded
    FROM graphile_worker.jobs
    WHERE locked_by = ANY (p_workers) AND locked_at < clock_timestamp() - interval '30 seconds' AND id <> ALL (p_in_hand);
    IF unheard IS NULL THEN RETURN 0; END IF;
    UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL WHERE id = ANY (unheard);
    IF superseded IS NOT NULL THEN PERFORM graphile_worker.complete_jobs(superseded); END IF;
    RETURN cardinality(unheard);
END $$;
