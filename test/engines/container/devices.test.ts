import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { containerRunner } from '../../../src/runners/container-runner.ts';
import { inspect } from '../../../src/runners/container/api/inspected.ts';
import type { ContainerDevice } from '../../../src/runners/container/settings.ts';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import { seconds } from '../../../src/words/units.ts';
import { asRoot, ended, run, shell, until } from '../../runners/workloads.ts';
import { openContainerEngine, PACKAGES, type ContainerEngine } from './container.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

const TYPE = 'https://example.org/gpu/a';
const CDI = 'https://example.org/gpu/cdi';
const GONE = 'https://example.org/gpu/gone';

for (const name of ['podman', 'docker'] as const) {
  withEngine(
    `devices in containers of ${name}`,
    asRoot ? needs(...PACKAGES[name]) : 'device files need root',
    () => withDevices(name),
  );
}

function withDevices(name: ContainerEngine['name']): void {
  let engine: ContainerEngine;
  let jobsRoot: string;
  let folder: string;
  let runner: Runner;
  const opened: Runner[] = [];
  const files = (): readonly string[] => [0, 1, 2].map((index) => join(folder, `gpu${index}`));
  const open = (unreachableLimit = 60): Runner => {
    const gpus: Readonly<Record<string, readonly ContainerDevice[]>> = {
      [TYPE]: files().map((file, index) => ({ id: `GPU-${index}`, files: [file], cdi: undefined })),
      [CDI]: [{ id: 'GPU-cdi', files: [], cdi: 'example.org/gpu=0' }],
      [GONE]: [{ id: 'GPU-gone', files: [join(folder, 'none')], cdi: undefined }],
    };
    const settings = engine.settings({
      pull: 'missing',
      gpus,
      unreachableLimit: seconds(unreachableLimit),
    });
    const one = containerRunner(
      { jobsRoot, urls: { allowHosts: [], fileRoots: [], registries: [engine.registry] } },
      settings,
    );
    opened.push(one);
    return one;
  };
  const withGpus = (script: string, count: number, type = TYPE): Workload => ({
    ...shell(script),
    gpus: { type, count },
  });
  const textOf = ({ job }: Workload): string => readFileSync(join(jobsRoot, job, 'stdout'), 'utf8');
  const loans = (): readonly string[] => readdirSync(join(jobsRoot, '.devices'));

  beforeAll(async () => {
    engine = await openContainerEngine(name);
    jobsRoot = join(engine.folder, 'jobs');
    // Device files keep their paths in containers, so they cannot be in /run and /tmp, which a
    // container has itself.
    folder = mkdtempSync('/opt/planner-test-devices-');
    // Reading them gives zeros.
    for (const file of files()) execFileSync('mknod', ['-m', '666', file, 'c', '1', '5']);
    runner = open();
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await engine?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('are in the containers of the jobs that have them, named to their programs, and in no others', async () => {
    const look =
      `for file in ${files().join(' ')}; do head -c 1 $file > /dev/null 2>&1 && echo $file; ` +
      'done; echo names: $CUDA_VISIBLE_DEVICES; while [ ! -e go ]; do sleep 0.05; done';
    const works = [withGpus(look, 2), withGpus(look, 1), shell(look)];
    await Promise.all([
      runner.submit(works[0] ?? shell('')),
      open().submit(works[1] ?? shell('')),
      runner.submit(works[2] ?? shell('')),
    ]);
    for (const work of works) await until(() => /^names:.*\n/m.test(textOf(work)), 'what it sees');
    const seen = works.map((work) => textOf(work).trimEnd().split('\n'));
    const [first = [], second = [], third] = seen.map((lines) =>
      lines.filter((line) => line.startsWith('/')),
    );
    expect([first.length, second.length, third]).toEqual([2, 1, []]);
    expect([...first, ...second].sort()).toEqual(files());
    expect(seen.slice(0, 2).map((lines) => lines.at(-1))).toEqual(
      [first, second].map(
        (paths) => `names: ${paths.map((path) => `GPU-${path.at(-1)}`).join(',')}`,
      ),
    );
    expect(loans()).toHaveLength(3);
    for (const work of works) writeFileSync(join(jobsRoot, work.job, 'work/go'), '');
    for (const work of works) await ended(runner, work.job);
    await until(() => loans().length === 0, 'all are given back');
  });

  test("that are missing are the site's fault, and no failure of the task", async () => {
    expect(await run(runner, withGpus('true', 1, GONE))).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
    });
    await until(() => loans().length === 0, 'it is given back');
  });

  test('that the engine cannot provide by their CDI names are refused, not left out', async () => {
    const work = withGpus('echo ran', 1, CDI);
    expect(await run(runner, work)).toMatchObject({ kind: 'failed', code: 'runner-failed' });
    expect(textOf(work)).toBe('');
  });

  test('stay with a container that runs on while its engine is away, though its job was given up', async () => {
    const hasty = open(1);
    const work = withGpus('sleep 300', 3);
    await hasty.submit(work);
    await engine.stopService();
    try {
      await until(
        async () => (await hasty.look(work.job).catch(() => undefined))?.state === 'ended',
        'the job is given up',
      );
      await hasty.close();
    } finally {
      await engine.startService();
    }
    expect((await inspect(engine.api, work.job))?.phase).toBe('running');
    // The job waits, and its executor tries again.
    await expect(run(runner, withGpus('true', 1))).rejects.toThrow(
      `fewer than 1 devices of type ${TYPE} are free`,
    );
    await runner.remove(work.job);
    expect(await run(runner, withGpus('true', 1))).toMatchObject({ kind: 'completed' });
  });
}
