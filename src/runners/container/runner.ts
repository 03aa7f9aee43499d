import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shown } from '../../tasks/task.ts';
import type { RunId } from '../../words/run-id.ts';
import type { Observation, Outcome, Runner, StopReason, Workload } from '../port.ts';
import { createDirectory, directoryOf, readJson, writeJson, writeJsonOnce, type JobDirectory } from '../process/directory.ts';
import { parseOutcome, stopMessage, type Stop } from '../process/outcome.ts';
import { parseRecord } from '../process/record.ts';
import { removeTree } from '../process/runner.ts';
import { stagedOf } from '../process/staging.ts';
import { errorText } from '../system-error.ts';
import { unstarted } from '../unstarted.ts';
import { begin, type Engine } from './begin.ts';
import { followers } from './follow.ts';
import { inspect, type Inspected } from './inspected.ts';
import { inTurns } from '../../words/turns.ts';
import { removeContainer, stopContainer } from './remove.ts';
import { settle } from './settle.ts';

/** Containers that are begun at the same time: more only make an engine slower. */
const AT_ONCE = 4;
const CLEAN_EVERY = 5000;

/** File of a job's directory that says that its container was about to run. */
const begunFile = ({ root }: JobDirectory): string => join(root, 'begun.json');

const stoppedBefore: Outcome = { kind: 'stopped', reason: 'cancelled', message: 'stopped on request before it began', results: [] };

/**
 * The runner whose jobs are containers of an engine with the Docker Engine API. A job is known by the name of its
 * container and by its directory; this process keeps only what saves work.
 */
export const engineRunner = (engine: Engine): Runner => {
  const { api, ground, settings } = engine;
  const starting = new Map<RunId, { readonly done: Promise<void>; readonly abort: AbortController }>();
  const settling = new Map<RunId, Promise<Outcome>>();
  const listeners: ((job: RunId) => void)[] = [];
  const turns = inTurns(AT_ONCE);
  /** jobs that could not be looked at, since when */
  const unseen = new Map<RunId, number>();
  const placeOf = (job: RunId): JobDirectory => directoryOf(ground.jobsRoot, job);

  const settleNow = async (job: RunId, seen: Inspected | undefined): Promise<Outcome> => {
    // Before its last output is taken, nobody else may write to the job's files.
    const followed = await running.forget(job);
    const outcome = await settle(engine, placeOf(job), seen);
    if (followed) for (const listener of listeners) listener(job);
    return outcome;
  };

  const finish = (job: RunId, seen: Inspected | undefined): Promise<Outcome> => {
    const under = settling.get(job) ?? settleNow(job, seen).finally(() => settling.delete(job));
    settling.set(job, under);
    return under;
  };

  /** Of a job whose container is gone. */
  const giveBack = async (job: RunId): Promise<void> => {
    await engine.devices?.giveBack(job);
    const uid = parseRecord(await readJson(placeOf(job).record))?.uid;
    if (uid !== undefined) await ground.users?.giveBack(job, uid);
  };

  /** Jobs that were given up while their engine was away: their containers may still run, and are removed once it is back. */
  const abandoned = new Set<RunId>();
  const clearAbandoned = async (): Promise<void> => {
    for (const job of abandoned) {
      await removeContainer(api, job);
      await giveBack(job);
      abandoned.delete(job);
    }
  };
  const cleaner = setInterval(() => void clearAbandoned().catch(() => undefined), CLEAN_EVERY).unref();

  /** A job of an engine that is away is running until the limit is over; after it, it is lost. */
  const silent = async (job: RunId, error: unknown): Promise<Observation> => {
    const since = unseen.get(job) ?? Date.now();
    unseen.set(job, since);
    if (Date.now() - since < settings.unreachableLimit * 1000) throw error;
    unseen.delete(job);
    const message = `the container engine gave no usable answer for ${settings.unreachableLimit} s: ${shown(errorText(error))}`;
    await running.forget(job);
    await writeJsonOnce(placeOf(job).outcome, { kind: 'failed', results: [], code: 'run-lost', message, detail: '', transient: true });
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
    if (seen === undefined) return existsSync(begunFile(place)) ? { state: 'ended', outcome: await finish(job, undefined) } : { state: 'absent' };
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

  const look = async (job: RunId): Promise<Observation> => {
    if (starting.has(job)) return { state: 'running' };
    try {
      const seen = await lookAt(job);
      unseen.delete(job);
      return seen;
    } catch (error) {
      return silent(job, error);
    }
  };

  const endRun = async (job: RunId, stop: Stop): Promise<void> => {
    await writeJsonOnce(placeOf(job).stopped, stop);
    await stopContainer(api, job);
    await finish(job, await inspect(api, job));
  };

  const running = followers({
    api,
    onEnd: async (job) => {
      if ((await lookAt(job)).state !== 'running') await running.forget(job);
    },
    onOver: endRun,
  });

  const giveUp = async (job: RunId, outcome: Outcome): Promise<void> => {
    await writeJsonOnce(placeOf(job).outcome, outcome);
    abandoned.add(job);
    await clearAbandoned().catch(() => undefined);
  };

  const submitNew = async (workload: Workload, signal: AbortSignal): Promise<void> => {
    const { job, limits } = workload;
    const place = placeOf(job);
    // What an interrupted submit left.
    await removeContainer(api, job);
    await giveBack(job);
    await createDirectory(place);
    for (const path of [place.stdout, place.stderr]) await writeFile(path, '', { mode: 0o600 });
    await writeJson(place.record, { limits, staged: stagedOf(workload, place) });
    try {
      await begin(engine, workload, place, signal, async () => writeJson(begunFile(place), {}));
    } catch (error) {
      await giveUp(job, signal.aborted ? stoppedBefore : unstarted(error));
    }
  };

  const submit = async (workload: Workload, signal: AbortSignal): Promise<void> => {
    const { job } = workload;
    if ((await lookAt(job)).state !== 'absent') return;
    await turns(() => submitNew(workload, signal));
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    const under = starting.get(job);
    under?.abort.abort(new Error('stopped on request'));
    await under?.done;
    if ((await look(job)).state !== 'running') return;
    const record = parseRecord(await readJson(placeOf(job).record));
    if (record !== undefined) await endRun(job, { reason, message: stopMessage(reason, record.limits) });
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
      if (!existsSync(placeOf(job).root)) return;
      await removeContainer(api, job);
      abandoned.delete(job);
      await giveBack(job);
      await removeTree(placeOf(job).root);
    },
    onEnded: (listener) => void listeners.push(listener),
    probe: () => api.call({ method: 'GET', path: '/version' }),
    close: async () => {
      clearInterval(cleaner);
      await running.close();
      await Promise.allSettled([...[...starting.values()].map(({ done }) => done), ...settling.values()]);
    },
  };
};
