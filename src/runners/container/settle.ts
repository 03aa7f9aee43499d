import { chmod } from 'node:fs/promises';
import type { Outcome, Usage } from '../port.ts';
import { giveBackUser } from '../process/start/lend-user.ts';
import type { JobDirectory } from '../run/directory.ts';
import { outcomeOf, readStop, stopFor, type Stop } from '../run/outcome.ts';
import { mustReadRecord, type RunRecord } from '../run/record.ts';
import { mostOutput } from '../run/scratch.ts';
import { storeOutcome, usualResults, withinScratch } from '../run/settle.ts';
import { readTail } from '../run/tail.ts';
import { workflowFailure } from '../workflows/ending.ts';
import type { ContainerEngine } from './begin.ts';
import type { Inspected } from './api/inspected.ts';
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
  usage?: Usage,
): Promise<Outcome> {
  const record = await mustReadRecord(place);
  const { limits } = record;
  const isWhole =
    seen === undefined || (await copyLogs(api, place, { follow: false, most: mostOutput(limits) }));
  await chmod(place.root, 0o700);
  const stderr = await readTail(place.stderr);
  const ended = outcomeOf({
    limits,
    exit: seen?.exit,
    timedOut: false,
    stop: (await readStop(place)) ?? (seen && outOfMemory(seen, record)),
    failure: await workflowFailure(place, stderr),
    stderr,
    results: await usualResults(place, record),
    usage,
  });
  const outcome = await withinScratch(place, record, ended, isWhole);
  const stored = await storeOutcome(jobHost.stager, place, record, outcome);
  await removeContainer(api, place.job);
  await devices?.giveBack(place.job);
  await giveBackUser(jobHost.users, place.job, record);
  return stored;
}

/**
 * Whether the kernel ended it for its memory. Docker says so and Podman 4 does not. But nothing
 * inside can send SIGKILL to the first process of a container, and we did not.
 */
function outOfMemory({ exit, oomKilled }: Inspected, { limits }: RunRecord): Stop | undefined {
  return oomKilled || exit === SIGKILL ? stopFor('memory', limits) : undefined;
}
