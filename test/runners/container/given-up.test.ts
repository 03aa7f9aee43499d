import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { noteStart } from '../../../src/runners/container/tickets.ts';
import { containerRunner } from '../../../src/runners/container-runner.ts';
import type { Runner } from '../../../src/runners/port.ts';
import { directoryOf, type JobDirectory } from '../../../src/runners/run/directory.ts';
import { seconds } from '../../../src/words/units.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';
import { containerSettings } from './settings.ts';

const RUNS = { Id: 'one', State: { Status: 'running', StartedAt: new Date().toISOString() } };
const LIMITS = { cores: 1000, memory: 64, scratch: 64, wallTime: 60 };

let root: string;
let place: JobDirectory;
let isAway: boolean;
/** Whether the container is still there. */
let isThere: boolean;
let engine: ReturnType<typeof createServer>;

beforeEach(async () => {
  root = temporaryRoot();
  place = directoryOf(join(root, 'jobs'), newJob());
  for (const folder of [place.task, place.work]) mkdirSync(folder, { recursive: true });
  writeFileSync(place.record, JSON.stringify({ limits: LIMITS, staged: [] }));
  await noteStart(place, 1, 'one');
  [isAway, isThere] = [true, true];
  engine = createServer((request, response) => {
    if (isAway) return void request.socket.destroy();
    if (request.method === 'DELETE') isThere = false;
    return void response.writeHead(isThere ? 200 : 404).end(JSON.stringify(RUNS));
  });
  await new Promise<void>((done) => engine.listen(join(root, 'engine'), done));
});
afterEach(async () => {
  engine.closeAllConnections();
  await new Promise((done) => engine.close(done));
  removeRoot(root);
});

test.each(['stop', 'remove'] as const)(
  'the container of a run that another executor gave up is gone after a %s, which fails while the engine is away',
  async (what) => {
    await giveUp();
    const next = open();
    const end = () =>
      what === 'stop' ? next.stop(place.job, 'cancelled') : next.remove(place.job);
    await expect(end()).rejects.toThrow('socket hang up');
    isAway = false;
    await end();
    expect(isThere).toBe(false);
    expect(await next.look(place.job)).toMatchObject(
      what === 'stop' ? { outcome: { code: 'run-lost' } } : { state: 'absent' },
    );
    await next.close();
  },
);

/** An executor gives the run up, since its engine is away, and ends. */
async function giveUp(): Promise<void> {
  const runner = open();
  expect(await runner.look(place.job)).toMatchObject({
    state: 'ended',
    outcome: { code: 'run-lost' },
  });
  await runner.close();
}

function open(): Runner {
  const settings = containerSettings({
    address: { kind: 'unix', path: join(root, 'engine') },
    unreachableLimit: seconds(0),
  });
  const urls = { allowHosts: [], fileRoots: [] };
  return containerRunner({ jobsRoot: join(root, 'jobs'), uids: 'service', urls }, settings);
}
