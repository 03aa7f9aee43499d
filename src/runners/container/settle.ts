import { chmod } from 'node:fs/promises';
import type { Limits, Outcome, Usage } from '../port.ts';
import { giveBackUser } from '../process/start/lend-user.ts';
import type { JobDirectory } from '../run/directory.ts';
import { outcomeOf, readStop, stopFor } from '../run/outcome.ts';
import { mustReadRecord } from '../run/record.ts';
import { mostOutput } from '../run/scratch.ts';
import { storeOutcome, usualResults, withinScratch } from '../run/settle.ts';
import { readTail } from '../run/tail.ts';
import { workflowFailure } from '../workflows/ending.ts';
import type { ContainerEngine } from './begin.ts';
import { EngineRefusal, type EngineApi } from './api/client.ts';
import type { Inspected } from './api/inspected.ts';
import { readEnd, noteEnd } from './end.ts';
import { copyLogs } from './api/logs.ts';
import { removeContainer } from './remove.ts';

const SIGKILL = 137;

/**
 * Closes the books of a container that is over, or that is gone (`seen` is undefined): takes its
 * last output and its directories, removes it, stores its persistent volumes, and writes its
 * outcome. Any process may do it, more than once.
 */
export async function settleContainer(
  { api, jobHost, devices }: ContainerEngine,
  place: JobDirectory,
  seen: Inspected | undefined,
  usage?: Usage,
): Promise<Outcome> {
  const record = await mustReadRecord(place);
  const { limits } = record;
  if (seen !== undefined) await takeEnd(api, place, limits, seen, usage);
  // Nobody looks for the container of a run that has an outcome.
  await removeContainer(api, place.job);
  const known = await readEnd(place);
  await chmod(place.root, 0o700);
  const stderr = await readTail(place.stderr);
  const ended = outcomeOf({
    limits,
    exit: known?.exit,
    timedOut: false,
    stop:
      (await readStop(place)) ??
      (known?.isOutOfMemory === true ? stopFor('memory', limits) : undefined),
    failure: await workflowFailure(place, stderr),
    stderr,
    results: await usualResults(place, record),
    usage: usage ?? known?.usage,
  });
  const outcome = await withinScratch(place, record, ended, known?.isWhole ?? true);
  const stored = await storeOutcome(jobHost.stager, place, record, outcome);
  await devices?.giveBack(place.job);
  await giveBackUser(jobHost.users, place.job, record);
  return stored;
}

/**
 * Takes the last output of a container and keeps how it ended. Once another process has done so, it
 * may be removing the container, whose engine refuses its output then.
 */
async function takeEnd(
  api: EngineApi,
  place: JobDirectory,
  limits: Limits,
  seen: Inspected,
  usage: Usage | undefined,
): Promise<void> {
  try {
    const isWhole = await copyLogs(api, place, { follow: false, most: mostOutput(limits) });
    await noteEnd(place, { exit: seen.exit, isOutOfMemory: isOutOfMemory(seen), isWhole, usage });
  } catch (error) {
    if (!(error instanceof EngineRefusal) || (await readEnd(place)) === undefined) throw error;
  }
}

/**
 * Whether the kernel ended it for its memory. Docker says so and Podman 4 does not. But nothing
 * inside can send SIGKILL to the first process of a container, and we did not.
 */
function isOutOfMemory({ exit, oomKilled }: Inspected): boolean {
  return oomKilled || exit === SIGKILL;
}
