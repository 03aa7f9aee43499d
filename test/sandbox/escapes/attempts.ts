import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { object, list, stringShape } from '../../../src/vortex/shape.ts';
import { jobOf } from '../../vortex/job.ts';

/**
 * One attempt: Python in a rule's `execute`. `expect` is what becomes of the decision: `= VALUE`
 * of what it put in `out`, or the class of the exception, or the code of the sandbox; several
 * where the machine's speed decides.
 */
export type Attempt = { readonly name: string; readonly python: string; readonly expect: string };

const shape = list(object({ name: stringShape, python: stringShape, expect: stringShape }));
const folder = new URL('./', import.meta.url);

/** The attempts of every table beside this file, by table. */
export const tables: readonly (readonly [table: string, attempts: readonly Attempt[]])[] =
  readdirSync(fileURLToPath(folder))
    .filter((file) => file.endsWith('.yml'))
    .sort()
    .map((file) => [
      file.replace('.yml', ''),
      shape(load(readFileSync(new URL(file, folder), 'utf8')), file),
    ]);

const LONGEST_SHOWN = 300;

/** Rule files in which every attempt is a tool of its own. */
export function rulesOf(attempts: readonly Attempt[]): string {
  const show = `entity.params['out'] = str(out).replace('{', '{{').replace('}', '}}')`;
  const tools = attempts.map(({ python }, index) => [
    idOf(index),
    {
      context: {},
      params: { out: 'nothing' },
      rules: [{ if: 'True', execute: `out = None\n${python}\n${show}\n` }],
    },
  ]);
  return JSON.stringify({
    tools: {
      ...Object.fromEntries(tools),
      innocent: { cores: 2, mem: 'cores * 4', params: { p: '{tool.id}' } },
    },
    destinations: { local: { runner: 'process', max_accepted_cores: 8 } },
  });
}

/** What becomes of an attempt, in the words of `expect`. */
export async function outcomeOf(sandbox: Sandbox, index: number): Promise<string> {
  const decision = await sandbox.map(jobOf(idOf(index)), { seed: 1, now: 1_700_000_000_000 });
  switch (decision.kind) {
    case 'destination':
      return `= ${String(decision.chosen.params['out']).slice(0, LONGEST_SHOWN)}`;
    case 'error':
      return decision.className;
    case 'sandbox':
      return decision.code;
    case 'fail':
    case 'wait':
      return decision.kind;
    default:
      return decision satisfies never;
  }
}

/** A key of a tool is a pattern that matches from the start: no id may begin another. */
function idOf(index: number): string {
  return `attempt-${String(index).padStart(3, '0')}`;
}
