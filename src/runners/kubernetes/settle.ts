import { chmod } from 'node:fs/promises';
import type { JobResult, Outcome } from '../port.ts';
import type { JobHost } from '../process/start/host.ts';
import { giveBackUser } from '../process/start/lend-user.ts';
import type { JobDirectory } from '../run/directory.ts';
import { failedRun, outcomeOf, readStop, stopFor } from '../run/outcome.ts';
import { mustReadRecord, type RunRecord } from '../run/record.ts';
import { workResults } from '../run/results.ts';
import { mostOutput } from '../run/scratch.ts';
import { storeOutcome, usualResults, withinScratch } from '../run/settle.ts';
import { readTail } from '../run/tail.ts';
import type { Cluster } from './cluster.ts';
import { readEnded, releaseNone, writeEnded, type ClusterIntent } from './files.ts';
import { removeAll } from './gone.ts';
import { collectLogs } from './logs/collect.ts';
import type { ClusterEnding } from './pods/ending.ts';

const NO_PROGRAM = 127;

/**
 * Closes the books of a run that is over, or that we stopped (`ending` is undefined then): takes
 * its last output, removes what it has in the cluster, stores its persistent volumes and writes its
 * outcome. Any process may do it, more than once.
 *
 * @throws Error when the cluster cannot be asked, or has not ended
 * everything yet: to be called again
 */
export async function settleJob(
  cluster: Cluster,
  jobHost: JobHost,
  place: JobDirectory,
  intent: ClusterIntent,
  ending: ClusterEnding | undefined,
): Promise<Outcome> {
  const record = await mustReadRecord(place);
  // Objects that somebody makes from now on never run.
  await releaseNone(place, intent);
  if (ending !== undefined) await writeEnded(place, ending);
  const known = await readEnded(place);
  const isWhole = await collectLogs(cluster, place, intent.output, mostOutput(record.limits));
  await removeAll(cluster, place.job, intent.manifests);
  await chmod(place.root, 0o700);
  const ended = await describe(place, record, known, intent);
  const outcome = await withinScratch(place, record, ended, isWhole);
  const stored = await storeOutcome(jobHost.stager, place, record, outcome);
  await giveBackUser(jobHost.users, place.job, record);
  return stored;
}

async function describe(
  place: JobDirectory,
  record: RunRecord,
  ending: ClusterEnding | undefined,
  { output }: ClusterIntent,
): Promise<Outcome> {
  const results = await resultsOf(place, record, output);
  const ours = await readStop(place);
  if (ending?.kind === 'failed' && ours === undefined)
    return failedRun(ending.code, ending.message, { results, transient: ending.transient });
  const exit = ending?.kind === 'exit' ? ending.code : undefined;
  const { limits } = record;
  const outcome = outcomeOf({
    limits,
    exit,
    timedOut: false,
    outOfMemory: false,
    stop: ours ?? (ending?.kind === 'over' ? stopFor(ending.reason, limits) : undefined),
    failure: undefined,
    stderr: await readTail(output === 'log' ? place.stdout : place.stderr),
    results,
  });
  return outcome.kind === 'failed' && exit === NO_PROGRAM && output === 'files'
    ? {
        ...outcome,
        message: 'the task ended with exit code 127: a program that it names is not in the image',
      }
    : outcome;
}

async function resultsOf(
  place: JobDirectory,
  record: RunRecord,
  output: ClusterIntent['output'],
): Promise<readonly JobResult[]> {
  const taken = new Set(['stdout', 'stderr']);
  const usual = await usualResults(place, record, taken);
  return output === 'logs'
    ? [...usual, ...(await workResults({ ...place, work: place.out }, undefined, taken))]
    : usual;
}
