import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../../words/record.ts';
import { ASKING, FACTS } from './interpreter.ts';
import { runBounded } from './run-bounded.ts';

const RECORDED = fileURLToPath(new URL('built-in.json', import.meta.url));

/**
 * What the built-in Python has. A version of Pyodide always has the same, so this version was asked
 * when it came into the project (`npm run built-in-python`), and another one is asked now, which
 * takes two seconds of a processor.
 *
 * @returns JSON
 * @throws Error that says why there is no answer
 */
export async function askPyodide(): Promise<string> {
  const recorded: unknown = JSON.parse(readFileSync(RECORDED, 'utf8'));
  return isRecord(recorded) && recorded['pyodide'] === versionOfPyodide()
    ? JSON.stringify(recorded['facts'])
    : startPyodide();
}

/** Asks the built-in Python itself, in a process of its own. */
export function startPyodide(): Promise<string> {
  const pyodide = createRequire(import.meta.url).resolve('pyodide');
  const script = `
    const { loadPyodide } = require(${JSON.stringify(pyodide)});
    loadPyodide({ jsglobals: Object.create(null) }).then((python) => {
      python.setStdout({ write: (bytes) => require('node:fs').writeSync(1, bytes) });
      python.runPython(${JSON.stringify(FACTS)});
    });`;
  return runBounded([process.execPath, '-e', script], {}, ASKING);
}

export function versionOfPyodide(): string {
  const text = readFileSync(createRequire(import.meta.url).resolve('pyodide/package.json'), 'utf8');
  const parsed: unknown = JSON.parse(text);
  return isRecord(parsed) ? String(parsed['version']) : '';
}
