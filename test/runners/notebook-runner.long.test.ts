import { afterAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { notebookRunner } from '../../src/runners/notebook-runner.ts';
import { inlineNotebook, notebookOf } from './notebook/cells.ts';
import { openNotebooks, program } from './notebook/host.ts';
import { ended, run } from './workloads.ts';

const { root, settings, runner, textOf, outputsOf, close } = openNotebooks();
afterAll(close);

describe('a notebook', () => {
  test('shows what Jupyter shows', async () => {
    const work = inlineNotebook(
      notebookOf(
        'import sys\nprint("a"); print("b", file=sys.stderr); print("c", end="")\n1 + 1',
        '_ + 1;',
        { markdown: '# not code' },
        '',
        'class P:\n  def _repr_html_(self): return "<b>rich</b>"\n' +
          '  def _repr_png_(self): return b"\\x89PNG"\n' +
          '  def __repr__(self): return "plain"\nP()',
        'from IPython.display import display, Markdown\ndisplay(_, Markdown("*m*"))',
        'import asyncio\nawait asyncio.sleep(0.01)\n' +
          '[i async for i in (lambda: (x async for x in agen()))()] if False else "awaited"',
      ),
    );
    const outcome = await run(runner, work);
    expect(outcome.kind).toBe('completed');
    expect(outputsOf(work, outcome)).toEqual([
      [
        { output_type: 'stream', name: 'stdout', text: 'a\n' },
        { output_type: 'stream', name: 'stderr', text: 'b\n' },
        { output_type: 'stream', name: 'stdout', text: 'c' },
        {
          output_type: 'execute_result',
          execution_count: 1,
          data: { 'text/plain': '2' },
          metadata: {},
        },
      ],
      [],
      [],
      [
        {
          output_type: 'execute_result',
          execution_count: 3,
          metadata: {},
          data: { 'text/plain': 'plain', 'text/html': '<b>rich</b>', 'image/png': 'iVBORw==' },
        },
      ],
      [
        {
          output_type: 'display_data',
          metadata: {},
          data: { 'text/plain': 'plain', 'text/html': '<b>rich</b>', 'image/png': 'iVBORw==' },
        },
        {
          output_type: 'display_data',
          metadata: {},
          data: { 'text/markdown': '*m*', 'text/plain': '<IPython.core.display.Markdown object>' },
        },
      ],
      [
        {
          output_type: 'execute_result',
          execution_count: 5,
          data: { 'text/plain': "'awaited'" },
          metadata: {},
        },
      ],
    ]);
    expect(textOf(work, 'stdout')).toBe('a\nc');
    expect(textOf(work, 'stderr')).toBe('b\n');
  });

  test.each([
    [
      '%matplotlib inline',
      'cell 1: SyntaxError: IPython magics and shell commands are not available here: %matplotlib inline',
    ],
    [
      'x = 1\n!ls -l',
      'cell 1: SyntaxError: IPython magics and shell commands are not available here: !ls -l',
    ],
    ['input("name? ")', 'cell 1: EOFError: input() is not available: nobody can answer a job'],
    ['x = bytearray(2 * 10**9)', 'cell 1: MemoryError'],
    ['def broken(:', 'cell 1: SyntaxError: invalid syntax'],
    ['import sys; sys.exit(0)', 'cell 1: SystemExit: 0'],
  ])('with %j says what is wrong', async (source, message) => {
    expect(await run(runner, inlineNotebook(notebookOf(source)))).toMatchObject({
      kind: 'failed',
      code: 'notebook-cell-failed',
      message,
    });
  });

  test('has its parameters after the cell with their defaults', async () => {
    const work = inlineNotebook(
      notebookOf(
        'import os',
        { code: 'band, depth, seen = "u", 3, []', tags: ['parameters'] },
        'print(band, depth, seen)',
      ),
      { parameters: { band: 'g', depth: 2.5, seen: [true, null, { m31: 1 }] } },
    );
    const outcome = await run(runner, work);
    expect([outcome.kind, textOf(work, 'stdout')]).toEqual([
      'completed',
      "g 2.5 [True, None, {'m31': 1}]\n",
    ]);
    expect(textOf(work, 'out/notebook.ipynb')).toContain('injected-parameters');
  });

  test('that never ends is stopped, and is kept as far as it came', async () => {
    const work = inlineNotebook(notebookOf('print("first")', 'while True: pass'), {
      wallTime: 600,
    });
    await runner.submit(work);
    for (
      const end = performance.now() + 500_000;
      textOf(work, 'stdout') !== 'first\n' && performance.now() < end;
    )
      await delay(50);
    await runner.stop(work.job, 'cancelled');
    const outcome = await ended(runner, work.job);
    expect(outcome).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
    expect(outputsOf(work, outcome)[0]).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'first\n' },
    ]);
  });

  test('sees its volumes where it asked for them, and its files become results', async () => {
    const work = inlineNotebook(
      notebookOf(
        'import os\nopen("/data/in/x", "w").write("1"); open("result.csv", ' +
          '"w").write("a,b")\nos.getcwd(), os.listdir("/data/in"), os.environ["VOLUME_SCRATCH"]',
      ),
      {
        volumes: [
          { name: 'scratch', path: '/data/in/', mode: 'rw' },
          { name: 'outer', path: '/data', mode: 'rw' },
        ],
      },
    );
    const outcome = await run(runner, work);
    expect(outputsOf(work, outcome)[0]).toMatchObject([
      { data: { 'text/plain': "('/job', ['x'], '/data/in')" } },
    ]);
    expect(outcome.results.map(({ id }) => id)).toEqual([
      'notebook',
      'html',
      'stdout',
      'stderr',
      'result.csv',
    ]);
  });
});

describe('a Python program', () => {
  test('that raises leaves its traceback as the detail of the failure', async () => {
    const outcome = await run(runner, program('def f():\n    raise KeyError("x")\nf()'));
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'task-failed',
      message: 'the task ended with exit code 1',
    });
    expect(outcome.kind === 'failed' && outcome.detail).toMatch(
      /^Traceback[^]+program.py", line 2, in f[^]+KeyError: 'x'\n$/,
    );
  });

  test('runs as the service user too, when the service is not root', async () => {
    const plain = notebookRunner({ ...settings, jobsRoot: join(root, 'plain'), uids: 'service' });
    const work = program('print("hello")');
    await plain.submit(work);
    expect(await ended(plain, work.job)).toMatchObject({ kind: 'completed' });
    await plain.close();
  });
});
