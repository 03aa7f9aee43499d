import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import type { JobResult, Outcome } from '../port.ts';
import { readJson, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import {
  outcomeOf,
  parseOutcome,
  parseStop,
  stopMessage,
  type Stop,
} from '../run/outcome.ts';
import { parseRecord, type RunRecord } from '../run/record.ts';
import { fileResult, workResults } from '../run/results.ts';
import { unstored } from '../process/supervise/settle.ts';
import { saveVolumes } from '../run/staging.ts';
import { readTail } from '../run/tail.ts';
import { checkScratch, mostOutput } from '../process/supervise/limits.ts';
import type { ContainerEngine } from './begin.ts';
import type { Inspected } from './inspected.ts';
import { copyLogs } from './logs.ts';
import { removeContainer } from './remove.ts';

const SIGKILL = 137;

/**
 * Closes the books of a container that is over, or that is gone (`seen` is undefined): takes its
 * last output and its directories, stores its persistent volumes, writes its outcome, and removes
 * it. Any process may do it, more than once.
 */
export async function settleContainer(
  { api, jobHost, devices }: ContainerEngine,
  place: JobDirectory,
  seen: Inspected | undefined,
): Promise<Outcome> {
  const record = parseRecord(await readJson(place.record));
  if (record === undefined) throw new Error(`${place.record} cannot be read`);
  const whole =
    seen === undefined ||
    (await copyLogs(api, place, { follow: false, most: mostOutput(record.limits) }));
  await chmod(place.root, 0o700);
  const ended = outcomeOf({
    limits: record.limits,
    exit: seen?.exit,
    timedOut: false,
    stop: parseStop(await readJson(place.stopped)) ?? (seen && outOfMemory(seen, record)),
    failure: undefined,
    stderr: await readTail(place.stderr),
    results: await resultsOf(place, record),
  });
  const outcome =
    ended.kind === 'completed' ? ((await tooMuch(place, record, whole)) ?? ended) : ended;
  // Once it is there others may have stored newer contents.
  const unsaved = existsSync(place.outcome)
    ? undefined
    : await saveVolumes(jobHost.stager, record.staged, record.uid);
  await writeJsonOnce(place.outcome, unsaved === undefined ? outcome : unstored(outcome, unsaved));
  await removeContainer(api, place.job);
  await devices?.giveBack(place.job);
  if (record.uid !== undefined)
    await jobHost.users?.giveBack(place.job, { uid: record.uid, holder: record.holder });
  return parseOutcome(await readJson(place.outcome)) ?? outcome;
}

/**
 * Whether the kernel ended it for its memory. Docker says so; Podman 4 does not, but nothing inside
 * can send SIGKILL to the first process of a container, and we did not.
 */
function outOfMemory({ exit, oomKilled }: Inspected, { limits }: RunRecord): Stop | undefined {
  return oomKilled || exit === SIGKILL
    ? { reason: 'memory', message: stopMessage('memory', limits) }
    : undefined;
}

async function resultsOf(
  place: JobDirectory,
  { uid, staged }: RunRecord,
): Promise<readonly JobResult[]> {
  return [
    ...(await fileResult(place.root, place.stdout, 'stdout', 'text/plain; charset=utf-8')),
    ...(await fileResult(place.root, place.stderr, 'stderr', 'text/plain; charset=utf-8')),
    ...(await workResults(
      place,
      uid,
      new Set(['stdout', 'stderr']),
      new Set(staged.map(({ directory }) => directory)),
    )),
  ];
}

/** A run that passed its scratch space and ended before anybody counted has not completed. */
async function tooMuch(
  place: JobDirectory,
  record: RunRecord,
  whole: boolean,
): Promise<Outcome | undefined> {
  const { limits } = record;
  const counted = await checkScratch(limits, place);
  const stop = whole
    ? counted
    : (counted ?? { reason: 'output' as const, message: stopMessage('output', limits) });
  return stop && { kind: 'stopped', ...stop, results: await resultsOf(place, record) };
}
