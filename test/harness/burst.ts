import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchPart, followPhases } from '../../src/cli/conversation.ts';
import type { WholeService } from './whole-service.ts';

/** Jobs of a burst that the service promises to handle. */
export const BURST = 1000;
const CLIENTS = 16;

// Adds a line for each run, so that a second run is seen.
const QUESTION = JSON.stringify({
  task: {
    type: 'https://www.purl.org/ivoa-net/task-type/executable',
    spec: { command: ['sh', '-c', 'echo ran >> count'] },
  },
  resources: { compute: [{ 'min-cores': 1, 'min-memory': '0.0625Gb' }] },
});

/** A site file that lets anybody start a burst of jobs at this destination. */
export function burstSite(destination: object): object {
  return {
    rules: ['rules.yml'],
    offers: { duration: 'PT5M', 'max-offers': 1 },
    quotas: [{ for: 'anonymous', jobs: 2 * BURST, holds: 2 * BURST }],
    destinations: {
      here: {
        'task-types': ['executable'],
        cores: 2 * BURST,
        memory: '1TiB',
        scratch: '100TiB',
        ...destination,
      },
    },
  };
}

/** Asks, accepts and runs in one request. @returns URL of the job */
export async function startShort(service: WholeService): Promise<string> {
  const response = await fetch(`${service.url}/jobs?PHASE=RUN`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: QUESTION,
    redirect: 'manual',
  });
  if (response.status === 303) return response.headers.get('location') ?? '';
  const text = await response.text();
  // The rules' time limit may pass on a busy machine; nothing has begun then.
  if (response.status === 403 && text.includes('rule-timeout')) return startShort(service);
  throw new Error(`${response.status}: ${text}`);
}

/** Follows a job as its client does. @returns its last phase */
export async function lastPhase(job: string): Promise<string> {
  let last = '';
  for await (const phase of followPhases(job)) last = phase;
  return last;
}

/** An ended job of a burst. `runs`: a line `ran` for each run; `error`: the text for its client */
export type Burst = {
  readonly job: string;
  readonly phase: string;
  readonly runs: string;
  readonly error: string | undefined;
};

/** The faults of a burst, in which no job may be lost or run twice. */
export function wrongIn(burst: readonly Burst[]): readonly unknown[] {
  return [
    ...burst.filter(({ phase, runs }) => phase !== 'COMPLETED' || runs !== 'ran\n'),
    ...(new Set(burst.map(({ job }) => job)).size === BURST ? [] : ['other than so many jobs']),
  ];
}

/**
 * Lets clients start BURST jobs at once and follows them to their ends. The time is printed on
 * standard error, but not tested.
 *
 * @param engine its name there
 */
export async function runBurst(service: WholeService, engine: string): Promise<readonly Burst[]> {
  const begun = performance.now();
  const since = (): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  const jobs: string[] = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (jobs.length < BURST) {
        const index = jobs.push('') - 1;
        jobs[index] = await startShort(service);
      }
    }),
  );
  const accepted = since();
  const phases: string[] = [];
  for (const job of jobs) phases.push(await lastPhase(job));
  process.stderr.write(
    `${engine}: ${BURST} jobs accepted in ${accepted}, all over after ${since()}\n`,
  );
  return Promise.all(
    jobs.map(async (job, index) => {
      const phase = phases[index] ?? '';
      return {
        job,
        phase,
        runs: await runsOf(service, job),
        error: phase === 'ERROR' ? await fetchPart(job, 'error') : undefined,
      };
    }),
  );
}

/** The lines that a job's runs wrote. */
function runsOf({ folder }: WholeService, job: string): Promise<string> {
  return readFile(join(folder, 'jobs', job.split('/').at(-1) ?? '', 'work/count'), 'utf8').catch(
    () => 'nothing',
  );
}
