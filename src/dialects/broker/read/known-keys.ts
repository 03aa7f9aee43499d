import { isRecord } from '../../../words/record.ts';
import { noteUnknownKeys, type Notes } from '../../reading/notes.ts';

/** Keys that say what a part is called, and those that an answer adds and a client sends back. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'kind',
  'type',
  'name',
  'meta',
  'description',
  'uuid',
  'href',
  'url',
  'created',
  'modified',
  'phase',
  'state',
  'schedule',
  'messages',
  'options',
]);

const META = [
  'uuid',
  'name',
  'url',
  'description',
  'created',
  'modified',
  'messages',
  'options',
] as const;

/** Notes a part that says with `kind` and with `type` what it is. */
export function noteTwoKinds(
  notes: Notes,
  { kind, type }: { readonly kind?: unknown; readonly type?: unknown },
  path: string,
): void {
  if (kind === undefined || type === undefined) return;
  notes.note({
    code: 'time-ambiguous',
    path: path === '' ? 'type' : `${path}.type`,
    detail: 'It has a kind, too.',
  });
}

/** Notes every key that is neither known here nor part of an answer; nothing is ignored. */
export function noteUnknown(
  notes: Notes,
  value: object,
  known: readonly string[],
  path: string,
): void {
  noteTwoKinds(notes, value, path);
  if ('meta' in value && isRecord(value.meta))
    noteUnknownInside(notes, value.meta, META, path === '' ? 'meta' : `${path}.meta`);
  const echoed = Object.fromEntries(Object.entries(value).filter(([key]) => !EVERYWHERE.has(key)));
  noteUnknownKeys(notes, echoed, known, path);
}

/** The same for a block of values, which has no name of its own. */
export function noteUnknownInside(
  notes: Notes,
  value: object,
  known: readonly string[],
  path: string,
): void {
  noteUnknownKeys(notes, value, known, path);
}

/** What a part says besides the keys of every part. */
export function ownWordsOf(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !EVERYWHERE.has(key)));
}
