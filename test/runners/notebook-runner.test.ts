import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { notebookRunner } from '../../src/runners/notebook-runner.ts';
import type { Outcome, Workload } from '../../src/runners/port.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../../src/tasks/least-memory.ts';
import { isRecord } from '../../src/words/record.ts';
import { inlineNotebook, notebookOf } from './notebook/cells.ts';
import { nbformatProblems } from './notebook/nbformat.ts';
import { asRoot, ended, removeRoot, run, temporaryRoot, workload } from './workloads.ts';

jest.setTimeout(120_000);

const examples = fileURLToPath(new URL('../../docs/examples', import.meta.url));
const root = temporaryRoot();
const settings = { jobsRoot: join(root, 'jobs'), urls: { allowHosts: [], fileRoots: [examples] } };
const runner = notebookRunner(settings);
process.env['DATABASE_URL'] = 'postgresql://planner:very-secret@127.0.0.1/planner';

let server: Server;
let visits = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    visits += 1;
    response.end('internal');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await runner.close();
  await new Promise((resolve) => server.close(resolve));
  delete process.env['DATABASE_URL'];
  removeRoot(root);
});

const program = (text: string, words: readonly string[] = []): Workload =>
  workload({ type: 'python-program', program: { kind: 'inline', text }, arguments: words });
const textOf = ({ job }: Workload, path: string): string => readFileSync(join(settings.jobsRoot, job, path), 'utf8');

/** Outputs of the code cells of an executed notebook, which must be valid. */
const outputsOf = (work: Workload, outcome: Outcome): readonly unknown[] => {
  const found = outcome.results.find(({ id }) => id === 'notebook');
  expect(found).toMatchObject({ mimeType: 'application/x-ipynb+json', path: 'out/notebook.ipynb' });
  const notebook: unknown = JSON.parse(textOf(work, found?.path ?? ''));
  expect(nbformatProblems(notebook)).toEqual([]);
  const cells = isRecord(notebook) && Array.isArray(notebook['cells']) ? notebook['cells'] : [];
  return cells.filter((cell) => cell.cell_type === 'code').map((cell) => cell.outputs);
};

describe('a notebook', () => {
  test('of the documentation is executed, kept and shown as a page', async () => {
    const work = workload({ type: 'jupyter-notebook', notebook: { kind: 'url', url: `file://${examples}/square-root.ipynb` } }, { memory: NOTEBOOK_LEAST_MEMORY });
    const outcome = await run(runner, work);
    expect(nbformatProblems(JSON.parse(readFileSync(join(examples, 'square-root.ipynb'), 'utf8')))).toEqual([]);
    expect(outcome.kind).toBe('completed');
    expect(outcome.results.map(({ id }) => id)).toEqual(['notebook', 'html', 'stdout', 'stderr']);
    expect(outputsOf(work, outcome).flat()).toHaveLength(4);
    expect(textOf(work, 'stdout')).toContain('The square root of 2 is 1.414213562373095');
    const page = textOf(work, 'out/notebook.html');
    expect(page).toContain('<h1>Square root by successive approximation</h1>');
    expect(page).toContain('<table><tr><th>number</th>');
    expect(page).not.toContain('<script');
  });

  test('shows what Jupyter shows', async () => {
    const work = inlineNotebook(notebookOf(
      'import sys\nprint("a"); print("b", file=sys.stderr); print("c", end="")\n1 + 1',
      '_ + 1;',
      { markdown: '# not code' },
      '',
      'class P:\n  def _repr_html_(self): return "<b>rich</b>"\n  def _repr_png_(self): return b"\\x89PNG"\n  def __repr__(self): return "plain"\nP()',
      'from IPython.display import display, Markdown\ndisplay(_, Markdown("*m*"))',
      'import asyncio\nawait asyncio.sleep(0.01)\n[i async for i in (lambda: (x async for x in agen()))()] if False else "awaited"',
    ));
    const outcome = await run(runner, work);
    expect(outcome.kind).toBe('completed');
    expect(outputsOf(work, outcome)).toEqual([
      [
        { output_type: 'stream', name: 'stdout', text: 'a\n' },
        { output_type: 'stream', name: 'stderr', text: 'b\n' },
        { output_type: 'stream', name: 'stdout', text: 'c' },
        { output_type: 'execute_result', execution_count: 1, data: { 'text/plain': '2' }, metadata: {} },
      ],
      [],
      [],
      [{ output_type: 'execute_result', execution_count: 3, metadata: {},
        data: { 'text/plain': 'plain', 'text/html': '<b>rich</b>', 'image/png': 'iVBORw==' } }],
      [
        { output_type: 'display_data', metadata: {}, data: { 'text/plain': 'plain', 'text/html': '<b>rich</b>', 'image/png': 'iVBORw==' } },
        { output_type: 'display_data', metadata: {}, data: { 'text/markdown': '*m*', 'text/plain': '<IPython.core.display.Markdown object>' } },
      ],
      [{ output_type: 'execute_result', execution_count: 5, data: { 'text/plain': "'awaited'" }, metadata: {} }],
    ]);
    expect(textOf(work, 'stdout')).toBe('a\nc');
    expect(textOf(work, 'stderr')).toBe('b\n');
  });

  test('stops at the first cell that raises, and is kept as far as it came', async () => {
    const work = inlineNotebook(notebookOf('print("before")', { code: '1 / 0', tags: ['raises-exception'] }, 'def f(x):\n    return 1 / x\nf(0)', 'print("never")'));
    const outcome = await run(runner, work);
    expect(outcome).toMatchObject({
      kind: 'failed', code: 'notebook-cell-failed', message: 'cell 3: ZeroDivisionError: division by zero', transient: false });
    expect(outcome.kind === 'failed' && outcome.detail).toBe([
      'Traceback (most recent call last):', '  File "<cell 3>", line 3, in <module>', '    f(0)', '    ~^^^',
      '  File "<cell 3>", line 2, in f', '    return 1 / x', '           ~~^~~', 'ZeroDivisionError: division by zero'].join('\n'));
    const outputs = outputsOf(work, outcome);
    expect(outputs[1]).toMatchObject([{ output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' }]);
    expect(outputs[3]).toEqual([]);
    expect(textOf(work, 'stdout')).toBe('before\n');
  });

  test.each([
    ['%matplotlib inline', 'cell 1: SyntaxError: IPython magics and shell commands are not available here: %matplotlib inline'],
    ['x = 1\n!ls -l', 'cell 1: SyntaxError: IPython magics and shell commands are not available here: !ls -l'],
    ['input("name? ")', 'cell 1: EOFError: input() is not available: nobody can answer a job'],
    ['x = bytearray(2 * 10**9)', 'cell 1: MemoryError'],
    ['def broken(:', 'cell 1: SyntaxError: invalid syntax'],
    ['import sys; sys.exit(0)', 'cell 1: SystemExit: 0'],
  ])('with %j says what is wrong', async (source, message) => {
    expect(await run(runner, inlineNotebook(notebookOf(source)))).toMatchObject({ kind: 'failed', code: 'notebook-cell-failed', message });
  });

  test('has its parameters after the cell with their defaults', async () => {
    const work = inlineNotebook(notebookOf('import os', { code: 'band, depth, seen = "u", 3, []', tags: ['parameters'] }, 'print(band, depth, seen)'), { parameters: { band: 'g', depth: 2.5, seen: [true, null, { m31: 1 }] } });
    const outcome = await run(runner, work);
    expect([outcome.kind, textOf(work, 'stdout')]).toEqual(['completed', "g 2.5 [True, None, {'m31': 1}]\n"]);
    expect(textOf(work, 'out/notebook.ipynb')).toContain('injected-parameters');
  });

  test('that never ends is stopped, and is kept as far as it came', async () => {
    const work = inlineNotebook(notebookOf('print("first")', 'while True: pass'), { wallTime: 600 });
    await runner.submit(work);
    for (const end = performance.now() + 100_000; textOf(work, 'stdout') !== 'first\n' && performance.now() < end; ) await delay(50);
    await runner.stop(work.job, 'cancelled');
    const outcome = await ended(runner, work.job);
    expect(outcome).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
    expect(outputsOf(work, outcome)[0]).toEqual([{ output_type: 'stream', name: 'stdout', text: 'first\n' }]);
  });

  test('sees its volumes where it asked for them, and its files become results', async () => {
    const work = inlineNotebook(notebookOf(
      'import os\nopen("/data/in/x", "w").write("1"); open("result.csv", "w").write("a,b")\nos.getcwd(), os.listdir("/data/in"), os.environ["VOLUME_SCRATCH"]'),
      { volumes: [{ name: 'scratch', path: '/data/in/', mode: 'rw' }, { name: 'outer', path: '/data', mode: 'rw' }] });
    const outcome = await run(runner, work);
    expect(outputsOf(work, outcome)[0]).toMatchObject([{ data: { 'text/plain': "('/job', ['x'], '/data/in')" } }]);
    expect(outcome.results.map(({ id }) => id)).toEqual(['notebook', 'html', 'stdout', 'stderr', 'result.csv']);
  });

  test.each([
    [inlineNotebook('{"nbformat": 3}'), 'notebook-invalid'],
    [workload({ type: 'jupyter-notebook', notebook: { kind: 'url', url: 'file:///etc/passwd' } }), 'url-forbidden'],
    [workload({ type: 'jupyter-notebook', notebook: { kind: 'url', url: `file://${examples}/missing.ipynb` } }), 'fetch-failed'],
    [workload({ type: 'executable', command: ['true'], environment: {} }), 'runner-failed'],
    [inlineNotebook(notebookOf('1'), { memory: 100 }), 'runner-failed'],
    [inlineNotebook(notebookOf('1'), { volumes: [{ name: 'l', path: '/lib/python', mode: 'rw' }] }), 'runner-failed'],
    [inlineNotebook(notebookOf('1'), { volumes: [{ name: 'l', path: '/a', mode: 'rw' }, { name: 'm', path: '/a/', mode: 'rw' }] }), 'runner-failed'],
  ])('that cannot be run fails before it starts (%#)', async (work, code) => {
    expect(await run(runner, work)).toMatchObject({ kind: 'failed', code, results: [] });
  });
});

describe('a hostile notebook', () => {
  const attempt = (javascript: string): string =>
    `import js\nget = js.process.getBuiltinModule\ntry:\n    print("DONE", ${javascript})\nexcept BaseException as error:\n    print("refused", error)`;

  test('that reaches JavaScript finds no file, no process and no secret of the service', async () => {
    const attempts = [
      'get("fs").readFileSync("/etc/hostname", "utf8")',
      `get("fs").readFileSync("${join(settings.jobsRoot)}", "utf8")`,
      'get("fs").writeFileSync("/tmp/escaped", "x")',
      'get("child_process").execSync("id")',
      'get("worker_threads").Worker.new("1")',
      'get("fs").readFileSync("/proc/self/environ", "utf8")',
    ];
    const work = inlineNotebook(notebookOf(...attempts.map(attempt), 'print("ENV", *sorted(str(k) for k in js.Object.keys(js.process.env)))'));
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    const lines = textOf(work, 'stdout').split('\n');
    expect(lines.filter((line) => line.startsWith('DONE'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('refused'))).toHaveLength(attempts.length);
    expect(lines.find((line) => line.startsWith('ENV'))).toBe('ENV HOME LANG OMP_NUM_THREADS PATH PLANNER_JOB_ID TMPDIR');
  });

  test('has no network where the machine can take it away', async () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const work = inlineNotebook(notebookOf(`import js\nfrom pyodide.ffi import JsException\ntry:\n    response = await js.fetch("http://127.0.0.1:${port}/")\n    print("DONE", await response.text())\nexcept JsException as error:\n    print("refused", error)`));
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    const isolated = runner.describe().network === 'none';
    expect(textOf(work, 'stdout')).toMatch(isolated ? /^refused/ : /^DONE/);
    expect(visits).toBe(isolated ? 0 : 1);
    expect(isolated || !asRoot).toBe(true);
  });
});

describe('a Python program', () => {
  test('has its arguments, its files and its exit status', async () => {
    const work = program('import sys\nassert __name__ == "__main__"\nprint(sys.argv)\nopen("t.json", "w").write("{}")\nsys.exit(4)', ['a b', 'ü']);
    const outcome = await run(runner, work);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'task-failed', message: 'the task ended with exit code 4' });
    expect(outcome.results.map(({ id }) => id)).toEqual(['stdout', 'stderr', 't.json']);
    expect(textOf(work, 'stdout')).toBe("['program.py', 'a b', 'ü']\n");
    expect(await run(runner, program('print("fine")'))).toMatchObject({ kind: 'completed' });
  });

  test('that raises leaves its traceback as the detail of the failure', async () => {
    const outcome = await run(runner, program('def f():\n    raise KeyError("x")\nf()'));
    expect(outcome).toMatchObject({ kind: 'failed', code: 'task-failed', message: 'the task ended with exit code 1' });
    expect(outcome.kind === 'failed' && outcome.detail).toMatch(/^Traceback[^]+program.py", line 2, in f[^]+KeyError: 'x'\n$/);
  });

  test('runs as the service user too, when the service is no root', async () => {
    const plain = notebookRunner({ ...settings, jobsRoot: join(root, 'plain'), uids: 'service' });
    const work = program('print("hello")');
    await plain.submit(work);
    expect(await ended(plain, work.job)).toMatchObject({ kind: 'completed' });
    await plain.close();
  });
});
