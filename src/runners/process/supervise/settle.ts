import { chmod, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagingFailure } from '../../../storage/failure.ts';
import type { JobResult, Outcome } from '../../port.ts';
import { exclusively } from '../start/exclusive.ts';
import { readProcesses } from './processes.ts';
import { emptyCgroup, oomKills, removeCgroup } from '../cgroup/cgroup.ts';
import { readJson, readFileText, writeJsonOnce, type JobDirectory } from '../../run/directory.ts';
import type { JobHost } from '../start/host.ts';
import {
  FAILURE_FILE,
  outcomeOf,
  parseFailure,
  parseOutcome,
  parseStop,
  type Failure,
} from '../../run/outcome.ts';
import { parseRecord, type RunRecord } from '../../run/record.ts';
import { fileResult, workResults } from '../../run/results.ts';
import { saveVolumes } from '../../run/staging.ts';
import { parseStatus, type Status } from './status.ts';
import { removeStrayFiles } from './stray-files.ts';
import { readTail } from '../../run/tail.ts';
import { signal } from './signal.ts';
import { killTree } from './tree.ts';
import type { RunMethod } from '../start/run-method.ts';

const NO_PROCESS = -1;
const LARGEST_FAILURE = 100_000;

/** The file that is there as long as the run has its user. */
export function proofOf(
  { users }: Pick<JobHost, 'users'>,
  { uid, holder }: RunRecord,
): string | undefined {
  return uid === undefined ? undefined : users?.proof({ uid, holder });
}

/** A run whose results could not be stored has failed, unless it had failed already. */
export function unstored(outcome: Outcome, { code, message, transient }: StagingFailure): Outcome {
  return outcome.kind === 'completed'
    ? { kind: 'failed', results: outcome.results, code, message, detail: '', transient }
    : outcome;
}

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
  const record = parseRecord(await readJson(place.record));
  if (record === undefined) throw new Error(`${place.record} cannot be read`);
  const status = parseStatus((await readFileText(place.status)) ?? '');
  const proof = proofOf({ users }, record);
  await endLeftovers(place, record, status, proof);
  const killed = await closeCgroup(record);
  // Its user may be lent to another job, which must not get in here nor find
  // what this one left elsewhere.
  await chmod(place.root, 0o700);
  await removeStrayFiles(record.uid, proof);
  const results = await resultsOf(place, method, record);
  const outcome = status.isUnheld
    ? unheld(results)
    : outcomeOf({
        limits: record.limits,
        exit: status.exit,
        timedOut: status.timedOut,
        outOfMemory: status.outOfMemory || killed,
        stop: parseStop(await readJson(place.stopped)),
        failure: await readFailure(place),
        stderr: await readTail(place.stderr),
        results,
      });
  await store(place, record, status, outcome, stager);
  await method.devices?.giveBack(place.job);
  if (record.uid !== undefined)
    await users?.giveBack(place.job, { uid: record.uid, holder: record.holder });
  return parseOutcome(await readJson(place.outcome)) ?? outcome;
}

async function endLeftovers(
  place: JobDirectory,
  { uid, cgroup }: RunRecord,
  { started, exit }: Status,
  proof: string | undefined,
): Promise<void> {
  if (started === undefined) return;
  if (exit === undefined) endTimer(started.pid);
  // The script is gone and its pid may be another's: only user and marker count now.
  await killTree({ job: place.job, script: NO_PROCESS, uid, cgroup, proof });
}

/**
 * A killed launch script leaves its timer behind, which must not signal a later process. The
 * timer is in the script's group; a group that has its leader is not the dead script's but of a
 * process that got its pid again.
 */
function endTimer(script: number): void {
  const group = readProcesses().filter(
    (entry) => entry.group === script && entry.session === script,
  );
  if (group.length === 0 || group.some(({ pid }) => pid === script)) return;
  signal(-script, 'SIGKILL');
}

/**
 * Ends what is left of a run, if anything is, and removes its cgroup.
 *
 * @returns whether the kernel had killed something of it for want of memory; known
 * as long as the cgroup is there
 */
async function closeCgroup({ cgroup }: Pick<RunRecord, 'cgroup'>): Promise<boolean> {
  if (cgroup === undefined) return false;
  const killed = oomKills(cgroup) > 0;
  await emptyCgroup(cgroup);
  await removeCgroup(cgroup);
  return killed;
}

async function resultsOf(
  place: JobDirectory,
  method: RunMethod,
  { uid, staged }: RunRecord,
): Promise<readonly JobResult[]> {
  const taken = new Set(['stdout', 'stderr']);
  return [
    ...(await method.results(place, taken)),
    ...(await fileResult(place.root, place.stdout, 'stdout', 'text/plain; charset=utf-8')),
    ...(await fileResult(place.root, place.stderr, 'stderr', 'text/plain; charset=utf-8')),
    ...(await workResults(place, uid, taken, new Set(staged.map(({ directory }) => directory)))),
  ];
}

/** A script that had the right to begin the run and could not. */
function unheld(results: readonly JobResult[]): Outcome {
  return {
    kind: 'failed',
    results,
    code: 'runner-failed',
    message: 'the job could not be started: its cgroup could not be made',
    detail: '',
    transient: true,
  };
}

/**
 * The job can write there too: only a small regular file is read. Nothing of the job runs any more.
 */
async function readFailure(place: JobDirectory): Promise<Failure | undefined> {
  const path = join(place.out, FAILURE_FILE);
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.size < LARGEST_FAILURE
    ? parseFailure(await readJson(path))
    : undefined;
}

/** Stores what is to be kept of a run, and writes its outcome. */
async function store(
  place: JobDirectory,
  { staged, uid }: RunRecord,
  { started }: Status,
  outcome: Outcome,
  stager: JobHost['stager'],
): Promise<void> {
  // A run that never began has nothing that should take the place of what is stored.
  if (started === undefined || staged.every(({ save }) => save === undefined))
    return writeJsonOnce(place.outcome, outcome);
  return exclusively(`planner-job-${place.job}`, async () => {
    if (parseOutcome(await readJson(place.outcome)) !== undefined) return;
    const unsaved = await saveVolumes(stager, staged, uid);
    await writeJsonOnce(
      place.outcome,
      unsaved === undefined ? outcome : unstored(outcome, unsaved),
    );
  });
}
