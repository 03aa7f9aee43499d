-- Storage that outlives jobs: what of each store is reserved, and whose object it is.

-- A place of the site file; the row is also the lock that keeps it from being oversold.
CREATE TABLE "store" (
    "name" TEXT NOT NULL,
    "size_mib" BIGINT NOT NULL CHECK ("size_mib" >= 0),
    "open" BOOLEAN NOT NULL DEFAULT true,
    "shrunk_at" TIMESTAMPTZ(6) NOT NULL DEFAULT '-infinity',
    CONSTRAINT "store_pkey" PRIMARY KEY ("name")
);

-- HELD for an answer: the most that any of its offers needs. FIRM for each object of an accepted offer, until it is removed.
-- Nothing refers to asks and jobs, for objects outlive their records.
CREATE TABLE "storage_reservation" (
    "id" BIGSERIAL NOT NULL,
    "ask_id" UUID NOT NULL,
    "offer_id" UUID,
    "object_id" UUID,
    "owner" TEXT NOT NULL,
    "store" TEXT NOT NULL REFERENCES "store" ("name"),
    "state" "reservation_state" NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "ends_at" TIMESTAMPTZ(6) NOT NULL,
    "size_mib" BIGINT NOT NULL CHECK ("size_mib" >= 0),
    "sent_at" TIMESTAMPTZ(6),
    CONSTRAINT "storage_reservation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "storage_reservation_interval" CHECK ("starts_at" <= "ends_at"),
    CONSTRAINT "storage_reservation_firm_is_an_object" CHECK ("state" <> 'FIRM' OR ("object_id" IS NOT NULL AND "offer_id" IS NOT NULL))
);
CREATE UNIQUE INDEX "storage_object" ON "storage_reservation" ("object_id");
CREATE INDEX "storage_live" ON "storage_reservation" ("store", "ends_at") WHERE "state" IN ('HELD', 'FIRM');
CREATE INDEX "storage_held" ON "storage_reservation" ("ask_id") WHERE "state" = 'HELD';
CREATE INDEX "storage_due" ON "storage_reservation" ("ends_at") WHERE "state" = 'FIRM';
CREATE INDEX "storage_over" ON "storage_reservation" ("ends_at") WHERE "state" IN ('RELEASED', 'LAPSED');
CREATE INDEX "storage_of_offer" ON "storage_reservation" ("offer_id") WHERE "offer_id" IS NOT NULL;

-- Which jobs have an object in a volume; it is not removed while one of them is not over.
CREATE TABLE "storage_use" (
    "object_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    CONSTRAINT "storage_use_pkey" PRIMARY KEY ("object_id", "job_id")
);

-- Until when a reservation counts: what is due is there until it is removed.
CREATE FUNCTION stored_until(p_state reservation_state, p_ends timestamptz) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT CASE p_state WHEN 'FIRM' THEN greatest(p_ends, clock_timestamp() + interval '1 minute') ELSE p_ends END
$$;

-- Highest use of a store at any instant of the window.
CREATE FUNCTION peak_stored(p_store text, p_from timestamptz, p_until timestamptz) RETURNS bigint LANGUAGE sql VOLATILE AS $$
    WITH taken AS MATERIALIZED (
        SELECT size_mib, greatest(starts_at, p_from) AS begins, stored_until(state, ends_at) AS ends
        FROM storage_reservation
        WHERE store = p_store AND state IN ('HELD', 'FIRM') AND starts_at < p_until AND stored_until(state, ends_at) > p_from
    ), changes AS (
        SELECT begins AS at, size_mib FROM taken
        UNION ALL
        SELECT ends, -size_mib FROM taken WHERE ends < p_until
    ), totals AS (
        SELECT sum(size_mib) OVER (ORDER BY at) AS size_mib FROM changes
    )
    SELECT coalesce(max(size_mib), 0)::bigint FROM totals
$$;

-- What planners plan on: one row for all reservations of a store that begin together and end in the same hour.
CREATE FUNCTION read_stores() RETURNS TABLE (store text, starts_at timestamptz, ends_at timestamptz, size_mib bigint) LANGUAGE sql VOLATILE AS $$
    SELECT r.store, greatest(r.starts_at, m.now), date_bin('1 hour', stored_until(r.state, r.ends_at) + interval '59 minutes 59.999999 seconds', 'epoch'),
           sum(r.size_mib)::bigint
    FROM (SELECT clock_timestamp() AS now) m, storage_reservation r
    WHERE r.state IN ('HELD', 'FIRM') AND (r.state = 'FIRM' OR r.ends_at > m.now)
    GROUP BY 1, 2, 3
$$;

-- Do these fit beside everything that is reserved? The caller holds the row locks of their stores.
CREATE FUNCTION stored_fits(p_stored jsonb) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT NOT EXISTS (
        SELECT 1 FROM jsonb_to_recordset(p_stored) AS s(store text, size bigint, "startsAt" timestamptz, "endsAt" timestamptz)
        LEFT JOIN store t ON t.name = s.store AND t.open
        WHERE t.name IS NULL OR peak_stored(s.store, s."startsAt", s."endsAt") + s.size > t.size_mib)
$$;

-- place_answers for one answer that also holds storage, wholly or not at all. Stores are locked after destinations.
CREATE FUNCTION place_storing_answer(p_now timestamptz, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb, p_stored jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    a jsonb := p_asks -> 0;
    answer jsonb;
BEGIN
    IF a ? 'guard' THEN
        answer := place_guarded_answers(p_now, p_traces, p_asks, p_offers, p_holds);
    ELSE
        answer := place_answers(p_now, p_traces, p_asks, p_offers, p_holds);
    END IF;
    IF answer -> 'conflicts' <> '[]' OR answer #>> ARRAY['verdicts', a ->> 'id', 'kind'] <> 'placed' THEN RETURN answer; END IF;
    PERFORM 1 FROM store WHERE name IN (SELECT s ->> 'store' FROM jsonb_array_elements(p_stored) s) ORDER BY name FOR NO KEY UPDATE;
    IF NOT stored_fits(p_stored) THEN
        PERFORM lapse_due(NULL, 1000);
        IF NOT stored_fits(p_stored) THEN RAISE SQLSTATE 'STORE'; END IF;
    END IF;
    INSERT INTO storage_reservation (ask_id, owner, store, state, starts_at, ends_at, size_mib)
    SELECT (a ->> 'id')::uuid, a ->> 'owner', s.store, 'HELD', s."startsAt", s."endsAt", s.size
    FROM jsonb_to_recordset(p_stored) AS s(store text, size bigint, "startsAt" timestamptz, "endsAt" timestamptz);
    RETURN answer;
EXCEPTION WHEN SQLSTATE 'STORE' THEN
    -- All that was written above is gone with this block.
    RETURN read_outlook('{}') || jsonb_build_object('conflicts', jsonb_build_array(a -> 'id'));
END $$;

-- An accepted offer: what was held becomes the objects of its promise. They are kept from the end of the longest run that
-- it could become.
CREATE FUNCTION store_accepted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    starts timestamptz := greatest(NEW.starts_at, NEW.decided_at + make_interval(secs => NEW.prepare_s));
BEGIN
    UPDATE storage_reservation SET state = 'RELEASED' WHERE ask_id = NEW.ask_id AND state = 'HELD';
    INSERT INTO storage_reservation (ask_id, offer_id, object_id, owner, store, state, starts_at, ends_at, size_mib)
    SELECT NEW.ask_id, NEW.id, s.object, NEW.owner, s.backend, 'FIRM', starts - make_interval(secs => NEW.prepare_s),
           starts + make_interval(secs => NEW.start_window_s + NEW.duration_s + NEW.release_s + s.lifetime), s.size
    FROM jsonb_to_recordset(NEW.promise -> 'storage') AS s(kind text, object uuid, backend text, size bigint, lifetime int)
    WHERE s.kind = 'managed' AND s.lifetime IS NOT NULL;
    INSERT INTO storage_use (object_id, job_id)
    SELECT s.object, NEW.id FROM jsonb_to_recordset(NEW.promise -> 'storage') AS s(kind text, object uuid) WHERE s.kind = 'managed'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER "offer_accepted_storage" AFTER UPDATE OF "state" ON "offer" FOR EACH ROW
    WHEN (OLD.state = 'OFFERED' AND NEW.state = 'ACCEPTED' AND NEW.promise @? '$.storage[*] ? (@.kind == "managed")') EXECUTE FUNCTION store_accepted();

-- A rejected or expired offer: what is held shrinks to what its siblings still need.
CREATE FUNCTION store_declined() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE storage_reservation r SET
        state = CASE WHEN n.size IS NOT NULL THEN r.state WHEN NEW.state = 'EXPIRED' THEN 'LAPSED' ELSE 'RELEASED' END::reservation_state,
        size_mib = least(r.size_mib, coalesce(n.size, r.size_mib))
    FROM (SELECT h.id, max(o.size) AS size FROM storage_reservation h LEFT JOIN (
              SELECT s.backend, sum(s.size) AS size FROM offer sibling,
                  jsonb_to_recordset(sibling.promise -> 'storage') AS s(kind text, backend text, size bigint, lifetime int)
              WHERE sibling.ask_id = NEW.ask_id AND sibling.state = 'OFFERED' AND s.kind = 'managed' AND s.lifetime IS NOT NULL
              GROUP BY sibling.id, s.backend) AS o ON o.backend = h.store
          WHERE h.ask_id = NEW.ask_id AND h.state = 'HELD' GROUP BY h.id) AS n
    WHERE r.id = n.id;
    RETURN NULL;
END $$;
CREATE TRIGGER "offer_declined_storage" AFTER UPDATE OF "state" ON "offer" FOR EACH ROW
    WHEN (OLD.state = 'OFFERED' AND NEW.state IN ('REJECTED', 'EXPIRED') AND NEW.promise @? '$.storage[*] ? (@.kind == "managed")') EXECUTE FUNCTION store_declined();

-- A job that ended before it was begun wrote nothing: its objects need not be kept.
CREATE FUNCTION store_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE storage_reservation SET starts_at = least(starts_at, clock_timestamp()), ends_at = clock_timestamp()
    WHERE offer_id = NEW.id AND state = 'FIRM';
    RETURN NULL;
END $$;
CREATE TRIGGER "job_unused_storage" AFTER UPDATE OF "ended_at" ON "job" FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NEW.attempt = 0) EXECUTE FUNCTION store_unused();

-- May this object be removed?
CREATE FUNCTION is_storage_due(p_object uuid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (SELECT 1 FROM storage_reservation s WHERE s.object_id = p_object AND s.state = 'FIRM' AND s.ends_at <= clock_timestamp())
       AND NOT EXISTS (SELECT 1 FROM storage_use u JOIN job j ON j.id = u.job_id WHERE u.object_id = p_object AND j.ended_at IS NULL)
$$;

-- Sends objects whose time is over to the executors, which remove them; each at most once a minute. Returns the number of messages.
CREATE FUNCTION release_due_storage(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    due uuid[];
BEGIN
    SELECT array_agg(object_id) INTO due FROM (
        SELECT s.object_id FROM storage_reservation s
        WHERE s.state = 'FIRM' AND s.ends_at <= clock_timestamp() AND coalesce(s.sent_at, '-infinity') < clock_timestamp() - interval '1 minute'
          AND is_storage_due(s.object_id)
        ORDER BY s.ends_at LIMIT p_limit FOR UPDATE SKIP LOCKED) AS d;
    IF due IS NULL THEN RETURN 0; END IF;
    UPDATE storage_reservation SET sent_at = clock_timestamp() WHERE object_id = ANY (due);
    PERFORM graphile_worker.add_job('release', json_build_object('object', object), max_attempts => 3, job_key => 'release:' || object) FROM unnest(due) AS object;
    RETURN cardinality(due);
END $$;

-- The second line of defence, as guard_oversell: stores in which more is reserved at an instant than there is.
CREATE FUNCTION guard_storage() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    INSERT INTO oversell_trip (destination_id, resource, used, has)
    SELECT s.name, 'storage', x.used, s.size_mib
    FROM store s CROSS JOIN LATERAL (SELECT peak_stored(s.name, clock_timestamp(), 'infinity') AS used) x
    WHERE x.used > s.size_mib
      AND NOT EXISTS (SELECT 1 FROM storage_reservation r JOIN ask a ON a.id = r.ask_id
                      WHERE r.store = s.name AND r.state IN ('HELD', 'FIRM') AND a.created_at <= s.shrunk_at)
      AND NOT EXISTS (SELECT 1 FROM oversell_trip t WHERE t.destination_id = s.name AND t.resource = 'storage'
                      AND t.found_at > clock_timestamp() - interval '1 hour');
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- Reservations that are long over, and what refers to them.
CREATE FUNCTION purge_storage(p_keep interval, p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int;
BEGIN
    WITH gone AS (
        DELETE FROM storage_reservation WHERE id IN (
            SELECT id FROM storage_reservation WHERE state IN ('RELEASED', 'LAPSED') AND ends_at < clock_timestamp() - p_keep
            LIMIT p_limit FOR UPDATE SKIP LOCKED)
        RETURNING object_id
    )
    DELETE FROM storage_use WHERE object_id IN (SELECT object_id FROM gone);
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- Promises of the first release had one compute item, and ephemeral storage only.
UPDATE offer SET promise = promise || jsonb_build_object(
    'parts', jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('name', promise -> 'name', 'gpus', promise -> 'gpus')) || jsonb_build_object(
        'replicas', 1, 'cores', '{}'::jsonb, 'memory', '{}'::jsonb, 'volumes', coalesce(promise -> 'volumes', '[]'), 'path', 'resources.compute[0]')),
    'storage', coalesce((SELECT jsonb_agg(s || '{"kind": "ephemeral"}') FROM jsonb_array_elements(coalesce(promise -> 'storage', '[]')) AS s), '[]'))
WHERE promise ? 'task' AND NOT promise ? 'parts';
