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
import { workflowFailure } from '../workflows/ending.ts';
import { isNotebook, readNotebookFailure } from './notebook.ts';
import { readReports } from './machines.ts';
import { forestall, type NodeStatus } from './script.ts';
import { readNodeStatus } from './status.ts';
import type { BatchPhase, BatchSystem } from './system.ts';

/** What ended a run, as far as the batch system could say. */
export type BatchVerdict =
  | {
      readonly kind: 'told';
      readonly phase: Exclude<BatchPhase, 'queued' | 'running'>;
      readonly state: string;
      readonly reason: string;
    }
  /** it does not know the job, or refused it: the job's directory counts, otherwise this */
  | {
      readonly kind: 'given-up';
      readonly code: JobErrorCode;
      readonly message: string;
      /** the system could not be asked: what has begun may go on */
      readonly mayRun?: boolean;
    };

type Lost = { readonly code: JobErrorCode; readonly message: string };

const NO_PROGRAM = 127;
const LATE_STOPPED_MS = 1000;

/**
 * Closes the books of a run that is over: takes its directories back, stores its persistent
 * volumes, and writes its outcome. Any process may do it, more than once; the first outcome stays.
 *
 * @param late milliseconds that a network file system may lag behind
 */
export async function settleBatchJob(
  system: BatchSystem,
  place: JobDirectory,
  stager: Stager | undefined,
  verdict: BatchVerdict,
  late = 5000,
): Promise<Outcome> {
  const record = await mustReadRecord(place);
  const ours = await readStop(place);
  // A run that we ended reports nothing in most systems.
  const node = await readStatus(place, verdict, ours === undefined ? late : LATE_STOPPED_MS);
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
  const machines = await readReports(system, place);
  const isOutOfMemory =
    machines?.isOutOfMemory === true || (verdict.kind === 'told' && verdict.phase === 'memory');
  const stop = stopOf(verdict, node, ours, limits, isOutOfMemory);
  const memory = stop?.reason === 'memory';
  const stderr = await readTail(place.stderr);
  const outcome = await describe(system, place, verdict, node, {
    // A memory kill of any process counts, even if the first one exits with 0.
    limits,
    stop,
    exit: memory && node.exit === 0 ? undefined : node.exit,
    timedOut: false,
    failure: isNotebook(place)
      ? await readNotebookFailure(place)
      : await workflowFailure(place, stderr),
    stderr,
    results: await resultsOf(place, record),
    usage: machines === undefined ? node.usage : machines.usage,
  });
  // A run that never began has nothing that should replace what is stored.
  const { uid, staged } = record;
  const toStore = { uid, staged: node.began === undefined ? [] : staged };
  return storeOutcome(stager, place, toStore, outcome);
}

/** Reads the node's report, which network file systems may show some seconds late. */
async function readStatus(
  place: JobDirectory,
  verdict: BatchVerdict,
  late: number,
): Promise<NodeStatus> {
  for (let waited = 0; ; waited += 100) {
    const status = await readNodeStatus(place);
    const expected = verdict.kind === 'told' && verdict.phase === 'over';
    if (status.exit !== undefined || !expected || waited >= late) return status;
    await delay(100);
  }
}

/** What stopped the run: its limits on the node, we, or the system's own limits. */
function stopOf(
  verdict: BatchVerdict,
  node: NodeStatus,
  ours: Stop | undefined,
  limits: Limits,
  isOutOfMemory: boolean,
): Stop | undefined {
  if (node.stopped !== undefined) return stopFor(node.stopped, limits);
  const { began, exit } = node;
  // Nobody heard that it is to be stopped, and a run that is lost is stopped later.
  if (verdict.kind === 'given-up' && verdict.mayRun && began !== undefined && exit === undefined)
    return undefined;
  if (ours !== undefined) return ours;
  if (isOutOfMemory) return stopFor('memory', limits);
  if (verdict.kind === 'told' && verdict.phase === 'wall-time') return stopFor('wall-time', limits);
  return undefined;
}

async function describe(
  system: BatchSystem,
  place: JobDirectory,
  verdict: BatchVerdict,
  node: NodeStatus,
  known: Parameters<typeof outcomeOf>[0],
): Promise<Outcome> {
  const outcome = outcomeOf(known);
  if (outcome.kind !== 'failed') return outcome;
  if (outcome.code === 'run-lost') {
    const { code, message } = lostOf(system.title, verdict, node, place.root);
    return { ...outcome, code, message };
  }
  const explained = node.exit === undefined ? undefined : await system.explain?.(place, node.exit);
  if (explained !== undefined) return { ...outcome, ...explained };
  return node.exit === NO_PROGRAM
    ? {
        ...outcome,
        message: 'the task ended with exit code 127: a program that it names is not on the node',
      }
    : outcome;
}

/** Why a run that left no exit status is over, so that the site can act on it. */
function lostOf(title: string, verdict: BatchVerdict, { began }: NodeStatus, root: string): Lost {
  if (verdict.kind === 'given-up') return verdict;
  const { phase, state, reason } = verdict;
  const told = reason === '' || reason === 'None' ? state : `${state}, ${reason}`;
  switch (phase) {
    case 'cancelled':
      return {
        code: 'runner-failed',
        message: `it was cancelled at ${title}, and not by its owner (${told})`,
      };
    case 'lost':
      return { code: 'run-lost', message: `${title} lost the run (${told})` };
    case 'broken':
      return { code: 'runner-failed', message: `${title} gave the job up (${told})` };
    case 'over':
    case 'memory':
    case 'wall-time':
      return began === undefined
        ? {
            code: 'runner-failed',
            message:
              `${title} says ${told}, and the node never began: is ${dirname(root)} on a file ` +
              'system that the nodes share?',
          }
        : {
            code: 'run-lost',
            message: `${title} says ${told}, and how the run ended is not known`,
          };
    default:
      return phase satisfies never;
  }
}

async function resultsOf(place: JobDirectory, record: RunRecord): Promise<readonly JobResult[]> {
  const taken = new Set(['stdout', 'stderr']);
  const own = isNotebook(place) ? await notebookResults(place, taken) : [];
  return [...own, ...(await usualResults(place, record, taken))];
}
