import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunId } from '../../words/run-id.ts';
import type { Observation, Outcome } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { noteStop, readOutcome, type Stop } from '../run/outcome.ts';
import type { Runs } from '../run/runs.ts';
import { openSilences } from '../run/silence.ts';
import type { ClusterSite } from './begin.ts';
import type { Cluster } from './cluster.ts';
import { readIntent, readStarted } from './files.ts';
import { jobFollowers, type JobSighting } from './follow.ts';
import { removeAll } from './gone.ts';
import { nextStep, readMade, REMOVED, type MadeJob } from './next-step.ts';
import { trySend } from './send.ts';
import { settleJob } from './settle.ts';
import type { ClusterEnding } from './pods/ending.ts';

/** The jobs of a cluster that this process follows. */
type ClusterJobs = {
  /**
   * Makes the objects of a job. Without an answer it is not known whether the cluster made them: it
   * is tried again until there is one.
   */
  readonly send: (job: RunId, made: MadeJob) => Promise<void>;
  /** What is known of a job, `unknown` while the cluster does not answer. Takes 3 s at the most. */
  readonly look: (job: RunId) => Promise<Observation>;
  /** Asks the cluster. @throws Error while it cannot say, and may yet */
  readonly ask: (job: RunId) => Promise<Observation>;
  /** Ends a run and closes its books. */
  readonly end: (job: RunId, stop: Stop) => Promise<void>;
  readonly forget: (job: RunId) => Promise<void>;
  /** Removes everything that a job has in the cluster. */
  readonly removeObjects: (job: RunId) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * A node gives a log that has become long from where it began a new file, and only who follows it
 * has all of it. A kubelet looks every 5 s whether the container that is followed still runs.
 */
const LONG_LOG = 2 ** 20;
const LAST_OUTPUT_MS = 12_000;

/** Whoever looks is told of the end later when its books take longer to close. */
const CLOSING_MS = 3000;

/** Jobs are looked at every few seconds; see {@link openSilences}. */
const STOOD_STILL_MS = 60_000;

const NOTHING_YET: JobSighting = { startedAt: undefined, pods: [], hopeless: undefined };

export function openJobs(
  { jobHost, settings }: ClusterSite,
  cluster: Cluster,
  { placeOf, starting, settling, tell }: Runs,
): ClusterJobs {
  const silences = openSilences('the cluster', settings.unreachableLimit, STOOD_STILL_MS);

  const settle = async (
    job: RunId,
    made: MadeJob,
    ending: ClusterEnding | undefined,
  ): Promise<Outcome> => {
    const place = placeOf(job);
    const { intent } = made;
    // Nobody else may write to the job's files before its last output is taken.
    const isLong =
      intent.output === 'log' && ending !== undefined && (await outputSize(place)) > LONG_LOG;
    await running.forget(job, isLong ? LAST_OUTPUT_MS : 0);
    try {
      const outcome = await settleJob(cluster, jobHost, place, intent, ending);
      tell(job);
      return outcome;
    } catch (error) {
      // The cluster has not let go of it, or cannot be asked: a later look goes on with it.
      const startedAt = await readStarted(place);
      running.saw(job, { place, ...made }, { ...NOTHING_YET, startedAt });
      running.retry(job);
      throw error;
    }
  };

  const finish = async (
    job: RunId,
    made: MadeJob,
    ending?: ClusterEnding,
  ): Promise<Observation> => ({
    state: 'ended',
    outcome: await settling.do(job, () => settle(job, made, ending)),
  });

  const follow = (job: RunId, made: MadeJob, seen: JobSighting): Observation => {
    const place = placeOf(job);
    // An answer to a question from before its end may come after it, and would count as the latest.
    const isOver = settling.now(job) !== undefined || existsSync(place.outcome);
    if (!isOver && running.saw(job, { place, ...made }, seen)) tell(job);
    return observed(seen);
  };

  /** Removes again what was made of a job whose Job is gone, and that cannot run any more. */
  const removeMade = async (job: RunId, made: MadeJob): Promise<Observation> => {
    const outcome = await readOutcome(placeOf(job));
    if (outcome === undefined) return finish(job, made, REMOVED);
    await running.forget(job);
    await removeAll(cluster, job, made.intent.manifests);
    return { state: 'ended', outcome };
  };

  const sendNow = async (job: RunId, made: MadeJob): Promise<Observation> => {
    follow(job, made, NOTHING_YET);
    const sent = await trySend(cluster, placeOf(job), made.intent);
    if (sent === 'sent') return { state: 'queued' };
    return sent === 'claim-lost' ? removeMade(job, made) : finish(job, made, sent);
  };

  const lookAt = async (job: RunId): Promise<Observation> => {
    const step = await nextStep(cluster, placeOf(job), settings);
    switch (step.kind) {
      case 'nothing':
        return step.outcome === undefined
          ? { state: 'absent' }
          : { state: 'ended', outcome: step.outcome };
      case 'send':
        return sendNow(job, step.made);
      case 'follow':
        return follow(job, step.made, step.seen);
      case 'settle':
        return finish(job, step.made, step.ending);
      default:
        return step satisfies never;
    }
  };

  /**
   * Nobody knows how a job of a cluster that is away does, until the limit is over; then it is lost.
   * Its own deadline ends what is left of it there.
   */
  const ask = async (job: RunId): Promise<Observation> => {
    try {
      const seen = await lookAt(job);
      silences.end(job);
      return seen;
    } catch (error) {
      const outcome = await silences.note(placeOf(job), error, () => running.forget(job));
      tell(job);
      return { state: 'ended', outcome };
    }
  };

  /**
   * A beat of the executor looks at all of its jobs, and must not wait for a node that takes its
   * time with one of them.
   */
  const askBriefly = async (job: RunId): Promise<Observation> => {
    const asked = ask(job).catch((): Observation => ({ state: 'unknown' }));
    const soon = await Promise.race([asked, delay(CLOSING_MS, undefined, { ref: false })]);
    if (soon !== undefined) return soon;
    return settling.now(job) === undefined ? asked : { state: 'running' };
  };

  const look = async (job: RunId): Promise<Observation> => {
    if (starting.now(job) !== undefined) return { state: 'queued' };
    const known = running.lately(job);
    // One question for each job and second would be too many for a cluster that tells of every
    // change by itself.
    const seen = known === undefined ? await askBriefly(job) : observed(known);
    // Its output may be here before the node has told the cluster that it runs.
    return seen.state === 'queued' && (await outputSize(placeOf(job))) > 0
      ? { state: 'running' }
      : seen;
  };

  const end = async (job: RunId, stop: Stop): Promise<void> => {
    const made = await readMade(placeOf(job));
    if (made === undefined) return;
    await noteStop(placeOf(job), stop);
    await finish(job, made);
  };

  const running = jobFollowers({
    cluster,
    onChange: async (job) => {
      await starting.now(job);
      await ask(job);
    },
    onOver: end,
    onHopeless: async (job, ending) => {
      const made = await readMade(placeOf(job));
      if (made !== undefined) await finish(job, made, ending);
    },
  });

  return {
    send: async (job, made) => {
      await sendNow(job, made).catch(() => running.retry(job));
    },
    look,
    ask,
    end,
    forget: async (job) => {
      silences.end(job);
      await running.forget(job);
    },
    removeObjects: async (job) =>
      removeAll(cluster, job, (await readIntent(placeOf(job)))?.manifests ?? []),
    close: running.close,
  };
}

async function outputSize({ stdout }: JobDirectory): Promise<number> {
  return (await stat(stdout).catch(() => undefined))?.size ?? 0;
}

function observed({ startedAt }: JobSighting): Observation {
  return { state: startedAt === undefined ? 'queued' : 'running' };
}
