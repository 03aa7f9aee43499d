import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { notebookRunner } from '../../src/runners/notebook-runner.ts';
import { PLAIN } from '../../src/runners/process/start/isolation.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../../src/tasks/least-memory.ts';
import { inlineNotebook, notebookOf } from './notebook/cells.ts';
import { examples, openNotebooks, program } from './notebook/host.ts';
import { ATTEMPTS, WALK } from './notebook/hostile.ts';
import { nbformatProblems } from './notebook/nbformat.ts';
import { run, workload } from './workloads.ts';

const { root, settings, runner, textOf, outputsOf, close } = openNotebooks();
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
  await close();
  await new Promise((resolve) => server.close(resolve));
  delete process.env['DATABASE_URL'];
});

describe('a notebook', () => {
  test('of the documentation is executed, kept and shown as a page', async () => {
    const work = workload(
      {
        type: 'jupyter-notebook',
        notebook: { kind: 'url', url: `file://${examples}/square-root.ipynb` },
      },
      { memory: NOTEBOOK_LEAST_MEMORY },
    );
    const outcome = await run(runner, work);
    expect(
      nbformatProblems(JSON.parse(readFileSync(join(examples, 'square-root.ipynb'), 'utf8'))),
    ).toEqual([]);
    expect(outcome.kind).toBe('completed');
    expect(outcome.results.map(({ id }) => id)).toEqual(['notebook', 'html', 'stdout', 'stderr']);
    expect(outputsOf(work, outcome).flat()).toHaveLength(4);
    expect(textOf(work, 'stdout')).toContain('The square root of 2 is 1.414213562373095');
    const page = textOf(work, 'out/notebook.html');
    expect(page).toContain('<h1>Square root by successive approximation</h1>');
    expect(page).toContain('<table><tr><th>number</th>');
    expect(page).not.toContain('<script');
  });

  test('stops at the first cell that raises, and is kept up to there', async () => {
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
    expect(outcome.kind === 'failed' && outcome.detail).toBe(
      [
        'Traceback (most recent call last):',
        '  File "<cell 3>", line 3, in <module>',
        '    f(0)',
        '    ~^^^',
        '  File "<cell 3>", line 2, in f',
        '    return 1 / x',
        '           ~~^~~',
        'ZeroDivisionError: division by zero',
      ].join('\n'),
    );
    const outputs = outputsOf(work, outcome);
    expect(outputs[1]).toMatchObject([
      { output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' },
    ]);
    expect(outputs[3]).toEqual([]);
    expect(textOf(work, 'stdout')).toBe('before\n');
  });

  test.each([
    [inlineNotebook('{"nbformat": 3}'), 'notebook-invalid'],
    [
      workload({ type: 'jupyter-notebook', notebook: { kind: 'url', url: 'file:///etc/passwd' } }),
      'url-forbidden',
    ],
    [
      workload({
        type: 'jupyter-notebook',
        notebook: { kind: 'url', url: `file://${examples}/missing.ipynb` },
      }),
      'fetch-failed',
    ],
    [workload({ type: 'executable', command: ['true'], environment: {} }), 'runner-failed'],
    [inlineNotebook(notebookOf('1'), { memory: 100 }), 'runner-failed'],
    [
      inlineNotebook(notebookOf('1'), {
        volumes: [{ name: 'l', path: '/lib/python', mode: 'rw' }],
      }),
      'runner-failed',
    ],
    [
      inlineNotebook(notebookOf('1'), {
        volumes: [
          { name: 'l', path: '/a', mode: 'rw' },
          { name: 'm', path: '/a/', mode: 'rw' },
        ],
      }),
      'runner-failed',
    ],
  ])('that cannot be run fails before it starts (%#)', async (work, code) => {
    expect(await run(runner, work)).toMatchObject({ kind: 'failed', code, results: [] });
  });
});

describe('a hostile notebook', () => {
  test('finds neither Node nor its modules behind the JavaScript objects that Python gets', async () => {
    const work = inlineNotebook(
      notebookOf(
        WALK,
        `${ATTEMPTS}\nfor name in ${JSON.stringify(builtinModules)}:\n    attempt(name)`,
      ),
      { memory: 1024 },
    );
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    const lines = textOf(work, 'stdout').trimEnd().split('\n');
    const seen = Number(lines.find((line) => line.startsWith('SEEN '))?.slice(5));
    expect(
      lines.filter((line) => !line.startsWith('refused') && !line.startsWith('SEEN ')),
    ).toEqual([]);
    // Pyodide's own interface has hundreds of functions.
    expect(seen).toBeGreaterThan(300);
    expect(lines.filter((line) => line.startsWith('refused')).length).toBeGreaterThan(
      builtinModules.length,
    );
  });

  test('reads and writes only its own directories, despite symbolic links and mounts', async () => {
    const work = inlineNotebook(
      notebookOf(`
import os, pyodide_js
def refused(what):
    try:
        print("DONE", what())
    except BaseException as error:
        print("refused", type(error).__name__)
def linked(target):
    os.symlink(target, "/job/link")
    return open("/job/link").read()
refused(lambda: linked("/etc/hostname"))
refused(lambda: linked("../../../../../../../../etc/hostname"))
refused(lambda: pyodide_js.mountNodeFS("/else", "${settings.jobsRoot}"))
refused(lambda: pyodide_js.mountNodeFS("/else", "/etc"))
refused(lambda: pyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, pyodide_js.toPy, "/job"))
refused(lambda: open("/proc/self/environ").read())`),
    );
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    expect(textOf(work, 'stdout')).not.toContain('DONE');
    expect(textOf(work, 'stdout').trimEnd().split('\n')).toHaveLength(6);
  });

  test('has no sockets', async () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const work = inlineNotebook(
      notebookOf(`
import asyncio, socket, urllib.request, pyodide_js
from pyodide.http import pyfetch
ways = {
    "socket": lambda: socket.create_connection(("127.0.0.1", ${port})),
    "urllib": lambda: urllib.request.urlopen("http://127.0.0.1:${port}/").read(),
    "asyncio": lambda: asyncio.open_connection("127.0.0.1", ${port}),
    "fetch": lambda: pyfetch("http://127.0.0.1:${port}/"),
    "package": lambda: pyodide_js.loadPackage("http://127.0.0.1:${port}/x-1-py3-none-any.whl"),
    "node": lambda: pyodide_js.useNodeSockFS(),
}
for name, way in ways.items():
    try:
        found = way()
        if asyncio.iscoroutine(found) or hasattr(found, "__await__"): found = await found
        print("returned", name, found)
    except BaseException as error:
        print("refused", name)`),
    );
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    expect(textOf(work, 'stdout')).toMatch(
      /^refused socket\nrefused urllib\nrefused asyncio\nrefused fetch\n/,
    );
    expect(visits).toBe(0);
  });
});

test('a runner that must isolate its notebooks does not start on a machine that cannot', () => {
  expect(() =>
    notebookRunner({ ...settings, isolation: PLAIN }, { isolation: 'required' }),
  ).toThrow('the site requires isolation, and bubblewrap does not work here');
});

describe('a Python program', () => {
  test('has its arguments, its files and its exit status', async () => {
    const work = program(
      'import sys\nassert __name__ == "__main__"\nprint(sys.argv)\nopen("t.json", "w").write("{}")\nsys.exit(4)',
      ['a b', 'ü'],
    );
    const outcome = await run(runner, work);
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'task-failed',
      message: 'the task ended with exit code 4',
    });
    expect(outcome.results.map(({ id }) => id)).toEqual(['stdout', 'stderr', 't.json']);
    expect(textOf(work, 'stdout')).toBe("['program.py', 'a b', 'ü']\n");
    expect(await run(runner, program('print("fine")'))).toMatchObject({ kind: 'completed' });
  });

  test('is read as Python reads files: after a byte order mark, in the encoding it declares', async () => {
    const marked = program('\u{feff}print("é")\r\n');
    expect(await run(runner, marked)).toMatchObject({ kind: 'completed' });
    expect(textOf(marked, 'stdout')).toBe('é\n');
    const file = join(root, 'latin.py');
    writeFileSync(file, Buffer.from('# coding: latin-1\nprint("é")\n', 'latin1'));
    const ofFiles = notebookRunner({ ...settings, urls: { allowHosts: [], fileRoots: [root] } });
    const url = pathToFileURL(file).href;
    const declared = workload({
      type: 'python-program',
      program: { kind: 'url', url },
      arguments: [],
    });
    expect(await run(ofFiles, declared)).toMatchObject({ kind: 'completed' });
    await ofFiles.close();
    expect(textOf(declared, 'stdout')).toBe('é\n');
  });
});
