-- A job that could not begin in its time keeps its claim: its reservation moves on with it, where new asks see it.

-- What maintenance takes of a destination, as the planners know it from their site file (write_closures).
CREATE TABLE closure (
    destination_id text NOT NULL REFERENCES destination (id) ON DELETE CASCADE,
    place          int NOT NULL,
    starts_at      timestamptz NOT NULL,
    ends_at        timestamptz NOT NULL,
    cores          bigint NOT NULL,
    memory_mib     bigint NOT NULL,
    scratch_mib    bigint NOT NULL,
    PRIMARY KEY (destination_id, place)
);

-- Where placing the claims of many jobs took long, it is not done again before.
ALTER TABLE destination ADD COLUMN claims_at timestamptz NOT NULL DEFAULT '-infinity';
-- When a job that could not begin in its time begins at the latest, as the book stands.
ALTER TABLE job ADD COLUMN claim_at timestamptz;

-- An amount of a destination over a time.
CREATE TYPE taken AS (starts_at timestamptz, ends_at timestamptz, cores bigint, memory_mib bigint, scratch_mib bigint, gpu_type text, gpus bigint);

-- Makes the closures of all destinations what a planner says.
CREATE FUNCTION write_closures(p_closures jsonb) RETURNS void LANGUAGE sql AS $$
    DELETE FROM closure;
    INSERT INTO closure (destination_id, place, starts_at, ends_at, cores, memory_mib, scratch_mib)
    SELECT c.destination, row_number() OVER (PARTITION BY c.destination ORDER BY c."startsAt"), c."startsAt", c."endsAt", c.cores, c.memory, c.scratch
    FROM jsonb_to_recordset(p_closures) AS c(destination text, "startsAt" timestamptz, "endsAt" timestamptz, cores bigint, memory bigint, scratch bigint)
    WHERE EXISTS (SELECT FROM destination d WHERE d.id = c.destination)
    ON CONFLICT (destination_id, place) DO NOTHING
$$;

-- The jobs of a destination that wait and whose time has come, with their claims; `run`: how long each occupies it.
CREATE FUNCTION due_jobs(p_destination text, p_at timestamptz)
    RETURNS TABLE (id uuid, decided_at timestamptz, run interval, reservation bigint, starts_at timestamptz, ends_at timestamptz,
                   cores bigint, memory_mib bigint, scratch_mib bigint, gpu_type text, gpus bigint) LANGUAGE sql STABLE AS $$
    SELECT o.id, o.decided_at, make_interval(secs => j.execution_s + o.release_s), r.id, r.starts_at, r.ends_at,
           r.cores::bigint, r.memory_mib, r.scratch_mib, r.gpu_type, r.gpus::bigint
    FROM offer o JOIN job j ON j.id = o.id JOIN reservation r ON r.offer_id = o.id AND r.state = 'FIRM'
    WHERE o.destination_id = p_destination AND o.state IN ('ACCEPTED', 'WAITING') AND is_waiting(o.state, j.start_mode) AND o.starts_at <= p_at
$$;

-- The first instant from which on this amount is free for so long beside what is taken; NULL when there is none.
CREATE FUNCTION earliest_place(p_has destination, p_taken taken[], p_need taken, p_from timestamptz, p_length interval)
    RETURNS timestamptz LANGUAGE sql STABLE AS $$
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
$$;

-- Places the claims of the jobs of a destination that wait anew, when one of them has no room any more at its own time: in the
-- order of accept, each as early as it fits beside what runs, what is held, what is reserved for jobs whose time has not come,
-- and the claims before it. Its caller has the lock of the destination. Returns the number of claims that moved.
CREATE FUNCTION keep_claims(p_destination text) RETURNS integer LANGUAGE plpgsql AS $$
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
BEGIN
    IF NOT EXISTS (SELECT FROM due_jobs(p_destination, at) w WHERE NOT (w.starts_at <= at AND w.ends_at >= at + w.run + margin)) THEN RETURN 0; END IF;
    SELECT * INTO has FROM destination d WHERE d.id = p_destination;
    IF has.claims_at > at THEN RETURN 0; END IF;
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
        need := ROW (NULL, NULL, one.cores, one.memory_mib, one.scratch_mib, one.gpu_type, one.gpus)::taken;
        place := CASE WHEN is_roomy THEN at ELSE earliest_place(has, others, need, at, one.run + margin) END;
        -- The destination has become too small for it.
        CONTINUE WHEN place IS NULL;
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
    IF clock_timestamp() > at + interval '50 milliseconds' THEN
        UPDATE destination d SET claims_at = least(clock_timestamp() + 20 * (clock_timestamp() - at), at + interval '30 seconds') WHERE d.id = p_destination;
    END IF;
    RETURN n;
END $$;

-- The same for all destinations, for those who read the book without placing anything in it.
CREATE FUNCTION keep_all_claims() RETURNS integer LANGUAGE plpgsql AS $$
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
END $$;

DROP FUNCTION begin_next(text, text, text, interval, jsonb, jsonb, interval);
DROP FUNCTION take_job(uuid, boolean, text, text, interval, jsonb, jsonb, interval);

-- Begins, for this executor, the job of a destination that was accepted first among those whose claim is for now.
-- Verdicts: 'begin'; 'crowded' when some are due and none of them fits; 'none'.
CREATE FUNCTION begin_next(p_destination text, p_executor text, p_host text, p_lease interval, p_shared jsonb, p_grace interval)
    RETURNS TABLE (job uuid, verdict text, destination text) LANGUAGE plpgsql AS $$
DECLARE
    due uuid;
    said text;
BEGIN
    PERFORM 1 FROM destination d WHERE d.id = p_destination FOR NO KEY UPDATE;
    PERFORM keep_claims(p_destination);
    FOR due IN
        SELECT w.id FROM due_jobs(p_destination, clock_timestamp()) w
        WHERE w.starts_at <= clock_timestamp() AND w.ends_at >= clock_timestamp() + w.run
        ORDER BY w.decided_at, w.id
    LOOP
        said := begin_job(due, p_executor, p_host, p_lease, '[]', p_shared, p_grace);
        IF said = 'begin' THEN
            -- What it leaves is kept for as long as if it had begun in its time.
            UPDATE job j SET destruction_at = j.destruction_at + (clock_timestamp() - greatest(o.starts_at, o.decided_at))
            FROM offer o WHERE j.id = due AND o.id = due AND j.claim_at IS NOT NULL;
            RETURN QUERY SELECT due, said, p_destination;
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY SELECT NULL::uuid, CASE WHEN EXISTS (SELECT FROM due_jobs(p_destination, clock_timestamp())) THEN 'crowded' ELSE 'none' END, p_destination;
END $$;

-- What a message about a job comes to: this executor goes on with that job when its executor is gone, and else begins the
-- next one of its destination. There are as many messages as jobs, so all of them begin. `p_followed`: this executor has
-- the job already.
CREATE FUNCTION take_job(p_job uuid, p_followed boolean, p_executor text, p_host text, p_lease interval, p_shared jsonb, p_grace interval)
    RETURNS TABLE (job uuid, verdict text, destination text) LANGUAGE plpgsql AS $$
DECLARE
    at_destination text;
    s session_state;
    said text;
BEGIN
    SELECT o.destination_id, o.state INTO at_destination, s FROM offer o WHERE o.id = p_job;
    IF NOT p_followed AND s IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING') THEN
        said := begin_job(p_job, p_executor, p_host, p_lease, '[]', p_shared, p_grace);
        IF said NOT IN ('busy', 'over') THEN RETURN QUERY SELECT p_job, said, at_destination; RETURN; END IF;
    END IF;
    RETURN QUERY SELECT n.job, n.verdict, n.destination FROM begin_next(at_destination, p_executor, p_host, p_lease, p_shared, p_grace) n;
END $$;

DROP FUNCTION run_job(uuid);
CREATE FUNCTION run_job(p_job uuid, p_queue_limit interval) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    o offer%ROWTYPE;
    mode start_mode;
BEGIN
    SELECT * INTO o FROM offer WHERE id = p_job FOR UPDATE;
    SELECT start_mode INTO mode FROM job WHERE id = p_job;
    IF o.state = 'ACCEPTED' AND mode = 'CLIENT' THEN
        UPDATE offer SET state = 'WAITING' WHERE id = p_job;
        UPDATE job SET start_before = greatest(start_before, greatest(o.starts_at, clock_timestamp()) + p_queue_limit) WHERE id = p_job;
        PERFORM send_to_executor('execute', p_job, greatest(o.starts_at, clock_timestamp()));
        RETURN 'running';
    END IF;
    RETURN CASE WHEN o.state IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN 'illegal' ELSE 'already' END;
END $$;

-- What is given up says since when it waited.
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

-- Claims come before new answers: these are compared with the book once that says where they are.
CREATE OR REPLACE FUNCTION public.place_answers(p_now timestamp with time zone, p_traces jsonb, p_asks jsonb, p_offers jsonb, p_holds jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
    wanted text[];
    roomy boolean;
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
    IF roomy AND clock_timestamp() BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds' AND results_fit(p_holds) THEN
        PERFORM write_answers(p_asks, p_offers, p_holds);
    ELSE
        PERFORM lapse_due(wanted, 1000);
        PERFORM keep_claims(w) FROM unnest(wanted) AS w;
        PERFORM recount_live(wanted);
        FOR one IN
            SELECT (a ->> 'id')::uuid AS id, jsonb_build_array(a) AS asks,
                   coalesce((SELECT jsonb_agg(o) FROM jsonb_array_elements(p_offers) o WHERE o -> 'ask' = a -> 'id'), '[]') AS offers,
                   coalesce((SELECT jsonb_agg(h) FROM jsonb_array_elements(p_holds) h WHERE h -> 'ask' = a -> 'id'), '[]') AS holds
            FROM jsonb_array_elements(p_asks) WITH ORDINALITY AS list(a, n) ORDER BY n
        LOOP
            IF NOT recounted AND NOT results_fit(one.holds) THEN
                PERFORM lapse_due(NULL, 1000);
                PERFORM recount_results(ARRAY(SELECT DISTINCT h ->> 'pool' FROM jsonb_array_elements(p_holds) h));
                recounted := true;
            END IF;
            IF one.holds <> '[]' AND (clock_timestamp() NOT BETWEEN p_now - interval '5 seconds' AND p_now + interval '5 seconds'
               OR NOT holds_fit(one.holds) OR NOT results_fit(one.holds)) THEN
                conflicts := conflicts || one.id;
            ELSE
                PERFORM write_answers(one.asks, one.offers, one.holds);
            END IF;
        END LOOP;
    END IF;
    RETURN jsonb_build_object('now', clock_timestamp(), 'conflicts', to_jsonb(conflicts), 'live', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', d.id, 'cores', d.live_cores, 'memory', d.live_memory_mib, 'scratch', d.live_scratch_mib, 'results', p.live_mib))
        FROM destination d LEFT JOIN result_pool p ON p.name = d.result_pool WHERE d.id = ANY (wanted)), '[]'::jsonb));
END $function$;

DROP FUNCTION read_jobs(uuid[], integer, integer);
CREATE OR REPLACE FUNCTION public.read_jobs(p_jobs uuid[], p_longest integer, p_farthest integer)
 RETURNS TABLE(id uuid, owner text, "ownerName" text, "runId" text, "createdAt" timestamp with time zone, "startedAt" timestamp with time zone, "endedAt" timestamp with time zone, "executionS" integer, "destructionAt" timestamp with time zone, archived boolean, "startMode" text, error jsonb, state text, destination text, runner text, "startsAt" timestamp with time zone, "claimAt" timestamp with time zone, now timestamp with time zone, results jsonb, parameters jsonb, "queuePosition" integer, version text)
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
           queue.place,
           job_version(j.xmin, o.xmin, i.xmin, queue.place, coalesce(j.started_at, greatest(o.starts_at, j.created_at, j.claim_at)) + make_interval(secs => j.execution_s), at)
    FROM unnest(p_jobs) AS wanted (job)
    CROSS JOIN LATERAL (SELECT xmin, * FROM job WHERE id = wanted.job OFFSET 0) AS j
    CROSS JOIN LATERAL (SELECT xmin, * FROM offer WHERE id = j.id OFFSET 0) AS o
    LEFT JOIN LATERAL (SELECT xmin, name FROM identity WHERE owner = j.owner OFFSET 0) AS i ON true
    CROSS JOIN LATERAL (SELECT CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO'
                                    THEN queue_position(j.id, p_farthest) END AS place OFFSET 0) AS queue
    WHERE j.destroyed_at IS NULL;
END $function$;

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
