import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { devicePool } from '../../../src/runners/process/start/devices.ts';
import { draftRoot } from '../../../src/runners/run/draft.ts';
import {
  DEFAULT_PROCESS_SETTINGS,
  type Device,
  type ProcessJobSettings,
} from '../../../src/runners/process/settings.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import type { Workload } from '../../../src/runners/port.ts';
import {
  asRoot,
  ended,
  newJob,
  removeRoot,
  run,
  shell,
  temporaryRoot,
  until,
} from '../workloads.ts';
import { hasBubblewrap } from './isolations.ts';

const TYPE = 'https://example.org/gpu/a';
const root = temporaryRoot();
const jobsRoot = join(root, 'jobs');
function device(index: number): Device {
  return { id: `GPU-${index}`, files: asRoot ? [join(root, `gpu${index}`)] : [] };
}
const devices = [0, 1, 2].map(device);
/** Device files like those of drivers; reading them gives zeros. */
if (asRoot)
  for (const {
    files: [path = ''],
  } of devices)
    execFileSync('sh', ['-c', `mknod -m 666 '${path}' c 1 5`]);
const terms: ProcessJobSettings = { ...DEFAULT_PROCESS_SETTINGS, gpus: { [TYPE]: devices } };
function runnerOf() {
  return processRunner({ jobsRoot, urls: { allowHosts: [], fileRoots: [] }, terms });
}
function withGpus(script: string, count: number, type = TYPE): Workload {
  return { ...shell(script), gpus: { type, count } };
}
function textOf({ job }: Workload, path = 'stdout') {
  return readFileSync(join(jobsRoot, job, path), 'utf8');
}
function loans() {
  return readdirSync(join(jobsRoot, '.devices'));
}
afterAll(() => removeRoot(root));

describe('devices of the site', () => {
  const runner = runnerOf();
  afterAll(() => runner.close());

  test('are named to the job, and are its own while it runs, whichever executor started it', async () => {
    const script = 'echo $CUDA_VISIBLE_DEVICES; while [ ! -e go ]; do sleep 0.05; done';
    const works = [withGpus(script, 2), withGpus(script, 1)];
    const other = runnerOf();
    await Promise.all([runner.submit(works[0] ?? shell('')), other.submit(works[1] ?? shell(''))]);
    for (const work of works) await until(() => textOf(work).endsWith('\n'), 'its devices');
    expect(works.flatMap((work) => textOf(work).trim().split(',')).sort()).toEqual([
      'GPU-0',
      'GPU-1',
      'GPU-2',
    ]);
    expect(loans()).toHaveLength(3);
    for (const work of works) writeFileSync(join(jobsRoot, work.job, 'work/go'), '');
    for (const work of works) await ended(runner, work.job);
    await until(() => loans().length === 0, 'all are given back');
    await other.close();
  });

  test('come free while a new job waits, when the job before is just ending', async () => {
    const first = withGpus('sleep 1', 3);
    await runner.submit(first);
    const second = withGpus('echo $ROCR_VISIBLE_DEVICES', 1);
    expect(await run(runner, second)).toMatchObject({ kind: 'completed' });
    expect(await runner.look(first.job)).toMatchObject({ state: 'ended' });
    expect(textOf(second)).toMatch(/^GPU-\d\n$/);
  });

  test('do not go to a job that was promised none, whatever it says', async () => {
    const work = shell('echo "[$CUDA_VISIBLE_DEVICES] $NVIDIA_VISIBLE_DEVICES"', {
      environment: { CUDA_VISIBLE_DEVICES: '0' },
    });
    await run(runner, work);
    expect(textOf(work)).toBe('[] none\n');
  });
});

(asRoot && hasBubblewrap ? describe : describe.skip)('in a sandbox, files of devices', () => {
  const runner = runnerOf();
  afterAll(() => runner.close());

  test('are visible only to the job that has them', async () => {
    const script = `for n in 0 1 2; do head -c 1 ${root}/gpu$n > /dev/null 2>&1 && echo $n; done; :`;
    const works = [withGpus(script, 2), withGpus(script, 0), shell(script)];
    const seen: string[][] = [];
    for (const work of works) {
      await run(runner, work);
      seen.push(
        textOf(work)
          .split('\n')
          .filter((line) => line !== ''),
      );
    }
    expect(seen.map(({ length }) => length)).toEqual([2, 0, 0]);
  });
});

describe('unavailable devices', () => {
  const runner = runnerOf();
  afterAll(() => runner.close());

  test('that the site no longer names are waited for, and nothing begins without them', async () => {
    const passes = (message: string) => expect.objectContaining({ name: 'NotYet', message });
    await expect(run(runner, withGpus('true', 1, 'https://example.org/gpu/b'))).rejects.toEqual(
      passes('this destination has fewer than 1 devices of type https://example.org/gpu/b'),
    );
    const plain = processRunner({ jobsRoot, urls: { allowHosts: [], fileRoots: [] } });
    await expect(run(plain, withGpus('true', 1))).rejects.toEqual(
      passes(`this destination has fewer than 1 devices of type ${TYPE}`),
    );
    await plain.close();
  });
});

describe('a loan of devices', () => {
  /** A draft, alone or as a run. */
  const newHolder = (folder: string, become: 'run' | 'draft' = 'run') => {
    const job = newJob();
    const holder = `${job}.1.x`;
    mkdirSync(become === 'run' ? join(folder, job) : draftRoot(folder, holder), {
      recursive: true,
    });
    if (become === 'run') writeFileSync(join(folder, job, 'job.json'), JSON.stringify({ holder }));
    return { job, holder, end: () => writeFileSync(join(folder, job, 'outcome.json'), '{}') };
  };

  test('lasts until the job is over, and no longer, even if nobody returned it', async () => {
    const folder = join(root, 'pool');
    const pool = devicePool(folder, { [TYPE]: devices });
    const wanted = { type: TYPE, count: 3 };
    const [first, second, third] = [newHolder(folder), newHolder(folder), newHolder(folder)];
    expect(await pool.lend(first.holder, wanted)).toEqual(devices);
    first.end();
    expect(await pool.lend(second.holder, wanted)).toEqual(devices);
    // One that was stopped until now.
    await pool.giveBack(first.job);
    expect(readdirSync(join(folder, '.devices'))).toHaveLength(3);
    await pool.giveBack(second.job);
    expect(await pool.lend(third.holder, { type: TYPE, count: 4 })).toBeUndefined();
    expect(readdirSync(join(folder, '.devices'))).toEqual([]);
  });

  test('to a draft ends with the draft', async () => {
    const folder = join(root, 'drafts');
    const pool = devicePool(folder, { [TYPE]: devices });
    const [first, second] = [newHolder(folder, 'draft'), newHolder(folder, 'draft')];
    expect(await pool.lend(first.holder, { type: TYPE, count: 3 })).toEqual(devices);
    rmSync(draftRoot(folder, first.holder), { recursive: true });
    expect(await pool.lend(second.holder, { type: TYPE, count: 3 })).toEqual(devices);
  });

  test('to a job that its engine may still run ends when the engine says so, not with its outcome', async () => {
    const folder = join(root, 'kept');
    const running = new Set<string>();
    const pool = devicePool(
      folder,
      { [TYPE]: devices },
      { name: 'engine', hasEnded: async (job) => !running.has(job) },
    );
    const wanted = { type: TYPE, count: 3 };
    const [first, second] = [newHolder(folder), newHolder(folder)];
    running.add(first.job);
    await pool.lend(first.holder, wanted);
    first.end();
    const waiting = pool.lend(second.holder, { ...wanted, count: 1 });
    // Other pools do not have the engine.
    const strangers = devicePool(folder, { [TYPE]: devices });
    expect(await strangers.lend(newHolder(folder).holder, wanted)).toBeUndefined();
    expect(await waiting).toBeUndefined();
    running.delete(first.job);
    expect(await pool.lend(second.holder, { ...wanted, count: 1 })).toEqual([devices[0]]);
  });

  test('of the version before ends with its job', async () => {
    const folder = join(root, 'before');
    const [gpu] = devices;
    if (gpu === undefined) throw new Error('there are three');
    const pool = devicePool(folder, { [TYPE]: [gpu] });
    const [old, first] = [newHolder(folder), newHolder(folder)];
    mkdirSync(join(folder, '.devices'));
    const thing = createHash('sha256')
      .update(`${hostname()}\0${gpu.id}`)
      .digest('hex')
      .slice(0, 32);
    writeFileSync(
      join(folder, '.devices', thing),
      JSON.stringify({ job: old.job, device: gpu.id }),
    );
    const waiting = pool.lend(first.holder, { type: TYPE, count: 1 });
    setTimeout(old.end, 300);
    expect(await waiting).toEqual([gpu]);
  });
});
