import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunId } from '../../words/run-id.ts';
import { ClaimLost } from '../claim-lost.ts';
import type { Observation, Runner, StopReason, Workload } from '../port.ts';
import { isLost, noteStop, readOutcome, stopFor } from '../run/outcome.ts';
import { mustReadRecord } from '../run/record.ts';
import type { JobDirectory } from '../run/directory.ts';
import { openRuns } from '../run/runs.ts';
import { nothingLent, placeJob, type BatchHost } from './begin.ts';
import { readBatchIntent } from './files.ts';
import type { BatchLimits } from './listed.ts';
import { openQueue } from './queue.ts';
import { settleBatchJob, type BatchVerdict } from './settle.ts';
import { readNodeStatus } from './status.ts';
import { endSteps } from './steps.ts';

/** The executor's lease on a job must not lapse meanwhile. */
const STOP_MS = 6000;
/** Only SIGTERM is sent before. */
const GRACE_MS = 2500;

/**
 * The runner for a batch system. The directory of jobs must be on a file system that the nodes
 * share. What it knows of a job is in that directory and in the batch system; this process keeps
 * only which jobs it follows.
 */
export function batchRunner(jobsRoot: string, jobHost: BatchHost, limits: BatchLimits): Runner {
  const { system, account, stager } = jobHost;
  openDirectory(jobsRoot, account === undefined ? 0o700 : 0o711);
  const runs = openRuns(jobsRoot, nothingLent);
  const { placeOf, starting, tell } = runs;
  const onOver = async (job: RunId, verdict: BatchVerdict): Promise<void> => {
    await settleBatchJob(system, placeOf(job), stager, verdict);
    tell(job);
  };
  const queue = openQueue({ system, limits, placeOf, onOver, onMoved: tell });

  const seen = async (job: RunId): Promise<Observation> => {
    const outcome = await readOutcome(placeOf(job));
    if (outcome !== undefined) return { state: 'ended', outcome };
    const state = queue.stateOf(job) ?? 'running';
    // The node says earlier than the next round that the job runs.
    return {
      state:
        state === 'queued' && (await readNodeStatus(placeOf(job))).began !== undefined
          ? 'running'
          : state,
    };
  };

  const look = async (job: RunId): Promise<Observation> => {
    if (starting.now(job) !== undefined) return { state: 'queued' };
    const now = await seen(job);
    if (now.state === 'ended' || queue.has(job)) return now;
    const intent = await readBatchIntent(system.name, placeOf(job));
    if (intent === undefined) return { state: 'absent' };
    await queue.adopt(job, intent);
    return seen(job);
  };

  const submitNew = async (workload: Workload): Promise<void> => {
    const { job, claim } = workload;
    const place = placeOf(job);
    const isOurs = !existsSync(place.root) && (await placeJob(jobHost, jobsRoot, workload));
    const intent = await readBatchIntent(system.name, place);
    if (existsSync(place.outcome) || intent === undefined) return tell(job);
    if (!(await claim.isHeld())) throw new ClaimLost(job);
    // Another attempt may have sent its request already.
    await (isOurs ? queue.send(job, intent) : queue.adopt(job, intent));
  };

  const notYet = (job: RunId): Error => new Error(`${system.title} has not ended ${job} yet`);

  /** Lets the batch system end a job. Returns when it has, or after 6 s. */
  const end = async (job: RunId): Promise<void> => {
    const begun = performance.now();
    let sent: 'nothing' | 'politely' | 'now' = 'nothing';
    for (let spent = 0; spent < STOP_MS; spent = performance.now() - begun) {
      const how = spent < GRACE_MS ? 'politely' : 'now';
      if (sent !== how && (await queue.cancel(job, how))) sent = how;
      await queue.round();
      if ((await seen(job)).state === 'ended') return;
      await delay(100);
    }
  };

  /** Ends what the system has of a run whose end is written down. */
  const endAll = async (place: JobDirectory): Promise<void> => {
    const request = (await readBatchIntent(system.name, place))?.request;
    for (const name of [request?.name, request?.steps])
      if (name !== undefined) await endSteps(system, name);
  };

  const stop = async (job: RunId, reason: StopReason): Promise<void> => {
    await starting.now(job)?.catch(() => undefined);
    const place = placeOf(job);
    if (!existsSync(place.root)) await runs.closePlace(job);
    const now = await look(job);
    // The executor that gave it up, and would end what is left of it, may be gone.
    if (now.state === 'ended' && isLost(now.outcome)) return endAll(place);
    if (!isGoing(now)) return;
    const record = await mustReadRecord(place);
    await noteStop(place, stopFor(reason, record.limits));
    await Promise.race([end(job), delay(STOP_MS, undefined, { ref: false })]);
    // Its nodes may still hold its processes, or the system was never reached.
    if ((await seen(job)).state !== 'ended') throw notYet(job);
  };

  return {
    name: system.name,
    reach: 'anywhere',
    submit: (workload) =>
      starting.do(workload.job, async () => {
        if ((await look(workload.job)).state === 'absent') await submitNew(workload);
      }),
    look,
    stop,
    remove: async (job) => {
      await stop(job, 'cancelled');
      if (!(await runs.closePlace(job))) return;
      if (isGoing(await look(job))) throw notYet(job);
      await runs.discard(job);
    },
    forget: async (job) => queue.forget(job),
    onEnded: runs.onEnded,
    probe: system.probe,
    close: async () => {
      await queue.close();
      await runs.settled();
    },
  };
}

function openDirectory(jobsRoot: string, mode: number): void {
  // The umask may have taken rights away from a new directory.
  if (mkdirSync(jobsRoot, { recursive: true, mode }) !== undefined) chmodSync(jobsRoot, mode);
}

function isGoing({ state }: Observation): boolean {
  return state !== 'ended' && state !== 'absent';
}
