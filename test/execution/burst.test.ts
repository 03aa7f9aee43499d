import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { followPhases } from '../../src/cli/conversation.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

const BURST = 1000;
const CLIENTS = 16;
/** One after the other, on a service that does nothing else: what they took is told, and no test. */
const ALONE = 20;

// One that counts on being fast fails on a busy machine: at a load of 13 on two cores it took 7 minutes.
jest.setTimeout(1_800_000);

const QUESTION = JSON.stringify({
  task: { type: 'https://www.purl.org/ivoa-net/task-type/executable', spec: { command: ['sh', '-c', 'echo ran >> count'] } },
  resources: { compute: [{ 'min-cores': 1, 'min-memory': '0.0625Gb' }] },
});

describe('short jobs of the process runner, accepted in a burst', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: {
        rules: ['rules.yml'], offers: { 'duration': 'PT5M', 'max-offers': 1 }, quotas: [{ for: 'anonymous', jobs: 2 * BURST, holds: 2 * BURST }],
        destinations: { here: { runner: 'process', 'task-types': ['executable'], cores: 2 * BURST, memory: '1TiB', scratch: '100TiB' } },
      },
      rules: { destinations: { here: { runner: 'process' } } },
    });
  });
  afterAll(async () => {
    await service?.close();
  });

  /** Asks, accepts and runs in one request. @returns URL of the job */
  const start = async (): Promise<string> => {
    const response = await fetch(`${service.url}/jobs?PHASE=RUN`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: QUESTION, redirect: 'manual' });
    if (response.status !== 303) throw new Error(`${response.status}: ${await response.text()}`);
    return response.headers.get('location') ?? '';
  };
  const lastPhase = async (job: string): Promise<string> => {
    let last = '';
    for await (const phase of followPhases(job)) last = phase;
    return last;
  };
  /** What a job left, as its runs wrote it. */
  const runsOf = (job: string): Promise<string> =>
    readFile(join(service.folder, 'jobs', job.split('/').at(-1) ?? '', 'work/count'), 'utf8').catch(() => 'nothing');

  test(`one after the other, ${ALONE} of them run`, async () => {
    for (let count = 0; count < ALONE; count += 1) expect(await lastPhase(await start())).toBe('COMPLETED');
    const rows = await service.db.database.$queryRaw<readonly { ms: number }[]>`
      SELECT (extract(epoch FROM started_at - created_at) * 1000)::float8 AS ms FROM job ORDER BY ms`;
    process.stderr.write(`process, idle: accept to running, median of ${rows.length}: ${rows[Math.floor(rows.length / 2)]?.ms.toFixed(0)} ms\n`);
    expect(rows).toHaveLength(ALONE);
  });

  test(`${BURST} at once all finish, none is lost and none runs twice`, async () => {
    const begun = performance.now();
    const jobs: string[] = [];
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      while (jobs.length < BURST) {
        const index = jobs.push('') - 1;
        jobs[index] = await start();
      }
    }));
    const accepted = performance.now();
    const ends: string[] = [];
    for (const job of jobs) ends.push(await lastPhase(job));
    process.stderr.write(`process: ${BURST} jobs accepted in ${((accepted - begun) / 1000).toFixed(1)} s, all over after ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
    expect(new Set(jobs).size).toBe(BURST);
    expect(ends.filter((phase) => phase !== 'COMPLETED')).toEqual([]);
    expect((await Promise.all(jobs.map(runsOf))).filter((text) => text !== 'ran\n')).toEqual([]);
  });
});
