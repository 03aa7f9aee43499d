import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { shown } from '../../tasks/task.ts';
import type { RunId } from '../../words/run-id.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import type { Limits, Observation, Outcome, Runner, StopReason, Workload } from '../port.ts';
import { directoryOf, readJson, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { parseOutcome, stopMessage, type Stop } from '../run/outcome.ts';
import { parseRecord } from '../run/record.ts';
import { errorText } from '../../words/system-error.ts';
import { ClaimLost } from '../claim-lost.ts';
import { discard, discardDrafts, prepareOnce } from '../run/draft.ts';
import { letGoOf } from '../process/start/launch.ts';
import { makeObjects, send, type ClusterSite } from './begin.ts';
import type { Cluster } from './cluster.ts';
import { JobFailure } from '../../words/job-failure.ts';
import {
  readEnded,
  readIntent,
  readStarted,
  releaseNone,
  wasSent,
  type ClusterIntent,
} from './files.ts';
import { jobFollowers, type FollowAction } from './follow.ts';
import { removeAll } from './gone.ts';
import { troubleWithPods } from './refused-pod.ts';
import { settleJob } from './settle.ts';
import { judgeWaiting } from './waiting-limits.ts';
import { stateInCluster, type ClusterEnding } from './state.ts';

/** Jobs that are begun at the same time. */
const AT_ONCE = 4;

/** A Job without a pod after so long, by the cluster's whole seconds, is asked for the reason. */
const PODS_COME_MS = 3000;

/**
 * A node gives a log that has become long from where it began a new file, and only who follows it
 * has all of it. A kubelet looks every 5 s whether the container that is followed still runs.
 */
const LONG_LOG = 2 ** 20;
const LAST_OUTPUT_MS = 12_000;

/** Whoever looks is told of the end later when its books take longer to close. */
const CLOSING_MS = 3000;

/**
 * Jobs are looked at every few seconds: who comes back after so long stood still, and says nothing
 * of a cluster that was away meanwhile.
 */
const STOOD_STILL_MS = 60_000;

const NOTHING_YET: FollowAction = { startedAt: undefined, pods: [], hopeless: undefined };

const REMOVED: ClusterEnding = {
  kind: 'failed',
  code: 'run-lost',
  message: 'somebody removed the job from the cluster, and how the run ended is not known',
  transient: true,
};

/**
 * The runner whose jobs are Jobs of a Kubernetes namespace. A job is known by the label of what it
 * has there and by its directory; this process keeps only what saves work.
 */
export function clusterRunner(site: ClusterSite, cluster: Cluster): Runner {
  const { jobHost, settings } = site;
  const starting = new Map<RunId, Promise<void>>();
  const settling = new Map<RunId, Promise<Outcome>>();
  const listeners: ((job: RunId) => void)[] = [];
  const turns = limitConcurrency(AT_ONCE);
  /** jobs that could not be looked at, since when */
  const unseen = new Map<RunId, { readonly since: number; readonly last: number }>();
  const placeOf = (job: RunId): JobDirectory => directoryOf(jobHost.jobsRoot, job);
  const outcomeIn = async (place: JobDirectory): Promise<Outcome | undefined> =>
    parseOutcome(await readJson(place.outcome));

  const tell = (job: RunId): void => {
    for (const listener of listeners) listener(job);
  };

  const settleNow = async (
    job: RunId,
    intent: ClusterIntent,
    limits: Limits,
    ending: ClusterEnding | undefined,
  ): Promise<Outcome> => {
    // Before its last output is taken, nobody else may write to the job's files.
    const isLong =
      intent.output === 'log' &&
      ending !== undefined &&
      (await outputSize(placeOf(job))) > LONG_LOG;
    await running.forget(job, isLong ? LAST_OUTPUT_MS : 0);
    try {
      const outcome = await settleJob(cluster, jobHost, placeOf(job), intent, ending);
      tell(job);
      return outcome;
    } catch (error) {
      // The cluster has not let go of it, or cannot be asked: what was
      // written down is gone on with.
      const place = placeOf(job);
      running.saw(
        job,
        { place, limits, intent },
        { ...NOTHING_YET, startedAt: await readStarted(place) },
      );
      running.retry(job);
      throw error;
    }
  };

  const finish = async (
    job: RunId,
    intent: ClusterIntent,
    limits: Limits,
    ending: ClusterEnding | undefined,
  ): Promise<Observation> => {
    const under =
      settling.get(job) ??
      settleNow(job, intent, limits, ending).finally(() => settling.delete(job));
    settling.set(job, under);
    return { state: 'ended', outcome: await under };
  };

  const follow = (
    job: RunId,
    intent: ClusterIntent,
    limits: Limits,
    sight: FollowAction,
  ): Observation => {
    // What was asked before its end may be answered after it, and would be
    // taken for the last that is known.
    if (settling.has(job) || existsSync(placeOf(job).outcome)) return observed(sight);
    if (running.saw(job, { place: placeOf(job), limits, intent }, sight)) tell(job);
    return observed(sight);
  };

  /** What was made of a job whose Job is gone, and cannot run any more, goes again. */
  const tidy = async (job: RunId, intent: ClusterIntent, limits: Limits): Promise<Observation> => {
    const outcome = await outcomeIn(placeOf(job));
    if (outcome === undefined) return finish(job, intent, limits, REMOVED);
    await running.forget(job);
    await removeAll(cluster, job, intent.manifests);
    return { state: 'ended', outcome };
  };

  /**
   * Makes what the intent names. Without an answer it is not known whether it was made: it is
   * tried again until there is one.
   */
  const sendNow = async (
    job: RunId,
    intent: ClusterIntent,
    limits: Limits,
  ): Promise<Observation> => {
    follow(job, intent, limits, NOTHING_YET);
    try {
      await send(cluster, placeOf(job), intent);
      return { state: 'queued' };
    } catch (error) {
      if (error instanceof ClaimLost) return tidy(job, intent, limits);
      if (!(error instanceof JobFailure)) throw error;
      // What another attempt has made runs.
      if (!(await releaseNone(placeOf(job), intent))) throw error;
      const { code, message, transient } = error;
      return finish(job, intent, limits, { kind: 'failed', code, message, transient });
    }
  };

  const lookAt = async (job: RunId): Promise<Observation> => {
    const place = placeOf(job);
    const outcome = await outcomeIn(place);
    if (outcome !== undefined) return { state: 'ended', outcome };
    const intent = await readIntent(place);
    const record = parseRecord(await readJson(place.record));
    if (intent === undefined || record === undefined) return { state: 'absent' };
    // Somebody began to close its books.
    if (existsSync(place.stopped) || (await readEnded(place)) !== undefined)
      return finish(job, intent, record.limits, undefined);
    const [jobs, pods] = await Promise.all([cluster.jobs(job), cluster.pods(job)]);
    const names = new Set(jobs.map(({ metadata }) => metadata?.name));
    const expected = intent.manifests.filter(({ kind }) => kind === 'Job');
    if (!wasSent(place)) return sendNow(job, intent, record.limits);
    if (!expected.every(({ metadata }) => names.has(metadata.name)))
      return finish(job, intent, record.limits, REMOVED);
    const seen = stateInCluster(jobs, pods);
    if (seen.phase === 'ended') return finish(job, intent, record.limits, seen.ending);
    const unmade =
      seen.phase === 'waiting' && pods.length === 0 && Date.now() - seen.madeAt > PODS_COME_MS;
    const told = unmade
      ? {
          ...seen,
          trouble: await troubleWithPods(
            cluster,
            [...names].flatMap((name) => name ?? []),
          ),
        }
      : seen;
    return follow(job, intent, record.limits, await judgeWaiting(place, intent, told, settings));
  };

  /**
   * Nobody knows how a job of a cluster that is away does, until the limit is over; after it, it is
   * lost. Its own deadline ends what is left of it there.
   */
  const silent = async (job: RunId, error: unknown): Promise<Observation> => {
    const now = Date.now();
    const known = unseen.get(job);
    const { since } =
      known !== undefined && now - known.last < STOOD_STILL_MS ? known : { since: now };
    unseen.set(job, { since, last: now });
    if (now - since < settings.unreachableLimit * 1000) throw error;
    unseen.delete(job);
    const message = `the cluster gave no usable answer for ${settings.unreachableLimit} s: ${shown(errorText(error))}`;
    await running.forget(job);
    const outcome: Outcome = {
      kind: 'failed',
      results: [],
      code: 'run-lost',
      message,
      detail: '',
      transient: true,
    };
    await writeJsonOnce(placeOf(job).outcome, outcome);
    tell(job);
    return { state: 'ended', outcome: (await outcomeIn(placeOf(job))) ?? outcome };
  };

  /** @throws Error while the cluster cannot say, and may yet */
  const lookNow = async (job: RunId): Promise<Observation> => {
    try {
      const seen = await lookAt(job);
      unseen.delete(job);
      return seen;
    } catch (error) {
      return silent(job, error);
    }
  };

  /**
   * A beat of the executor looks at all of its jobs, and must not wait for a node that
   * takes its time with one of them.
   */
  const lookBriefly = async (job: RunId): Promise<Observation> => {
    const looked = lookNow(job).catch((): Observation => ({ state: 'unknown' }));
    const soon = await Promise.race([looked, delay(CLOSING_MS, undefined, { ref: false })]);
    if (soon !== undefined) return soon;
    return settling.has(job) ? { state: 'running' } : looked;
  };

  const look = async (job: RunId): Promise<Observation> => {
    if (starting.has(job)) return { state: 'queued' };
    const known = running.lately(job);
    // One question for each job and second would be too many for a cluster that
    // tells of every change by itself.
    const seen = known === undefined ? await lookBriefly(job) : observed(known);
    // What it prints may be here before the node has told the cluster that it runs.
    return seen.state === 'queued' && (await outputSize(placeOf(job))) > 0
      ? { state: 'running' }
      : seen;
  };

  const endRun = async (job: RunId, stop: Stop): Promise<void> => {
    const place = placeOf(job);
    const [intent, record] = [await readIntent(place), parseRecord(await readJson(place.record))];
    if (intent === undefined || record === undefined) return;
    await writeJsonOnce(place.stopped, stop);
    await finish(job, intent, record.limits, undefined);
  };

  const running = jobFollowers({
    cluster,
    onChange: async (job) => {
      await starting.get(job);
      await lookNow(job);
    },
    onOver: endRun,
    onHopeless: async (job, ending) => {
      const [intent, record] = [
        await readIntent(placeOf(job)),
        parseRecord(await readJson(placeOf(job).record)),
      ];
      if (intent !== undefined && record !== undefined)
        await finish(job, intent, record.limits, ending);
    },
  });

  const letGo = letGoOf(jobHost, undefined);

  const giveBack = async (job: RunId): Promise<void> => {
    const { uid, holder } = parseRecord(await readJson(placeOf(job).record)) ?? {};
    if (uid !== undefined) await jobHost.users?.giveBack(job, { uid, holder });
  };

  const submitNew = async (workload: Workload): Promise<void> => {
    const { job, limits, claim } = workload;
    const place = placeOf(job);
    const { jobsRoot } = jobHost;
    if (!existsSync(place.root))
      await prepareOnce({
        jobsRoot,
        workload,
        letGo,
        make: (making) => makeObjects(site, workload, making),
      });
    const intent = await readIntent(place);
    if (existsSync(place.outcome) || intent === undefined) return tell(job);
    if (!(await claim.isHeld())) throw new ClaimLost(job);
    await sendNow(job, intent, limits).catch(() => running.retry(job));
    return undefined;
  };

  const submit = async (workload: Workload): Promise<void> => {
    const place = placeOf(workload.job);
    if ((await outcomeIn(place)) === undefined && (await readIntent(place)) === undefined)
      await turns(() => submitNew(workload));
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    await starting.get(job)?.catch(() => undefined);
    const place = placeOf(job);
    // From here on nobody can put anything in its place.
    if (!existsSync(place.root)) await discardDrafts(jobHost.jobsRoot, job, letGo);
    const record = parseRecord(await readJson(place.record));
    // One that was written down and not made yet must not be made any more either.
    if (
      record === undefined ||
      (await outcomeIn(place)) !== undefined ||
      (await readIntent(place)) === undefined
    )
      return;
    if ((await lookNow(job)).state === 'ended') return;
    await endRun(job, { reason, message: stopMessage(reason, record.limits) });
  };

  return {
    name: 'kubernetes',
    reach: 'anywhere',
    submit: async (workload) => {
      const { job } = workload;
      const under = starting.get(job);
      if (under !== undefined) return under;
      const done = submit(workload).finally(() => starting.delete(job));
      starting.set(job, done);
      return done;
    },
    look,
    stop,
    remove: async (job) => {
      await stop(job, 'cancelled');
      await running.forget(job);
      await discardDrafts(jobHost.jobsRoot, job, letGo);
      const { root } = placeOf(job);
      if (!existsSync(root)) return;
      await removeAll(cluster, job, (await readIntent(placeOf(job)))?.manifests ?? []);
      await giveBack(job);
      await discard(jobHost.jobsRoot, root);
    },
    forget: async (job) => {
      unseen.delete(job);
      await running.forget(job);
    },
    onEnded: (listener) => void listeners.push(listener),
    probe: () => cluster.version('jobs'),
    close: async () => {
      await running.close();
      await Promise.allSettled([...starting.values(), ...settling.values()]);
    },
  };
}

async function outputSize({ stdout }: JobDirectory): Promise<number> {
  return (await stat(stdout).catch(() => undefined))?.size ?? 0;
}

function observed({ startedAt }: FollowAction): Observation {
  return { state: startedAt === undefined ? 'queued' : 'running' };
}
