-- A message to executors is there until somebody could act on it. After 25 tries, which take four days, nobody sent it again:
-- the files of a destroyed job stayed for good, and so did their room among the results. 32767 is the most that the queue has.

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
