import { raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { truthy } from '../objects/compare.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { call, getAttribute, items } from '../objects/protocol.ts';
import { SPACES } from '../text/characters.ts';
import { str } from '../text/repr.ts';

export const SPACE = new RegExp(`[${SPACES}]+`, 'u');

export function text(v: Value | undefined): string {
  return typeof v === 'string'
    ? v
    : raise('TypeError', `can only concatenate str (not "${typeName(v ?? null)}") to str`);
}

/** Removes the indent that all lines share; lines of spaces and tabs become empty. */
export function dedented(v: Value): string {
  if (typeof v !== 'string')
    return raise('TypeError', `expected string or bytes-like object, got '${typeName(v)}'`);
  tick(v.length >> 2);
  const lines = v.split('\n').map((line) => (/^[ \t]+$/.test(line) ? '' : line));
  const indents = lines
    .filter((line) => line !== '')
    .map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  const common = indents.reduce((shared, indent) => {
    let same = 0;
    while (same < shared.length && shared[same] === indent[same]) same += 1;
    return shared.slice(0, same);
  }, indents[0] ?? '');
  return lines
    .map((line) => (line.startsWith(common) ? line.slice(common.length) : line))
    .join('\n');
}

export function indented(v: Value, prefix: Value, predicate: Value | undefined): Value {
  const lines = items(call(getAttribute(v, 'splitlines'), [true])).map(str);
  const isTaken = (line: string): boolean =>
    predicate === undefined || predicate === null
      ? line.replace(SPACE, '') !== ''
      : truthy(call(predicate, [line]));
  const made = lines.map((line) => (isTaken(line) ? text(prefix) + line : line));
  payForText(made.reduce((sum, line) => sum + line.length, 0));
  return made.join('');
}
