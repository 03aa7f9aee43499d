-- The views, functions and triggers as a migrated database has them. Written by `npm run functions`; never edited by hand:
-- a change is a new migration, which begins with the text that stands here.

CREATE VIEW shown_offer AS
 SELECT o.id,
    a.id AS ask,
    o.place,
    a.owner,
    i.name AS "ownerName",
        CASE
            WHEN ((o.state = 'OFFERED'::session_state) AND (o.expires_at <= statement_timestamp())) THEN 'EXPIRED'::text
            ELSE (o.state)::text
        END AS state,
    o.destination_id AS destination,
    o.promise,
    a.document,
    a.name,
    o.created_at AS "createdAt",
    o.decided_at AS "decidedAt",
    o.starts_at AS "startsAt",
    o.expires_at AS "expiresAt",
    o.duration_s AS "durationS",
    o.prepare_s AS "prepareS",
    o.start_window_s AS "startWindowS",
    o.release_s AS "releaseS",
        CASE
            WHEN (o.state = 'OFFERED'::session_state) THEN (GREATEST((0)::numeric, floor(EXTRACT(epoch FROM (o.expires_at - statement_timestamp())))))::integer
            ELSE 0
        END AS "secondsLeft"
   FROM ((offer o
     JOIN ask a ON ((a.id = o.ask_id)))
     LEFT JOIN identity i ON ((i.owner = a.owner)));

CREATE OR REPLACE FUNCTION public.abort_job(p_job uuid, p_error jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    s session_state;
BEGIN
    SELECT state INTO s FROM offer WHERE id = p_job FOR UPDATE;
    IF s IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN RETURN 'over'; END IF;
    IF s IN ('ACCEPTED', 'WAITING') THEN
        PERFORM end_job(p_job, 'CANCELLED', p_error);
        RETURN 'cancelled';
    END IF;
    UPDATE job SET abort_at = coalesce(abort_at, clock_timestamp()) WHERE id = p_job;
    PERFORM pg_notify('abort', p_job::text);
    RETURN 'stopping';
END $function$;

CREATE OR REPLACE FUNCTION public.accept_offer(p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
 RETURNS TABLE(verdict text, state session_state, winner uuid)
 LANGUAGE plpgsql
AS $function$
BEGIN
    RETURN QUERY SELECT a.verdict, a.state, a.winner FROM accept_offers(ARRAY[p_offer], ARRAY[p_owner], ARRAY[p_start], ARRAY[p_queue_limit], ARRAY[p_keep_results], NULL) AS a;
END $function$;

CREATE OR REPLACE FUNCTION public.accept_offer_once(p_key jsonb, p_offer uuid, p_owner text, p_start start_mode, p_queue_limit interval, p_keep_results interval)
 RETURNS TABLE(verdict text, state session_state, winner uuid)
 LANGUAGE plpgsql
AS $function$
BEGIN
    RETURN QUERY SELECT a.verdict, a.state, a.winner FROM accept_offers(ARRAY[p_offer], ARRAY[p_owner], ARRAY[p_start], ARRAY[p_queue_limit], ARRAY[p_keep_results], jsonb_build_array(p_key)) AS a;
END $function$;

CREATE OR REPLACE FUNCTION public.accept_offers(p_offers uuid[], p_owners text[], p_starts start_mode[], p_queue_limits interval[], p_keep_results interval[], p_keys jsonb)
 RETURNS TABLE(verdict text, state session_state, winner uuid, accepted shown_offer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
    one record;
    before jsonb;
    fresh text[] := '{}';
    mismatched int[] := '{}';
    at timestamptz;
    chosen uuid[];
    places int[];
    firm uuid[];
BEGIN
    FOR one IN
        SELECT k.n::int AS n, p_owners[k.n] AS owner, k.key FROM jsonb_array_elements(p_keys) WITH ORDINALITY AS k(key, n)
        WHERE k.key <> 'null' ORDER BY p_owners[k.n], k.key ->> 'key', k.n
    LOOP
        before := claim_key(one.owner, one.key ->> 'key', one.key ->> 'route', one.key ->> 'bodyHash', NULL);
        IF before IS NULL THEN
            fresh := fresh || one.owner;
        ELSIF before ->> 'kind' = 'mismatch' THEN
            mismatched := mismatched || one.n;
        END IF;
    END LOOP;
    PERFORM 1 FROM ask WHERE id IN (
        SELECT o.ask_id FROM unnest(p_offers, p_owners) WITH ORDINALITY AS w(offer, owner, n) JOIN offer o ON o.id = w.offer AND o.owner = w.owner
        WHERE w.n <> ALL (mismatched)) ORDER BY id FOR UPDATE;
    at := clock_timestamp();
    -- Of the alternatives of an answer the first wins.
    SELECT array_agg(c.id), array_agg(c.n) INTO chosen, places FROM (
        SELECT DISTINCT ON (o.ask_id) o.id, w.n::int AS n
        FROM unnest(p_offers, p_owners) WITH ORDINALITY AS w(offer, owner, n) JOIN offer o ON o.id = w.offer AND o.owner = w.owner
        WHERE w.n <> ALL (mismatched) AND o.state = 'OFFERED' AND o.expires_at > at
        ORDER BY o.ask_id, w.n) c;
    IF chosen IS NOT NULL THEN
        -- Accepted later than its preparation should begin, an offer starts later; it expires before that would be too late.
        UPDATE offer SET state = 'ACCEPTED', decided_at = at,
            starts_at = CASE prepare_s WHEN 0 THEN starts_at ELSE greatest(starts_at, at + make_interval(secs => prepare_s)) END
        WHERE id = ANY (chosen);
        UPDATE offer s SET state = 'REJECTED', decided_at = at
        FROM unnest(chosen) AS c(id) JOIN offer o ON o.id = c.id WHERE s.ask_id = o.ask_id AND s.state = 'OFFERED';
        WITH kept AS (
            UPDATE reservation r SET state = 'FIRM', offer_id = o.id, expires_at = NULL, starts_at = o.since, ends_at = o.until,
                cores = o.cores, memory_mib = o.memory_mib, scratch_mib = o.scratch_mib, gpu_type = o.gpu_type, gpus = o.gpus
            FROM unnest(chosen) AS c(id) CROSS JOIN LATERAL firm_claim(c.id, at) AS o
            WHERE r.id = (SELECT (array_agg(h.id ORDER BY h.id))[1] FROM reservation h
                          WHERE h.ask_id = o.ask_id AND h.state = 'HELD' AND h.destination_id = o.destination_id
                            AND h.starts_at <= o.since AND h.ends_at >= o.until
                            AND h.cores >= o.cores AND h.memory_mib >= o.memory_mib AND h.scratch_mib >= o.scratch_mib
                            AND (o.gpus = 0 OR (h.gpu_type = o.gpu_type AND h.gpus >= o.gpus)))
            RETURNING r.offer_id)
        SELECT array_agg(k.offer_id) INTO firm FROM kept k;
        UPDATE reservation r SET state = 'RELEASED'
        FROM unnest(chosen) AS c(id) JOIN offer o ON o.id = c.id WHERE r.ask_id = o.ask_id AND r.state = 'HELD';
        IF cardinality(firm) IS DISTINCT FROM cardinality(chosen) THEN
            INSERT INTO reservation (ask_id, offer_id, destination_id, state, starts_at, ends_at, cores, memory_mib, scratch_mib, gpu_type, gpus)
            SELECT o.ask_id, o.id, o.destination_id, 'FIRM', o.since, o.until, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus
            FROM unnest(chosen) AS c(id) CROSS JOIN LATERAL firm_claim(c.id, at) AS o WHERE o.id <> ALL (coalesce(firm, '{}'));
        END IF;
        INSERT INTO job (id, owner, run_id, start_mode, start_before, execution_s, destruction_at)
        SELECT o.id, o.owner, a.name, p_starts[c.n],
               s.starts + CASE p_starts[c.n] WHEN 'CLIENT' THEN make_interval(secs => o.start_window_s) ELSE p_queue_limits[c.n] END,
               o.duration_s, s.starts + make_interval(secs => o.duration_s) + p_keep_results[c.n]
        FROM unnest(chosen, places) AS c(id, n) JOIN offer o ON o.id = c.id JOIN ask a ON a.id = o.ask_id
        CROSS JOIN LATERAL (SELECT greatest(o.starts_at, at + make_interval(secs => o.prepare_s)) AS starts) AS s;
        PERFORM send_all_to_executor('execute', array_agg(o.id), array_agg(greatest(o.starts_at, at + make_interval(secs => o.prepare_s))))
        FROM unnest(chosen, places) AS c(id, n) JOIN offer o ON o.id = c.id WHERE p_starts[c.n] = 'AUTO' HAVING count(*) > 0;
    END IF;
    RETURN QUERY
    SELECT CASE
            WHEN w.n = ANY (mismatched) THEN 'mismatch'
            WHEN o.id IS NULL THEN 'unknown'
            WHEN w.n = ANY (places) THEN 'accepted'
            WHEN won.id = o.id AND EXISTS (SELECT FROM job WHERE id = o.id AND destroyed_at IS NULL) THEN 'again'
            WHEN won.id = o.id THEN 'destroyed'
            WHEN won.id IS NOT NULL THEN 'sibling'
            WHEN o.state IN ('OFFERED', 'EXPIRED') THEN 'expired'
            ELSE 'illegal' END, o.state, won.id, a
    FROM unnest(p_offers, p_owners) WITH ORDINALITY AS w(offer, owner, n)
    LEFT JOIN offer o ON o.id = w.offer AND o.owner = w.owner AND w.n <> ALL (mismatched)
    LEFT JOIN offer won ON won.ask_id = o.ask_id AND won.state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED')
    LEFT JOIN shown_offer a ON a.id = o.id AND w.n = ANY (places)
    ORDER BY w.n;
    PERFORM add_stored(fresh, array_fill(key_bytes(), ARRAY[cardinality(fresh)])) WHERE fresh <> '{}';
END $function$;

CREATE OR REPLACE FUNCTION public.add_stored(p_owners text[], p_bytes bigint[])
 RETURNS void
 LANGUAGE sql
AS $function$
    INSERT INTO stored (owner, bytes)
    SELECT x.owner, sum(x.bytes) FROM unnest(p_owners, p_bytes) AS x(owner, bytes) GROUP BY x.owner HAVING sum(x.bytes) <> 0 ORDER BY x.owner
    ON CONFLICT (owner) DO UPDATE SET bytes = stored.bytes + excluded.bytes
$function$;

CREATE OR REPLACE FUNCTION public.admit_to_pools(p_ask uuid, p_owner text, p_claims jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    found jsonb;
BEGIN
    PERFORM leave_pools(p_owner, ARRAY(SELECT c ->> 'pool' FROM jsonb_array_elements(p_claims) c));
    SELECT coalesce(jsonb_agg(f.pool ORDER BY f.n) FILTER (WHERE f.pool IS NOT NULL), '[]') INTO found
    FROM (SELECT full_pool(p_owner, c) AS pool, n FROM jsonb_array_elements(p_claims) WITH ORDINALITY AS list(c, n)) f;
    IF found = '[]' THEN
        INSERT INTO resource_pool_use (pool, owner, ask_id, oversize, cores, mem_gb, gpus)
        SELECT c ->> 'pool', p_owner, p_ask, (c ->> 'oversize')::boolean, (c #>> '{request,cores}')::float8, (c #>> '{request,mem}')::float8, (c #>> '{request,gpus}')::float8
        FROM jsonb_array_elements(p_claims) c;
    END IF;
    RETURN found;
END $function$;

CREATE OR REPLACE FUNCTION public.advance_job(p_job uuid, p_executor text, p_state session_state, p_attempt integer DEFAULT NULL::integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    PERFORM 1 FROM job WHERE id = p_job AND executor = p_executor AND attempt = coalesce(p_attempt, attempt) AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    -- In the order of the states: the end of a very short run may be written before its beginning.
    UPDATE offer SET state = p_state WHERE id = p_job AND state < p_state;
    IF p_state IN ('RUNNING', 'RELEASING') THEN
        UPDATE job SET started_at = coalesce(started_at, clock_timestamp()) WHERE id = p_job;
    END IF;
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.archive_due_jobs(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    due record;
    n int := 0;
BEGIN
    FOR due IN
        SELECT j.id, j.ended_at IS NULL AS active FROM job j JOIN offer o ON o.id = j.id
        WHERE j.archived_at IS NULL AND j.destruction_at <= clock_timestamp() AND (j.ended_at IS NOT NULL OR j.abort_at IS NULL)
        LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
    LOOP
        IF due.active THEN
            PERFORM abort_job(due.id, '{"code":"destroyed","type":"fatal","message":"The job reached its destruction time."}');
        ELSE
            DELETE FROM job_result WHERE job_id = due.id;
            UPDATE job SET archived_at = clock_timestamp() WHERE id = due.id;
            PERFORM send_to_executor('remove', due.id, clock_timestamp());
            PERFORM pg_notify('session', due.id || ' ARCHIVED');
        END IF;
        n := n + 1;
    END LOOP;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.beat_executor(p_name text, p_host text, p_lease interval, p_workers text[], p_engines jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
    INSERT INTO executor (name, host, lease_until, workers, engines) VALUES (p_name, p_host, clock_timestamp() + p_lease, p_workers, p_engines)
    ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until, workers = excluded.workers, engines = excluded.engines
$function$;

CREATE OR REPLACE FUNCTION public.begin_job(p_job uuid, p_executor text, p_host text, p_lease interval, p_shared jsonb DEFAULT '{}'::jsonb, p_grace interval DEFAULT '00:05:00'::interval)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    o offer%ROWTYPE;
    j job%ROWTYPE;
    at timestamptz;
    needed tstzrange;
    is_home boolean;
    lacks_runner boolean;
BEGIN
    PERFORM 1 FROM destination WHERE id = (SELECT destination_id FROM offer WHERE id = p_job) FOR NO KEY UPDATE;
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT * INTO j FROM job WHERE id = p_job FOR UPDATE;
    IF NOT FOUND OR o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN RETURN 'over'; END IF;
    at := clock_timestamp();
    -- What is to be stopped ends, and is stopped once somebody has its runner again.
    lacks_runner := NOT coalesce(p_shared -> 'runners' ? o.runner, true) AND j.abort_at IS NULL;
    IF o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        IF j.lease_until > at AND j.executor <> p_executor THEN RETURN 'busy'; END IF;
        is_home := j.host IS NULL OR j.host = p_host OR coalesce(j.host = p_shared ->> 'home', false);
        IF (is_home AND lacks_runner) OR (NOT is_home AND j.lease_until + p_grace > at) THEN
            IF j.unknown_since IS NULL THEN
                UPDATE job SET unknown_since = at WHERE id = p_job;
                PERFORM pg_notify('session', p_job || ' UNKNOWN');
            END IF;
            -- Those that nobody has asked for so long come first.
            UPDATE job SET lease_until = at WHERE id = p_job AND is_home;
            RETURN 'elsewhere';
        END IF;
        UPDATE job SET executor = p_executor, lease_until = at + p_lease, unknown_since = NULL,
            attempt = attempt + CASE WHEN executor = p_executor THEN 0 ELSE 1 END
        WHERE id = p_job;
        RETURN CASE WHEN is_home THEN 'resume' ELSE 'lost' END;
    END IF;
    IF (o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT') OR o.starts_at > at OR lacks_runner THEN RETURN 'early'; END IF;
    -- Devices that are gone cannot be shared, as cores and memory can.
    IF o.gpus > coalesce((SELECT (d.gpus ->> o.gpu_type)::bigint FROM destination d WHERE d.id = o.destination_id), 0) THEN RETURN 'crowded'; END IF;
    -- Begun late, the run would outlast its reservation: move it, if the destination has room for that.
    needed := tstzrange(at, at + make_interval(secs => j.execution_s + o.release_s));
    IF NOT EXISTS (SELECT 1 FROM reservation WHERE offer_id = p_job AND state = 'FIRM' AND tstzrange(starts_at, ends_at) @> needed)
       AND NOT fits(o.destination_id, needed, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus, p_job) THEN
        RETURN 'crowded';
    END IF;
    UPDATE reservation SET starts_at = lower(needed), ends_at = upper(needed) WHERE offer_id = p_job AND state = 'FIRM';
    PERFORM keep_volumes(p_job, upper(needed));
    UPDATE offer SET state = 'PREPARING' WHERE id = p_job;
    UPDATE job SET executor = p_executor, lease_until = at + p_lease, attempt = attempt + 1,
        host = CASE WHEN p_shared -> 'destinations' ? o.destination_id THEN p_shared ->> 'home' ELSE p_host END
    WHERE id = p_job;
    RETURN 'begin';
END $function$;

CREATE OR REPLACE FUNCTION public.begin_next(p_destination text, p_executor text, p_host text, p_lease interval, p_shared jsonb, p_grace interval)
 RETURNS TABLE(job uuid, verdict text, destination text)
 LANGUAGE plpgsql
AS $function$
DECLARE
    due uuid;
    said text;
BEGIN
    PERFORM 1 FROM destination d WHERE d.id = p_destination FOR NO KEY UPDATE;
    PERFORM keep_claims(p_destination);
    FOR due IN
        SELECT w.id FROM due_jobs(p_destination, clock_timestamp()) w
        WHERE w.starts_at <= clock_timestamp() AND w.ends_at >= clock_timestamp() + w.run
          -- One that was put back has its pause, in which it keeps its claim and no other job waiting.
          AND NOT EXISTS (SELECT FROM job j WHERE j.id = w.id AND j.lease_until > clock_timestamp())
        ORDER BY w.decided_at, w.id
    LOOP
        said := begin_job(due, p_executor, p_host, p_lease, p_shared, p_grace);
        IF said = 'begin' THEN
            -- What it leaves is kept for as long as if it had begun in its time.
            UPDATE job j SET destruction_at = j.destruction_at + (r.starts_at - greatest(o.starts_at, o.decided_at))
            FROM offer o JOIN reservation r ON r.offer_id = o.id AND r.state = 'FIRM' WHERE j.id = due AND o.id = due AND j.claim_at IS NOT NULL;
            RETURN QUERY SELECT due, said, p_destination;
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY SELECT NULL::uuid, CASE WHEN EXISTS (SELECT FROM due_jobs(p_destination, clock_timestamp())) THEN 'crowded' ELSE 'none' END, p_destination;
END $function$;

CREATE OR REPLACE FUNCTION public.claim_duty(p_name text, p_every interval)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    WITH claimed AS (
        INSERT INTO duty (name, done_at) VALUES (p_name, clock_timestamp())
        ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at WHERE duty.done_at <= clock_timestamp() - p_every
        RETURNING 1)
    SELECT EXISTS (SELECT FROM claimed)
$function$;

CREATE OR REPLACE FUNCTION public.claim_key(p_owner text, p_key text, p_route text, p_body_hash text, p_ask uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    k idempotency%ROWTYPE;
BEGIN
    DELETE FROM idempotency WHERE owner = p_owner AND key = p_key AND created_at < clock_timestamp() - interval '24 hours';
    LOOP
        INSERT INTO idempotency (owner, key, route, body_hash, ask_id) VALUES (p_owner, p_key, p_route, p_body_hash, p_ask) ON CONFLICT DO NOTHING;
        IF FOUND THEN RETURN NULL; END IF;
        SELECT * INTO k FROM idempotency WHERE owner = p_owner AND key = p_key;
        -- Gone again: the first did not come to a decision.
        CONTINUE WHEN NOT FOUND;
        IF k.route <> p_route OR k.body_hash <> p_body_hash THEN RETURN '{"kind": "mismatch"}'; END IF;
        RETURN jsonb_build_object('kind', 'replay', 'ask', k.ask_id);
    END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION public.count_purged(p_kind text, p_records integer)
 RETURNS void
 LANGUAGE sql
AS $function$
    INSERT INTO purged (kind, records) SELECT p_kind, p_records WHERE p_records > 0
    ON CONFLICT (kind) DO UPDATE SET records = purged.records + excluded.records
$function$;

CREATE OR REPLACE FUNCTION public.count_results()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NEW.attempt = 0 THEN
        DELETE FROM result_use WHERE job_id = NEW.id;
    ELSIF NEW.error ->> 'code' IS DISTINCT FROM 'run-lost' THEN
        UPDATE result_use u SET bytes = greatest(l.bytes, least(u.bytes, l.bytes + results_overhead()))
        FROM (SELECT coalesce(sum(r.size), 0) AS bytes FROM job_result r WHERE r.job_id = NEW.id) l WHERE u.job_id = NEW.id;
    END IF;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.destroy_job(p_job uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    UPDATE job SET destroyed_at = clock_timestamp() WHERE id = p_job AND destroyed_at IS NULL;
    PERFORM abort_job(p_job, '{"code":"destroyed","type":"fatal","message":"The job was destroyed by its owner."}');
    PERFORM send_to_executor('remove', p_job, clock_timestamp());
END $function$;

CREATE OR REPLACE FUNCTION public.doubt_job(p_job uuid, p_executor text, p_doubt boolean, p_attempt integer DEFAULT NULL::integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE job SET unknown_since = CASE WHEN p_doubt THEN coalesce(unknown_since, clock_timestamp()) END
    WHERE id = p_job AND executor = p_executor AND attempt = coalesce(p_attempt, attempt) AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM pg_notify('session', p_job || CASE WHEN p_doubt THEN ' UNKNOWN' ELSE ' KNOWN' END);
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.due_jobs(p_destination text, p_at timestamp with time zone)
 RETURNS TABLE(id uuid, decided_at timestamp with time zone, run interval, reservation bigint, starts_at timestamp with time zone, ends_at timestamp with time zone, cores bigint, memory_mib bigint, scratch_mib bigint, gpu_type text, gpus bigint)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT o.id, o.decided_at, make_interval(secs => j.execution_s + o.release_s), r.id, r.starts_at, r.ends_at,
           r.cores::bigint, r.memory_mib, r.scratch_mib, r.gpu_type, r.gpus::bigint
    FROM offer o JOIN job j ON j.id = o.id JOIN reservation r ON r.offer_id = o.id AND r.state = 'FIRM'
    WHERE o.destination_id = p_destination AND o.state IN ('ACCEPTED', 'WAITING') AND is_waiting(o.state, j.start_mode) AND o.starts_at <= p_at
$function$;

CREATE OR REPLACE FUNCTION public.earliest_place(p_has destination, p_taken taken[], p_need taken, p_from timestamp with time zone, p_length interval)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    WITH amounts AS (
        SELECT greatest(t.starts_at, p_from) AS starts_at, t.ends_at, t.cores, t.memory_mib, t.scratch_mib,
               CASE WHEN t.gpu_type = p_need.gpu_type THEN t.gpus ELSE 0 END AS gpus
        FROM unnest(p_taken) AS t WHERE t.ends_at > p_from
    ), changes AS (
        SELECT starts_at AS at, cores, memory_mib, scratch_mib, gpus FROM amounts
        UNION ALL
        SELECT ends_at, -cores, -memory_mib, -scratch_mib, -gpus FROM amounts
    ), totals AS (
        SELECT at, lead(at, 1, 'infinity') OVER by_time AS until, sum(sum(cores)) OVER by_time AS cores, sum(sum(memory_mib)) OVER by_time AS memory_mib,
               sum(sum(scratch_mib)) OVER by_time AS scratch_mib, sum(sum(gpus)) OVER by_time AS gpus
        FROM changes GROUP BY at WINDOW by_time AS (ORDER BY at)
    ), crowded AS (
        SELECT at, until FROM totals
        WHERE cores + p_need.cores > p_has.cores OR memory_mib + p_need.memory_mib > p_has.memory_mib OR scratch_mib + p_need.scratch_mib > p_has.scratch_mib
           OR (p_need.gpus > 0 AND gpus + p_need.gpus > coalesce((p_has.gpus ->> p_need.gpu_type)::bigint, 0))
    ), gaps AS (
        SELECT lag(until, 1, p_from) OVER (ORDER BY at) AS opens, at AS closes FROM crowded
        UNION ALL
        SELECT coalesce(max(until), p_from), 'infinity' FROM crowded
    )
    SELECT min(opens) FROM gaps
    WHERE opens < 'infinity' AND opens + p_length <= closes
      AND p_need.cores <= p_has.cores AND p_need.memory_mib <= p_has.memory_mib AND p_need.scratch_mib <= p_has.scratch_mib
      AND (p_need.gpus = 0 OR p_need.gpus <= coalesce((p_has.gpus ->> p_need.gpu_type)::bigint, 0))
$function$;

CREATE OR REPLACE FUNCTION public.end_job(p_job uuid, p_state session_state, p_error jsonb, p_usage jsonb DEFAULT NULL::jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    home text;
BEGIN
    UPDATE offer SET state = p_state WHERE id = p_job AND state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE job SET ended_at = clock_timestamp(), error = p_error, lease_until = NULL,
        usage = CASE WHEN started_at IS NULL THEN p_usage
                     ELSE coalesce(p_usage, '{}') || jsonb_build_object('wallS', round(extract(epoch FROM clock_timestamp() - started_at), 3)) END
    WHERE id = p_job RETURNING host INTO home;
    -- Nobody knows what became of it: should anything of it run, whoever can reach it ends it.
    IF p_error ->> 'code' = 'run-lost' AND home IS NOT NULL THEN PERFORM send_to_executor('stop@' || home, p_job, clock_timestamp()); END IF;
    PERFORM release_reservation(p_job);
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.finish_job(p_job uuid, p_executor text, p_state session_state, p_error jsonb, p_results jsonb, p_attempt integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job FOR UPDATE;
    PERFORM 1 FROM job WHERE id = p_job AND executor = p_executor AND attempt = coalesce(p_attempt, attempt) AND ended_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO job_result (job_id, id, place, path, mime_type, size)
    SELECT p_job, r.id, r.place, r.path, r."mimeType", r.size
    FROM jsonb_to_recordset(p_results) AS r(id text, place int, path text, "mimeType" text, size bigint)
    ON CONFLICT DO NOTHING;
    RETURN end_job(p_job, p_state, p_error, p_usage);
END $function$;

CREATE OR REPLACE FUNCTION public.firm_claim(p_offer uuid, p_at timestamp with time zone)
 RETURNS TABLE(id uuid, ask_id uuid, destination_id text, since timestamp with time zone, until timestamp with time zone, cores integer, memory_mib bigint, scratch_mib bigint, gpu_type text, gpus integer)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT o.id, o.ask_id, o.destination_id, s.starts - make_interval(secs => o.prepare_s),
           s.starts + make_interval(secs => o.start_window_s + o.duration_s + o.release_s), o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus
    FROM offer o CROSS JOIN LATERAL (SELECT greatest(o.starts_at, p_at + make_interval(secs => o.prepare_s)) AS starts) s WHERE o.id = p_offer
$function$;

CREATE OR REPLACE FUNCTION public.fits(p_destination text, p_window tstzrange, p_cores bigint, p_memory bigint, p_scratch bigint, p_gpu_type text, p_gpus bigint, p_but_offer uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    used record;
    has record;
BEGIN
    SELECT * INTO has FROM destination WHERE id = p_destination;
    SELECT * INTO used FROM peak_use(p_destination, p_window, p_gpu_type, p_but_offer);
    RETURN used.cores + p_cores <= has.cores
       AND used.memory_mib + p_memory <= has.memory_mib
       AND used.scratch_mib + p_scratch <= has.scratch_mib
       AND (p_gpus = 0 OR used.gpus + p_gpus <= coalesce((has.gpus ->> p_gpu_type)::bigint, 0));
END $function$;

CREATE OR REPLACE FUNCTION public.forget_job(p_job uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM job WHERE id = p_job AND ended_at IS NULL;
    IF FOUND THEN RETURN false; END IF;
    DELETE FROM result_use WHERE job_id = p_job;
    DELETE FROM job WHERE id = p_job AND destroyed_at IS NOT NULL;
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.full_pool(p_owner text, p_claim jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
    WITH holders AS MATERIALIZED (SELECT * FROM resource_pool_use u WHERE u.pool = p_claim ->> 'pool' AND u.owner = p_owner),
    ending AS (SELECT h.*, pool_ends(h.ask_id) AS ends FROM holders h),
    held AS (
        SELECT coalesce(sum(h.cores) FILTER (WHERE NOT h.oversize), 0) AS cores, coalesce(sum(h.mem_gb) FILTER (WHERE NOT h.oversize), 0) AS mem_gb,
               coalesce(sum(h.gpus) FILTER (WHERE NOT h.oversize), 0) AS gpus, count(*) FILTER (WHERE h.oversize) AS oversize
        FROM holders h),
    after AS (
        SELECT h.ends, coalesce(sum(h.cores) FILTER (WHERE NOT h.oversize) OVER w, 0) AS cores, coalesce(sum(h.mem_gb) FILTER (WHERE NOT h.oversize) OVER w, 0) AS mem_gb,
               coalesce(sum(h.gpus) FILTER (WHERE NOT h.oversize) OVER w, 0) AS gpus, count(*) FILTER (WHERE h.oversize) OVER w AS oversize
        FROM ending h WINDOW w AS (ORDER BY h.ends DESC NULLS FIRST GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    SELECT jsonb_build_object('pool', p_claim -> 'pool', 'cores', held.cores, 'mem', held.mem_gb, 'gpus', held.gpus, 'oversize', held.oversize, 'freeAt',
               (SELECT min(a.ends) FROM after a WHERE a.ends IS NOT NULL AND pool_fits(p_claim, a.cores, a.mem_gb, a.gpus, a.oversize)))
    FROM held WHERE NOT pool_fits(p_claim, held.cores, held.mem_gb, held.gpus, held.oversize)
$function$;

CREATE OR REPLACE FUNCTION public.give_up_late_jobs(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    late record;
    n int := 0;
BEGIN
    FOR late IN
        SELECT o.id, j.start_mode = 'CLIENT' AND o.state = 'ACCEPTED' AS by_client, greatest(o.starts_at, o.decided_at) AS since FROM offer o JOIN job j ON j.id = o.id
        WHERE j.ended_at IS NULL AND j.start_before <= clock_timestamp() AND o.state IN ('ACCEPTED', 'WAITING')
        LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
    LOOP
        PERFORM end_job(late.id, CASE WHEN late.by_client THEN 'CANCELLED' ELSE 'FAILED' END::session_state,
            CASE WHEN late.by_client
                THEN '{"code":"start-window-missed","type":"transient","message":"The job was not started (PHASE=RUN) within its start window; its reservation is released."}'
                ELSE json_build_object('code', 'queue-limit-exceeded', 'type', 'transient', 'message', format(
                    'No executor could begin the job within the queue limit: it has waited since %s, and its claim moved on with it. Its reservation is released; ask again.',
                    to_char(late.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))::text
            END::jsonb);
        n := n + 1;
    END LOOP;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.give_up_lost_jobs(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    lost uuid;
    n int := 0;
BEGIN
    FOR lost IN
        SELECT o.id FROM offer o JOIN job j ON j.id = o.id
        WHERE j.ended_at IS NULL AND o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')
          AND j.lease_until + make_interval(secs => j.execution_s) < clock_timestamp() - interval '1 hour'
        LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
    LOOP
        PERFORM end_job(lost, 'FAILED', '{"code":"run-lost","type":"transient","message":"The executor that ran the job is gone and none came back to it; what became of the run is not known. Submit it again."}');
        n := n + 1;
    END LOOP;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.grow_results(p_job uuid, p_bytes bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    pool text;
    has bigint;
    more bigint;
BEGIN
    SELECT d.result_pool, u.bytes INTO pool, has FROM result_use u JOIN destination d ON d.id = u.destination_id WHERE u.job_id = p_job FOR UPDATE OF u;
    IF NOT FOUND OR pool IS NULL OR has >= p_bytes THEN RETURN true; END IF;
    more := ceil((p_bytes - has) / 1048576.0);
    PERFORM recount_results(ARRAY[pool]);
    UPDATE result_pool SET live_mib = live_mib + more WHERE name = pool AND live_mib + more <= size_mib / 2;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE result_use SET bytes = p_bytes WHERE job_id = p_job;
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.guard_changed_reservation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE destination SET live_cores = live_cores + NEW.cores, live_memory_mib = live_memory_mib + NEW.memory_mib,
        live_scratch_mib = live_scratch_mib + NEW.scratch_mib
    WHERE id = NEW.destination_id;
    IF is_oversold(NEW.destination_id, tstzrange(NEW.starts_at, NEW.ends_at), NEW.gpu_type) THEN
        PERFORM refuse_oversell(NEW.destination_id);
    END IF;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.guard_new_reservations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    one record;
    beyond boolean;
BEGIN
    FOR one IN
        SELECT f.destination_id AS id, sum(f.cores) AS cores, sum(f.memory_mib) AS memory_mib, sum(f.scratch_mib) AS scratch_mib, max(f.gpus) AS gpus,
               array_agg(f.id) AS rows
        FROM fresh f
        WHERE f.state IN ('HELD', 'FIRM') AND f.ends_at > clock_timestamp()
        GROUP BY 1 ORDER BY 1
    LOOP
        UPDATE destination d SET live_cores = d.live_cores + one.cores, live_memory_mib = d.live_memory_mib + one.memory_mib,
            live_scratch_mib = d.live_scratch_mib + one.scratch_mib
        WHERE d.id = one.id
        RETURNING d.live_cores > d.cores OR d.live_memory_mib > d.memory_mib OR d.live_scratch_mib > d.scratch_mib INTO beyond;
        CONTINUE WHEN NOT beyond AND one.gpus = 0;
        -- An accept takes no more than was held, which stays promised when the destination becomes smaller.
        IF EXISTS (SELECT 1 FROM fresh f WHERE f.id = ANY (one.rows) AND is_oversold(f.destination_id, tstzrange(f.starts_at, f.ends_at), f.gpu_type)
                     AND NOT (f.state = 'FIRM' AND EXISTS (SELECT FROM ask a JOIN destination d ON d.id = one.id WHERE a.id = f.ask_id AND a.created_at <= d.shrunk_at))) THEN
            PERFORM refuse_oversell(one.id);
        END IF;
    END LOOP;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.guard_oversell()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    n int;
BEGIN
    WITH parts AS (
        SELECT d.id, NULL AS gpu_type FROM destination d
        WHERE EXISTS (SELECT 1 FROM reservation r WHERE r.destination_id = d.id AND r.state IN ('HELD', 'FIRM')
                      HAVING sum(r.cores) > d.cores OR sum(r.memory_mib) > d.memory_mib OR sum(r.scratch_mib) > d.scratch_mib)
        UNION ALL
        SELECT d.id, g.key FROM destination d, jsonb_each(d.gpus) AS g
        WHERE (SELECT sum(r.gpus) FROM reservation r WHERE r.destination_id = d.id AND r.state IN ('HELD', 'FIRM')
                 AND r.gpu_type = g.key) > g.value::bigint
    ), over AS (
        SELECT d.id, x.resource, x.used, x.has
        FROM parts p JOIN destination d ON d.id = p.id
        CROSS JOIN LATERAL peak_use(d.id, tstzrange(clock_timestamp(), 'infinity'), p.gpu_type, NULL) AS u
        CROSS JOIN LATERAL (VALUES ('cores', u.cores, d.cores::bigint), ('memory', u.memory_mib, d.memory_mib),
            ('scratch', u.scratch_mib, d.scratch_mib), (p.gpu_type, u.gpus, (d.gpus ->> p.gpu_type)::bigint)) AS x(resource, used, has)
        WHERE x.used > x.has AND x.resource IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM reservation r JOIN ask a ON a.id = r.ask_id
                          WHERE r.destination_id = d.id AND r.state IN ('HELD', 'FIRM') AND a.created_at <= d.shrunk_at)
    )
    INSERT INTO oversell_trip (destination_id, resource, used, has)
    SELECT DISTINCT o.id, o.resource, o.used, o.has FROM over o
    WHERE NOT EXISTS (SELECT 1 FROM oversell_trip t WHERE t.destination_id = o.id AND t.resource = o.resource
                      AND t.found_at > clock_timestamp() - interval '1 hour');
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.guard_results()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    n int;
BEGIN
    INSERT INTO oversell_trip (destination_id, resource, used, has)
    SELECT p.name, 'results', u.held + u.kept, p.size_mib
    FROM result_pool p CROSS JOIN LATERAL results_used(p.name, true) u
    WHERE u.held + u.kept > p.size_mib
      AND NOT EXISTS (SELECT 1 FROM result_use w LEFT JOIN offer o ON o.id = w.job_id WHERE o.id IS NULL OR o.created_at <= p.shrunk_at)
      AND NOT EXISTS (SELECT 1 FROM reservation r JOIN ask a ON a.id = r.ask_id WHERE r.state = 'HELD' AND a.created_at <= p.shrunk_at)
      AND NOT EXISTS (SELECT 1 FROM oversell_trip t WHERE t.destination_id = p.name AND t.resource = 'results' AND t.found_at > clock_timestamp() - interval '1 hour');
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.guard_session_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM session_transition t WHERE t.from_state = OLD.state AND t.to_state = NEW.state) THEN
        RAISE EXCEPTION 'session % cannot go from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation', CONSTRAINT = 'session_transition';
    END IF;
    -- Every process that answers WAIT listens here.
    IF NEW.state NOT IN ('REJECTED', 'EXPIRED') THEN
        PERFORM pg_notify('session', NEW.id || ' ' || NEW.state);
    END IF;
    RETURN NEW;
END $function$;

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

CREATE OR REPLACE FUNCTION public.hold_job(p_job uuid, p_executor text, p_attempt integer, p_lease interval)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    WITH held AS (
        UPDATE job SET lease_until = clock_timestamp() + p_lease
        WHERE id = p_job AND executor = p_executor AND attempt = p_attempt AND ended_at IS NULL
        RETURNING 1)
    SELECT EXISTS (SELECT FROM held)
$function$;

CREATE OR REPLACE FUNCTION public.holds_fit(p_holds jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    hold record;
BEGIN
    FOR hold IN SELECT * FROM jsonb_to_recordset(p_holds) AS h(destination text, "startsAt" timestamptz, "endsAt" timestamptz,
                     cores bigint, memory bigint, scratch bigint, "gpuType" text, gpus bigint) LOOP
        IF NOT EXISTS (SELECT 1 FROM destination WHERE id = hold.destination AND open)
           OR NOT fits(hold.destination, tstzrange(hold."startsAt", hold."endsAt"), hold.cores, hold.memory, hold.scratch,
                       hold."gpuType", hold.gpus, NULL) THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.inherit_files(p_job uuid, p_from text, p_home text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE job SET host = p_home WHERE id = p_job AND host = p_from AND ended_at IS NOT NULL;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM graphile_worker.remove_job('remove@' || p_from || ':' || p_job);
    PERFORM send_to_executor('remove@' || p_home, p_job, clock_timestamp());
END $function$;

CREATE OR REPLACE FUNCTION public.is_alive(p_ask uuid, p_at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT EXISTS (SELECT FROM offer o WHERE o.ask_id = p_ask AND (o.state IN ('ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')
            OR (o.state = 'OFFERED' AND o.expires_at > p_at)))
        OR NOT EXISTS (SELECT FROM ask a WHERE a.id = p_ask)
$function$;

CREATE OR REPLACE FUNCTION public.is_oversold(p_destination text, p_window tstzrange, p_gpu_type text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT u.cores > d.cores OR u.memory_mib > d.memory_mib OR u.scratch_mib > d.scratch_mib
        OR (p_gpu_type IS NOT NULL AND u.gpus > coalesce((d.gpus ->> p_gpu_type)::bigint, 0))
    FROM destination d CROSS JOIN LATERAL peak_use(d.id, p_window, p_gpu_type, NULL) AS u WHERE d.id = p_destination
$function$;

CREATE OR REPLACE FUNCTION public.is_storage_due(p_object uuid)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    SELECT EXISTS (SELECT 1 FROM storage_reservation s WHERE s.object_id = p_object AND s.state = 'FIRM' AND s.ends_at <= clock_timestamp())
       AND NOT EXISTS (SELECT 1 FROM storage_use u JOIN job j ON j.id = u.job_id WHERE u.object_id = p_object AND j.ended_at IS NULL)
$function$;

CREATE OR REPLACE FUNCTION public.is_waiting(p_state session_state, p_start start_mode)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT p_state = 'WAITING' OR (p_state = 'ACCEPTED' AND p_start = 'AUTO')
$function$;

CREATE OR REPLACE FUNCTION public.job_version(p_job xid, p_offer xid, p_identity xid, p_position integer, p_over timestamp with time zone, p_now timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT p_job::text || '.' || p_offer::text || '.' || coalesce(p_identity::text, '') || '.' || coalesce(p_position::text, '')
        || '.' || (date_trunc('milliseconds', p_over, 'UTC') > date_trunc('milliseconds', p_now, 'UTC'))::text
$function$;

CREATE OR REPLACE FUNCTION public.job_versions(p_jobs uuid[], p_farthest integer)
 RETURNS TABLE(id uuid, version text)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
    now timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    SELECT j.id, job_version(j.xmin, o.xmin, i.xmin,
             CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO' THEN queue_position(j.id, p_farthest) END,
             coalesce(j.started_at, greatest(o.starts_at, j.created_at, j.claim_at)) + make_interval(secs => j.execution_s), now)
    FROM unnest(p_jobs) AS wanted (job)
    CROSS JOIN LATERAL (SELECT xmin, * FROM job WHERE id = wanted.job OFFSET 0) AS j
    CROSS JOIN LATERAL (SELECT xmin, * FROM offer WHERE id = j.id OFFSET 0) AS o
    LEFT JOIN LATERAL (SELECT xmin, name FROM identity WHERE owner = j.owner OFFSET 0) AS i ON true
    WHERE j.destroyed_at IS NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_all_claims()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    waiting text;
    at timestamptz := clock_timestamp();
    n int := 0;
BEGIN
    FOR waiting IN
        SELECT d.id FROM destination d WHERE EXISTS (SELECT FROM due_jobs(d.id, at) w WHERE w.ends_at < at + w.run + interval '1 second' OR w.starts_at > at)
        ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
    LOOP
        n := n + keep_claims(waiting);
    END LOOP;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_claims(p_destination text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    at timestamptz := clock_timestamp();
    -- From the decision to the begin of the job.
    margin interval := '1 second';
    -- So long a claim stays where it is while nobody begins the job.
    patience interval := '1 minute';
    has destination%ROWTYPE;
    others taken[];
    need taken;
    one record;
    place timestamptz;
    until timestamptz;
    wide interval;
    is_roomy boolean;
    stays boolean;
    moved bigint[] := '{}';
    starts timestamptz[] := '{}';
    ends timestamptz[] := '{}';
    n int;
    looked int := 0;
BEGIN
    IF NOT EXISTS (SELECT FROM due_jobs(p_destination, at) w WHERE NOT (w.starts_at <= at AND w.ends_at >= at + w.run + margin)) THEN RETURN 0; END IF;
    SELECT * INTO has FROM destination d WHERE d.id = p_destination;
    IF has.claims_at > at THEN RETURN 0; END IF;
    -- Whoever ends one of them has its offer; what stands below is read after that.
    PERFORM 1 FROM offer WHERE id IN (SELECT w.id FROM due_jobs(p_destination, at) w) ORDER BY id FOR NO KEY UPDATE;
    SELECT coalesce(array_agg(x.t), '{}') INTO others FROM (
        SELECT ROW (r.starts_at, r.ends_at, r.cores, r.memory_mib, r.scratch_mib, r.gpu_type, r.gpus)::taken AS t
        FROM reservation r
        WHERE r.destination_id = p_destination AND r.state IN ('HELD', 'FIRM') AND r.ends_at > at
          AND NOT EXISTS (SELECT FROM due_jobs(p_destination, at) w WHERE w.reservation = r.id)
        UNION ALL
        SELECT ROW (c.starts_at, c.ends_at, c.cores, c.memory_mib, c.scratch_mib, NULL, 0)::taken
        FROM closure c WHERE c.destination_id = p_destination AND c.ends_at > at) AS x;
    -- Where all fit at the same time, whenever they are, each fits now.
    SELECT coalesce(sum(t.cores), 0) <= has.cores AND coalesce(sum(t.memory_mib), 0) <= has.memory_mib AND coalesce(sum(t.scratch_mib), 0) <= has.scratch_mib
           AND coalesce(bool_and(t.gpus = 0), true)
    INTO is_roomy FROM (
        SELECT o.cores, o.memory_mib, o.scratch_mib, 0 AS gpus FROM unnest(others) o
        UNION ALL SELECT w.cores, w.memory_mib, w.scratch_mib, w.gpus FROM due_jobs(p_destination, at) w) AS t;
    FOR one IN SELECT * FROM due_jobs(p_destination, at) w ORDER BY w.decided_at, w.id LOOP
        looked := looked + CASE WHEN is_roomy THEN 0 ELSE cardinality(others) END;
        need := ROW (NULL, NULL, one.cores, one.memory_mib, one.scratch_mib, one.gpu_type, one.gpus)::taken;
        place := CASE WHEN is_roomy THEN at ELSE earliest_place(has, others, need, at, one.run + margin) END;
        -- The destination has become too small for it. What it has it keeps, and the others come after that.
        IF place IS NULL THEN
            IF one.ends_at > at THEN
                others := others || ROW (one.starts_at, one.ends_at, one.cores, one.memory_mib, one.scratch_mib, one.gpu_type, one.gpus)::taken;
            END IF;
            CONTINUE;
        END IF;
        IF place > at THEN
            place := earliest_place(has, others, need, at, one.run + patience);
            until := place + one.run + patience;
        ELSE
            -- One that has its place still stays there, and so do those behind it.
            stays := one.starts_at <= at AND one.ends_at >= at + one.run + margin;
            wide := CASE WHEN stays THEN one.ends_at - at ELSE one.run + patience END;
            IF NOT is_roomy AND earliest_place(has, others, need, at, wide) > at THEN wide := one.run + margin; END IF;
            until := at + wide;
            IF stays THEN place := one.starts_at; END IF;
        END IF;
        others := others || ROW (place, until, one.cores, one.memory_mib, one.scratch_mib, one.gpu_type, one.gpus)::taken;
        IF place <> one.starts_at OR until <> one.ends_at THEN
            moved := moved || one.reservation;
            starts := starts || place;
            ends := ends || until;
        END IF;
    END LOOP;
    UPDATE reservation r SET starts_at = m.starts_at, ends_at = m.ends_at
    FROM unnest(moved, starts, ends) AS m(id, starts_at, ends_at) WHERE r.id = m.id AND r.state = 'FIRM';
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > 0 THEN
        UPDATE job j SET claim_at = r.starts_at FROM reservation r
        WHERE r.id = ANY (moved) AND r.offer_id = j.id AND j.ended_at IS NULL AND (j.claim_at IS NULL OR r.starts_at > at OR j.claim_at > at);
        PERFORM recount_live(ARRAY[p_destination]);
    END IF;
    -- A few claims are placed in milliseconds, or the machine has no time for anybody.
    IF looked > 10000 AND clock_timestamp() > at + interval '50 milliseconds' THEN
        UPDATE destination d SET claims_at = least(clock_timestamp() + 20 * (clock_timestamp() - at), at + interval '30 seconds') WHERE d.id = p_destination;
    END IF;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_leases(p_executor text, p_jobs uuid[], p_lease interval)
 RETURNS TABLE(id uuid, stop boolean, unknown boolean)
 LANGUAGE sql
AS $function$
    UPDATE job SET lease_until = clock_timestamp() + p_lease
    WHERE id = ANY (p_jobs) AND executor = p_executor AND ended_at IS NULL
    RETURNING id, abort_at IS NOT NULL, unknown_since IS NOT NULL
$function$;

CREATE OR REPLACE FUNCTION public.keep_parameters(p_job uuid, p_parameters jsonb, p_replace boolean, p_states session_state[], p_most bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    s session_state;
    m start_mode;
    size bigint;
    before bigint;
BEGIN
    -- Whoever keeps parameters of this job at the same time waits here, so no name comes between.
    SELECT state INTO s FROM offer WHERE id = p_job FOR UPDATE;
    SELECT start_mode INTO m FROM job WHERE id = p_job AND destroyed_at IS NULL;
    IF m IS NULL OR NOT s = ANY (p_states) OR (p_replace AND m <> 'CLIENT') THEN RETURN 'illegal'; END IF;
    SELECT coalesce(sum(bytes), 0) INTO size FROM (
        SELECT octet_length(content) + octet_length(name) AS bytes FROM job_parameter
        WHERE job_id = p_job AND upper(name) NOT IN (SELECT upper(name) FROM jsonb_to_recordset(p_parameters) AS p (name text))
        UNION ALL
        SELECT octet_length(decode(p.content, 'base64')) + octet_length(p.name)
        FROM jsonb_to_recordset(p_parameters) AS p (name text, content text)) AS sizes;
    IF size > p_most THEN RETURN 'full'; END IF;
    SELECT coalesce(sum(octet_length(content) + octet_length(name)), 0) INTO before FROM job_parameter WHERE job_id = p_job;
    IF p_replace THEN
        DELETE FROM job_parameter
        WHERE job_id = p_job AND upper(name) IN (SELECT upper(name) FROM jsonb_to_recordset(p_parameters) AS p (name text));
    END IF;
    INSERT INTO job_parameter (job_id, name, media_type, content)
    SELECT p_job, p.name, p.type, decode(p.content, 'base64')
    FROM jsonb_to_recordset(p_parameters) AS p (name text, type text, content text)
    WHERE NOT EXISTS (SELECT FROM job_parameter k WHERE k.job_id = p_job AND upper(k.name) = upper(p.name));
    SELECT coalesce(sum(octet_length(content) + octet_length(name)), 0) INTO size FROM job_parameter WHERE job_id = p_job;
    UPDATE ask SET bytes = bytes + (size - before)::int WHERE id = (SELECT ask_id FROM offer WHERE id = p_job) AND size <> before;
    PERFORM add_stored(ARRAY[j.owner], ARRAY[size - before]) FROM job j WHERE j.id = p_job;
    RETURN 'kept';
END $function$;

CREATE OR REPLACE FUNCTION public.keep_results()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    INSERT INTO result_use (job_id, destination_id, bytes)
    SELECT o.id, o.destination_id, o.results_mib * 1048576 FROM fresh f JOIN offer o ON o.id = f.id WHERE o.results_mib > 0 ON CONFLICT DO NOTHING;
    RETURN NULL;
END $function$;

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

CREATE OR REPLACE FUNCTION public.key_bytes()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT 512::bigint $function$;

CREATE OR REPLACE FUNCTION public.lapse_due(p_destinations text[], p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    due uuid[];
    lapsed integer;
    at timestamptz;
BEGIN
    SELECT array_agg(locked.id) INTO due FROM (
        SELECT a.id FROM ask a
        WHERE a.id IN (SELECT r.ask_id FROM reservation r
                       WHERE r.state = 'HELD' AND r.expires_at <= clock_timestamp()
                         AND (p_destinations IS NULL OR r.destination_id = ANY (p_destinations))
                       ORDER BY r.expires_at LIMIT p_limit)
        FOR UPDATE SKIP LOCKED) AS locked;
    IF due IS NULL THEN RETURN 0; END IF;
    -- Siblings expire at times of their own.
    at := clock_timestamp();
    UPDATE offer SET state = 'EXPIRED', decided_at = at WHERE ask_id = ANY (due) AND state = 'OFFERED' AND expires_at <= at;
    WITH freed AS (UPDATE reservation SET state = 'LAPSED' WHERE ask_id = ANY (due) AND state = 'HELD' AND expires_at <= at RETURNING ask_id)
    SELECT count(DISTINCT ask_id) INTO lapsed FROM freed;
    RETURN lapsed;
END $function$;

CREATE OR REPLACE FUNCTION public.leave_pools(p_owner text, p_pools text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    -- Who accepts an offer at this moment may have done so in time, which is to be seen when their transaction is over.
    PERFORM 1 FROM ask a WHERE a.id IN (
        SELECT u.ask_id FROM resource_pool_use u JOIN offer o ON o.ask_id = u.ask_id
        WHERE u.owner = p_owner AND u.pool = ANY (p_pools) AND o.state = 'OFFERED' AND o.expires_at <= at) ORDER BY a.id FOR SHARE;
    DELETE FROM resource_pool_use u WHERE u.owner = p_owner AND u.pool = ANY (p_pools) AND NOT is_alive(u.ask_id, at);
END $function$;

CREATE OR REPLACE FUNCTION public.look_at_destination(p_destination text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
    SELECT graphile_worker.add_job('look', json_build_object('destination', p_destination), run_at => p_at, max_attempts => 25,
                                   job_key => 'look:' || p_destination, job_key_mode => 'preserve_run_at')
$function$;

CREATE OR REPLACE FUNCTION public.may_purge()
 RETURNS boolean
 LANGUAGE sql
AS $function$ SELECT pg_try_advisory_xact_lock(72707370) $function$;

CREATE OR REPLACE FUNCTION public.name_parts(p_name text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
DECLARE
    small text := lower(p_name);
    parts text[] := '{}';
BEGIN
    FOR place IN 1 .. length(small) - 2 LOOP
        parts[place] := substr(small, place, 3);
    END LOOP;
    RETURN parts;
END $function$;

CREATE OR REPLACE FUNCTION public.nudge_jobs(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    stuck uuid[];
    waiting text;
    n int := 0;
BEGIN
    SELECT array_agg(id) INTO stuck FROM (
        SELECT j.id FROM job j JOIN offer o ON o.id = j.id
        WHERE j.ended_at IS NULL AND coalesce(j.nudged_at, '-infinity') < clock_timestamp() - interval '5 s'
          AND o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') AND j.lease_until < clock_timestamp()
        ORDER BY j.created_at LIMIT p_limit FOR UPDATE OF j SKIP LOCKED) AS due;
    IF stuck IS NOT NULL THEN
        UPDATE job SET nudged_at = clock_timestamp() WHERE id = ANY (stuck);
        PERFORM send_to_executor('execute', id, clock_timestamp()) FROM unnest(stuck) AS id;
    END IF;
    FOR waiting IN
        SELECT DISTINCT o.destination_id FROM offer o JOIN job j ON j.id = o.id
        WHERE o.state IN ('ACCEPTED', 'WAITING') AND is_waiting(o.state, j.start_mode)
          AND greatest(o.starts_at, o.decided_at) < clock_timestamp() - interval '5 s'
          AND NOT EXISTS (SELECT 1 FROM graphile_worker.jobs m WHERE m.key = 'look:' || o.destination_id AND m.attempts < m.max_attempts)
    LOOP
        PERFORM look_at_destination(waiting, clock_timestamp());
        n := n + 1;
    END LOOP;
    RETURN coalesce(cardinality(stuck), 0) + n;
END $function$;

CREATE OR REPLACE FUNCTION public.orphans(p_homes text[], p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
    SELECT id FROM job WHERE ended_at IS NULL AND lease_until < clock_timestamp() AND host = ANY (p_homes) ORDER BY lease_until LIMIT p_limit
$function$;

CREATE OR REPLACE FUNCTION public.peak_stored(p_store text, p_from timestamp with time zone, p_until timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
AS $function$
    WITH moment AS MATERIALIZED (SELECT clock_timestamp() AS now), taken AS MATERIALIZED (
        SELECT r.size_mib, greatest(r.starts_at, p_from) AS begins, stored_until(r.state, r.ends_at, m.now) AS ends
        FROM moment m, storage_reservation r
        WHERE r.store = p_store AND r.state IN ('HELD', 'FIRM') AND r.starts_at < p_until
          AND (r.ends_at > p_from OR stored_until(r.state, r.ends_at, m.now) > p_from)
    ), changes AS (
        SELECT begins AS at, size_mib FROM taken
        UNION ALL
        SELECT ends, -size_mib FROM taken WHERE ends < p_until
    ), totals AS (
        SELECT sum(size_mib) OVER (ORDER BY at) AS size_mib FROM changes
    )
    SELECT coalesce(max(size_mib), 0)::bigint FROM totals
$function$;

CREATE OR REPLACE FUNCTION public.peak_use(p_destination text, p_window tstzrange, p_gpu_type text, p_but_offer uuid)
 RETURNS TABLE(cores bigint, memory_mib bigint, scratch_mib bigint, gpus bigint)
 LANGUAGE sql
 STABLE
AS $function$
    WITH taken AS MATERIALIZED (
        SELECT r.cores, r.memory_mib, r.scratch_mib, CASE WHEN r.gpu_type = p_gpu_type THEN r.gpus ELSE 0 END AS gpus,
               greatest(r.starts_at, lower(p_window)) AS begins, r.ends_at AS ends
        FROM reservation r
        WHERE r.destination_id = p_destination AND r.state IN ('HELD', 'FIRM')
          AND r.ends_at > lower(p_window) AND r.starts_at < upper(p_window)
          AND (p_but_offer IS NULL OR r.offer_id IS DISTINCT FROM p_but_offer)
    ), changes AS (
        SELECT begins AS at, cores, memory_mib, scratch_mib, gpus FROM taken
        UNION ALL
        SELECT ends, -cores, -memory_mib, -scratch_mib, -gpus FROM taken WHERE ends < upper(p_window)
    ), totals AS (
        SELECT sum(cores) OVER by_time AS cores, sum(memory_mib) OVER by_time AS memory_mib,
               sum(scratch_mib) OVER by_time AS scratch_mib, sum(gpus) OVER by_time AS gpus
        FROM changes WINDOW by_time AS (ORDER BY at)
    )
    SELECT coalesce(max(cores), 0)::bigint, coalesce(max(memory_mib), 0)::bigint,
           coalesce(max(scratch_mib), 0)::bigint, coalesce(max(gpus), 0)::bigint
    FROM totals
$function$;

CREATE OR REPLACE FUNCTION public.place_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    wanted text[];
    pools text[];
    roomy boolean;
    fits boolean;
    conflicts uuid[] := '{}';
    one record;
    recounted boolean := false;
BEGIN
    IF p_traces <> '[]' THEN
        INSERT INTO trace (key, steps) SELECT t.key, t.steps FROM jsonb_to_recordset(p_traces) AS t(key text, steps jsonb) ORDER BY t.key
        ON CONFLICT (key) DO UPDATE SET used_at = clock_timestamp();
    END IF;
    IF p_holds = '[]' THEN
        PERFORM write_answers(p_asks, p_offers, p_holds);
        RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', '[]'::jsonb, 'live', '[]'::jsonb);
    END IF;
    WITH needed AS MATERIALIZED (
        SELECT h.destination AS id, sum(h.cores) AS cores, sum(h.memory) AS memory, sum(h.scratch) AS scratch, sum(h.gpus) AS gpus
        FROM jsonb_to_recordset(p_holds) AS h(destination text, cores bigint, memory bigint, scratch bigint, gpus bigint) GROUP BY 1),
    locked AS MATERIALIZED (
        SELECT id, open, cores - live_cores AS cores, memory_mib - live_memory_mib AS memory, scratch_mib - live_scratch_mib AS scratch
        FROM destination WHERE id = ANY (ARRAY(SELECT id FROM needed)) ORDER BY id FOR NO KEY UPDATE)
    SELECT array_agg(n.id),
           bool_and(coalesce(l.open AND n.gpus = 0 AND n.cores <= l.cores AND n.memory <= l.memory AND n.scratch <= l.scratch, false))
    INTO wanted, roomy FROM needed n LEFT JOIN locked l ON l.id = n.id;
    roomy := roomy AND clock_timestamp() BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds';
    IF roomy THEN roomy := take_results(p_holds); END IF;
    IF roomy THEN
        PERFORM write_answers(p_asks, p_offers, p_holds);
    ELSE
        pools := ARRAY(SELECT DISTINCT h ->> 'pool' FROM jsonb_array_elements(p_holds) h);
        PERFORM 1 FROM result_pool WHERE name = ANY (pools) ORDER BY name FOR NO KEY UPDATE;
        PERFORM lapse_due(wanted, 1000);
        PERFORM keep_claims(w) FROM unnest(wanted) AS w;
        PERFORM recount_live(wanted);
        PERFORM 1 FROM stored WHERE owner IN (SELECT a ->> 'owner' FROM jsonb_array_elements(p_asks) a) ORDER BY owner FOR NO KEY UPDATE;
        FOR one IN
            SELECT (a ->> 'id')::uuid AS id, jsonb_build_array(a) AS asks,
                   coalesce((SELECT jsonb_agg(o) FROM jsonb_array_elements(p_offers) o WHERE o -> 'ask' = a -> 'id'), '[]') AS offers,
                   coalesce((SELECT jsonb_agg(h) FROM jsonb_array_elements(p_holds) h WHERE h -> 'ask' = a -> 'id'), '[]') AS holds
            FROM jsonb_array_elements(p_asks) WITH ORDINALITY AS list(a, n) ORDER BY n
        LOOP
            fits := one.holds = '[]' OR (clock_timestamp() BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds' AND holds_fit(one.holds));
            IF fits THEN
                fits := take_results(one.holds);
                IF NOT fits AND NOT recounted THEN
                    PERFORM lapse_due(NULL, 1000);
                    PERFORM recount_results(pools);
                    recounted := true;
                    fits := take_results(one.holds);
                END IF;
            END IF;
            IF fits THEN
                PERFORM write_answers(one.asks, one.offers, one.holds);
            ELSE
                conflicts := conflicts || one.id;
            END IF;
        END LOOP;
    END IF;
    RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', to_jsonb(conflicts), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', d.id, 'cores', d.live_cores, 'memory', d.live_memory_mib, 'scratch', d.live_scratch_mib, 'results', p.live_mib))
        FROM destination d LEFT JOIN result_pool p ON p.name = d.result_pool WHERE d.id = ANY (wanted)), '[]'::jsonb));
END $function$;

CREATE OR REPLACE FUNCTION public.place_guarded_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    given jsonb := p_asks;
    verdicts jsonb := '{}';
    usage jsonb := '{}';
    shares jsonb := '{}';
    conflicts jsonb;
    undecided jsonb := '[]';
    one record;
    scope jsonb;
    has jsonb;
    excesses jsonb;
    share numeric;
    works jsonb := '{}';
    part record;
    place text;
    placed jsonb;
    pooled boolean := false;
BEGIN
    FOR one IN SELECT a.id, a.owner, a.guard -> 'key' AS key FROM jsonb_to_recordset(p_asks) AS a(id uuid, owner text, guard jsonb)
               WHERE a.guard ? 'key' ORDER BY a.owner, a.guard -> 'key' ->> 'key' LOOP
        has := claim_key(one.owner, one.key ->> 'key', one.key ->> 'route', one.key ->> 'bodyHash', one.id);
        IF has IS NOT NULL THEN verdicts := verdicts || jsonb_build_object(one.id, has); END IF;
    END LOOP;
    FOR one IN SELECT DISTINCT hashtext(s.scope) AS lock FROM jsonb_to_recordset(p_asks) AS a(owner text, guard jsonb), LATERAL (
                   SELECT q ->> 'scope' AS scope FROM jsonb_array_elements(coalesce(a.guard -> 'scopes', '[]')) q
                   -- One for all pools of an owner: locks are few, and pools may be many.
                   UNION ALL SELECT 'pools|' || (a.guard ->> 'person') WHERE jsonb_array_length(coalesce(a.guard -> 'pools', '[]')) > 0) s
               ORDER BY 1 LOOP
        PERFORM pg_advisory_xact_lock(72707370, one.lock);
    END LOOP;
    IF NOT EXISTS (SELECT FROM jsonb_array_elements(p_asks) a WHERE a #> '{guard,scopes}' <> '[]') AND EXISTS (SELECT FROM jsonb_array_elements(p_asks) a WHERE a #> '{guard,pools}' <> '[]') THEN
        pooled := take_pools((SELECT coalesce(jsonb_agg(a), '[]') FROM jsonb_array_elements(p_asks) a WHERE a #> '{guard,pools}' <> '[]' AND NOT verdicts ? (a ->> 'id')));
    END IF;
    FOR one IN
        SELECT a ->> 'id' AS id, a -> 'guard' ->> 'person' AS person, coalesce(a -> 'guard' -> 'scopes', '[]') AS scopes, coalesce(a -> 'guard' -> 'pools', '[]') AS pools,
               m.cores, m.memory, m.gpu_s, m.results
        FROM jsonb_array_elements(p_asks) WITH ORDINALITY AS list(a, n)
        JOIN (SELECT o.ask, max(o.cores) AS cores, max(o.memory) AS memory, max(o.gpus * (o."prepareS" + o."startWindowS" + o."durationS" + o."releaseS")) AS gpu_s, max(coalesce(o.results, 0)) AS results
              FROM jsonb_to_recordset(p_offers) AS o(ask text, cores bigint, memory bigint, gpus bigint, results bigint, "prepareS" bigint, "startWindowS" bigint, "durationS" bigint, "releaseS" bigint)
              GROUP BY 1) AS m ON m.ask = a ->> 'id'
        WHERE NOT pooled AND (coalesce(a -> 'guard' -> 'scopes', '[]') <> '[]' OR coalesce(a -> 'guard' -> 'pools', '[]') <> '[]') ORDER BY n
    LOOP
        CONTINUE WHEN verdicts ? one.id;
        excesses := '[]';
        share := 1;
        FOR scope IN SELECT jsonb_array_elements(one.scopes) LOOP
            IF scope ? 'shareS' THEN
                FOR part IN SELECT * FROM work_asked(p_offers, one.id) LOOP
                    place := (scope ->> 'scope') || '|' || part.destination;
                    IF NOT works ? place THEN
                        -- Of the same owner and in the same batch there may be some that needed no look.
                        works := works || jsonb_build_object(place, work_used(scope ->> 'scope', scope ? 'byOwner', part.destination) + coalesce((
                            SELECT sum(w.work) FROM jsonb_to_recordset(p_asks) AS a(id text, owner text, guard jsonb), work_asked(p_offers, a.id) w
                            WHERE scope ? 'byOwner' AND a.owner = scope ->> 'scope' AND w.destination = part.destination
                              AND coalesce(jsonb_array_length(a.guard -> 'scopes'), 0) = 0), 0));
                    END IF;
                    IF (works ->> place)::float8 + part.work > (scope ->> 'shareS')::float8 + 0.001 THEN
                        excesses := excesses || jsonb_build_object('scope', scope -> 'scope', 'what', 'share', 'used', works -> place, 'asked', part.work,
                            'limit', scope -> 'shareS', 'destination', part.destination);
                    END IF;
                END LOOP;
            END IF;
            CONTINUE WHEN scope ? 'shareOnly';
            has := usage -> (scope ->> 'scope');
            IF has IS NULL THEN
                SELECT to_jsonb(u) INTO has
                FROM quota_usage(scope ->> 'scope', make_interval(secs => coalesce((scope ->> 'windowS')::int, 0)), scope ? 'results') u;
                usage := usage || jsonb_build_object(scope ->> 'scope', has);
            END IF;
            excesses := excesses || quota_excesses(scope, has, one.cores, one.memory, one.gpu_s, one.results);
            IF (scope ->> 'holds')::bigint > 0 THEN
                share := least(share, ((scope ->> 'holds')::numeric - (has ->> 'holds')::bigint) / (scope ->> 'holds')::numeric);
            END IF;
        END LOOP;
        IF excesses <> '[]' THEN
            verdicts := verdicts || jsonb_build_object(one.id, jsonb_build_object('kind', 'over', 'excesses', excesses));
            CONTINUE;
        END IF;
        IF one.pools <> '[]' THEN
            has := admit_to_pools(one.id::uuid, one.person, one.pools);
            IF has <> '[]' THEN
                verdicts := verdicts || jsonb_build_object(one.id, jsonb_build_object('kind', 'full', 'pools', has));
                CONTINUE;
            END IF;
        END IF;
        IF share < 1 THEN shares := shares || jsonb_build_object(one.id, share); END IF;
        FOR scope IN SELECT jsonb_array_elements(one.scopes) LOOP
            IF scope ? 'shareS' THEN
                SELECT works || coalesce(jsonb_object_agg(w.place, (works ->> w.place)::float8 + w.work), '{}') INTO works
                FROM (SELECT (scope ->> 'scope') || '|' || a.destination AS place, a.work FROM work_asked(p_offers, one.id) a) w;
            END IF;
            CONTINUE WHEN scope ? 'shareOnly';
            has := usage -> (scope ->> 'scope');
            usage := usage || jsonb_build_object(scope ->> 'scope', has || jsonb_build_object('holds', (has ->> 'holds')::bigint + 1,
                'cores', (has ->> 'cores')::bigint + one.cores, 'memory', (has ->> 'memory')::bigint + one.memory, 'gpu_s', (has ->> 'gpu_s')::bigint + one.gpu_s,
                'results', (has ->> 'results')::bigint + one.results));
        END LOOP;
    END LOOP;
    IF verdicts <> '{}' THEN
        p_asks := coalesce((SELECT jsonb_agg(a) FROM jsonb_array_elements(p_asks) a WHERE NOT verdicts ? (a ->> 'id')), '[]');
        p_offers := coalesce((SELECT jsonb_agg(o) FROM jsonb_array_elements(p_offers) o WHERE NOT verdicts ? (o ->> 'ask')), '[]');
        p_holds := coalesce((SELECT jsonb_agg(h) FROM jsonb_array_elements(p_holds) h WHERE NOT verdicts ? (h ->> 'ask')), '[]');
    END IF;
    IF shares <> '{}' THEN
        p_offers := shorten(p_offers, shares);
        p_holds := shorten(p_holds, shares);
    END IF;
    placed := place_answers(p_now, p_traces, p_asks, p_offers, p_holds);
    conflicts := placed -> 'conflicts';
    INSERT INTO quota_use (scope, ask_id)
    SELECT s ->> 'scope', a.id FROM jsonb_to_recordset(p_asks) AS a(id uuid, result text, guard jsonb), jsonb_array_elements(coalesce(a.guard -> 'scopes', '[]')) s
    WHERE a.result = 'YES' AND NOT s ? 'shareOnly' AND NOT conflicts ? a.id::text;
    -- What found no room was counted for those behind it, so that they may have been refused without need: they come again.
    IF conflicts <> '[]' THEN
        conflicts := conflicts || coalesce((SELECT jsonb_agg(v.key) FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' IN ('over', 'full')), '[]');
        DELETE FROM resource_pool_use WHERE ask_id IN (SELECT u::uuid FROM jsonb_array_elements_text(conflicts) u);
    END IF;
    -- Not decided yet: the planner comes again with the same key.
    SELECT coalesce(jsonb_agg(v.key), '[]') INTO undecided FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' IN ('over', 'full');
    DELETE FROM idempotency WHERE ask_id IN (SELECT u::uuid FROM jsonb_array_elements_text(undecided || conflicts) u)
      AND (owner, key) IN (SELECT a.owner, a.guard -> 'key' ->> 'key' FROM jsonb_to_recordset(given) AS a(owner text, guard jsonb));
    -- The same key twice in one batch, and the first came to no decision: the second is as undecided.
    conflicts := conflicts || coalesce((SELECT jsonb_agg(v.key) FROM jsonb_each(verdicts) v WHERE v.value ->> 'kind' = 'replay'
        AND NOT EXISTS (SELECT 1 FROM ask WHERE id = (v.value ->> 'ask')::uuid)), '[]');
    SELECT coalesce(jsonb_object_agg(v.key, v.value), '{}') INTO verdicts FROM jsonb_each(verdicts) v WHERE NOT conflicts ? v.key;
    RETURN placed || jsonb_build_object('conflicts', conflicts, 'verdicts', verdicts || coalesce((
        SELECT jsonb_object_agg(t.ask, jsonb_build_object('kind', 'placed', 'expires', t.expires))
        FROM (SELECT o ->> 'ask' AS ask, jsonb_object_agg(o ->> 'id', o -> 'expiresAt') AS expires FROM jsonb_array_elements(p_offers) o
              WHERE shares ? (o ->> 'ask') AND NOT conflicts ? (o ->> 'ask') GROUP BY 1) t), '{}'));
END $function$;

CREATE OR REPLACE FUNCTION public.place_storing_answer(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb, p_stored jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.pool_ends(p_ask uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN max(e.at) > clock_timestamp() THEN max(e.at) END
    FROM (SELECT CASE WHEN o.state = 'OFFERED' THEN o.starts_at + make_interval(secs => o.start_window_s + o.duration_s + o.release_s)
                      ELSE (SELECT max(r.ends_at) FROM reservation r WHERE r.offer_id = o.id AND r.state = 'FIRM') END AS at
          FROM offer o WHERE o.ask_id = p_ask AND o.state IN ('OFFERED', 'ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')) e
$function$;

CREATE OR REPLACE FUNCTION public.pool_fits(p_claim jsonb, p_cores double precision, p_mem_gb double precision, p_gpus double precision, p_oversize bigint)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT CASE
        WHEN (p_claim ->> 'oversize')::boolean THEN p_oversize < (p_claim ->> 'mostOversize')::float8
            AND NOT ((p_claim ->> 'reserve')::boolean AND (p_cores <> 0 OR p_mem_gb <> 0 OR p_gpus <> 0))
        ELSE NOT ((p_claim ->> 'reserve')::boolean AND p_oversize > 0)
            AND coalesce(p_cores + (p_claim #>> '{request,cores}')::float8 <= (p_claim #>> '{budget,cores}')::float8, true)
            AND coalesce(p_mem_gb + (p_claim #>> '{request,mem}')::float8 <= (p_claim #>> '{budget,mem}')::float8, true)
            AND coalesce(p_gpus + (p_claim #>> '{request,gpus}')::float8 <= (p_claim #>> '{budget,gpus}')::float8, true)
        END
$function$;

CREATE OR REPLACE FUNCTION public.pool_holders(p_pool text, p_owner text)
 RETURNS SETOF resource_pool_use
 LANGUAGE sql
 STABLE
AS $function$
    SELECT * FROM resource_pool_use u WHERE (p_pool IS NULL OR u.pool = p_pool) AND (p_owner IS NULL OR u.owner = p_owner) AND is_alive(u.ask_id)
$function$;

CREATE OR REPLACE FUNCTION public.purge_findings(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.purge_keys(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    gone int;
    owners text[];
    bytes bigint[];
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    WITH removed AS (DELETE FROM idempotency WHERE (owner, key) IN (SELECT owner, key FROM idempotency
        WHERE created_at < transaction_timestamp() - interval '24 hours' ORDER BY created_at LIMIT p_limit FOR UPDATE SKIP LOCKED) RETURNING owner, ask_id)
    SELECT count(*), array_agg(r.owner), array_agg(CASE WHEN r.ask_id IS NULL THEN -key_bytes() ELSE 0 END) INTO gone, owners, bytes FROM removed r;
    PERFORM add_stored(owners, bytes);
    PERFORM count_purged('keys', gone);
    RETURN gone;
END $function$;

CREATE OR REPLACE FUNCTION public.purge_names(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    DELETE FROM identity WHERE owner IN (SELECT i.owner FROM identity i
        WHERE i.seen_at < (SELECT clock_timestamp() - make_interval(secs => jobs_s) FROM record_terms)
          AND NOT EXISTS (SELECT 1 FROM job j WHERE j.owner = i.owner) LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('names', gone);
    DELETE FROM stored WHERE bytes = 0;
    RETURN gone;
END $function$;

CREATE OR REPLACE FUNCTION public.purge_offers(p_after timestamp with time zone, p_last text, p_limit integer, OUT looked integer, OUT gone integer, OUT after text, OUT last text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
    at timestamptz := clock_timestamp();
    due timestamptz;
    owners text[];
    bytes bigint[];
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
    WITH removed AS (DELETE FROM ask WHERE id = ANY (old) RETURNING ask.owner, ask.bytes)
    SELECT count(*), array_agg(r.owner), array_agg(-r.bytes::bigint) INTO gone, owners, bytes FROM removed r;
    PERFORM add_stored(owners, bytes);
    PERFORM count_purged('offers', gone);
END $function$;

CREATE OR REPLACE FUNCTION public.purge_refusals(p_after timestamp with time zone, p_last text, p_limit integer, OUT looked integer, OUT gone integer, OUT after text, OUT last text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
    owners text[];
    bytes bigint[];
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
    WITH removed AS (DELETE FROM ask WHERE id = ANY (ids) RETURNING ask.owner, ask.bytes)
    SELECT count(*), array_agg(r.owner), array_agg(-r.bytes::bigint) INTO gone, owners, bytes FROM removed r;
    PERFORM add_stored(owners, bytes);
    PERFORM count_purged('refusals', gone);
END $function$;

CREATE OR REPLACE FUNCTION public.purge_sign_ins(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    DELETE FROM sign_in WHERE id IN (
        SELECT id FROM sign_in WHERE until < clock_timestamp() ORDER BY until LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('sign_ins', gone);
    RETURN gone;
END $function$;

CREATE OR REPLACE FUNCTION public.purge_storage(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.purge_traces(p_after timestamp with time zone, p_last text, p_limit integer, OUT looked integer, OUT gone integer, OUT after text, OUT last text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.put_back_job(p_job uuid, p_executor text, p_attempt integer, p_after interval)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    aborted timestamptz;
BEGIN
    PERFORM 1 FROM offer WHERE id = p_job AND state = 'PREPARING' FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE job SET executor = NULL, host = NULL, lease_until = clock_timestamp() + p_after
    WHERE id = p_job AND executor = p_executor AND attempt = p_attempt AND ended_at IS NULL RETURNING abort_at INTO aborted;
    IF NOT FOUND THEN RETURN false; END IF;
    -- It has not begun after all: what begin_next added for a late begin.
    UPDATE job j SET destruction_at = j.destruction_at - (r.starts_at - greatest(o.starts_at, o.decided_at))
    FROM offer o JOIN reservation r ON r.offer_id = o.id AND r.state = 'FIRM' WHERE j.id = p_job AND o.id = p_job AND j.claim_at IS NOT NULL;
    IF aborted IS NOT NULL THEN
        RETURN end_job(p_job, 'CANCELLED', '{"code":"aborted","type":"fatal","message":"stopped on request before it began"}');
    END IF;
    UPDATE offer SET state = 'WAITING' WHERE id = p_job;
    PERFORM look_at_destination((SELECT destination_id FROM offer WHERE id = p_job), clock_timestamp() + p_after);
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.queue_position(p_job uuid, p_farthest integer)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    o offer%ROWTYPE;
    now timestamptz := clock_timestamp();
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job;
    IF o.starts_at <= now THEN
        RETURN (SELECT 1 + count(*) FROM (
            SELECT FROM offer q JOIN job w ON w.id = q.id
            WHERE q.destination_id = o.destination_id AND q.state IN ('ACCEPTED', 'WAITING') AND is_waiting(q.state, w.start_mode)
              AND q.starts_at <= now AND (q.decided_at, q.id) < (o.decided_at, o.id)
            -- The order of the index offer_accepted.
            ORDER BY q.decided_at, q.id LIMIT p_farthest) AS before);
    END IF;
    RETURN (SELECT 1 + count(*) FROM (
        SELECT FROM offer q JOIN job w ON w.id = q.id
        WHERE q.destination_id = o.destination_id AND q.state IN ('ACCEPTED', 'WAITING') AND is_waiting(q.state, w.start_mode)
          AND q.starts_at <= o.starts_at AND (q.starts_at, q.decided_at, q.id) < (o.starts_at, o.decided_at, o.id)
        -- The order of the index offer_queue, but for those that start in the same instant.
        ORDER BY q.starts_at LIMIT p_farthest) AS before);
END $function$;

CREATE OR REPLACE FUNCTION public.quota_excesses(p_scope jsonb, p_used jsonb, p_cores bigint, p_memory bigint, p_gpu_s bigint, p_results bigint)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT coalesce(jsonb_agg(jsonb_build_object('scope', p_scope -> 'scope', 'what', x.what, 'used', x.used, 'asked', x.asked, 'limit', x.most)), '[]')
    FROM (VALUES
        ('holds', (p_used ->> 'holds')::bigint, 1::bigint, (p_scope ->> 'holds')::bigint),
        ('jobs', (p_used ->> 'holds')::bigint + (p_used ->> 'jobs')::bigint, 1, (p_scope ->> 'jobs')::bigint),
        ('cores', (p_used ->> 'cores')::bigint, p_cores, (p_scope ->> 'cores')::bigint),
        ('memory', (p_used ->> 'memory')::bigint, p_memory, (p_scope ->> 'memory')::bigint),
        ('gpu-hours', (p_used ->> 'gpu_s')::bigint, p_gpu_s, (p_scope ->> 'gpuS')::bigint),
        ('results', (p_used ->> 'results')::bigint, p_results, (p_scope ->> 'results')::bigint)) AS x(what, used, asked, most)
    WHERE x.used + x.asked > x.most AND x.asked > 0
$function$;

CREATE OR REPLACE FUNCTION public.quota_usage(p_scope text, p_window interval, p_results boolean)
 RETURNS TABLE(holds bigint, jobs bigint, cores bigint, memory bigint, gpu_s bigint, results bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    WITH offers AS MATERIALIZED (
        SELECT o.ask_id, o.id, o.cores, o.memory_mib, o.gpus * (o.prepare_s + o.start_window_s + o.duration_s + o.release_s)::bigint AS gpu_s,
               o.state = 'OFFERED' AND o.expires_at > at AS open, o.state = 'OFFERED' AS undecided,
               o.state IN ('ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') AS job,
               o.results_mib, CASE WHEN p_results THEN (SELECT w.bytes FROM result_use w WHERE w.job_id = o.id) END AS kept
        FROM quota_use u JOIN offer o ON o.ask_id = u.ask_id WHERE u.scope = p_scope
    ), gpu AS MATERIALIZED (
        SELECT r.ask_id, sum(r.gpus * extract(epoch FROM r.ends_at - greatest(r.starts_at, at - p_window)))::bigint AS s
        FROM quota_use u JOIN reservation r ON r.ask_id = u.ask_id
        WHERE u.scope = p_scope AND r.offer_id IS NOT NULL AND r.gpus > 0 AND r.state IN ('FIRM', 'RELEASED') AND r.ends_at > at - p_window
        GROUP BY 1
    ), answers AS MATERIALIZED (
        SELECT u.ask_id, coalesce(bool_or(o.open), false) AS open, coalesce(bool_or(o.undecided), false) AS undecided,
               coalesce(bool_or(o.job), false) AS job,
               max(o.cores) FILTER (WHERE o.open OR o.job) AS cores, max(o.memory_mib) FILTER (WHERE o.open OR o.job) AS memory,
               max(o.gpu_s) FILTER (WHERE o.open) AS gpu_s,
               max(o.results_mib) FILTER (WHERE o.open) AS results, sum(o.kept) AS kept
        FROM quota_use u LEFT JOIN offers o ON o.ask_id = u.ask_id WHERE u.scope = p_scope GROUP BY 1
    -- Who accepts an offer right now may have done so in time: it is forgotten once it counts as expired in the book.
    ), forgotten AS (
        DELETE FROM quota_use WHERE scope = p_scope
          AND ask_id IN (SELECT ask_id FROM answers WHERE NOT undecided AND NOT job AND kept IS NULL) AND ask_id NOT IN (SELECT ask_id FROM gpu)
    )
    SELECT count(*) FILTER (WHERE a.open), count(*) FILTER (WHERE a.job), coalesce(sum(a.cores), 0)::bigint,
           coalesce(sum(a.memory), 0)::bigint, (coalesce(sum(a.gpu_s), 0) + coalesce((SELECT sum(s) FROM gpu), 0))::bigint,
           (coalesce(sum(a.results), 0) + ceil(coalesce(sum(a.kept), 0) / 1048576))::bigint
    FROM answers a;
END $function$;

CREATE OR REPLACE FUNCTION public.read_book(p_destinations text[], p_until interval)
 RETURNS jsonb
 LANGUAGE sql
AS $function$
    WITH moment AS (SELECT clock_timestamp() AS now),
    taken AS (
        SELECT r.destination_id, greatest(r.starts_at, m.now) AS starts_at,
               CASE WHEN r.ends_at < m.now + interval '10 minutes'
                   THEN date_bin('1 second', r.ends_at + interval '0.999999 s', 'epoch')
                   ELSE date_bin('1 minute', least(r.ends_at, m.now + p_until) + interval '59.999999 s', 'epoch')
               END AS ends_at,
               r.gpu_type, sum(r.cores) AS cores, sum(r.memory_mib) AS memory_mib, sum(r.scratch_mib) AS scratch_mib, sum(r.gpus) AS gpus
        FROM moment m, reservation r
        WHERE r.destination_id = ANY (p_destinations)
          AND (r.state = 'FIRM' OR (r.state = 'HELD' AND r.expires_at > m.now))
          AND r.ends_at > m.now AND r.starts_at < m.now + p_until
        GROUP BY 1, 2, 3, 4)
    SELECT jsonb_build_object('now', m.now, 'reservations', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'destination', t.destination_id, 'startsAt', t.starts_at, 'endsAt', t.ends_at, 'cores', t.cores,
            'memory', t.memory_mib, 'scratch', t.scratch_mib, 'gpuType', t.gpu_type, 'gpus', t.gpus))
        FROM taken t), '[]'::jsonb))
    FROM moment m
$function$;

CREATE OR REPLACE FUNCTION public.read_jobs(p_jobs uuid[], p_longest integer, p_farthest integer)
 RETURNS TABLE(id uuid, owner text, "ownerName" text, "runId" text, "createdAt" timestamp with time zone, "startedAt" timestamp with time zone, "endedAt" timestamp with time zone, "executionS" integer, "destructionAt" timestamp with time zone, archived boolean, "startMode" text, error jsonb, state text, destination text, runner text, "startsAt" timestamp with time zone, "claimAt" timestamp with time zone, now timestamp with time zone, results jsonb, parameters jsonb, "queuePosition" integer, usage jsonb, version text)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
    at timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
    SELECT j.id, j.owner, i.name, j.run_id, j.created_at, j.started_at, j.ended_at,
           j.execution_s, j.destruction_at, j.archived_at IS NOT NULL, j.start_mode::text, j.error,
           shown_state(o.state, j.unknown_since), o.destination_id, o.runner, o.starts_at,
           CASE WHEN is_waiting(o.state, j.start_mode) THEN j.claim_at END, at,
           coalesce((SELECT jsonb_agg(jsonb_build_object('id', r.id, 'path', r.path, 'mimeType', r.mime_type, 'size', r.size) ORDER BY r.place)
                     FROM job_result r WHERE r.job_id = j.id), '[]'),
           coalesce((SELECT jsonb_agg(jsonb_build_object('name', p.name, 'text', CASE
                                WHEN p.media_type IS NULL AND octet_length(p.content) <= p_longest THEN convert_from(p.content, 'UTF8') END) ORDER BY p.name)
                     FROM job_parameter p WHERE p.job_id = j.id), '[]'),
           queue.place, j.usage,
           job_version(j.xmin, o.xmin, i.xmin, queue.place, coalesce(j.started_at, greatest(o.starts_at, j.created_at, j.claim_at)) + make_interval(secs => j.execution_s), at)
    FROM unnest(p_jobs) AS wanted (job)
    CROSS JOIN LATERAL (SELECT xmin, * FROM job WHERE id = wanted.job OFFSET 0) AS j
    CROSS JOIN LATERAL (SELECT xmin, * FROM offer WHERE id = j.id OFFSET 0) AS o
    LEFT JOIN LATERAL (SELECT xmin, name FROM identity WHERE owner = j.owner OFFSET 0) AS i ON true
    CROSS JOIN LATERAL (SELECT CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO'
                                    THEN queue_position(j.id, p_farthest) END AS place OFFSET 0) AS queue
    WHERE j.destroyed_at IS NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.read_outlook(p_destinations text[])
 RETURNS jsonb
 LANGUAGE sql
AS $function$
    SELECT jsonb_build_object('now', clock_timestamp(), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', d.id, 'cores', d.live_cores, 'memory', d.live_memory_mib, 'scratch', d.live_scratch_mib, 'results', p.live_mib))
        FROM destination d LEFT JOIN result_pool p ON p.name = d.result_pool WHERE p_destinations IS NULL OR d.id = ANY (p_destinations)), '[]'::jsonb))
$function$;

CREATE OR REPLACE FUNCTION public.read_stores(p_size bigint)
 RETURNS TABLE(store text, starts_at timestamp with time zone, ends_at timestamp with time zone, size_mib bigint)
 LANGUAGE sql
AS $function$
    WITH moment AS MATERIALIZED (SELECT clock_timestamp() AS now), live AS MATERIALIZED (
        SELECT r.store, sum(r.size_mib)::bigint AS size_mib, sum(r.size_mib) + p_size <= t.size_mib AS roomy
        FROM storage_reservation r JOIN store t ON t.name = r.store WHERE r.state IN ('HELD', 'FIRM') GROUP BY r.store, t.size_mib
    )
    SELECT l.store, m.now, 'infinity'::timestamptz, l.size_mib FROM moment m, live l WHERE l.roomy
    UNION ALL
    SELECT r.store, greatest(r.starts_at, m.now),
           date_bin('1 hour', stored_until(r.state, r.ends_at, m.now) + interval '59 minutes 59.999999 seconds', 'epoch'), sum(r.size_mib)::bigint
    FROM moment m, storage_reservation r
    WHERE r.state IN ('HELD', 'FIRM') AND (r.state = 'FIRM' OR r.ends_at > m.now) AND r.store IN (SELECT l.store FROM live l WHERE NOT l.roomy)
    GROUP BY 1, 2, 3
$function$;

CREATE OR REPLACE FUNCTION public.recount_live(p_destinations text[])
 RETURNS void
 LANGUAGE sql
AS $function$
    UPDATE destination d SET live_cores = s.cores, live_memory_mib = s.memory_mib, live_scratch_mib = s.scratch_mib
    FROM (SELECT named.id, coalesce(sum(r.cores), 0) AS cores, coalesce(sum(r.memory_mib), 0) AS memory_mib,
                 coalesce(sum(r.scratch_mib), 0) AS scratch_mib
          FROM unnest(p_destinations) AS named(id)
          LEFT JOIN reservation r ON r.destination_id = named.id AND r.state IN ('HELD', 'FIRM')
          GROUP BY named.id) AS s
    WHERE d.id = s.id
$function$;

CREATE OR REPLACE FUNCTION public.recount_results(p_pools text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM 1 FROM result_pool WHERE name = ANY (p_pools) ORDER BY name FOR NO KEY UPDATE;
    UPDATE result_pool p SET live_mib = u.held + u.kept FROM unnest(p_pools) AS named(name) CROSS JOIN LATERAL results_used(named.name, true) u
    WHERE p.name = named.name;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_oversell(p_destination text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    PERFORM nextval('oversell_refusal');
    RAISE EXCEPTION 'more would be reserved at % than there is', p_destination USING ERRCODE = 'check_violation';
END $function$;

CREATE OR REPLACE FUNCTION public.reject_offer(p_offer uuid, p_owner text)
 RETURNS TABLE(verdict text, state session_state)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
    o offer%ROWTYPE;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_offer AND owner = p_owner;
    IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', NULL::session_state; RETURN; END IF;
    PERFORM 1 FROM ask WHERE id = o.ask_id FOR UPDATE;
    UPDATE offer SET state = 'REJECTED', decided_at = clock_timestamp()
    WHERE id = p_offer AND state = 'OFFERED' AND expires_at > clock_timestamp();
    IF NOT FOUND THEN
        SELECT * INTO o FROM offer WHERE id = p_offer;
        RETURN QUERY SELECT CASE o.state WHEN 'REJECTED' THEN 'again' WHEN 'OFFERED' THEN 'expired' WHEN 'EXPIRED' THEN 'expired'
                            ELSE 'illegal' END, o.state;
        RETURN;
    END IF;
    UPDATE reservation r SET
        state = CASE WHEN rest.n = 0 THEN 'RELEASED'::reservation_state ELSE r.state END,
        cores = coalesce(rest.cores, r.cores), memory_mib = coalesce(rest.memory_mib, r.memory_mib),
        scratch_mib = coalesce(rest.scratch_mib, r.scratch_mib), gpus = coalesce(rest.gpus, r.gpus)
    FROM (SELECT held.id, count(s.id) AS n, max(s.cores) AS cores, max(s.memory_mib) AS memory_mib,
                 max(s.scratch_mib) AS scratch_mib, max(s.gpus) AS gpus
          FROM reservation held LEFT JOIN offer s
            ON s.ask_id = held.ask_id AND s.state = 'OFFERED' AND s.destination_id = held.destination_id
           AND s.gpu_type IS NOT DISTINCT FROM held.gpu_type
           AND tstzrange(s.starts_at - make_interval(secs => s.prepare_s),
                         greatest(s.expires_at + make_interval(secs => s.prepare_s), s.starts_at)
                         + make_interval(secs => s.start_window_s + s.duration_s + s.release_s)) && tstzrange(held.starts_at, held.ends_at)
          WHERE held.ask_id = o.ask_id AND held.state = 'HELD' GROUP BY held.id) AS rest
    WHERE r.id = rest.id;
    RETURN QUERY SELECT 'rejected', 'REJECTED'::session_state;
END $function$;

CREATE OR REPLACE FUNCTION public.release_due_storage(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.release_reservation(p_offer uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
    UPDATE reservation SET state = 'RELEASED', ends_at = greatest(starts_at, least(ends_at, clock_timestamp()))
    WHERE offer_id = p_offer AND state = 'FIRM'
$function$;

CREATE OR REPLACE FUNCTION public.results_overhead()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT 65536::bigint $function$;

CREATE OR REPLACE FUNCTION public.results_used(p_pool text, p_lapsed boolean)
 RETURNS TABLE(held bigint, kept bigint)
 LANGUAGE sql
 STABLE
AS $function$
    WITH here AS MATERIALIZED (SELECT id FROM destination WHERE result_pool = p_pool)
    SELECT coalesce((SELECT sum(a.mib) FROM (
               SELECT max(o.results_mib) AS mib FROM offer o
               WHERE o.ask_id IN (SELECT r.ask_id FROM reservation r WHERE r.state = 'HELD' AND (p_lapsed OR r.expires_at > clock_timestamp()))
                 AND o.state = 'OFFERED' AND (p_lapsed OR o.expires_at > clock_timestamp()) AND o.destination_id IN (SELECT id FROM here)
               GROUP BY o.ask_id) a), 0)::bigint,
           coalesce((SELECT ceil(sum(u.bytes) / 1048576) FROM result_use u WHERE u.destination_id IN (SELECT id FROM here)), 0)::bigint
$function$;

CREATE OR REPLACE FUNCTION public.run_job(p_job uuid, p_queue_limit interval)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
    o offer%ROWTYPE;
    j job%ROWTYPE;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT * INTO j FROM job WHERE id = p_job;
    IF o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT' THEN
        IF j.start_before <= clock_timestamp() THEN RETURN 'late'; END IF;
        UPDATE offer SET state = 'WAITING' WHERE id = p_job;
        UPDATE job SET start_before = greatest(start_before, greatest(o.starts_at, clock_timestamp()) + p_queue_limit) WHERE id = p_job;
        PERFORM send_to_executor('execute', p_job, greatest(o.starts_at, clock_timestamp()));
        RETURN 'running';
    END IF;
    RETURN CASE WHEN o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN 'illegal' ELSE 'already' END;
END $function$;

CREATE OR REPLACE FUNCTION public.send_all_to_executor(p_task text, p_jobs uuid[], p_at timestamp with time zone[])
 RETURNS void
 LANGUAGE sql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
    SELECT graphile_worker.add_jobs(ARRAY(
        SELECT ROW (p_task, json_build_object('job', s.job), NULL, s.at, 32767, p_task || ':' || s.job, NULL, NULL)::graphile_worker.job_spec
        FROM unnest(p_jobs, p_at) AS s(job, at)))
$function$;

CREATE OR REPLACE FUNCTION public.send_to_executor(p_task text, p_job uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
    SELECT send_all_to_executor(p_task, ARRAY[p_job], ARRAY[p_at])
$function$;

CREATE OR REPLACE FUNCTION public.shorten(p_items jsonb, p_shares jsonb)
 RETURNS jsonb
 LANGUAGE sql
AS $function$
    SELECT coalesce(jsonb_agg(CASE WHEN p_shares ? (i ->> 'ask') THEN i || jsonb_build_object('expiresAt',
        least(x.expires, m.at + greatest((x.expires - m.at) * (p_shares ->> (i ->> 'ask'))::float8, interval '30 seconds')))
        ELSE i END), '[]')
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS at) m, jsonb_array_elements(p_items) i,
         LATERAL (SELECT (i ->> 'expiresAt')::timestamptz AS expires) x
$function$;

CREATE OR REPLACE FUNCTION public.shown_state(p_state session_state, p_unknown_since timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN p_unknown_since IS NOT NULL AND p_state IN ('PREPARING', 'AVAILABLE', 'RUNNING') THEN 'UNKNOWN' ELSE p_state::text END
$function$;

CREATE OR REPLACE FUNCTION public.store_accepted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.store_declined()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.store_unused()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE storage_reservation SET starts_at = least(starts_at, clock_timestamp()), ends_at = clock_timestamp()
    WHERE offer_id = NEW.id AND state = 'FIRM';
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.stored_fits(p_stored jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT s.store, s.size, s."startsAt" AS starts, s."endsAt" AS ends, t.size_mib AS has
               FROM jsonb_to_recordset(p_stored) AS s(store text, size bigint, "startsAt" timestamptz, "endsAt" timestamptz)
               LEFT JOIN store t ON t.name = s.store AND t.open LOOP
        IF one.has IS NULL THEN RETURN false; END IF;
        IF (SELECT coalesce(sum(r.size_mib), 0) FROM storage_reservation r WHERE r.store = one.store AND r.state IN ('HELD', 'FIRM')) + one.size > one.has
           AND peak_stored(one.store, one.starts, one.ends) + one.size > one.has THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.stored_until(p_state reservation_state, p_ends timestamp with time zone, p_now timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN p_state = 'FIRM' AND p_ends <= p_now THEN p_now + '1 minute'::interval ELSE p_ends END
$function$;

CREATE OR REPLACE FUNCTION public.stranded_files(p_homes text[], p_limit integer)
 RETURNS TABLE(id uuid, host text)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT j.id, j.host FROM graphile_worker.jobs m JOIN job j ON m.key = 'remove@' || j.host || ':' || j.id
    WHERE m.task_identifier LIKE 'remove@%' AND m.run_at < clock_timestamp() - interval '5 min' AND j.host <> ALL (p_homes) AND NOT starts_with(j.host, 'jobs:')
      AND j.ended_at IS NOT NULL AND coalesce(j.started_at, j.ended_at) + make_interval(secs => j.execution_s) < clock_timestamp() - interval '5 min'
      AND NOT EXISTS (SELECT FROM executor e WHERE e.host = j.host)
    ORDER BY random() LIMIT p_limit
$function$;

CREATE OR REPLACE FUNCTION public.sweep_executors()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    gone record;
    n int := 0;
BEGIN
    FOR gone IN SELECT name, workers FROM executor WHERE lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED LOOP
        n := n + unlock_messages(gone.workers);
        DELETE FROM executor WHERE name = gone.name;
    END LOOP;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.take_job(p_job uuid, p_followed boolean, p_executor text, p_host text, p_lease interval, p_shared jsonb, p_grace interval)
 RETURNS TABLE(job uuid, verdict text, destination text)
 LANGUAGE plpgsql
AS $function$
DECLARE
    at_destination text;
    s session_state;
    said text;
BEGIN
    SELECT o.destination_id, o.state INTO at_destination, s FROM offer o WHERE o.id = p_job;
    IF NOT p_followed AND s IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        said := begin_job(p_job, p_executor, p_host, p_lease, p_shared, p_grace);
        IF said NOT IN ('busy', 'over') THEN RETURN QUERY SELECT p_job, said, at_destination; RETURN; END IF;
    END IF;
    RETURN QUERY SELECT n.job, n.verdict, n.destination FROM begin_next(at_destination, p_executor, p_host, p_lease, p_shared, p_grace) n;
END $function$;

CREATE OR REPLACE FUNCTION public.take_pools(p_asks jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
    fits boolean;
    crowded boolean;
BEGIN
    IF EXISTS (SELECT FROM jsonb_array_elements(p_asks) a, jsonb_array_elements(a #> '{guard,pools}') c WHERE (c ->> 'oversize')::boolean OR (c ->> 'reserve')::boolean) THEN
        RETURN false;
    END IF;
    -- What is over is counted, too, as long as there is room all the same: to look at each costs more than all the rest. Where much is written
    -- down, one in so many batches looks.
    FOR attempt IN 1 .. 2 LOOP
        WITH needed AS MATERIALIZED (
            SELECT c.pool, a.guard ->> 'person' AS owner, count(*) AS claims, sum((c.request ->> 'cores')::float8) AS cores, sum((c.request ->> 'mem')::float8) AS mem,
                   sum((c.request ->> 'gpus')::float8) AS gpus, min((c.budget ->> 'cores')::float8) AS most_cores, min((c.budget ->> 'mem')::float8) AS most_mem,
                   min((c.budget ->> 'gpus')::float8) AS most_gpus
            FROM jsonb_to_recordset(p_asks) AS a(guard jsonb), jsonb_to_recordset(a.guard -> 'pools') AS c(pool text, request jsonb, budget jsonb)
            GROUP BY 1, 2)
        SELECT bool_and(coalesce(h.cores + n.cores <= n.most_cores, true) AND coalesce(h.mem + n.mem <= n.most_mem, true) AND coalesce(h.gpus + n.gpus <= n.most_gpus, true)),
               bool_or(h.rows / 128 <> (h.rows + n.claims) / 128)
        INTO fits, crowded
        FROM needed n CROSS JOIN LATERAL (
            SELECT count(*) AS rows, coalesce(sum(u.cores) FILTER (WHERE NOT u.oversize), 0) AS cores, coalesce(sum(u.mem_gb) FILTER (WHERE NOT u.oversize), 0) AS mem,
                   coalesce(sum(u.gpus) FILTER (WHERE NOT u.oversize), 0) AS gpus
            FROM resource_pool_use u WHERE u.pool = n.pool AND u.owner = n.owner) h;
        EXIT WHEN attempt = 2 OR (fits AND NOT crowded);
        PERFORM leave_pools(n.owner, n.pools) FROM (
            SELECT a #>> '{guard,person}' AS owner, array_agg(DISTINCT c ->> 'pool') AS pools
            FROM jsonb_array_elements(p_asks) a, jsonb_array_elements(a #> '{guard,pools}') c GROUP BY 1) n;
    END LOOP;
    IF NOT fits THEN RETURN false; END IF;
    INSERT INTO resource_pool_use (pool, owner, ask_id, oversize, cores, mem_gb, gpus)
    SELECT c.pool, a.guard ->> 'person', a.id, false, (c.request ->> 'cores')::float8, (c.request ->> 'mem')::float8, (c.request ->> 'gpus')::float8
    FROM jsonb_to_recordset(p_asks) AS a(id uuid, guard jsonb), jsonb_to_recordset(a.guard -> 'pools') AS c(pool text, request jsonb);
    RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.take_results(p_holds jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    pools text[];
    needs bigint[];
BEGIN
    SELECT array_agg(n.pool ORDER BY n.pool), array_agg(n.mib ORDER BY n.pool) INTO pools, needs
    FROM (SELECT h.pool, sum(h.results)::bigint AS mib FROM jsonb_to_recordset(p_holds) AS h(pool text, results bigint) WHERE h.pool IS NOT NULL GROUP BY 1) n;
    IF pools IS NULL THEN RETURN true; END IF;
    IF cardinality(pools) > 1 THEN
        PERFORM 1 FROM result_pool WHERE name = ANY (pools) ORDER BY name FOR NO KEY UPDATE;
        IF EXISTS (SELECT FROM result_pool p JOIN unnest(pools, needs) AS n(pool, mib) ON n.pool = p.name WHERE p.live_mib + n.mib > p.size_mib) THEN RETURN false; END IF;
    END IF;
    UPDATE result_pool p SET live_mib = p.live_mib + n.mib FROM unnest(pools, needs) AS n(pool, mib) WHERE p.name = n.pool AND p.live_mib + n.mib <= p.size_mib;
    RETURN FOUND;
END $function$;

CREATE OR REPLACE FUNCTION public.touch_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    UPDATE job SET run_id = run_id WHERE id = NEW.job_id;
    RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.unlock_messages(p_workers text[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    n int;
    superseded bigint[];
BEGIN
    SELECT count(*)::int, array_agg(id) FILTER (WHERE key IS NULL AND attempts >= max_attempts) INTO n, superseded
    FROM graphile_worker.jobs WHERE locked_by = ANY (p_workers);
    IF n = 0 THEN RETURN 0; END IF;
    PERFORM graphile_worker.force_unlock_workers(p_workers);
    IF superseded IS NOT NULL THEN PERFORM graphile_worker.complete_jobs(superseded); END IF;
    RETURN n;
END $function$;

CREATE OR REPLACE FUNCTION public.unlock_stray_messages()
 RETURNS integer
 LANGUAGE sql
AS $function$
    SELECT unlock_messages(ARRAY(
        SELECT DISTINCT locked_by FROM graphile_worker.jobs
        WHERE locked_at < clock_timestamp() - interval '1 minute'
          AND NOT EXISTS (SELECT 1 FROM executor WHERE locked_by = ANY (workers))))
$function$;

CREATE OR REPLACE FUNCTION public.unlock_unheard(p_workers text[], p_in_hand bigint[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.whole_of(d destination, p_cores bigint, p_memory bigint, p_scratch bigint, p_gpu_type text, p_gpus bigint)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT greatest(0, p_cores::float8 / nullif(d.cores, 0), p_memory::float8 / nullif(d.memory_mib, 0), p_scratch::float8 / nullif(d.scratch_mib, 0),
                    p_gpus::float8 / nullif((d.gpus ->> p_gpu_type)::float8, 0))
$function$;

CREATE OR REPLACE FUNCTION public.work_asked(p_offers jsonb, p_ask text)
 RETURNS TABLE(destination text, work double precision)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT d.id, max(whole_of(d, o.cores, o.memory, o.scratch, o."gpuType", o.gpus) * o."durationS")
    FROM jsonb_to_recordset(p_offers) AS o(ask text, destination text, cores bigint, memory bigint, scratch bigint, "gpuType" text, gpus bigint, "durationS" bigint)
    JOIN destination d ON d.id = o.destination WHERE o.ask = p_ask GROUP BY d.id
$function$;

CREATE OR REPLACE FUNCTION public.work_of_jobs(p_owner text)
 RETURNS TABLE(destination text, work double precision)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT d.id, sum(whole_of(d, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus)
                     * least(o.duration_s, greatest(0, extract(epoch FROM f.ends_at - clock_timestamp()))))::float8
    FROM job j JOIN offer o ON o.id = j.id JOIN destination d ON d.id = o.destination_id JOIN reservation f ON f.offer_id = o.id AND f.state = 'FIRM'
    WHERE j.owner = p_owner AND j.ended_at IS NULL GROUP BY d.id
$function$;

CREATE OR REPLACE FUNCTION public.work_used(p_scope text, p_by_owner boolean, p_destination text)
 RETURNS double precision
 LANGUAGE sql
 STABLE
AS $function$
    WITH live AS MATERIALIZED (
        SELECT DISTINCT r.ask_id FROM reservation r WHERE r.destination_id = p_destination AND r.state IN ('HELD', 'FIRM') AND r.ends_at > clock_timestamp())
    SELECT coalesce(sum(a.work), 0) FROM (
        SELECT max(whole_of(d, o.cores, o.memory_mib, o.scratch_mib, o.gpu_type, o.gpus) * CASE WHEN o.state = 'OFFERED' THEN o.duration_s
                   ELSE least(o.duration_s, greatest(0, extract(epoch FROM f.ends_at - clock_timestamp()))) END) AS work
        FROM live l JOIN offer o ON o.ask_id = l.ask_id AND o.destination_id = p_destination AND o.state IN ('OFFERED', 'ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')
        JOIN destination d ON d.id = p_destination LEFT JOIN reservation f ON f.offer_id = o.id AND f.state = 'FIRM'
        WHERE CASE WHEN p_by_owner THEN o.owner = p_scope ELSE EXISTS (SELECT FROM quota_use u WHERE u.scope = p_scope AND u.ask_id = o.ask_id) END
        GROUP BY o.ask_id) a
$function$;

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

CREATE OR REPLACE FUNCTION public.write_closures(p_closures jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
    DELETE FROM closure;
    INSERT INTO closure (destination_id, place, starts_at, ends_at, cores, memory_mib, scratch_mib)
    SELECT c.destination, row_number() OVER (PARTITION BY c.destination ORDER BY c."startsAt"), c."startsAt", c."endsAt", c.cores, c.memory, c.scratch
    FROM jsonb_to_recordset(p_closures) AS c(destination text, "startsAt" timestamptz, "endsAt" timestamptz, cores bigint, memory bigint, scratch bigint)
    WHERE EXISTS (SELECT FROM destination d WHERE d.id = c.destination)
    ON CONFLICT (destination_id, place) DO NOTHING
$function$;

CREATE OR REPLACE FUNCTION public.write_forecasts(p_destination text, p_rows jsonb, p_valid interval)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    DELETE FROM forecast WHERE destination_id = p_destination;
    INSERT INTO forecast (destination_id, place, cores, memory_mib, gpu_type, gpus, duration_s, starts_at, valid_until)
    SELECT p_destination, r.place - 1, r.cores, r.memory, r."gpuType", coalesce(r.gpus, 0), r.duration,
           clock_timestamp() + make_interval(secs => r.wait / 1000), clock_timestamp() + p_valid
    FROM ROWS FROM (jsonb_to_recordset(p_rows) AS (cores int, memory bigint, "gpuType" text, gpus int, duration int, wait float8)) WITH ORDINALITY
         AS r(cores, memory, "gpuType", gpus, duration, wait, place)
    ON CONFLICT (destination_id, place) DO NOTHING;
END $function$;

CREATE OR REPLACE FUNCTION public.write_result_pools(p_pools jsonb, p_destinations jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    -- In the order of place_answers: destinations, then pools.
    PERFORM 1 FROM destination ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO result_pool (name, size_mib)
    SELECT p.name, p.size FROM jsonb_to_recordset(p_pools) AS p(name text, size bigint) ORDER BY p.name
    ON CONFLICT (name) DO UPDATE SET size_mib = excluded.size_mib,
        shrunk_at = CASE WHEN excluded.size_mib < result_pool.size_mib THEN clock_timestamp() ELSE result_pool.shrunk_at END;
    UPDATE result_pool SET shrunk_at = clock_timestamp()
    WHERE name IN (SELECT p_destinations ->> d.id FROM destination d WHERE d.result_pool IS DISTINCT FROM p_destinations ->> d.id);
    UPDATE destination d SET result_pool = p_destinations ->> d.id
    WHERE p_destinations ? d.id AND d.result_pool IS DISTINCT FROM p_destinations ->> d.id;
    PERFORM recount_results(ARRAY(SELECT name FROM result_pool ORDER BY name));
END $function$;

CREATE TRIGGER job_results_counted AFTER UPDATE OF ended_at ON public.job FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION count_results();

CREATE TRIGGER job_results_kept AFTER INSERT ON public.job REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION keep_results();

CREATE TRIGGER job_unused_storage AFTER UPDATE OF ended_at ON public.job FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL) AND (new.attempt = 0))) EXECUTE FUNCTION store_unused();

CREATE TRIGGER job_parameter_kept AFTER INSERT OR UPDATE ON public.job_parameter FOR EACH ROW EXECUTE FUNCTION touch_job();

CREATE TRIGGER offer_accepted_storage AFTER UPDATE OF state ON public.offer FOR EACH ROW WHEN (((old.state = 'OFFERED'::session_state) AND (new.state = 'ACCEPTED'::session_state) AND (new.promise @? '$."storage"[*]?(@."kind" == "managed")'::jsonpath))) EXECUTE FUNCTION store_accepted();

CREATE TRIGGER offer_declined_storage AFTER UPDATE OF state ON public.offer FOR EACH ROW WHEN (((old.state = 'OFFERED'::session_state) AND (new.state = ANY (ARRAY['REJECTED'::session_state, 'EXPIRED'::session_state])) AND (new.promise @? '$."storage"[*]?(@."kind" == "managed")'::jsonpath))) EXECUTE FUNCTION store_declined();

CREATE TRIGGER offer_state BEFORE UPDATE OF state ON public.offer FOR EACH ROW WHEN ((old.state IS DISTINCT FROM new.state)) EXECUTE FUNCTION guard_session_transition();

CREATE TRIGGER reservation_changed AFTER UPDATE ON public.reservation FOR EACH ROW WHEN (((new.state = ANY (ARRAY['HELD'::reservation_state, 'FIRM'::reservation_state])) AND (NOT ((old.state = ANY (ARRAY['HELD'::reservation_state, 'FIRM'::reservation_state])) AND (new.destination_id = old.destination_id) AND (new.starts_at >= old.starts_at) AND (new.ends_at <= old.ends_at) AND (new.cores <= old.cores) AND (new.memory_mib <= old.memory_mib) AND (new.scratch_mib <= old.scratch_mib) AND ((new.gpus = 0) OR ((NOT (new.gpu_type IS DISTINCT FROM old.gpu_type)) AND (new.gpus <= old.gpus))))))) EXECUTE FUNCTION guard_changed_reservation();

CREATE TRIGGER reservation_new AFTER INSERT ON public.reservation REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION guard_new_reservations();
