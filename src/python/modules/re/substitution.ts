import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { decimalPlaceOf } from '../../objects/numbers/number.ts';
import { asText } from '../../objects/object.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { isCallable } from '../../objects/classes/callable.ts';
import { call } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import type { Match, Pattern } from './compiled-pattern.ts';
import { filledTemplate, parseTemplate } from './template.ts';

/** The result of `findall` for a match: the only group, all groups, or the whole. */
export function shownOf(match: Match): Value {
  const groups = match.groups('');
  if (groups.length === 0) return match.group(0);
  return groups.length === 1 ? (groups[0] ?? '') : new PyTuple(groups);
}

export function subject(v: Value | undefined): string {
  return (
    asText(v) ??
    raise('TypeError', `expected string or bytes-like object, got '${typeName(v ?? null)}'`)
  );
}

/** CPython checks the replacement before the text. */
export function substituted(
  pattern: Pattern,
  by: Value,
  given: Value | undefined,
  limit: number,
): [string, number] {
  if (typeof by !== 'string' && !isCallable(by))
    raise('TypeError', `decoding to str: need a bytes-like object, ${typeName(by)} found`);
  const template = typeof by === 'string' ? parseTemplate(by, pattern) : undefined;
  const text = subject(given);
  let result = '';
  let at = 0;
  let count = 0;
  for (const match of pattern.all(text)) {
    if (limit < 0 || (limit > 0 && count >= limit)) break;
    const fresh = template === undefined ? call(by, [match]) : filledTemplate(template, match);
    const [start, end] = match.span(0);
    result += text.slice(at, start) + subject(fresh);
    payForText(result.length);
    at = end;
    count += 1;
  }
  return [result + text.slice(at), count];
}

export function split(pattern: Pattern, text: string, limit: number): Value[] {
  const parts: Value[] = [];
  let at = 0;
  let count = 0;
  for (const match of pattern.all(text)) {
    if (limit > 0 && count >= limit) break;
    const [start, end] = match.span(0);
    parts.push(text.slice(at, start), ...match.groups(null));
    at = end;
    count += 1;
  }
  return [...parts, text.slice(at)];
}

export function count(v: Value = 0): number {
  return decimalPlaceOf(v);
}
