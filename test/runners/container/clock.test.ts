import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { noteStart, beginOf } from '../../../src/runners/container/tickets.ts';
import { containerRunner } from '../../../src/runners/container-runner.ts';
import type { Runner } from '../../../src/runners/port.ts';
import { directoryOf, type JobDirectory } from '../../../src/runners/run/directory.ts';
import { until } from '../../cli/service-process.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';
import { containerSettings } from './settings.ts';

const HOUR_MS = 3_600_000;
const now = Date.now;

let root: string;
let place: JobDirectory;
let runner: Runner;
/** When the container began, by the engine's clock; undefined: it does not say. */
let startedAt: number | undefined;
/** What the engine was asked about the container while it was followed. */
let asked: ('stats' | 'stop')[];
let engine: ReturnType<typeof createServer>;

beforeEach(async () => {
  root = temporaryRoot();
  place = directoryOf(join(root, 'jobs'), newJob());
  for (const folder of [place.task, place.work]) mkdirSync(folder, { recursive: true });
  asked = [];
  engine = createServer(({ url = '' }, response) => {
    for (const what of ['stats', 'stop'] as const) if (url.includes(`/${what}?`)) asked.push(what);
    // Its output goes on.
    if (url.includes('/logs?')) return void response.writeHead(200).flushHeaders();
    const StartedAt = startedAt === undefined ? undefined : new Date(startedAt).toISOString();
    return void response.end(
      JSON.stringify({ Id: 'one', State: { Status: 'running', StartedAt } }),
    );
  });
  await new Promise<void>((done) => engine.listen(join(root, 'engine'), done));
  runner = containerRunner(
    { jobsRoot: join(root, 'jobs'), uids: 'service', urls: { allowHosts: [], fileRoots: [] } },
    containerSettings({ address: { kind: 'unix', path: join(root, 'engine') } }),
  );
});
afterEach(async () => {
  Date.now = now;
  await runner.close();
  engine.closeAllConnections();
  await new Promise((done) => engine.close(done));
  removeRoot(root);
});

/** A container that was started just now. */
async function run(wallTime: number): Promise<void> {
  const limits = { cores: 1000, memory: 64, scratch: 64, wallTime };
  writeFileSync(place.record, JSON.stringify({ limits, staged: [] }));
  await noteStart(place, 1, 'one');
  expect(await runner.look(place.job)).toEqual({ state: 'running' });
}

/** What the engine is asked next: a run that is not over is counted, any other is stopped. */
function next(): Promise<'stats' | 'stop'> {
  const seen = asked.length;
  return until('the engine is asked', () => asked[seen]);
}

describe('a container runs for as long as was offered', () => {
  test('though the clock of its engine is an hour behind', async () => {
    startedAt = now() - HOUR_MS;
    await run(600);
    expect(await next()).toBe('stats');
  });

  test('though the clock of its machine is set an hour ahead meanwhile', async () => {
    startedAt = now();
    await run(600);
    expect(await next()).toBe('stats');
    Date.now = () => now() + HOUR_MS;
    expect(await next()).toBe('stats');
  });

  test.each([
    ['is an hour ahead', () => now() + HOUR_MS],
    ['says nothing of its start', () => undefined],
  ])('and no longer when its engine %s', async (_what, told) => {
    startedAt = told();
    await run(1);
    await until('it is stopped', () => asked.includes('stop') || undefined, 30_000);
    expect(asked).toContain('stop');
  });

  test('and when an executor begins to follow it minutes later, its time has gone on', async () => {
    startedAt = now() + HOUR_MS;
    await run(120);
    Date.now = () => now() + 200_000;
    expect(await beginOf(place, { ticket: 1, startedAt })).toBeLessThan(now() + 100_000);
  });
});
