/**
 * Entry point of the process that runs one notebook or one Python program in Pyodide: `notebook.ts
 * <plan.json>`.
 *
 * The program may be hostile, and Pyodide gives it JavaScript objects. So this process has nothing
 * to lose: no credentials, Node's permission model, no way from those objects to Node's modules
 * (`confine`), its own user where the service can set one, no network where the machine allows
 * that, and limits that others enforce.
 */
import { constants, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { loadPyodide, type PyodideAPI } from 'pyodide';
import { confine } from '../src/runners/notebook/confinement.ts';
import {
  parseCellRun,
  pyodideMetadata,
  toNotebookJson,
  type ExecutedCell,
} from '../src/runners/notebook/executed.ts';
import { renderNotebook } from '../src/runners/notebook/html.ts';
import {
  EXECUTED_NOTEBOOK,
  parsePlan,
  PYTHON_WORK,
  RENDERED_NOTEBOOK,
  type NotebookPlan,
} from '../src/runners/notebook/plan.ts';
import { FAILURE_FILE } from '../src/runners/run/failure.ts';
import { parseNotebook, tagsOf, type NotebookDocument } from '../src/tasks/notebook-document.ts';

/** Exit status of a failed notebook; `failure.json` says why. */
const FAILED = 1;
const WASM_PAGE = 65_536;
/**
 * A running notebook is saved after every cell, so that a stopped job has its last state, unless
 * saving would take more than a twentieth of the time (long notebooks with large outputs).
 */
const SAVING_SHARE = 20;

// The used part of the standard types, which are in the DOM's types and not in Node's.
declare const WebAssembly: {
  readonly Memory: { readonly prototype: { grow: (this: WasmMemory, pages: number) => number } };
};
type WasmMemory = { readonly buffer: ArrayBuffer };

const plan = parsePlan(readFileSync(process.argv[2] ?? '', 'utf8'));
const python = await startPython(plan);
const exit = confine();
exit(plan.mode === 'notebook' ? await runNotebook(plan, python) : runProgram(plan, python));

async function startPython(plan: NotebookPlan): Promise<PyodideAPI> {
  lendFileConstants();
  limitMemory(plan.memory);
  // Python's module `js` is this object. Pyodide's default is globalThis, with all of Node.
  const python = await loadPyodide({
    jsglobals: Object.create(null),
    env: { HOME: PYTHON_WORK, ...plan.environment },
  });
  for (const { directory, path } of plan.mounts) python.mountNodeFS(path, directory);
  python.FS.chdir(PYTHON_WORK);
  python.setStdout({ write: writeAll(1) });
  python.setStderr({ write: writeAll(2) });
  const kernel = readFileSync(
    new URL('../src/runners/notebook/kernel.py', import.meta.url),
    'utf8',
  );
  python.globals.set('kernel_source', kernel);
  python.runPython(`
import sys, types
kernel = types.ModuleType("planner_kernel")
exec(compile(globals().pop("kernel_source"), "<kernel>", "exec"), kernel.__dict__)
sys.modules["planner_kernel"] = kernel
sys.path.insert(0, "${PYTHON_WORK}")
del sys, types
`);
  return python;
}

/** Emscripten reads the file constants in an old way that the permission model forbids. */
function lendFileConstants(): void {
  Object.defineProperty(process, 'binding', { value: () => ({ fs: constants }) });
}

/** Raises a MemoryError in Python at the job's limit, before the process is killed. */
function limitMemory(bytes: number): void {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function limited(this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * WASM_PAGE <= bytes) return grow.call(this, pages);
    throw new RangeError('the memory limit of the job is reached');
  };
}

function writeAll(descriptor: number) {
  return (bytes: Uint8Array): number => {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    return bytes.length;
  };
}

async function runNotebook(plan: NotebookPlan, python: PyodideAPI): Promise<number> {
  const parsed = parseNotebook(readFileSync(plan.input, 'utf8'));
  if (!parsed.ok)
    return fail(plan, 'notebook-invalid', `this notebook cannot be executed: ${parsed.text}`, '');
  python.runPython('kernel.prepare()');
  const runCell: unknown = python.runPython('kernel.run_cell');
  if (typeof runCell !== 'function') throw new TypeError('the kernel has no run_cell');
  python.runPython('del kernel');
  const version = String(python.runPython('__import__("platform").python_version()'));
  const save = saver(plan, parsed.notebook, version);
  const executed: ExecutedCell[] = [];
  let count = 0;
  let saved = { at: -Infinity, took: 0 };
  for (const cell of parsed.notebook.cells) {
    if (cell.kind !== 'code' || cell.source.trim() === '') {
      executed.push({ cell, count: undefined, outputs: [] });
      continue;
    }
    count += 1;
    const { outputs, error } = parseCellRun(String(await runCell(cell.source, count)));
    const done = { cell, count, outputs };
    executed.push(done);
    if (error !== undefined && !tagsOf(cell).includes('raises-exception')) {
      save(executed);
      return fail(plan, 'notebook-cell-failed', `cell ${count}: ${error}`, tracebackOf(done));
    }
    const now = performance.now();
    if (now - saved.at > SAVING_SHARE * saved.took) {
      save(executed);
      saved = { at: performance.now(), took: performance.now() - now };
    }
  }
  save(executed);
  return 0;
}

function fail(plan: NotebookPlan, code: string, message: string, detail: string): number {
  writeFileSync(join(plan.out, FAILURE_FILE), JSON.stringify({ code, message, detail }));
  return FAILED;
}

function saver(plan: NotebookPlan, notebook: NotebookDocument, version: string) {
  const write = (name: string, content: string): void => {
    writeFileSync(join(plan.out, `${name}.new`), content);
    renameSync(join(plan.out, `${name}.new`), join(plan.out, name));
  };
  return (executed: readonly ExecutedCell[]): void => {
    const rest = notebook.cells
      .slice(executed.length)
      .map((cell) => ({ cell, count: undefined, outputs: [] }));
    const cells = [...executed, ...rest];
    write(
      EXECUTED_NOTEBOOK,
      `${JSON.stringify(toNotebookJson(cells, pyodideMetadata(notebook, version)), null, 1)}\n`,
    );
    write(RENDERED_NOTEBOOK, renderNotebook(cells));
  };
}

function tracebackOf({ outputs }: ExecutedCell): string {
  return outputs
    .flatMap((output) => (output.output_type === 'error' ? output.traceback : []))
    .join('\n');
}

function runProgram(plan: NotebookPlan, python: PyodideAPI): number {
  // Bytes would be an object of JavaScript, which the program must never get.
  const content = readFileSync(plan.input, 'latin1');
  const run: unknown = python.runPython('kernel.run_program');
  if (typeof run !== 'function') throw new TypeError('the kernel has no run_program');
  python.runPython('del kernel');
  return Number(run(content, 'program.py', python.toPy(plan.arguments)));
}
