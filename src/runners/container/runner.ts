import type { RunId } from '../../words/run-id.ts';
import type { Observation, Outcome, Runner, StopReason, Workload } from '../port.ts';
import { letGoOf } from '../process/start/launch.ts';
import { noteStop, readOutcome, stopFor, type Stop } from '../run/outcome.ts';
import { readRecord } from '../run/record.ts';
import { openRuns } from '../run/runs.ts';
import { openSilences } from '../run/silence.ts';
import type { ContainerEngine } from './begin.ts';
import { containerFollowers } from './follow.ts';
import { inspect, type Inspected } from './api/inspected.ts';
import { removeContainer, stopContainer } from './remove.ts';
import { settleContainer } from './settle.ts';
import { forestallContainer, giveBackAll, openAbandoned } from './give-back.ts';
import { askAgain, submitter } from './submit.ts';
import { endTickets, sight, beginOf } from './tickets.ts';

/** Jobs are looked at every 2 s; see {@link openSilences}. */
const STOOD_STILL_MS = 20_000;

/**
 * The runner whose jobs are containers of an engine with the Docker Engine API. A job is known by
 * the name of its container and by its directory; this process keeps only what saves work.
 */
export function engineRunner(engine: ContainerEngine): Runner {
  const { api, jobHost, settings } = engine;
  const letGo = letGoOf(jobHost, engine.devices);
  const runs = openRuns(jobHost.jobsRoot, letGo);
  const { placeOf, starting, settling, tell } = runs;
  const aborts = new Map<RunId, AbortController>();
  const submitNew = submitter(engine, letGo);
  const silences = openSilences('the container engine', settings.unreachableLimit, STOOD_STILL_MS);
  const abandoned = openAbandoned(engine);

  const finish = (job: RunId, seen: Inspected | undefined): Promise<Outcome> =>
    settling.do(job, async () => {
      // Nobody else may write to the job's files before its last output is taken.
      const usage = running.usedBy(job);
      const wasFollowed = await running.forget(job);
      const outcome = await settleContainer(engine, placeOf(job), seen, usage);
      if (wasFollowed) tell(job);
      return outcome;
    });

  const lookAt = async (job: RunId): Promise<Observation> => {
    const place = placeOf(job);
    const outcome = await readOutcome(place);
    if (outcome !== undefined) return { state: 'ended', outcome };
    const record = await readRecord(place);
    if (record === undefined) return { state: 'absent' };
    const seen = await sight(api, place);
    switch (seen.phase) {
      case 'none':
      case 'created':
        return { state: 'absent' };
      case 'removed':
        return { state: 'ended', outcome: await finish(job, undefined) };
      case 'running':
        running.follow(job, {
          place,
          limits: record.limits,
          startedAt: await beginOf(place, seen),
        });
        return { state: 'running' };
      case 'ended':
        return { state: 'ended', outcome: await finish(job, seen) };
      default:
        return seen satisfies never;
    }
  };

  /** A job of an engine that is away is running until the limit is over; then it is lost. */
  const lookNow = async (job: RunId): Promise<Observation> => {
    try {
      const seen = await lookAt(job);
      silences.end(job);
      return seen;
    } catch (error) {
      const outcome = await silences.note(placeOf(job), error, async () => {
        await running.forget(job);
        await endTickets(placeOf(job));
      });
      abandoned.add(job);
      return { state: 'ended', outcome };
    }
  };

  const look = async (job: RunId): Promise<Observation> =>
    starting.now(job) === undefined ? lookNow(job) : { state: 'running' };

  const endRun = async (job: RunId, stop: Stop): Promise<void> => {
    await noteStop(placeOf(job), stop);
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

  const submit = async (workload: Workload, signal: AbortSignal): Promise<void> => {
    const seen = await lookNow(workload.job).catch((error: unknown) => {
      throw askAgain(error);
    });
    if (seen.state === 'absent') await submitNew(workload, signal);
  };

  /** Removes the container of a run whose end is written down, and gives back what it holds. */
  const clear = async (job: RunId): Promise<void> => {
    await removeContainer(api, job);
    abandoned.delete(job);
    await giveBackAll(engine, placeOf(job));
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    aborts.get(job)?.abort(new Error('stopped on request'));
    await starting.now(job)?.catch(() => undefined);
    if ((await look(job)).state === 'absent') await forestallContainer(engine, runs, job);
    const { state } = await look(job);
    // The container of a run that was given up while the engine was away may run on, and the
    // executor that remembers that may be gone.
    if (state === 'ended') return clear(job);
    if (state !== 'running') return;
    const record = await readRecord(placeOf(job));
    if (record !== undefined) await endRun(job, stopFor(reason, record.limits));
  };

  return {
    name: 'container',
    reach: settings.address.kind === 'tcp' ? 'anywhere' : 'host',
    submit: async (workload) => {
      const { job } = workload;
      const known = starting.now(job);
      if (known !== undefined) return known;
      const abort = new AbortController();
      aborts.set(job, abort);
      await starting.do(job, () =>
        submit(workload, abort.signal).finally(() => aborts.delete(job)),
      );
      // From here on the run is followed; one that ended at once is told like any other.
      const seen = await look(job).catch(() => undefined);
      return seen?.state === 'ended' ? tell(job) : undefined;
    },
    look,
    stop,
    remove: async (job) => {
      await stop(job, 'cancelled');
      await running.forget(job);
      if (!(await runs.closePlace(job))) return;
      await clear(job);
      await runs.discard(job);
    },
    forget: async (job) => {
      silences.end(job);
      await running.forget(job);
    },
    onEnded: runs.onEnded,
    probe: () => api.call({ method: 'GET', path: '/version' }),
    close: async () => {
      abandoned.close();
      await running.close();
      await runs.settled();
    },
  };
}
