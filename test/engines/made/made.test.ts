import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MadeTerms } from '../../../src/environments/environment.ts';
import { keyOfRequirements } from '../../../src/environments/requirements-key.ts';
import { unmetRequirements } from '../../../src/runners/making/failures.ts';
import type { KeptVenv } from '../../../src/runners/making/kept.ts';
import { openMaker, type Maker } from '../../../src/runners/making/maker.ts';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import type { ProgramTask } from '../../../src/tasks/task.ts';
import { mebibytes, seconds } from '../../../src/words/units.ts';
import { newJob, removeRoot, run, temporaryRoot, workload } from '../../runners/workloads.ts';
import { JUPYTER_PYTHON } from '../jupyter.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { indexMissing } from './index-missing.ts';
import { serveWheels, type WheelIndex } from './index-of-wheels.ts';

/** Time for interpreters to start on a busy machine. */
const PATIENCE = 250_000;

withEngine('environments made for jobs', needs('python3-pip', 'python3-venv'), () => {
  const root = temporaryRoot();
  const jobsRoot = join(root, 'jobs');
  const urls = { allowHosts: [], fileRoots: [] };
  let index: WheelIndex;
  let runner: Runner;
  const terms = (more: Partial<MadeTerms> = {}): MadeTerms => ({
    name: 'any',
    kind: 'venv',
    python: JUPYTER_PYTHON,
    paths: [],
    index: index.url,
    builds: false,
    most: 20,
    size: mebibytes(1024),
    time: seconds(120),
    ...more,
  });
  const open = (more: Partial<MadeTerms> = {}): Runner =>
    processRunner({ jobsRoot, urls, environments: [terms(more)] });

  beforeAll(async () => {
    index = await serveWheels(join(root, 'index'), JUPYTER_PYTHON, [
      { name: 'star', version: '1.0', requires: ['dust'] },
      { name: 'star', version: '2.0', requires: ['dust'] },
      { name: 'dust', version: '1.0' },
      { name: 'heavy', version: '1.0', code: '#'.repeat(3 * 2 ** 20) },
      { name: 'crowd', version: '1.0', requires: ['half', 'other'] },
      ...['half', 'other'].map((name) => ({
        name,
        version: '1.0',
        code: '#'.repeat(1.5 * 2 ** 20),
      })),
      { name: 'galaxy', version: '1.0', requires: ['star<2'] },
      ...Array.from({ length: 4 }, (_, at) => ({ name: `moon${at}`, version: '1.0' })),
    ]);
    runner = open();
  }, PATIENCE);
  afterAll(async () => {
    await runner?.close();
    await index?.close();
    removeRoot(root);
  });

  const textOf = ({ job }: Workload): string => readFileSync(join(jobsRoot, job, 'stdout'), 'utf8');
  const runs = async (work: Workload, by = runner): Promise<Outcome> => {
    for (;;) {
      try {
        return await run(by, work);
      } catch (error) {
        if (!String(error).includes('is being made')) throw error;
      }
    }
  };
  const kept = (): readonly string[] => readdirSync(join(jobsRoot, '.environments/ready'));

  test(
    'have what the job requires and its requirements, and nothing else',
    async () => {
      const work = program(
        'import star, dust, importlib.util, sys\n' +
          'print(star.VERSION, dust.VERSION, importlib.util.find_spec("numpy"), sys.prefix != sys.base_prefix)',
        ['star>=1', 'dust'],
      );
      expect(await runs(work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work)).toBe('2.0 1.0 None True\n');
    },
    PATIENCE,
  );

  test(
    'are made once for all ways to write the requirements',
    async () => {
      await runs(program('', ['Star >= 1', 'dust']));
      index.asked.length = 0;
      const work = program('import star; print(star.VERSION)', ['dust', 'star>=1']);
      expect(await runs(work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work)).toBe('2.0\n');
      expect(index.asked).toEqual([]);
    },
    PATIENCE,
  );

  test(
    'have the standard library alone without requirements, and ask no index',
    async () => {
      index.asked.length = 0;
      const work = program('import json, importlib.util; print(importlib.util.find_spec("pip"))');
      expect(await runs(work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work)).toBe('None\n');
      expect(index.asked).toEqual([]);
    },
    PATIENCE,
  );

  test(
    'give their jobs no network, and no way to change them',
    async () => {
      const work = program(
        'import dust, socket\n' +
          `try: socket.create_connection(("127.0.0.1", ${new URL(index.url).port}), 5)\n` +
          'except OSError as error: print("no network")\n' +
          'try: open(dust.__file__, "w")\n' +
          'except OSError: print("not written")',
        ['dust'],
      );
      expect(await runs(work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work)).toBe('no network\nnot written\n');
    },
    PATIENCE,
  );

  test(
    'fail with the words of the resolver, and say so to the planner',
    async () => {
      const wanted = ['galaxy', 'star>=2'];
      expect(await runs(program('', wanted))).toMatchObject({
        kind: 'failed',
        code: 'environment-failed',
        message: expect.stringMatching(/galaxy.*star/),
        transient: false,
      });
      const unmet = await unmetRequirements(jobsRoot, terms());
      expect(unmet.get(keyOfRequirements(['star>=2', 'galaxy']))).toMatch(/conflict/);
      index.asked.length = 0;
      expect(await runs(program('', wanted))).toMatchObject({ code: 'environment-failed' });
      expect(index.asked).toEqual([]);
    },
    PATIENCE,
  );

  test.each([
    ['a package that the index does not have', ['nothing-here'], /No matching.*nothing-here/],
    ['a version that it does not have', ['star>=3'], /star>=3.*1\.0, 2\.0/],
    ['a wheel that is broken', ['broken'], /Wheel 'broken'.* is invalid/],
  ])(
    'fail for %s',
    async (_what, requirements, message) => {
      index.breakWheel('broken');
      expect(await runs(program('', requirements))).toMatchObject({
        code: 'environment-failed',
        message: expect.stringMatching(message),
        transient: false,
      });
    },
    PATIENCE,
  );

  test(
    'fail when the index hangs, and another try may help',
    async () => {
      const hanging = open({ time: seconds(2), size: mebibytes(900) });
      index.mode = 'hangs';
      try {
        expect(await runs(program('', ['moon0']), hanging)).toMatchObject({
          code: 'environment-failed',
          message: 'the environment any could not be made: no answer within 2 s',
          transient: true,
        });
      } finally {
        index.mode = 'answers';
        await hanging.close();
      }
      expect(await unmetRequirements(jobsRoot, terms())).not.toContain(
        keyOfRequirements(['moon0']),
      );
    },
    PATIENCE,
  );

  test(
    'fail when the index is away, and another try may help',
    async () => {
      const away = open({ index: 'http://user:secret@127.0.0.1:9/simple' });
      const outcome = await runs(program('', ['dust']), away);
      expect(outcome).toMatchObject({ code: 'environment-failed', transient: true });
      expect(JSON.stringify(outcome)).not.toContain('secret');
      await away.close();
    },
    PATIENCE,
  );

  test.each([401, 403, 429, 500, 502, 503])(
    'fail when the index answers %d, and another try may help',
    async (status) => {
      const wanted = [`star!=3.${status}`];
      index.mode = status;
      try {
        expect(await runs(program('', wanted))).toMatchObject({
          code: 'environment-failed',
          message: expect.stringMatching(`Failed to fetch a page.* ${status}$`),
          transient: true,
        });
      } finally {
        index.mode = 'answers';
      }
      const unmet = await unmetRequirements(jobsRoot, terms());
      expect([...unmet.keys()]).not.toContain(keyOfRequirements(wanted));
    },
    PATIENCE,
  );

  test(
    'are kept up to a number, and the longest unused goes first',
    async () => {
      const few = open({ most: 2, python: JUPYTER_PYTHON });
      const before = kept();
      rmSync(join(jobsRoot, '.environments'), { recursive: true });
      expect(before.length).toBeGreaterThan(2);
      for (const name of ['moon1', 'moon2', 'moon1', 'moon3'])
        expect(await runs(program(`import ${name}`, [name]), few)).toMatchObject({
          kind: 'completed',
        });
      expect(kept()).toHaveLength(2);
      expect(readdirSync(join(jobsRoot, '.environments/made'))).toHaveLength(2);
      index.asked.length = 0;
      await runs(program('import moon1', ['moon1']), few);
      expect(index.asked).toEqual([]);
      await few.close();
    },
    PATIENCE,
  );

  test(
    'are one where two hosts make it at the same time',
    async () => {
      // The lock of a making is that of a host; another name of the folder has another lock.
      const alias = join(root, 'same-jobs');
      symlinkSync(jobsRoot, alias);
      const makers = [jobsRoot, alias].map((at) => openMaker(at, { patienceMs: PATIENCE }));
      const asked = index.asked.length;
      const made = await Promise.all(
        makers.map((maker) => maker.make(terms({ most: 19 }), ['galaxy', 'moon0'], newJob())),
      );
      expect(index.asked.slice(asked).filter((path) => path.endsWith('/moon0/'))).toHaveLength(2);
      expect(new Set(made.map(({ folder }) => realpathSync(folder))).size).toBe(1);
      expect(readdirSync(join(jobsRoot, '.environments/made'))).toHaveLength(kept().length);
      for (const maker of makers) maker.close();
    },
    PATIENCE,
  );

  test(
    'are made again when they are damaged, and not without their Python',
    async () => {
      await runs(program('import dust', ['dust']));
      for (const name of readdirSync(join(jobsRoot, '.environments/made')))
        rmSync(join(jobsRoot, '.environments/made', name), { recursive: true });
      expect(await runs(program('import dust', ['dust']))).toMatchObject({ kind: 'completed' });
      const gone = open({ python: '/usr/bin/python-that-is-gone' });
      expect(await runs(program('import dust', ['dust']), gone)).toMatchObject({
        code: 'environment-failed',
        message: 'the environment any could not be made: its Python is not there',
      });
      await gone.close();
    },
    PATIENCE,
  );

  test(
    'are not larger than they may be',
    async () => {
      const small = open({ size: mebibytes(2), index: `${index.url}/` });
      for (const [name, message] of [
        ['heavy', /File too large/],
        ['crowd', /it is larger than 2 MiB/],
      ] as const)
        expect(await runs(program('', [name]), small)).toMatchObject({
          code: 'environment-failed',
          message: expect.stringMatching(message),
        });
      await small.close();
    },
    PATIENCE,
  );

  withEngine('environments made with uv', indexMissing(), () => {
    const uv = join(root, 'uv');
    const byUv = join(root, 'by-uv');
    let maker: Maker;
    const make = (wanted: readonly string[], more: Partial<MadeTerms> = {}): Promise<KeptVenv> =>
      maker.make(terms({ paths: [uv], ...more }), wanted, newJob());
    const isUnmet = async (wanted: readonly string[]): Promise<boolean> =>
      (await unmetRequirements(byUv, terms())).has(keyOfRequirements(wanted));

    beforeAll(() => {
      execFileSync(JUPYTER_PYTHON, ['-m', 'venv', uv]);
      execFileSync(join(uv, 'bin/pip'), ['install', '-q', 'uv']);
      maker = openMaker(byUv, { uv: join(uv, 'bin/uv'), patienceMs: PATIENCE });
    }, PATIENCE);
    afterAll(() => maker?.close());

    test(
      'are made, or fail with its words',
      async () => {
        const { python } = await make(['galaxy']);
        expect(existsSync(python)).toBe(true);
        const said = spawnSync(python, ['-c', 'import star; print(star.VERSION)']);
        expect(said.stdout.toString()).toBe('1.0\n');
        await expect(make(['galaxy', 'star>=2'])).rejects.toThrow(/galaxy.*star.*unsatisfiable/);
      },
      PATIENCE,
    );

    test(
      'are what the index does not have when it answers 404',
      async () => {
        await expect(make(['nothing-here'])).rejects.toMatchObject({
          code: 'environment-failed',
          message: expect.stringContaining('nothing-here was not found'),
          transient: false,
        });
        expect(await isUnmet(['nothing-here'])).toBe(true);
      },
      PATIENCE,
    );

    test.each([401, 403, 503])(
      'fail when the index answers %d, and another try may help',
      async (status) => {
        const wanted = [`star!=3.${status}`];
        index.mode = status;
        try {
          await expect(make(wanted)).rejects.toMatchObject({
            code: 'environment-failed',
            message: expect.stringContaining(`${status}`),
            transient: true,
          });
        } finally {
          index.mode = 'answers';
        }
        expect(await isUnmet(wanted)).toBe(false);
      },
      PATIENCE,
    );

    test(
      'fail when the index is away, and do not tell where it is',
      async () => {
        const index = 'http://user:secret@127.0.0.1:9/simple/';
        const failure = make(['dust'], { index });
        await expect(failure).rejects.toMatchObject({
          code: 'environment-failed',
          transient: true,
        });
        await expect(failure).rejects.toThrow(/Connection refused/);
        await expect(failure).rejects.not.toThrow(/secret|user|127\.0\.0\.1/);
      },
      PATIENCE,
    );
  });
});

function program(text: string, requirements?: readonly string[]): Workload {
  const task: ProgramTask = {
    type: 'python-program',
    arguments: [],
    program: { kind: 'inline', text },
    ...(requirements && { needs: { requirements } }),
  };
  return workload(task);
}
