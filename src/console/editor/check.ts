import type { Fault, Finding } from '../ask/finding.ts';
import { isWrapped, unwrapped, WRAPPER } from '../ask/unwrapped.ts';
import type { Documents } from '../contract.ts';
import { EDITOR } from '../words/editor.ts';
import { lineOf, linesOf, readYaml } from './yaml.ts';

type Ask = Documents['Ask'];

/** A text as an ask, or what keeps it from being one. */
export type ReadAsk =
  | { readonly ok: true; readonly ask: Ask }
  | { readonly ok: false; readonly line: number; readonly finding: Finding };

/** The ask that a text is; one key `request` may surround it. */
export function readAsk(text: string): ReadAsk {
  const read = readYaml(text);
  if (!read.ok) return unreadable({ line: read.line, path: '', text: read.text });
  const value = unwrapped(read.value);
  return isAsk(value)
    ? { ok: true, ask: value }
    : unreadable({ line: 1, path: 'task.type', text: EDITOR.notAsk });
}

/** The finding with the lines of what is wrong, in their order. */
export function withLines(finding: Finding, text: string): Finding {
  if (finding.kind !== 'no') return finding;
  const at = linesOf(text);
  const read = readYaml(text);
  const inText = (path: string): string => {
    if (!read.ok || !isWrapped(read.value)) return path;
    return path === '' ? WRAPPER : `${WRAPPER}.${path}`;
  };
  const faults = finding.faults.map((each) => ({ ...each, line: lineOf(at, inText(each.path)) }));
  return { kind: 'no', faults: faults.toSorted((a, b) => a.line - b.line) };
}

/**
 * What is still known of a text after a change: faults outside of the changed lines, at the lines
 * where they are now.
 */
export function findingAfter(
  finding: Finding | undefined,
  before: string,
  after: string,
): Finding | undefined {
  if (finding?.kind !== 'no') return undefined;
  const old = before.split('\n');
  const now = after.split('\n');
  const most = Math.min(old.length, now.length);
  let same = 0;
  while (same < most && old[same] === now[same]) same += 1;
  let below = 0;
  while (below < most - same && old.at(-1 - below) === now.at(-1 - below)) below += 1;
  const faults = finding.faults.flatMap((fault): Fault[] => {
    const { line = 1 } = fault;
    if (line <= same) return [fault];
    return line > old.length - below ? [{ ...fault, line: line + now.length - old.length }] : [];
  });
  return faults.length === 0 ? undefined : { kind: 'no', faults };
}

function unreadable(fault: Fault & { readonly line: number }): ReadAsk {
  return { ok: false, line: fault.line, finding: { kind: 'unreadable', faults: [fault] } };
}

function isAsk(value: unknown): value is Ask {
  return typeof Object(Object(value)['task'])['type'] === 'string';
}
