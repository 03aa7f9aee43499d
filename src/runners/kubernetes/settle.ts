import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import type { JobResult, Outcome } from '../port.ts';
import { readJson, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import type { JobHost } from '../process/start/host.ts';
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
import type { Cluster } from './cluster.ts';
import { readEnded, releaseNone, writeEnded, type ClusterIntent } from './files.ts';
import { removeAll } from './gone.ts';
import { CONTAINER } from './job.ts';
import { copyLog } from './logs/copy.ts';
import type { ClusterEnding } from './state.ts';

const TEXT = 'text/plain; charset=utf-8';

type Collected = { readonly whole: boolean; readonly results: readonly JobResult[] };

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
  const record = parseRecord(await readJson(place.record));
  if (record === undefined) throw new Error(`${place.record} cannot be read`);
  // Whatever is made of it from now on never runs.
  await releaseNone(place, intent);
  if (ending !== undefined) await writeEnded(place, ending);
  const known = await readEnded(place);
  const whole = await collectLogs(cluster, place, intent, mostOutput(record.limits));
  await removeAll(cluster, place.job, intent.manifests);
  await chmod(place.root, 0o700);
  const outcome = await describe(
    place,
    record,
    known,
    { whole, results: await resultsOf(place, record, intent) },
    intent,
  );
  // Once it is there others may have stored newer contents.
  const unsaved = existsSync(place.outcome)
    ? undefined
    : await saveVolumes(jobHost.stager, record.staged, record.uid);
  await writeJsonOnce(place.outcome, unsaved === undefined ? outcome : unstored(outcome, unsaved));
  if (record.uid !== undefined)
    await jobHost.users?.giveBack(place.job, { uid: record.uid, holder: record.holder });
  return parseOutcome(await readJson(place.outcome)) ?? outcome;
}

/** Takes the last of the logs while their pods are there. */
async function collectLogs(
  cluster: Cluster,
  place: JobDirectory,
  intent: ClusterIntent,
  most: number,
): Promise<boolean> {
  if (intent.output === 'files') return true;
  const logs = logsOf(intent, place, await cluster.pods(place.job));
  let whole = true;
  for (const { pod, container, file } of logs)
    whole =
      (await copyLog(cluster, {
        pod,
        container,
        file,
        most: Math.ceil(most / logs.length),
        follow: false,
      })) && whole;
  return whole;
}

/** The containers of pods whose logs are wanted, with their files. */
function logsOf(
  { output }: ClusterIntent,
  place: JobDirectory,
  pods: readonly V1Pod[],
): readonly {
  readonly pod: string;
  readonly container: string;
  readonly file: string;
  readonly id: string;
}[] {
  const named = pods.flatMap(({ metadata, spec }) =>
    metadata?.name === undefined ? [] : [{ pod: metadata.name, spec }],
  );
  switch (output) {
    case 'files':
      return [];
    case 'log':
      return named
        .map(({ pod }) => ({ pod, container: CONTAINER, file: place.stdout, id: 'stdout' }))
        .slice(0, 1);
    case 'logs':
      return named.flatMap(({ pod, spec }) =>
        [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => {
          // Names of pods begin with that of the job, which says nothing here.
          const id = `log-${pod.replace(/^planner-[0-9a-f-]{36}-?/, '')}-${name}`.slice(0, 150);
          return { pod, container: name, file: join(place.out, id), id };
        }),
      );
    default:
      return output satisfies never;
  }
}

async function describe(
  place: JobDirectory,
  record: RunRecord,
  ending: ClusterEnding | undefined,
  collected: Collected,
  intent: ClusterIntent,
): Promise<Outcome> {
  const { results } = collected;
  const ours = parseStop(await readJson(place.stopped));
  if (ending?.kind === 'failed' && ours === undefined)
    return {
      kind: 'failed',
      results,
      code: ending.code,
      message: ending.message,
      detail: '',
      transient: ending.transient,
    };
  const exit = ending?.kind === 'exit' ? ending.code : undefined;
  const outcome = outcomeOf({
    limits: record.limits,
    exit,
    timedOut: false,
    outOfMemory: false,
    stop: ours ?? stopOf(ending, record),
    failure: undefined,
    stderr: await readTail(intent.output === 'log' ? place.stdout : place.stderr),
    results,
  });
  if (outcome.kind === 'completed') return (await tooMuch(place, record, collected)) ?? outcome;
  return outcome.kind === 'failed' && exit === NO_PROGRAM && intent.output === 'files'
    ? {
        ...outcome,
        message:
          'the task ended with exit code 127: a program that it names is not in the image of the site',
      }
    : outcome;
}

function stopOf(ending: ClusterEnding | undefined, { limits }: RunRecord): Stop | undefined {
  return ending?.kind === 'over'
    ? { reason: ending.reason, message: stopMessage(ending.reason, limits) }
    : undefined;
}

/** A run that passed its scratch space and ended before anybody counted has not completed. */
async function tooMuch(
  place: JobDirectory,
  { limits }: RunRecord,
  { whole, results }: Collected,
): Promise<Outcome | undefined> {
  const counted = await checkScratch(limits, place);
  const stop = whole
    ? counted
    : (counted ?? { reason: 'output' as const, message: stopMessage('output', limits) });
  return stop && { kind: 'stopped', ...stop, results };
}

async function resultsOf(
  place: JobDirectory,
  { uid, staged }: RunRecord,
  intent: ClusterIntent,
): Promise<readonly JobResult[]> {
  const taken = new Set(['stdout', 'stderr']);
  return [
    ...(await fileResult(place.root, place.stdout, 'stdout', TEXT)),
    ...(await fileResult(place.root, place.stderr, 'stderr', TEXT)),
    ...(await workResults(place, uid, taken, new Set(staged.map(({ directory }) => directory)))),
    ...(intent.output === 'logs'
      ? await workResults({ ...place, work: place.out }, undefined, taken, new Set())
      : []),
  ];
}
