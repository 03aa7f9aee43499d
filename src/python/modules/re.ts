import { raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import type { PyModule } from '../objects/classes/module.ts';
import {
  defineGetters,
  defineMethods,
  defineVariadic,
  nativeFunction,
} from '../objects/classes/native.ts';
import { asIndex, indexOf, decimalPlaceOf } from '../objects/numbers/number.ts';
import { PyObject, asText } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { iteratorOf } from '../objects/collections/iterator.ts';
import { isCallable } from '../objects/classes/callable.ts';
import { call, codePoints } from '../objects/protocol.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { stringItem } from '../text/characters.ts';
import { Match, Pattern, matchClass, patternClass, regexError } from './compiled-pattern.ts';
import { filledTemplate, parseTemplate } from './template.ts';

const FLAGS = {
  A: 256,
  ASCII: 256,
  I: 2,
  IGNORECASE: 2,
  M: 8,
  MULTILINE: 8,
  S: 16,
  DOTALL: 16,
  X: 64,
  VERBOSE: 64,
  U: 32,
  UNICODE: 32,
} as const;

/** Patterns compiled lately, as CPython keeps them; they are never changed by use. */
const cache = new Map<string, Pattern>();

defineMethods(patternClass, isPattern, {
  'match(string, pos=, endpos=)': (self, text, pos, end) =>
    between(self, text, [pos, end], 'match'),
  'fullmatch(string, pos=, endpos=)': (self, text, pos, end) =>
    between(self, text, [pos, end], 'fullmatch'),
  'search(string, pos=, endpos=)': (self, text, pos, end) =>
    between(self, text, [pos, end], 'search'),
  'findall(string, pos=, endpos=)': (self, text, pos, end) =>
    new PyList([...all(self, text, pos, end)].map((match) => shownOf(match))),
  'finditer(string, pos=, endpos=)': (self, text, pos, end) =>
    iteratorOf('callable_iterator', all(self, text, pos, end)),
  'sub(repl, string, count=)': (self, by: Value, text, limit) =>
    substituted(self, by, text, count(limit))[0],
  'subn(repl, string, count=)': (self, by: Value, text, limit) =>
    new PyTuple(substituted(self, by, text, count(limit))),
  'split(string, maxsplit=)': (self, text, limit) =>
    new PyList(split(self, subject(text), count(limit))),
});
defineGetters(patternClass, isPattern, {
  pattern: (self) => self.text,
  flags: (self) => self.allBits,
  groups: (self) => self.translated.count,
  groupindex: (self) => new PyDict(self.translated.groups),
});
defineVariadic(matchClass, isMatch, 'group', (self, args) =>
  args.length > 1 ? new PyTuple(args.map((arg) => self.group(arg))) : self.group(args[0] ?? 0),
);
defineMethods(matchClass, isMatch, {
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
defineGetters(matchClass, isMatch, {
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

/** The module `re`. */
export const re: PyModule = moduleOf('re', {
  ...FLAGS,
  error: regexError,
  Pattern: patternClass,
  Match: matchClass,
  compile: nativeFunction('compile(pattern, flags=)', (pattern: Value, flags) =>
    compiled(pattern, flags),
  ),
  match: finder('match'),
  search: finder('search'),
  fullmatch: finder('fullmatch'),
  findall: nativeFunction(
    'findall(pattern, string, flags=)',
    (pattern: Value, text, flags) =>
      new PyList([...compiled(pattern, flags).all(subject(text))].map((match) => shownOf(match))),
  ),
  finditer: nativeFunction('finditer(pattern, string, flags=)', (pattern: Value, text, flags) =>
    iteratorOf('callable_iterator', compiled(pattern, flags).all(subject(text))),
  ),
  sub: nativeFunction(
    'sub(pattern, repl, string, count=, flags=)',
    (pattern: Value, by: Value, text, limit, flags) =>
      substituted(compiled(pattern, flags), by, text, count(limit))[0],
  ),
  subn: nativeFunction(
    'subn(pattern, repl, string, count=, flags=)',
    (pattern: Value, by: Value, text, limit, flags) =>
      new PyTuple(substituted(compiled(pattern, flags), by, text, count(limit))),
  ),
  split: nativeFunction(
    'split(pattern, string, maxsplit=, flags=)',
    (pattern: Value, text, limit, flags) =>
      new PyList(split(compiled(pattern, flags), subject(text), count(limit))),
  ),
  escape: nativeFunction('escape(pattern)', (text: Value) =>
    subject(text).replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, (c) => `\\${c}`),
  ),
  purge: nativeFunction('purge()', () => {
    cache.clear();
    return null;
  }),
});

/** What `findall` and `split` show of a match: the only group, all groups, or the whole. */
function shownOf(match: Match): Value {
  const groups = match.groups('');
  if (groups.length === 0) return match.group(0);
  return groups.length === 1 ? (groups[0] ?? '') : new PyTuple(groups);
}

/**
 * A search between two positions: what lies behind `end` is not there, what
 * lies before `pos` is only skipped.
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

function subject(v: Value | undefined): string {
  return (
    asText(v) ??
    raise('TypeError', `expected string or bytes-like object, got '${typeName(v ?? null)}'`)
  );
}

/** A position; one beyond all texts is as good as their end. */
function positionOf(v: Value): number {
  const n = asIndex(v);
  if (typeof n !== 'bigint' || BigInt.asIntN(64, n) !== n) return indexOf(v);
  return n > 0n ? Number.MAX_SAFE_INTEGER : 0;
}

/** Where to begin and what is there, for the methods that look for all matches. */
function all(
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

/** The text is looked at after what is put in. */
function substituted(
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

function split(pattern: Pattern, text: string, limit: number): Value[] {
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

function isPattern(v: Value): v is Pattern {
  return v instanceof Pattern;
}

function count(v: Value | undefined): number {
  return v === undefined ? 0 : decimalPlaceOf(v);
}

function isMatch(v: Value): v is Match {
  return v instanceof Match;
}

function finder(how: 'search' | 'match' | 'fullmatch'): Value {
  return nativeFunction(
    `${how}(pattern, string, flags=)`,
    (pattern: Value, text, flags) => compiled(pattern, flags).find(subject(text), 0, how) ?? null,
  );
}

/** A pattern from text or as it is. @throws re.error */
function compiled(v: Value, flags?: Value): Pattern {
  if (v instanceof Pattern && flags !== undefined && indexOf(flags) !== 0)
    raise('ValueError', 'cannot process flags argument with a compiled pattern');
  if (v instanceof Pattern) return v;
  if (v instanceof PyObject) v.key();
  if (typeof v !== 'string')
    return raise('TypeError', 'first argument must be string or compiled pattern');
  const bits = flags === undefined ? 0 : indexOf(flags);
  const key = `${bits}:${v}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = new Pattern(v, bits);
  if (cache.size > 200) cache.clear();
  cache.set(key, made);
  return made;
}
