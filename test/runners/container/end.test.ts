import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { noteEnd } from '../../../src/runners/container/end.ts';
import { noteStart } from '../../../src/runners/container/tickets.ts';
import { containerRunner } from '../../../src/runners/container-runner.ts';
import { directoryOf, type JobDirectory } from '../../../src/runners/run/directory.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';
import { containerSettings } from './settings.ts';

const ENDED = { Id: 'one', State: { Status: 'exited', ExitCode: 3 } };
const LIMITS = { cores: 1000, memory: 64, scratch: 64, wallTime: 60 };

let root: string;
let place: JobDirectory;
/** Whether the container is still there. */
let isThere: boolean;
/** Whether the engine refuses its output, since somebody else removes it. */
let isRefused: boolean;
/** Whether the run had an outcome when its container was to be removed. */
let hadOutcome: readonly boolean[];
/** An engine that removes the container, and whose answer is lost once. */
let engine: ReturnType<typeof createServer>;

beforeEach(async () => {
  root = temporaryRoot();
  place = directoryOf(join(root, 'jobs'), newJob());
  for (const folder of [place.task, place.work]) mkdirSync(folder, { recursive: true });
  writeFileSync(place.record, JSON.stringify({ limits: LIMITS, staged: [] }));
  await noteStart(place, 1, 'one');
  [isThere, isRefused, hadOutcome] = [true, false, []];
  engine = createServer((request, response) => {
    if (request.method === 'DELETE') {
      hadOutcome = [...hadOutcome, existsSync(place.outcome)];
      if (isThere) request.socket.destroy();
      isThere = false;
    }
    const isOutput = request.url?.includes('/logs') === true;
    if (isOutput && isRefused) return void response.writeHead(409).end('marked for removal');
    return void response.writeHead(isThere ? 200 : 404).end(isOutput ? '' : JSON.stringify(ENDED));
  });
  await new Promise<void>((done) => engine.listen(join(root, 'engine'), done));
});
afterEach(async () => {
  engine.closeAllConnections();
  await new Promise((done) => engine.close(done));
  removeRoot(root);
});

/** Two executors that close the books of one run. */
function openTwo() {
  const urls = { allowHosts: [], fileRoots: [] };
  const settings = containerSettings({ address: { kind: 'unix', path: join(root, 'engine') } });
  const local = { jobsRoot: join(root, 'jobs'), uids: 'service', urls } as const;
  return [containerRunner(local, settings), containerRunner(local, settings)] as const;
}

test('a container is removed before its run has an outcome, which is kept though its executor dies', async () => {
  const [first, next] = openTwo();
  await expect(first.look(place.job)).rejects.toThrow('socket hang up');
  expect(hadOutcome).toEqual([false]);
  expect(await next.look(place.job)).toMatchObject({
    state: 'ended',
    outcome: { kind: 'failed', code: 'task-failed', message: 'the task ended with exit code 3' },
  });
  await Promise.all([first.close(), next.close()]);
});

test('output is refused while another executor removes the container, which has taken it', async () => {
  const [first, next] = openTwo();
  isRefused = true;
  await expect(first.look(place.job)).rejects.toThrow('marked for removal');
  expect(hadOutcome).toEqual([]);
  await noteEnd(place, { exit: 0, isOutOfMemory: false, isWhole: true });
  expect(await next.look(place.job).catch(() => next.look(place.job))).toMatchObject({
    state: 'ended',
    outcome: { kind: 'completed' },
  });
  await Promise.all([first.close(), next.close()]);
});
