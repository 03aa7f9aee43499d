import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobResult, Outcome } from '../../port.ts';
import { readFileText, readJson, type JobDirectory } from '../../run/directory.ts';
import { FAILURE_FILE, parseFailure, type Failure } from '../../run/failure.ts';
import { failedRun, outcomeOf, readStop } from '../../run/outcome.ts';
import { mustReadRecord, type RunRecord } from '../../run/record.ts';
import { storeOutcome, usualResults } from '../../run/settle.ts';
import { readTail } from '../../run/tail.ts';
import { workflowFailure } from '../../workflows/ending.ts';
import { exclusively } from '../start/exclusive.ts';
import type { JobHost } from '../start/host.ts';
import { giveBackUser } from '../start/lend-user.ts';
import type { RunMethod } from '../start/run-method.ts';
import { parseStatus, type Status } from './status.ts';
import { clearUp } from './kill.ts';

const LARGEST_FAILURE = 100_000;

/**
 * Closes the books of a run that is over: ends what it left behind, takes its directories back,
 * stores its persistent volumes, writes its outcome and gives its user back. Any process may do it,
 * more than once; the first outcome stays.
 */
export async function settleRun(
  place: JobDirectory,
  method: RunMethod,
  { users, stager }: Pick<JobHost, 'users' | 'stager'>,
): Promise<Outcome> {
  const record = await mustReadRecord(place);
  const status = parseStatus((await readFileText(place.status)) ?? '');
  const wasKilled = await clearUp({ users }, place, record, status);
  const results = await resultsOf(place, method, record);
  const stderr = await readTail(place.stderr);
  const outcome = status.isUnheld
    ? unheld(results)
    : outcomeOf({
        limits: record.limits,
        exit: status.exit,
        timedOut: status.timedOut,
        outOfMemory: status.outOfMemory || wasKilled,
        stop: await readStop(place),
        failure: (await readFailure(place)) ?? (await workflowFailure(place, stderr)),
        stderr,
        results,
        usage: status.usage,
      });
  const stored = await store(place, record, status, outcome, stager);
  await method.devices?.giveBack(place.job);
  await giveBackUser(users, place.job, record);
  return stored;
}

async function resultsOf(
  place: JobDirectory,
  method: RunMethod,
  record: RunRecord,
): Promise<readonly JobResult[]> {
  const taken = new Set(['stdout', 'stderr']);
  const own = await method.results(place, taken);
  return [...own, ...(await usualResults(place, record, taken))];
}

/** The outcome of a script that had the right to begin the run and could not. */
function unheld(results: readonly JobResult[]): Outcome {
  return failedRun('runner-failed', 'the job could not be started: its cgroup could not be made', {
    results,
  });
}

/**
 * Reads a small regular file only, since the job could write there. Nothing of the job runs any
 * more.
 */
async function readFailure(place: JobDirectory): Promise<Failure | undefined> {
  const path = join(place.out, FAILURE_FILE);
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.size < LARGEST_FAILURE
    ? parseFailure(await readJson(path))
    : undefined;
}

/** Stores the volumes of a run and writes its outcome. */
async function store(
  place: JobDirectory,
  { staged, uid }: RunRecord,
  { started }: Status,
  outcome: Outcome,
  stager: JobHost['stager'],
): Promise<Outcome> {
  // A run that never began has nothing that should replace what is stored.
  if (started === undefined || staged.every(({ save }) => save === undefined))
    return storeOutcome(stager, place, { staged: [], uid }, outcome);
  return exclusively(`planner-job-${place.job}`, () =>
    storeOutcome(stager, place, { staged, uid }, outcome),
  );
}
