import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { sentenceOf } from '../ask/grouped.ts';
import type { Trouble } from '../trouble.ts';
import { EDITOR } from '../words/editor.ts';
import { lineOf, linesOf, readYaml } from './yaml.ts';

type Ask = Documents['Ask'];

/** Something that is wrong in a text, and its line from 1. */
export type TextFault = { readonly line: number; readonly path: string; readonly text: string };

/** What is known of a text after a look. */
export type Finding =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly faults: readonly TextFault[] }
  | { readonly kind: 'unreadable'; readonly faults: readonly TextFault[] }
  | { readonly kind: 'failed'; readonly trouble: Trouble };

/** The ask that a text is, or what keeps it from being one. */
export function askOf(text: string): Ask | Extract<Finding, { kind: 'unreadable' }> {
  const read = readYaml(text);
  if (!read.ok)
    return { kind: 'unreadable', faults: [{ line: read.line, path: '', text: read.text }] };
  if (isAsk(read.value)) return read.value;
  return { kind: 'unreadable', faults: [{ line: 1, path: 'task.type', text: EDITOR.notAsk }] };
}

/** Is it what `askOf` found wrong? */
export function isFinding(
  found: ReturnType<typeof askOf>,
): found is Extract<Finding, { kind: 'unreadable' }> {
  return 'faults' in found && Array.isArray(found['faults']);
}

/** Asks the service what it would answer; nothing is held and nothing is kept. */
export async function checked(text: string, ask: Ask): Promise<Finding> {
  const outcome = await outcomeOf(
    api.POST('/request', { body: ask, params: { query: { 'dry-run': true } } }),
  );
  const at = linesOf(text);
  if (!outcome.ok) {
    const { faults } = outcome.trouble;
    return faults.length === 0
      ? { kind: 'failed', trouble: outcome.trouble }
      : { kind: 'no', faults: faults.map((each) => ({ ...each, line: lineOf(at, each.path) })) };
  }
  const { response } = outcome.data;
  if (response.result === 'YES') return { kind: 'yes' };
  const faults = response.reasons.map((reason) => ({
    path: reason.path,
    text: faultText(reason),
    line: lineOf(at, reason.path),
  }));
  return { kind: 'no', faults: faults.toSorted((a, b) => a.line - b.line) };
}

function faultText(reason: Documents['Reason']): string {
  const { destinations = [], limit } = reason;
  const where = destinations.length === 0 ? '' : `${destinations.join(', ')}: `;
  return `${where}${sentenceOf(reason)}${limit === undefined ? '' : ` (${limit})`}`;
}

function isAsk(value: unknown): value is Ask {
  return typeof Object(Object(value)['task'])['type'] === 'string';
}
