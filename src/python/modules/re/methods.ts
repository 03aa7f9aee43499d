import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { defineGetters, defineMethods, defineVariadic } from '../../objects/classes/native.ts';
import { asIndex, indexOf } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { iteratorOf } from '../../objects/collections/iterator.ts';
import { codePoints } from '../../objects/protocol.ts';
import { PySlice } from '../../objects/collections/slice.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { stringItem } from '../../text/characters.ts';
import { Match, Pattern, matchClass, patternClass } from './compiled-pattern.ts';
import { filledTemplate, parseTemplate } from './template.ts';
import { shownOf, subject, substituted, split, count } from './substitution.ts';

defineMethods(patternClass, Pattern, {
  'match(string, pos=, endpos=)': (self, text, pos, end) =>
    between(self, text, [pos, end], 'match'),
  'fullmatch(string, pos=, endpos=)': (self, text, pos, end) =>
    between(self, text, [pos, end], 'fullmatch'),
  'search(string, pos=, endpos=)': (self, text, pos, end) =>
    between(self, text, [pos, end], 'search'),
  'findall(string, pos=, endpos=)': (self, text, pos, end) =>
    new PyList([...allBetween(self, text, pos, end)].map(shownOf)),
  'finditer(string, pos=, endpos=)': (self, text, pos, end) =>
    iteratorOf('callable_iterator', allBetween(self, text, pos, end)),
  'sub(repl, string, count=)': (self, by: Value, text, limit) =>
    substituted(self, by, text, count(limit))[0],
  'subn(repl, string, count=)': (self, by: Value, text, limit) =>
    new PyTuple(substituted(self, by, text, count(limit))),
  'split(string, maxsplit=)': (self, text, limit) =>
    new PyList(split(self, subject(text), count(limit))),
});
defineGetters(patternClass, Pattern, {
  pattern: (self) => self.text,
  flags: (self) => self.allBits,
  groups: (self) => self.translated.count,
  groupindex: (self) => new PyDict(self.translated.groups),
});
defineVariadic(matchClass, Match, 'group', (self, args) =>
  args.length > 1 ? new PyTuple(args.map((arg) => self.group(arg))) : self.group(args[0] ?? 0),
);
defineMethods(matchClass, Match, {
  'groups(default=)': (self, missing) => new PyTuple(self.groups(missing ?? null)),
  'groupdict(default=)': (self, missing) =>
    new PyDict(
      [...self.pattern.translated.groups].map(
        ([name, n]) => [name, self.group(n) ?? missing ?? null] as const,
      ),
    ),
  'span(group=, /)': (self, of) => self.place(of ?? 0),
  'start(group=, /)': (self, of) => self.place(of ?? 0).items[0] ?? -1,
  'end(group=, /)': (self, of) => self.place(of ?? 0).items[1] ?? -1,
  'expand(template)': (self, template: Value) =>
    filledTemplate(parseTemplate(subject(template), self.pattern), self),
});
defineGetters(matchClass, Match, {
  string: (self) => self.window.text,
  re: (self) => self.pattern,
  pos: (self) => self.window.pos,
  endpos: (self) => self.window.end,
  regs: (self) =>
    new PyTuple(
      Array.from({ length: self.pattern.translated.count + 1 }, (_, group) => self.place(group)),
    ),
  lastindex: (self) => self.lastIndex,
  lastgroup: (self) => {
    const last = self.lastIndex;
    return [...self.pattern.translated.groups].find(([, number]) => number === last)?.[0] ?? null;
  },
});

/** All matches of the methods with `pos` and `endpos`. */
export function allBetween(
  pattern: Pattern,
  v: Value | undefined,
  pos: Value | undefined,
  end: Value | undefined,
): Generator<Match> {
  const text = subject(v);
  if (pos === undefined && end === undefined) return pattern.all(text);
  const part = stringItem(text, new PySlice(0, end ?? null, null));
  const start = Math.max(0, positionOf(pos ?? 0));
  return pattern.all(part, stringItem(part, new PySlice(0, start, null)).length);
}

/** A position; beyond any text, the end of it. */
function positionOf(v: Value): number {
  const n = asIndex(v);
  if (typeof n !== 'bigint' || BigInt.asIntN(64, n) !== n) return indexOf(v);
  return n > 0n ? Number.MAX_SAFE_INTEGER : 0;
}

/**
 * A search between two positions: text after `end` does not exist, text before `pos` is skipped.
 */
function between(
  pattern: Pattern,
  v: Value | undefined,
  bounds: readonly (Value | undefined)[],
  how: 'search' | 'match' | 'fullmatch',
): Value {
  const text = subject(v);
  if (bounds.every((bound) => bound === undefined)) return pattern.find(text, 0, how) ?? null;
  const length = codePoints(text);
  const clamp = (bound: Value | undefined, absent: number): number =>
    bound === undefined ? absent : Math.min(Math.max(positionOf(bound), 0), length);
  const [pos, end] = [clamp(bounds[0], 0), clamp(bounds[1], length)];
  if (pos > end) return null;
  const part = stringItem(text, new PySlice(0, end, null));
  const from = stringItem(part, new PySlice(0, pos, null)).length;
  return pattern.find(part, from, how)?.within({ text, pos, end }) ?? null;
}
