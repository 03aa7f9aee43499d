/** Asks the built-in Python what it has and writes it down; see src/runners/asking/pyodide.ts. */
import { writeFileSync } from 'node:fs';
import { startPyodide, versionOfPyodide } from '../src/runners/asking/pyodide.ts';

const facts = JSON.parse(await startPyodide());
const text = JSON.stringify({ pyodide: versionOfPyodide(), facts });
writeFileSync(new URL('../src/runners/asking/built-in.json', import.meta.url), `${text}\n`);
