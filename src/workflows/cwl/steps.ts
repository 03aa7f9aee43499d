import { isRecord } from '../../words/record.ts';
import { writtenText } from '../../words/safe-text.ts';
import type { Reference } from '../language.ts';

/** Keys whose text is an address, wherever they are in a document. */
export const ADDRESSES: ReadonlyMap<string, Reference['kind']> = new Map([
  ['$import', 'document'],
  ['$mixin', 'document'],
  ['$include', 'file'],
]);

/** A step of a workflow with its name. */
export type CwlStep = { readonly id: string; readonly step: Readonly<Record<string, unknown>> };

/** What a workflow has in place of its steps, or of one of them. */
type Directive = { readonly key: string; readonly written: string };

/** The steps of a workflow with their names, whether they are a list or a mapping. */
export function stepsOf(process: Readonly<Record<string, unknown>>): readonly CwlStep[] {
  return listed(process).steps;
}

/** What a workflow has in place of its steps, or of one of them; undefined: nothing. */
export function directiveForSteps(
  process: Readonly<Record<string, unknown>>,
): Directive | undefined {
  return listed(process).directive;
}

type Listed = { readonly steps: readonly CwlStep[]; readonly directive: Directive | undefined };

/** Many steps may run the same workflow, whose list may be long. */
const known = new WeakMap<Readonly<Record<string, unknown>>, Listed>();

function listed(process: Readonly<Record<string, unknown>>): Listed {
  const before = known.get(process);
  if (before !== undefined) return before;
  const { steps } = process;
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(steps)
    ? steps.map((step: unknown) => [isRecord(step) ? writtenText(step['id']) : '', step])
    : isRecord(steps)
      ? Object.entries(steps)
      : [];
  const found = {
    steps: entries.flatMap(([id, step]) => (isRecord(step) ? [{ id, step }] : [])),
    directive: directiveIn([process, steps, ...entries.map(([, step]) => step)]),
  };
  known.set(process, found);
  return found;
}

function directiveIn(all: readonly unknown[]): Directive | undefined {
  for (const one of all)
    for (const key of ADDRESSES.keys())
      if (isRecord(one) && Object.hasOwn(one, key)) return { key, written: writtenText(one[key]) };
  return undefined;
}
