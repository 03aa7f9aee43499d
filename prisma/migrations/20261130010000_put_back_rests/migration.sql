-- A job that was put back is not begun again before its pause is over.

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
