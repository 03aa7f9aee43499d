import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { notebookRunner } from '../../src/runners/notebook-runner.ts';
import type { Outcome, Runner, Workload } from '../../src/runners/port.ts';
import { hasEnvironment, readProcesses } from '../../src/runners/process/supervise/processes.ts';
import { networkIsolation } from '../../src/runners/process/start/host.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../../src/tasks/least-memory.ts';
import { isRecord } from '../../src/words/record.ts';
import { runnerContract } from '../runners/contract.ts';
import { inlineNotebook, notebookOf } from '../runners/notebook/cells.ts';
import { nbformatProblems } from '../runners/notebook/nbformat.ts';
import { asRoot, ended, removeRoot, temporaryRoot, workload } from '../runners/workloads.ts';
import { execOf, JUPYTER_PYTHON, jupyterMissing, packagesMissing } from './jupyter.ts';
import { withEngine } from './summary.ts';

/** Time for interpreters to start on a busy machine. */
const PATIENCE = 250_000;

withEngine('jupyter', jupyterMissing(), () => {
  const root = temporaryRoot();
  const settings = { jobsRoot: join(root, 'jobs'), urls: { allowHosts: [], fileRoots: [] } };
  let runner: Runner;
  let server: Server;
  let visits = 0;
  beforeAll(async () => {
    runner = notebookRunner(settings, { jupyter: JUPYTER_PYTHON });
    server = createServer((_request, response) => {
      visits += 1;
      response.end('internal');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await runner?.close();
    await new Promise((resolve) => server.close(resolve));
    removeRoot(root);
  });

  const textOf = ({ job }: Workload, path: string): string =>
    readFileSync(join(settings.jobsRoot, job, path), 'utf8');
  /** Outputs of the code cells of an executed notebook, which must be valid. */
  const outputsOf = (work: Workload, outcome: Outcome): readonly unknown[] => {
    expect(outcome.results.find(({ id }) => id === 'notebook')).toMatchObject({
      mimeType: 'application/x-ipynb+json',
      path: 'out/notebook.ipynb',
    });
    const notebook: unknown = JSON.parse(textOf(work, 'out/notebook.ipynb'));
    const cells = isRecord(notebook) && Array.isArray(notebook['cells']) ? notebook['cells'] : [];
    return cells.filter((cell) => cell.cell_type === 'code').map((cell) => cell.outputs);
  };

  withEngine('jupyter with the packages of astronomers', packagesMissing(), () => {
    test('uses NumPy, SciPy, Matplotlib, pandas and Astropy of the machine', async () => {
      const work = inlineNotebook(
        notebookOf(
          'import numpy, scipy.integrate\nprint(round(float(scipy.integrate.quad(numpy.sin, 0, numpy.pi)[0]), 6))',
          'import pandas\nprint(pandas.DataFrame({"mag": [14.5, 15.5]}).mag.mean())',
          'from astropy.coordinates import SkyCoord\nprint(SkyCoord("00h42m44s +41d16m09s").to_string("decimal"))',
          'import matplotlib.pyplot as plt\nplt.plot([1, 2], [3, 4])\nplt.savefig("plot.png")',
        ),
        { memory: 1024 },
      );
      const outcome = await run(runner, work);
      expect(outcome).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('2.0\n15.0\n10.6833 41.2692\n');
      expect(outcome.results.map(({ id }) => id)).toContain('plot.png');
    });
  });

  describe('a notebook', () => {
    test('is executed by Jupyter with the least memory, kept, and shown as a page without scripts', async () => {
      const work = inlineNotebook(
        notebookOf(
          { markdown: '# Stars & <script>alert(1)</script>' },
          'print("hello"); 6 * 7',
          'import subprocess\nsubprocess.run(["sh", "-c", "echo of a child; echo oops >&2"], check=True).returncode',
        ),
        { memory: NOTEBOOK_LEAST_MEMORY },
      );
      const outcome = await run(runner, work);
      expect([outcome.kind, outcome.results.map(({ id }) => id)]).toEqual([
        'completed',
        ['notebook', 'html', 'stdout', 'stderr'],
      ]);
      expect(outputsOf(work, outcome)).toMatchObject([
        [
          { name: 'stdout', text: ['hello\n'] },
          { output_type: 'execute_result', execution_count: 1, data: { 'text/plain': ['42'] } },
        ],
        expect.arrayContaining([
          expect.objectContaining({ name: 'stdout', text: ['of a child\n'] }),
          expect.objectContaining({ name: 'stderr', text: ['oops\n'] }),
        ]),
      ]);
      expect([textOf(work, 'stdout'), textOf(work, 'stderr')]).toEqual([
        'hello\nof a child\n',
        'oops\n',
      ]);
      const page = textOf(work, 'out/notebook.html');
      expect(page).toContain('>42<');
      expect(page).toContain("default-src 'none'");
      expect(page).not.toMatch(/<script/i);
    });

    test('has its parameters after the cell with their defaults, like papermill', async () => {
      const parameters = { band: 'g "quoted"', depth: 2.5, seen: [true, null, { m31: 1 }] };
      const work = inlineNotebook(
        notebookOf(
          { code: 'band, depth, seen = "u", 3, []', tags: ['parameters'] },
          'print(band, depth, seen)',
        ),
        { parameters },
      );
      expect((await run(runner, work)).kind).toBe('completed');
      expect(textOf(work, 'stdout')).toBe('g "quoted" 2.5 [True, None, {\'m31\': 1}]\n');
      const notebook: unknown = JSON.parse(textOf(work, 'out/notebook.ipynb'));
      expect(notebook).toMatchObject({
        cells: [
          { metadata: { tags: ['parameters'] } },
          { metadata: { tags: ['injected-parameters'] } },
          {},
        ],
      });
    });

    test('stops at the first cell that raises, with its traceback, and is kept up to there', async () => {
      const work = inlineNotebook(
        notebookOf(
          'print("before")',
          { code: '1 / 0', tags: ['raises-exception'] },
          'def f(x):\n    return 1 / x\nf(0)',
          'print("never")',
        ),
      );
      const outcome = await run(runner, work);
      expect(outcome).toMatchObject({
        kind: 'failed',
        code: 'notebook-cell-failed',
        message: 'cell 3: ZeroDivisionError: division by zero',
        transient: false,
      });
      expect(outcome.kind === 'failed' && outcome.detail).toMatch(
        /Traceback[^]+return 1 \/ x[^]+ZeroDivisionError: division by zero$/,
      );
      expect(outputsOf(work, outcome)).toMatchObject([
        [{ name: 'stdout' }],
        [{ ename: 'ZeroDivisionError' }],
        [{ ename: 'ZeroDivisionError' }],
        [],
      ]);
      expect(textOf(work, 'out/notebook.html')).toContain('ZeroDivisionError');
      expect(textOf(work, 'stdout')).toBe('before\n');
    });

    test.each([
      ['import os; os._exit(3)', /^cell 1: the kernel ended$/],
      ['input("name? ")', /^cell 1: StdinNotImplementedError/],
      ['def broken(:', /^cell 1: SyntaxError: invalid syntax/],
      ['import sys; sys.exit(0)', /^cell 1: SystemExit: 0$/],
    ])('with %j says what is wrong', async (source, message) => {
      expect(await run(runner, inlineNotebook(notebookOf(source)))).toMatchObject({
        kind: 'failed',
        code: 'notebook-cell-failed',
        message: expect.stringMatching(message),
      });
    });

    test('that exceeds the offered memory is stopped, or gets an error', async () => {
      const outcome = await run(
        runner,
        inlineNotebook(
          notebookOf('x = bytearray(3 * 10**9)\nfor i in range(0, len(x), 4096): x[i] = 1'),
          { memory: NOTEBOOK_LEAST_MEMORY },
        ),
      );
      const said = outcome.kind === 'completed' ? 'completed' : outcome.message;
      expect(said).toMatch(/MemoryError|the kernel ended|MiB that were offered|MiB were offered/);
    });

    test('that prints very much has all of it in its output, and the beginning in the notebook', async () => {
      const work = inlineNotebook(notebookOf('for i in range(300): print("x" * 9_999)'));
      const outcome = await run(runner, work);
      expect([outcome.kind, textOf(work, 'stdout').length]).toEqual(['completed', 3_000_000]);
      const notebook = textOf(work, 'out/notebook.ipynb');
      expect(notebook).toContain('[the rest is in the output of the job]');
      expect(notebook.length).toBeLessThan(1_100_000);
    });

    test('that never ends is stopped with its kernel, and is kept as far as it came', async () => {
      const work = inlineNotebook(notebookOf('print("first")', 'while True: pass'), {
        wallTime: 300,
      });
      await runner.submit(work);
      for (
        const end = performance.now() + PATIENCE;
        textOf(work, 'stdout') !== 'first\n' && performance.now() < end;
      )
        await delay(50);
      await runner.stop(work.job, 'cancelled');
      const outcome = await ended(runner, work.job, PATIENCE);
      expect(outcome).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
      expect(outputsOf(work, outcome)).toMatchObject([[{ text: ['first\n'] }], []]);
      expect(processesOf(work.job)).toEqual([]);
    });

    test("sees its volumes, and leaves its files as results and none of Jupyter's", async () => {
      const volumes = [{ name: 'scratch', path: 'data/in', mode: 'rw' }] as const;
      const work = inlineNotebook(
        notebookOf(
          'import os\nopen(os.environ["VOLUME_SCRATCH"] + "/x", "w").write("1"); ' +
            'open("result.csv", "w").write("a,b")\nprint(os.listdir("data/in"))',
        ),
        { volumes },
      );
      const outcome = await run(runner, work);
      expect(textOf(work, 'stdout')).toBe("['x']\n");
      expect(outcome.results.map(({ id }) => id)).toEqual([
        'notebook',
        'html',
        'stdout',
        'stderr',
        'data_in_x',
        'result.csv',
      ]);
    });

    test('has no network where the machine can take it away', async () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const work = inlineNotebook(
        notebookOf(
          'import urllib.request as u\n' +
            `try: print("DONE", u.urlopen("http://127.0.0.1:${port}/", timeout=5).read())\n` +
            'except OSError as error: print("refused", error)',
        ),
      );
      expect((await run(runner, work)).kind).toBe('completed');
      const isolated =
        networkIsolation().length > 0 || runner.isolation?.includes('bubblewrap') === true;
      expect(textOf(work, 'stdout')).toMatch(isolated ? /^refused/ : /^DONE/);
      expect(visits).toBe(isolated ? 0 : 1);
      expect(isolated || !asRoot).toBe(true);
    });

    test('goes on when its executor is replaced, and its end is found by the next', async () => {
      const work = inlineNotebook(notebookOf('import time; time.sleep(1)', 'print("late")'));
      const first = notebookRunner(settings, { jupyter: JUPYTER_PYTHON });
      await first.submit(work);
      await first.close();
      const outcome = await ended(runner, work.job, PATIENCE);
      expect([outcome.kind, textOf(work, 'stdout')]).toEqual(['completed', 'late\n']);
    });

    test.each([
      [inlineNotebook('{"nbformat": 3}'), 'notebook-invalid'],
      [workload({ type: 'executable', command: ['true'], environment: {} }), 'runner-failed'],
      [inlineNotebook(notebookOf('1'), { memory: 100 }), 'runner-failed'],
      [
        inlineNotebook(notebookOf('1'), { volumes: [{ name: 'l', path: '/data', mode: 'rw' }] }),
        'runner-failed',
      ],
    ])('that cannot be run fails before it starts (%#)', async (work, code) => {
      expect(await run(runner, work)).toMatchObject({ kind: 'failed', code, results: [] });
    });
  });

  test('the executed notebook of an older format is valid nbformat 4.5', async () => {
    const work = inlineNotebook(notebookOf({ markdown: 'text' }, '', '1'));
    await run(runner, work);
    const notebook: unknown = JSON.parse(textOf(work, 'out/notebook.ipynb'));
    expect(
      nbformatProblems(notebook).filter((place) => !place.startsWith('metadata.kernelspec')),
    ).toEqual([]);
  });

  test('an interpreter without Jupyter stops the start, and the message says what to install', () => {
    expect(() => notebookRunner(settings, { jupyter: 'python3' })).toThrow('absolute path');
    expect(() => notebookRunner(settings, { jupyter: '/bin/false' })).toThrow(
      '/bin/false cannot be asked for its modules',
    );
  });

  test('a kernel leaves nothing behind in the shared directories', () => {
    expect(readdirSync('/tmp').filter((name) => name.startsWith('kernel-'))).toEqual([]);
  });

  runnerContract('notebook (jupyter)', async () => {
    const own = temporaryRoot();
    const jobsRoot = join(own, 'jobs');
    return {
      jobsRoot,
      taskOf: execOf,
      open: () => notebookRunner({ ...settings, jobsRoot }, { jupyter: JUPYTER_PYTHON }),
      isAlive: async (job) => processesOf(job).length > 0,
      close: async () => removeRoot(own),
    };
  });
});

async function run(runner: Runner, work: Workload): Promise<Outcome> {
  await runner.submit(work);
  return ended(runner, work.job, PATIENCE);
}

function processesOf(job: string) {
  return readProcesses().filter(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}
