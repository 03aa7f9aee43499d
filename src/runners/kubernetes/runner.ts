import { existsSync } from 'node:fs';
import { limitConcurrency } from '../../words/concurrency.ts';
import type { RunId } from '../../words/run-id.ts';
import { ClaimLost } from '../claim-lost.ts';
import type { Runner, StopReason, Workload } from '../port.ts';
import { giveBackUser } from '../process/start/lend-user.ts';
import { letGoOf } from '../process/start/launch.ts';
import { prepareOnce } from '../run/draft.ts';
import { isLost, readOutcome, stopFor } from '../run/outcome.ts';
import { readRecord } from '../run/record.ts';
import { openRuns } from '../run/runs.ts';
import { makeObjects, type ClusterSite } from './begin.ts';
import type { Cluster } from './cluster.ts';
import { openJobs } from './jobs.ts';
import { readMade } from './next-step.ts';

/** Jobs that are begun at the same time. */
const AT_ONCE = 4;

/**
 * The runner whose jobs are Jobs of a Kubernetes namespace. A job is known by the label of what it
 * has there and by its directory; this process keeps only what saves work.
 */
export function clusterRunner(site: ClusterSite, cluster: Cluster): Runner {
  const { jobHost } = site;
  const letGo = letGoOf(jobHost, undefined);
  const runs = openRuns(jobHost.jobsRoot, letGo);
  const { placeOf, starting, tell } = runs;
  const jobs = openJobs(site, cluster, runs);
  const turns = limitConcurrency(AT_ONCE);

  const submitNew = async (workload: Workload): Promise<void> => {
    const { job, claim } = workload;
    const place = placeOf(job);
    if (!existsSync(place.root))
      await prepareOnce({
        jobsRoot: jobHost.jobsRoot,
        workload,
        letGo,
        make: (making) => makeObjects(site, workload, making),
      });
    const made = await readMade(place);
    if (existsSync(place.outcome) || made === undefined) return tell(job);
    if (!(await claim.isHeld())) throw new ClaimLost(job);
    return jobs.send(job, made);
  };

  /** Whether a job is written down and has not ended. */
  const isGoing = async (job: RunId): Promise<boolean> =>
    (await readOutcome(placeOf(job))) === undefined && (await readMade(placeOf(job))) !== undefined;

  /** Removes what the cluster has of a run whose end is written down, and gives back its user. */
  const clear = async (job: RunId): Promise<void> => {
    await jobs.removeObjects(job);
    await giveBackUser(jobHost.users, job, await readRecord(placeOf(job)));
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    await starting.now(job)?.catch(() => undefined);
    const place = placeOf(job);
    if (!existsSync(place.root)) await runs.closePlace(job);
    const outcome = await readOutcome(place);
    // It was given up while the cluster was away, and may run on there.
    if (outcome !== undefined && isLost(outcome)) return clear(job);
    const record = await readRecord(place);
    // A job that is written down and not made yet must not be made any more either.
    if (record === undefined || !(await isGoing(job))) return;
    if ((await jobs.ask(job)).state === 'ended') return;
    await jobs.end(job, stopFor(reason, record.limits));
  };

  return {
    name: 'kubernetes',
    reach: 'anywhere',
    submit: (workload) =>
      starting.do(workload.job, async () => {
        const place = placeOf(workload.job);
        if ((await readOutcome(place)) === undefined && (await readMade(place)) === undefined)
          await turns(() => submitNew(workload));
      }),
    look: jobs.look,
    stop,
    remove: async (job) => {
      await stop(job, 'cancelled');
      await jobs.forget(job);
      if (!(await runs.closePlace(job))) return;
      await clear(job);
      await runs.discard(job);
    },
    forget: jobs.forget,
    onEnded: runs.onEnded,
    probe: () => cluster.version('jobs'),
    close: async () => {
      await jobs.close();
      await runs.settled();
    },
  };
}
