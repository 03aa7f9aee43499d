import type { Fault } from './problem.ts';
import { isRecord, namedKind } from './record.ts';
import { oneLine } from './safe-text.ts';

/**
 * A fault that a schema checker found: a JSON pointer, to the property itself where one is missing
 * or not known, and a message.
 */
export type ContractFault = { readonly path: string; readonly message: string };

/**
 * The first faults, and a sentence with the very first of them.
 *
 * @param body what was checked, if faults may tell its values
 */
export function toldFaults(
  errors: readonly ContractFault[],
  body?: unknown,
): { readonly faults: readonly Fault[]; readonly detail: string } {
  const told = withoutAlternatives(errors);
  const faults = told
    .slice(0, MOST_FAULTS)
    .map((fault) => ({ path: readablePath(fault.path), text: plainText(fault, body) }));
  const named = faults
    .slice(0, MOST_IN_DETAIL)
    .map(({ path, text }) => `${path === '' ? 'the body' : path} ${text}`);
  const more = told.length - named.length;
  return { faults, detail: `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}` };
}

/** The faults of 60,000 items would make the answer a hundred times as long as the request. */
const MOST_FAULTS = 100;
const MOST_IN_DETAIL = 10;
const LONGEST_VALUE = 40;
const CHOICE = /^must match (a schema in anyOf|exactly one schema in oneOf)$/;
const TYPE = /^must be ((?:null|string|number|integer|boolean|object|array)(?:,[a-z]+)*)$/;
const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'a mapping',
  array: 'a list',
};

/**
 * One fault where a checker has one for each alternative of a value: all types that the value may
 * have in one message, or only what is wrong inside of it.
 */
function withoutAlternatives(errors: readonly ContractFault[]): readonly ContractFault[] {
  const parents = new Set(errors.flatMap(({ path }) => parentsOf(path)));
  const others = new Set(
    errors.filter(({ message }) => !CHOICE.test(message)).map(({ path }) => path),
  );
  const choices = new Set(
    errors.filter(({ message }) => CHOICE.test(message)).map(({ path }) => path),
  );
  const told = new Map<string, ContractFault>();
  for (const { path, message } of errors) {
    const types = TYPE.exec(message)?.[1];
    const isRepeated = CHOICE.test(message) && (others.has(path) || parents.has(path));
    const isOfAnother = types !== undefined && choices.has(path) && parents.has(path);
    if (isRepeated || isOfAnother) continue;
    const key = JSON.stringify([path, types === undefined ? message : '']);
    const before = told.get(key);
    if (before === undefined) told.set(key, { path, message });
    else if (types !== undefined && !before.message.split(/[ ,]/).includes(types))
      told.set(key, { path, message: `${before.message},${types}` });
  }
  return [...told.values()];
}

function parentsOf(path: string): readonly string[] {
  const steps = path.split('/');
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
}

/** A checker's message in the words of our other reasons, with the value that is wrong. */
function plainText({ path, message }: ContractFault, body: unknown): string {
  if (message.startsWith('must have required property')) return 'is missing';
  if (message === 'must NOT have additional properties') return 'is not a key that is known here';
  const types = TYPE.exec(message)?.[1];
  if (types === undefined) return message;
  const value = valueAt(body, path);
  const kinds = types.split(',').map((type) => KINDS[type] ?? type);
  const said = typeof value === 'string' ? stringOf(value) : namedKind(value);
  return `must be ${kinds.join(' or ')}${value === undefined ? '' : `, not ${said}`}`;
}

function stringOf(value: string): string {
  return `the string '${oneLine(value, LONGEST_VALUE)}${value.length > LONGEST_VALUE ? '…' : ''}'`;
}

function valueAt(body: unknown, path: string): unknown {
  return stepsOf(path).reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, body);
}

/** Turns a pointer into a body (`/body/items/0/name`) into plain form: `items[0].name`. */
function readablePath(pointer: string): string {
  return stepsOf(pointer).reduce(
    (path, part) =>
      /^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`,
    '',
  );
}

function stepsOf(pointer: string): readonly string[] {
  return pointer
    .replace(/^\/body\/?/, '')
    .split('/')
    .filter((part) => part !== '');
}
