import type { Json } from '../../src/vortex/index.ts';
import type { Fields } from './folder.ts';

/** The text without the numbers of generated rules and addresses, like the recorder's. */
export function normal(text: string): string {
  return text.replaceAll(/tpv_rule_\d+/g, 'tpv_rule_N').replaceAll(/0x[0-9a-f]{6,}/g, '0xADDR');
}

/**
 * The difference of two values, or undefined. A choice `{one_of: [...]}` equals any of its values.
 */
export function valueDifference(what: string, given: Json, expected: Json): string | undefined {
  return agrees(given, expected)
    ? undefined
    : `${what}: ${JSON.stringify(given)} instead of ${JSON.stringify(expected)}`;
}

/**
 * The first different line of two texts, or undefined. The places where YAML is folded depend on
 * the length of generated rules' numbers, which the recorder removed: such lines are compared
 * unfolded.
 */
export function textDifference(what: string, given: string, expected: string): string | undefined {
  const [ours, theirs] = [normalLines(given), normalLines(expected)];
  const index = Array.from({ length: Math.max(ours.length, theirs.length) }).findIndex(
    (_, at) => ours[at] !== theirs[at],
  );
  if (index < 0) return undefined;
  return `${what}, line ${index + 1}: ${JSON.stringify(ours[index])} instead of ${JSON.stringify(theirs[index])}`;
}

/** The difference from the recorded answer, or undefined. */
export function answerDifference(expected: Fields, answer: Fields): string | undefined {
  if ('load_error' in expected)
    return valueDifference(
      'load_error',
      answer['load_error'] ?? null,
      expected['load_error'] ?? null,
    );
  if ('error' in expected) return errorDifference(expected, answer);
  if ('error' in answer) return `${String(answer['error'])}: ${String(answer['message'])}`;
  for (const [key, value] of Object.entries(expected)) {
    const different = valueDifference(key, answer[key] ?? null, value);
    if (different !== undefined) return different;
  }
  return undefined;
}

/** The recorder cut texts at 300 characters. */
const LONGEST = 300;

function agrees(given: Json, expected: Json): boolean {
  if (isObject(expected)) {
    const choices = expected['one_of'];
    if (Array.isArray(choices)) return choices.some((choice) => agrees(given, choice));
    if (!isObject(given)) return false;
    const keys = new Set([...Object.keys(expected), ...Object.keys(given)]);
    return [...keys].every(
      (key) =>
        key in given === key in expected && agrees(given[key] ?? null, expected[key] ?? null),
    );
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(given) || given.length !== expected.length) return false;
    return expected.every((item: Json, index) => agrees(given[index] ?? null, item));
  }
  if (typeof given === 'string' && typeof expected === 'string')
    return normal(given) === normal(expected);
  return given === expected;
}

function isObject(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function normalLines(text: string): readonly string[] {
  const lines = normal(text);
  const isYaml = lines.startsWith('phases:') && lines.includes('tpv_rule_N');
  return (
    isYaml
      ? lines.replaceAll(/^( *(?:- )?message: .*tpv_rule_N.*)\n +(?! *(?:- |detail:))/gm, '$1 ')
      : lines
  ).split('\n');
}

function errorDifference(expected: Fields, answer: Fields): string | undefined {
  if (expected['error'] !== answer['error']) return valueDifference('error', answer, expected);
  const message = normal(String(answer['message']));
  const part = expected['message_contains'];
  if (typeof part === 'string') {
    return message.includes(normal(part))
      ? undefined
      : `message: ${JSON.stringify(message)} without ${JSON.stringify(part)}`;
  }
  if (expected['message'] === undefined) return undefined;
  const text = String(expected['message']);
  const isSame =
    text.length === LONGEST ? message.startsWith(normal(text)) : message === normal(text);
  return isSame ? undefined : valueDifference('message', message, text);
}
