import { DESTINATION_KEYS } from '../runners/reading/destination-keys.ts';
import { BUILT_IN_TYPES } from '../tasks/registry.ts';
import { isRecord } from '../words/record.ts';
import { suggestion } from '../yaml/suggest.ts';
import type { ParallelPlugin, RunnerPlugin } from './plugin.ts';

/** Whether a member has its form; `form` says it to people. */
type Member = { readonly is: (value: unknown) => boolean; readonly form: string };

const TYPES = BUILT_IN_TYPES.map(({ name }) => name);
const PARALLEL_TYPES: readonly string[] = [
  'executable',
  'oci-container',
] satisfies ParallelPlugin['types'];

const TEXT: Member = { is: (value) => typeof value === 'string', form: 'a text' };
const OBJECT: Member = { is: isRecord, form: 'an object' };
const FUNCTION: Member = { is: (value) => typeof value === 'function', form: 'a function' };
const TRUTH: Member = { is: (value) => typeof value === 'boolean', form: 'true or false' };
const TEXTS: Member = { is: (value) => isListOf(value, TEXT.is), form: 'a list of texts' };

const NEEDED = {
  name: TEXT,
  settings: OBJECT,
  executes: listOf(TYPES),
  reach: { is: (value) => value === 'host' || value === 'anywhere', form: "'host' or 'anywhere'" },
  open: FUNCTION,
} satisfies { readonly [Key in keyof RunnerPlugin]?: Member };

const OPTIONAL = {
  handsOutGpus: TRUTH,
  interpreters: TEXTS,
  parallel: OBJECT,
  lackOf: FUNCTION,
  devicesOf: FUNCTION,
  grantsOutbound: FUNCTION,
  isGuaranteed: FUNCTION,
  check: FUNCTION,
} satisfies { readonly [Key in Exclude<keyof RunnerPlugin, keyof typeof NEEDED>]-?: Member };

const PARALLEL = { types: listOf(PARALLEL_TYPES), otherwise: TEXT, isUniform: TRUTH } satisfies {
  readonly [Key in keyof ParallelPlugin]-?: Member;
};

/** Whether a value is an engine of a plug-in. */
export function isRunner(value: unknown): value is RunnerPlugin {
  return runnerFault(value) === undefined;
}

/** What is wrong with an engine of a plug-in, to be read after its place; undefined: nothing. */
export function runnerFault(value: unknown): string | undefined {
  if (!isRecord(value) || Object.keys(NEEDED).some((key) => value[key] === undefined))
    return ' must have name, settings, executes, reach and open, as docs/guides/plugins.md says';
  const fault = memberFault(value, { ...NEEDED, ...OPTIONAL });
  if (fault !== undefined) return fault;
  if (DESTINATION_KEYS.some((key) => key === value['name']))
    return (
      `.name cannot be '${String(value['name'])}', which is a key of every destination; ` +
      `no engine can be ${DESTINATION_KEYS.join(', ')}`
    );
  return parallelFault(value);
}

function parallelFault({ parallel, executes }: Readonly<Record<string, unknown>>) {
  if (!isRecord(parallel)) return undefined;
  const fault =
    parallel['types'] === undefined ? ' must have types' : memberFault(parallel, PARALLEL);
  if (fault !== undefined) return `.parallel${fault}`;
  const isExecuted = (type: unknown): boolean => Array.isArray(executes) && executes.includes(type);
  return isListOf(parallel['types'], isExecuted)
    ? undefined
    : '.parallel.types must be types that the runner executes';
}

function memberFault(
  value: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, Member>>,
): string | undefined {
  const known = Object.keys(members);
  const absent = known.filter((key) => value[key] === undefined);
  // Others are the engine's own, such as what its methods share.
  for (const key of Object.keys(value).filter((one) => !known.includes(one))) {
    const question = suggestion(key, absent);
    if (question !== undefined) return ` has no '${key}'; ${question}`;
  }
  const wrong = known.find(
    (key) => value[key] !== undefined && members[key]?.is(value[key]) === false,
  );
  return wrong && `.${wrong} must be ${members[wrong]?.form ?? ''}`;
}

function listOf(words: readonly string[]): Member {
  return {
    is: (value) => isListOf(value, (one) => words.some((word) => word === one)),
    form: `a list of ${words.join(', ')}`,
  };
}

function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => is(item));
}
