import type { KnownSources, ReadSource } from '../sources/known.ts';
import { isNumberOrBoolean, isRecord, namedKind } from '../words/record.ts';
import { suggest } from '../yaml/suggest.ts';
import { shown, type Source, type TaskProblem } from './task.ts';
import { checkUrl, type UrlPolicy } from './url-policy.ts';

/** A reader of `task.spec`, which collects problems in the order of the document. */
export type SpecReader = {
  readonly fields: ReadonlyMap<string, unknown>;
  readonly problems: TaskProblem[];
};

/** Longest inline notebook or program, in characters; a longer one needs a URL. */
export const LONGEST_INLINE = 1_000_000;

/** The most unknown keys that get a guess, which costs a comparison with every known key. */
const MOST_GUESSES = 100;
/** Names of the keys in other systems. */
const COMMON: Readonly<Record<string, string>> = {
  args: 'arguments',
  argv: 'arguments',
  cmd: 'command',
  env: 'environment',
  params: 'parameters',
  script: 'program',
  code: 'source',
};

/** Opens the spec of a task, which must be a mapping, and notes every unknown key. */
export function readSpec(spec: unknown, known: readonly string[]): SpecReader {
  if (!isRecord(spec)) {
    const text = `it must be a mapping with ${known.join(' or ')}, not ${namedKind(spec)}`;
    return { fields: new Map(), problems: [{ at: '', code: 'task-spec-invalid', text }] };
  }
  const unknown = Object.keys(spec).filter((key) => !known.includes(key));
  const problems = unknown.map((key, index): TaskProblem => ({
    at: shown(key),
    code: key === 'parallel' ? 'no-parallel-jobs' : 'task-spec-unknown-key',
    text:
      `this task type has no ${shown(key)}${index < MOST_GUESSES ? guess(key, known) : ''}; ` +
      `it knows ${known.join(', ')}`,
    asked: shown(key),
  }));
  return { fields: new Map(Object.entries(spec).filter(([key]) => known.includes(key))), problems };
}

/** Adds a `task-spec-invalid` problem about one key. */
export function invalidSpec(
  reader: SpecReader,
  key: string,
  text: string,
  asked?: string | number,
  limit?: number,
): void {
  reader.problems.push({
    at: key,
    code: 'task-spec-invalid',
    text,
    ...(asked !== undefined && { asked }),
    ...(limit !== undefined && { limit }),
  });
}

/** Reads a string of limited length; notes a problem and returns undefined otherwise. */
export function readString(
  reader: SpecReader,
  key: string,
  value: unknown,
  longest: number,
): string | undefined {
  if (typeof value !== 'string')
    invalidSpec(reader, key, mistyped(key, 'a string', value) + quoted(value));
  else if (value.length > longest)
    invalidSpec(reader, key, `${key} is too long`, value.length, longest);
  else if (value.includes('\0'))
    invalidSpec(reader, key, `${key} contains a NUL byte`, shown(value));
  else return value;
  return undefined;
}

/** Reads `parallel: mpi`. @returns a part of the task, empty without the key */
export function readParallel(reader: SpecReader): { readonly parallel?: 'mpi' } {
  const value = reader.fields.get('parallel');
  if (value === undefined) return {};
  if (value === 'mpi') return { parallel: value };
  invalidSpec(
    reader,
    'parallel',
    'parallel must be mpi',
    typeof value === 'string' ? shown(value) : undefined,
  );
  return {};
}

/**
 * Reads a list of strings without NUL bytes, at most `most` of them,
 * each at most `longest` characters.
 */
export function readStrings(
  reader: SpecReader,
  key: string,
  { most, longest }: { readonly most: number; readonly longest: number },
): readonly string[] | undefined {
  const value = reader.fields.get(key);
  if (!Array.isArray(value)) {
    invalidSpec(reader, key, mistyped(key, 'a list of strings', value));
    return undefined;
  }
  if (value.length > most) {
    invalidSpec(reader, key, `${key} has too many items`, value.length, most);
    return undefined;
  }
  const items = value.map((item: unknown, index) =>
    readString(reader, `${key}[${index}]`, item, longest),
  );
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** Reads a URL in its normalised spelling and checks it by the site's policy. */
export function readUrl(reader: SpecReader, key: string, policy: UrlPolicy): Source | undefined {
  const value = reader.fields.get(key);
  if (typeof value !== 'string') {
    invalidSpec(reader, key, mistyped(key, 'a URL', value));
    return undefined;
  }
  const checked = checkUrl(value, policy);
  if (checked.ok) return { kind: 'url', url: checked.url.href };
  const { code, text, limit } = checked;
  const problem = { at: key, code, text, asked: shown(value) };
  reader.problems.push(limit === undefined ? problem : { ...problem, limit });
  return undefined;
}

/**
 * Reads a URL and looks for what it holds. A URL that the policy forbids behind a redirect or a
 * name is refused as one that it forbids at once.
 * @returns the URL, and what it holds; undefined: not read, or refused
 */
export function readHeldUrl(
  reader: SpecReader,
  key: string,
  policy: UrlPolicy,
  sources: KnownSources | undefined,
): readonly [source: Source | undefined, held: ReadSource | undefined] {
  const source = readUrl(reader, key, policy);
  if (source?.kind !== 'url') return [source, undefined];
  const held = sources?.find(source.url);
  if (held?.kind !== 'unread' || held.code !== 'url-forbidden') return [source, held];
  const { why } = held;
  reader.problems.push({ at: key, code: 'url-forbidden', text: why, asked: shown(source.url) });
  return [undefined, undefined];
}

/** Which of two keys is present; notes a problem unless exactly one is. */
export function readEither(reader: SpecReader, one: string, other: string): string | undefined {
  const given = [one, other].filter((key) => reader.fields.has(key));
  if (given.length === 1) return given[0];
  const text =
    given.length === 0
      ? `the spec needs ${one} or ${other}`
      : `${one} and ${other} exclude each other`;
  reader.problems.push({ at: '', code: 'task-spec-invalid', text });
  return undefined;
}

/** What is wrong with a value of another kind than the key's, or with none. */
function mistyped(key: string, kind: string, value: unknown): string {
  return value === undefined
    ? `${key} is missing`
    : `${key} must be ${kind}, not ${namedKind(value)}`;
}

/** YAML reads 40 and true as something else than texts. */
function quoted(value: unknown): string {
  return isNumberOrBoolean(value) ? `: write "${value}", with quotes` : '';
}

function guess(key: string, known: readonly string[]): string {
  const common = COMMON[key.toLowerCase()];
  const best = common !== undefined && known.includes(common) ? common : suggest(key, known);
  return best === undefined ? '' : ` (did you mean ${best}?)`;
}
