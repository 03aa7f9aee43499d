-- Records go as fast as they come: in batches, each from where the one before ended.

-- How long records are kept, as the site file says it; the planner that started last wrote it.
CREATE TABLE "record_terms" (
    "one" BOOLEAN PRIMARY KEY DEFAULT true CHECK ("one"),
    "refusals_s" INTEGER NOT NULL DEFAULT 86400 CHECK ("refusals_s" >= 86400),
    "offers_s" INTEGER NOT NULL DEFAULT 604800 CHECK ("offers_s" >= 86400),
    "jobs_s" INTEGER NOT NULL DEFAULT 2592000 CHECK ("jobs_s" >= 86400)
);
INSERT INTO "record_terms" DEFAULT VALUES;

-- How many records of a kind went, ever.
CREATE TABLE "purged" ("kind" TEXT PRIMARY KEY, "records" BIGINT NOT NULL);

-- NOs and YESes are kept for different times: each has an order of its own, and none is looked at for the sake of the other.
DROP INDEX "ask_created_at_idx";
CREATE INDEX "ask_no" ON "ask" ("created_at", "id") WHERE "result" = 'NO';
CREATE INDEX "ask_yes" ON "ask" ("created_at", "id") WHERE "result" = 'YES';
-- Is a trace in use still? Few steps are many asks', so these are small.
CREATE INDEX "ask_trace_key_idx" ON "ask" ("trace_key");
CREATE INDEX "ask_rules_digest_idx" ON "ask" ("rules_digest");

-- Only what was accepted has an offer. Every hold had an entry, and every offer that went looked for its own among those of none.
DROP INDEX "reservation_offer_id_idx";
CREATE INDEX "reservation_offer" ON "reservation" ("offer_id") WHERE "offer_id" IS NOT NULL;

-- What is removed by the million is given free by the ten thousand: a fifth of such a table, as PostgreSQL waits for, is days of asks.
ALTER TABLE "ask" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
ALTER TABLE "offer" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
ALTER TABLE "reservation" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
ALTER TABLE "trace" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "idempotency" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000);

DROP FUNCTION "purge_old"(interval, integer);
DROP FUNCTION "purge_traces"(interval, integer);
DROP FUNCTION "purge_keys"(integer);
DROP FUNCTION "purge_names"(interval, integer);
DROP FUNCTION "purge_storage"(interval, integer);

-- One batch of one kind at a time, whoever purges: two would do the same twice, and be felt twice.
CREATE FUNCTION "may_purge"() RETURNS boolean LANGUAGE sql AS $$ SELECT pg_try_advisory_xact_lock(72707370) $$;

CREATE FUNCTION "count_purged"(p_kind text, p_records int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO purged (kind, records) SELECT p_kind, p_records WHERE p_records > 0
    ON CONFLICT (kind) DO UPDATE SET records = purged.records + excluded.records
$$;

-- NOs that are old enough, in their order after a place. Nothing depends on a NO.
CREATE FUNCTION "purge_refusals"(p_after timestamptz, p_last text, p_limit int, OUT looked int, OUT gone int, OUT after text, OUT last text)
LANGUAGE plpgsql AS $$
DECLARE
    due timestamptz := (SELECT clock_timestamp() - make_interval(secs => refusals_s) - interval '1 hour' FROM record_terms);
    ids uuid[];
BEGIN
    looked := 0;
    gone := 0;
    IF NOT may_purge() THEN RETURN; END IF;
    SELECT array_agg(d.id), count(*), max(d.created_at), (array_agg(d.id ORDER BY d.created_at DESC, d.id DESC))[1]
    INTO ids, looked, after, last FROM (
        SELECT a.id, a.created_at FROM ask a
        WHERE a.result = 'NO' AND (a.created_at, a.id) > (p_after, p_last::uuid) AND a.created_at < due
        ORDER BY a.created_at, a.id LIMIT p_limit) AS d;
    DELETE FROM ask WHERE id = ANY (ids);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('refusals', gone);
END $$;

-- YESes that are old enough, in their order after a place, but for those of a job that is kept, or that still hold something;
-- what an accepted offer used is kept as long as a job, for the quotas add it up.
CREATE FUNCTION "purge_offers"(p_after timestamptz, p_last text, p_limit int, OUT looked int, OUT gone int, OUT after text, OUT last text)
LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz := clock_timestamp();
    due timestamptz;
    jobs_due timestamptz;
    ids uuid[];
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
    DELETE FROM ask WHERE id IN (
        SELECT a.id FROM ask a WHERE a.id = ANY (ids)
          AND NOT EXISTS (SELECT 1 FROM offer o JOIN job j ON j.id = o.id
                          WHERE o.ask_id = a.id AND (j.archived_at IS NULL OR j.archived_at > jobs_due))
          AND NOT EXISTS (SELECT 1 FROM reservation r
                          WHERE r.ask_id = a.id AND (r.state IN ('HELD', 'FIRM') OR (r.offer_id IS NOT NULL AND r.ends_at > jobs_due)))
        FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('offers', gone);
END $$;

-- The steps of decisions of which none is kept: as long unused as any ask without a job is kept, and no ask of a job has them.
CREATE FUNCTION "purge_traces"(p_after timestamptz, p_last text, p_limit int, OUT looked int, OUT gone int, OUT after text, OUT last text)
LANGUAGE plpgsql AS $$
DECLARE
    due timestamptz := (SELECT clock_timestamp() - make_interval(secs => greatest(refusals_s, offers_s)) - interval '1 day' FROM record_terms);
    keys text[];
BEGIN
    looked := 0;
    gone := 0;
    IF NOT may_purge() THEN RETURN; END IF;
    SELECT array_agg(d.key), count(*), max(d.used_at), (array_agg(d.key ORDER BY d.used_at DESC, d.key DESC))[1]
    INTO keys, looked, after, last FROM (
        SELECT t.key, t.used_at FROM trace t WHERE (t.used_at, t.key) > (p_after, p_last) AND t.used_at < due
        ORDER BY t.used_at, t.key LIMIT p_limit) AS d;
    DELETE FROM trace t WHERE t.key = ANY (keys) AND t.used_at < due
      AND NOT EXISTS (SELECT 1 FROM ask a WHERE a.trace_key = t.key)
      AND NOT (starts_with(t.key, 'rules ') AND EXISTS (SELECT 1 FROM ask a WHERE a.rules_digest = substr(t.key, 7)));
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('traces', gone);
END $$;

-- What stands in no order: each call removes so many, and fewer only when there are no more.
CREATE FUNCTION "purge_keys"(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    DELETE FROM idempotency WHERE (owner, key) IN (SELECT owner, key FROM idempotency
        WHERE created_at < transaction_timestamp() - interval '24 hours' ORDER BY created_at LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('keys', gone);
    RETURN gone;
END $$;

CREATE FUNCTION "purge_names"(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    DELETE FROM identity WHERE owner IN (SELECT i.owner FROM identity i
        WHERE i.seen_at < (SELECT clock_timestamp() - make_interval(secs => jobs_s) FROM record_terms)
          AND NOT EXISTS (SELECT 1 FROM job j WHERE j.owner = i.owner) LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('names', gone);
    RETURN gone;
END $$;

CREATE FUNCTION "purge_storage"(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    WITH removed AS (
        DELETE FROM storage_reservation WHERE id IN (
            SELECT id FROM storage_reservation WHERE state IN ('RELEASED', 'LAPSED')
              AND ends_at < transaction_timestamp() - make_interval(secs => (SELECT jobs_s FROM record_terms))
            ORDER BY ends_at LIMIT p_limit FOR UPDATE SKIP LOCKED)
        RETURNING object_id
    ), uses AS (
        DELETE FROM storage_use WHERE object_id IN (SELECT object_id FROM removed)
    )
    SELECT count(*) INTO gone FROM removed;
    PERFORM count_purged('storage', gone);
    RETURN gone;
END $$;

-- What engines said a day ago, and what was found oversold a year ago.
CREATE FUNCTION "purge_findings"(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    WITH forecasts AS (
        DELETE FROM forecast WHERE (destination_id, place) IN (
            SELECT destination_id, place FROM forecast WHERE valid_until < clock_timestamp() - interval '1 day' LIMIT p_limit) RETURNING 1
    ), trips AS (
        DELETE FROM oversell_trip WHERE id IN (
            SELECT id FROM oversell_trip WHERE found_at < clock_timestamp() - interval '365 days' ORDER BY id LIMIT p_limit) RETURNING 1
    )
    SELECT (SELECT count(*) FROM forecasts) + (SELECT count(*) FROM trips) INTO gone;
    PERFORM count_purged('findings', gone);
    RETURN gone;
END $$;
