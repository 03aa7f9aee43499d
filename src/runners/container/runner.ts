import { existsSync } from 'node:fs';
import { shown } from '../../tasks/task.ts';
import type { RunId } from '../../words/run-id.ts';
import type { Observation, Outcome, Runner, StopReason, Workload } from '../port.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { ClaimLost } from '../claim-lost.ts';
import { GiveAgain, isPassing } from '../passing.ts';
import { directoryOf, readJson, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { discard, discardDrafts, prepareOnce } from '../run/draft.ts';
import { letGoOf } from '../process/start/launch.ts';
import {
  parseOutcome,
  STOPPED_BEFORE,
  stopMessage,
  type Stop,
} from '../run/outcome.ts';
import { parseRecord } from '../run/record.ts';
import { errorText } from '../../words/system-error.ts';
import { unstarted } from '../run/unstarted.ts';
import { makeContainer, startPlaced, type ContainerEngine } from './begin.ts';
import { containerFollowers } from './follow.ts';
import { inspect, type Inspected } from './inspected.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import { removeContainer, stopContainer } from './remove.ts';
import { settleContainer } from './settle.ts';
import { endTickets, goodTicket, wasStarting } from './tickets.ts';

/** Containers that are begun at the same time: more only make an engine slower. */
const AT_ONCE = 4;
const CLEAN_EVERY = 5000;

/**
 * Jobs are looked at every 2 s: who comes back after so long stood still, and says nothing of an
 * engine that was away meanwhile.
 */
const STOOD_STILL_MS = 20_000;

/**
 * The runner whose jobs are containers of an engine with the Docker Engine API. A job is known by
 * the name of its container and by its directory; this process keeps only what saves work.
 */
export function engineRunner(engine: ContainerEngine): Runner {
  const { api, jobHost, settings } = engine;
  const starting = new Map<
    RunId,
    { readonly done: Promise<void>; readonly abort: AbortController }
  >();
  const settling = new Map<RunId, Promise<Outcome>>();
  const listeners: ((job: RunId) => void)[] = [];
  const turns = limitConcurrency(AT_ONCE);
  /** jobs that could not be looked at, since when */
  const unseen = new Map<RunId, { readonly since: number; readonly last: number }>();
  const placeOf = (job: RunId): JobDirectory => directoryOf(jobHost.jobsRoot, job);

  const settleNow = async (job: RunId, seen: Inspected | undefined): Promise<Outcome> => {
    // Before its last output is taken, nobody else may write to the job's files.
    const followed = await running.forget(job);
    const outcome = await settleContainer(engine, placeOf(job), seen);
    if (followed) for (const listener of listeners) listener(job);
    return outcome;
  };

  const finish = (job: RunId, seen: Inspected | undefined): Promise<Outcome> => {
    const under = settling.get(job) ?? settleNow(job, seen).finally(() => settling.delete(job));
    settling.set(job, under);
    return under;
  };

  const letGo = letGoOf(jobHost, engine.devices);

  /** Of a job whose container is gone. */
  const giveBack = async (job: RunId): Promise<void> => {
    await engine.devices?.giveBack(job);
    const { uid, holder } = parseRecord(await readJson(placeOf(job).record)) ?? {};
    if (uid !== undefined) await jobHost.users?.giveBack(job, { uid, holder });
  };

  /**
   * Jobs that were given up while their engine was away: their containers may still run,
   * and are removed once it is back.
   */
  const abandoned = new Set<RunId>();
  const clearAbandoned = async (): Promise<void> => {
    for (const job of abandoned) {
      await removeContainer(api, job);
      await giveBack(job);
      abandoned.delete(job);
    }
  };
  const cleaner = setInterval(
    () => void clearAbandoned().catch(() => undefined),
    CLEAN_EVERY,
  ).unref();

  /** A job of an engine that is away is running until the limit is over; after it, it is lost. */
  const silent = async (job: RunId, error: unknown): Promise<Observation> => {
    const now = Date.now();
    const known = unseen.get(job);
    const { since } =
      known !== undefined && now - known.last < STOOD_STILL_MS ? known : { since: now };
    unseen.set(job, { since, last: now });
    if (now - since < settings.unreachableLimit * 1000) throw error;
    unseen.delete(job);
    const message =
      `the container engine gave no usable answer for ${settings.unreachableLimit} ` +
      `s: ${shown(errorText(error))}`;
    await running.forget(job);
    await endTickets(placeOf(job));
    await writeJsonOnce(placeOf(job).outcome, {
      kind: 'failed',
      results: [],
      code: 'run-lost',
      message,
      detail: '',
      transient: true,
    });
    abandoned.add(job);
    return outcomeIn(placeOf(job));
  };

  const outcomeIn = async (place: JobDirectory): Promise<Observation> => {
    const outcome = parseOutcome(await readJson(place.outcome));
    return outcome === undefined ? { state: 'absent' } : { state: 'ended', outcome };
  };

  const lookAt = async (job: RunId): Promise<Observation> => {
    const place = placeOf(job);
    const known = await outcomeIn(place);
    const record = known.state === 'ended' ? undefined : parseRecord(await readJson(place.record));
    if (record === undefined) return known;
    const seen = await inspect(api, job);
    // Whoever goes on with it removes a container only once its ticket is bad.
    if (seen === undefined)
      return wasStarting(place, await goodTicket(place))
        ? { state: 'ended', outcome: await finish(job, undefined) }
        : { state: 'absent' };
    switch (seen.phase) {
      case 'created':
        return { state: 'absent' };
      case 'running':
        running.follow(job, { place, limits: record.limits, startedAt: seen.startedAt });
        return { state: 'running' };
      case 'ended':
        return { state: 'ended', outcome: await finish(job, seen) };
      default:
        return seen.phase satisfies never;
    }
  };

  const lookNow = async (job: RunId): Promise<Observation> => {
    try {
      const seen = await lookAt(job);
      unseen.delete(job);
      return seen;
    } catch (error) {
      return silent(job, error);
    }
  };

  const look = async (job: RunId): Promise<Observation> =>
    starting.has(job) ? { state: 'running' } : lookNow(job);

  const endRun = async (job: RunId, stop: Stop): Promise<void> => {
    await writeJsonOnce(placeOf(job).stopped, stop);
    await stopContainer(api, job);
    await finish(job, await inspect(api, job));
  };

  const running = containerFollowers({
    api,
    onEnd: async (job) => {
      if ((await lookAt(job)).state !== 'running') await running.forget(job);
    },
    onOver: endRun,
  });

  const submitNew = async (workload: Workload, signal: AbortSignal): Promise<void> => {
    const { job } = workload;
    const place = placeOf(job);
    const { jobsRoot } = jobHost;
    if (!existsSync(place.root)) {
      await prepareOnce({
        jobsRoot,
        workload,
        letGo,
        make: (making) => makeContainer(engine, workload, making, signal),
        failure: (error) =>
          signal.aborted ? STOPPED_BEFORE : isPassing(error) ? undefined : unstarted(error),
      });
    }
    if (existsSync(place.outcome)) return;
    try {
      await startPlaced(engine, workload, place);
    } catch (error) {
      if (error instanceof ClaimLost) throw error;
      if (!(error instanceof JobFailure)) throw new GiveAgain(errorText(error), { cause: error });
      // Nobody can start it any more.
      await writeJsonOnce(place.outcome, unstarted(error));
      await giveBack(job);
    }
  };

  const submit = async (workload: Workload, signal: AbortSignal): Promise<void> => {
    const { job } = workload;
    const seen = await lookNow(job).catch((error: unknown) => {
      throw new GiveAgain(errorText(error), { cause: error });
    });
    if (seen.state !== 'absent') return;
    await turns(() => submitNew(workload, signal));
  };

  /** Sees to it that a run that has not begun never does. */
  const forestall = async (job: RunId): Promise<void> => {
    await discardDrafts(jobHost.jobsRoot, job, letGo);
    const place = placeOf(job);
    if (!existsSync(place.record) || existsSync(place.outcome)) return;
    await endTickets(place);
    const seen = await inspect(api, job);
    // It was started just before.
    if (seen !== undefined && seen.phase !== 'created') return;
    await writeJsonOnce(place.outcome, STOPPED_BEFORE);
    await removeContainer(api, job);
    await giveBack(job);
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    const under = starting.get(job);
    under?.abort.abort(new Error('stopped on request'));
    await under?.done.catch(() => undefined);
    if ((await look(job)).state === 'absent') await forestall(job);
    if ((await look(job)).state !== 'running') return;
    const record = parseRecord(await readJson(placeOf(job).record));
    if (record !== undefined)
      await endRun(job, { reason, message: stopMessage(reason, record.limits) });
  };

  return {
    name: 'container',
    reach: settings.address.kind === 'tcp' ? 'anywhere' : 'host',
    submit: async (workload) => {
      const { job } = workload;
      const under = starting.get(job);
      if (under !== undefined) return under.done;
      const abort = new AbortController();
      const done = submit(workload, abort.signal).finally(() => starting.delete(job));
      starting.set(job, { done, abort });
      await done;
      // From here on the run is followed; one that ended at once is told like any other.
      const seen = await look(job).catch(() => undefined);
      if (seen?.state === 'ended') for (const listener of listeners) listener(job);
      return undefined;
    },
    look,
    stop,
    remove: async (job) => {
      await stop(job, 'cancelled');
      await running.forget(job);
      // From here on nobody can put anything in its place.
      await discardDrafts(jobHost.jobsRoot, job, letGo);
      const { root } = placeOf(job);
      if (!existsSync(root)) return;
      await removeContainer(api, job);
      abandoned.delete(job);
      await giveBack(job);
      await discard(jobHost.jobsRoot, root);
    },
    forget: async (job) => {
      unseen.delete(job);
      await running.forget(job);
    },
    onEnded: (listener) => void listeners.push(listener),
    probe: () => api.call({ method: 'GET', path: '/version' }),
    close: async () => {
      clearInterval(cleaner);
      await running.close();
      await Promise.allSettled([
        ...[...starting.values()].map(({ done }) => done),
        ...settling.values(),
      ]);
    },
  };
}
