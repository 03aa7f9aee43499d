import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stager } from '../../storage/stager.ts';
import type { JobErrorCode } from '../../words/catalogue.ts';
import { notebookResults } from '../notebook/results.ts';
import type { JobResult, Limits, Outcome } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { outcomeOf, readStop, stopFor, type Stop } from '../run/outcome.ts';
import { mustReadRecord, type RunRecord } from '../run/record.ts';
import { storeOutcome, usualResults } from '../run/settle.ts';
import { readTail } from '../run/tail.ts';
import { containerTrouble, NOT_STARTED } from './container.ts';
import { isNotebook, readNotebookFailure } from './notebook.ts';
import { forestall, type NodeStatus } from './script.ts';
import type { SlurmPhase } from './states.ts';
import { readFromNode, readNodeStatus } from './status.ts';

/** What ended a run, as far as Slurm could say. */
export type SlurmVerdict =
  | {
      readonly kind: 'slurm';
      readonly phase: Exclude<SlurmPhase, 'queued' | 'running'>;
      readonly state: string;
      readonly reason: string;
    }
  /** Slurm does not know the job, or refused it: the job's directory counts, otherwise this */
  | { readonly kind: 'given-up'; readonly code: JobErrorCode; readonly message: string };

type Lost = { readonly code: JobErrorCode; readonly message: string };

const NO_PROGRAM = 127;

const TROUBLES: Readonly<
  Record<
    string,
    { readonly code: JobErrorCode; readonly message: string; readonly transient: boolean }
  >
> = {
  'fetch-failed': {
    code: 'fetch-failed',
    message: 'the node could not get the image',
    transient: true,
  },
  'image-mismatch': {
    code: 'image-mismatch',
    message:
      'the image is not the one that was asked for: its digest or its architecture is another',
    transient: false,
  },
};
const UNSTARTED = {
  code: 'runner-failed',
  message: 'the container engine of the node could not start the container',
  transient: true,
} as const;

/**
 * Closes the books of a run that is over: takes its directories back, stores its persistent
 * volumes, and writes its outcome. Any process may do it, more than once; the first outcome stays.
 *
 * @param late milliseconds that a network file system may lag behind
 */
export async function settleSlurmJob(
  place: JobDirectory,
  stager: Stager | undefined,
  verdict: SlurmVerdict,
  late = 5000,
): Promise<Outcome> {
  const record = await mustReadRecord(place);
  const node = await readStatus(place, verdict, late);
  // A run that nobody saw begin must not begin any more: it may have been sent twice.
  if (
    node.began === undefined &&
    !(await forestall(place)) &&
    verdict.kind === 'given-up' &&
    verdict.code !== 'run-lost'
  )
    throw new Error(`the run of ${place.job} has begun after all`);
  await chmod(place.root, 0o700);
  const { limits } = record;
  const stop = stopOf(verdict, node, await readStop(place), limits);
  const memory = stop?.reason === 'memory';
  const trouble = (await readFromNode(containerTrouble(place))).trim();
  const outcome = describe(place, verdict, node, trouble === '' ? undefined : trouble, {
    // Slurm reports a memory kill of any process, even if the first one exits with 0.
    limits,
    stop,
    exit: memory && node.exit === 0 ? undefined : node.exit,
    timedOut: false,
    failure: isNotebook(place) ? await readNotebookFailure(place) : undefined,
    stderr: await readTail(place.stderr),
    results: await resultsOf(place, record),
    usage: node.usage,
  });
  // A run that never began has nothing that should replace what is stored.
  const { uid, staged } = record;
  const toStore = { uid, staged: node.began === undefined ? [] : staged };
  return storeOutcome(stager, place, toStore, outcome);
}

/** Reads the node's report, which network file systems may show some seconds late. */
async function readStatus(
  place: JobDirectory,
  verdict: SlurmVerdict,
  late: number,
): Promise<NodeStatus> {
  for (let waited = 0; ; waited += 100) {
    const status = await readNodeStatus(place);
    const expected = verdict.kind === 'slurm' && verdict.phase === 'over';
    if (status.exit !== undefined || !expected || waited >= late) return status;
    await delay(100);
  }
}

/** What stopped the run: its limits on the node, we, or Slurm's own limits. */
function stopOf(
  verdict: SlurmVerdict,
  node: NodeStatus,
  ours: Stop | undefined,
  limits: Limits,
): Stop | undefined {
  if (node.stopped !== undefined) return stopFor(node.stopped, limits);
  if (ours !== undefined) return ours;
  if (verdict.kind === 'slurm' && (verdict.phase === 'memory' || verdict.phase === 'wall-time'))
    return stopFor(verdict.phase, limits);
  return undefined;
}

function describe(
  place: JobDirectory,
  verdict: SlurmVerdict,
  node: NodeStatus,
  trouble: string | undefined,
  known: Parameters<typeof outcomeOf>[0],
): Outcome {
  const outcome = outcomeOf(known);
  if (outcome.kind !== 'failed') return outcome;
  if (outcome.code === 'run-lost') {
    const { code, message } = lostOf(verdict, node, place.root);
    return { ...outcome, code, message };
  }
  if (node.exit === NOT_STARTED && trouble !== undefined)
    return { ...outcome, ...(TROUBLES[trouble] ?? UNSTARTED) };
  return node.exit === NO_PROGRAM
    ? {
        ...outcome,
        message: 'the task ended with exit code 127: a program that it names is not on the node',
      }
    : outcome;
}

/** Why a run that left no exit status is over, so that the site can act on it. */
function lostOf(verdict: SlurmVerdict, { began }: NodeStatus, root: string): Lost {
  if (verdict.kind === 'given-up') return verdict;
  const { phase, state, reason } = verdict;
  const told = reason === '' || reason === 'None' ? state : `${state}, ${reason}`;
  switch (phase) {
    case 'cancelled':
      return {
        code: 'runner-failed',
        message: `it was cancelled at Slurm, and not by its owner (${told})`,
      };
    case 'lost':
      return { code: 'run-lost', message: `Slurm lost the run (${told})` };
    case 'broken':
      return { code: 'runner-failed', message: `Slurm gave the job up (${told})` };
    case 'over':
    case 'memory':
    case 'wall-time':
      return began === undefined
        ? {
            code: 'runner-failed',
            message:
              `Slurm says ${told}, and the node never began: is ${dirname(root)} on a file ` +
              'system that the nodes share?',
          }
        : { code: 'run-lost', message: `Slurm says ${told}, and how the run ended is not known` };
    default:
      return phase satisfies never;
  }
}

async function resultsOf(place: JobDirectory, record: RunRecord): Promise<readonly JobResult[]> {
  const taken = new Set(['stdout', 'stderr']);
  const own = isNotebook(place) ? await notebookResults(place, taken) : [];
  return [...own, ...(await usualResults(place, record, taken))];
}
