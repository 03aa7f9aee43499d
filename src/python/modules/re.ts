import { PyError, raise } from '../errors.ts';
import { payForText, tick } from '../frame.ts';
import { PyDict } from '../objects/dict.ts';
import { PyException, exceptionClass } from '../objects/exceptions.ts';
import { PyList } from '../objects/list.ts';
import { moduleOf } from '../objects/module.ts';
import type { PyModule } from '../objects/module.ts';
import { defineGetters, defineMethods, defineVariadic, nativeFunction } from '../objects/native.ts';
import { asInt, indexOf } from '../objects/number.ts';
import { PyClass, PyObject, typeName, types } from '../objects/object.ts';
import type { Key, Value } from '../objects/object.ts';
import { iteratorOf } from '../objects/iterator.ts';
import { call, codePoints } from '../objects/protocol.ts';
import { PyTuple } from '../objects/tuple.ts';
import { repr } from '../text/repr.ts';
import { stringItem } from '../text/characters.ts';
import { PySlice } from '../objects/slice.ts';
import { keyOf } from '../objects/key.ts';
import { translate } from './pattern.ts';
import type { Flags, Translated } from './pattern.ts';
import { expandTemplate, strangeEscape } from './template.ts';

/** The exception `re.error`. */
const regexError: PyClass = exceptionClass('error', undefined, 're');
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

const FLAG_NAMES = [
  ['IGNORECASE', 2],
  ['MULTILINE', 8],
  ['DOTALL', 16],
  ['VERBOSE', 64],
  ['ASCII', 256],
] as const;

function flagsOf(bits: number): Flags {
  const has = (bit: number): boolean => (bits & bit) !== 0;
  return { ignoreCase: has(2), multiline: has(8), dotAll: has(16), verbose: has(64), ascii: has(256) };
}

const patternClass = new PyClass('Pattern', [types.object], { module: 're' });
const matchClass = new PyClass('Match', [types.object], { module: 're' });

/** The exception `re.error`. */
function invalid(message: string): PyError {
  return new PyError('error', [message], message, new PyException(regexError, [message]));
}

/** Whether a position lies between the two halves of a character. */
const isInside = (text: string, at: number): boolean => at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** A compiled pattern. */
class Pattern extends PyObject {
  readonly text: string;
  readonly bits: number;
  readonly translated: Translated;
  readonly #expression: RegExp;

  constructor(text: string, bits: number) {
    super();
    this.text = text;
    this.bits = bits;
    try {
      this.translated = translate(text, flagsOf(bits));
      this.#expression = new RegExp(this.translated.source, `${this.translated.flags}dg`);
    } catch (error) {
      throw invalid(error instanceof Error ? error.message : 'bad pattern');
    }
  }
  get cls(): PyClass {
    return patternClass;
  }
  override repr(): string {
    const names = FLAG_NAMES.filter(([, bit]) => (this.allBits & bit) !== 0).map(([name]) => `re.${name}`);
    return `re.compile(${[repr(this.text), ...(names.length === 0 ? [] : [names.join('|')])].join(', ')})`;
  }
  /** The flags given and those at the beginning of the pattern. */
  get allBits(): number {
    const { ignoreCase, multiline, dotAll, verbose, ascii } = this.translated.inForce;
    const bits = [ignoreCase ? 2 : 0, multiline ? 8 : 0, dotAll ? 16 : 0, verbose ? 64 : 0, ascii ? 256 : 32];
    return bits.reduce((sum, bit) => sum | bit, this.bits);
  }
  override key(): Key {
    return keyOf(new PyTuple([this.text, this.bits]));
  }
  /** The first match at or after `from`; `how` says whether it must begin there and end at the end. */
  find(subject: string, from: number, how: 'search' | 'match' | 'fullmatch'): Match | undefined {
    tick(8 + (subject.length >> 2));
    if (how === 'search') {
      this.#expression.lastIndex = from;
      let found = this.#expression.exec(subject);
      // V8 lets an empty match lie inside of a surrogate pair.
      while (found !== null && isInside(subject, found.index)) {
        this.#expression.lastIndex = found.index + 1;
        found = this.#expression.exec(subject);
      }
      return found === null ? undefined : new Match(this, subject, found);
    }
    const { source, flags } = this.translated;
    const anchored = new RegExp(how === 'match' ? source : `(?:${source})(?![\\s\\S])`, `${flags}dy`);
    anchored.lastIndex = from;
    const found = anchored.exec(subject);
    return found === null ? undefined : new Match(this, subject, found);
  }
  /** All matches from left to right; an empty one moves on by a character. */
  *all(subject: string): Generator<Match> {
    let from = 0;
    while (from <= subject.length) {
      const found = this.find(subject, from, 'search');
      if (found === undefined) return;
      yield found;
      const [start, end] = found.span(0);
      from = end > start ? end : end + ((subject.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    }
  }
}

/** A match. */
class Match extends PyObject {
  readonly pattern: Pattern;
  readonly subject: string;
  readonly #found: RegExpExecArray;

  constructor(pattern: Pattern, subject: string, found: RegExpExecArray) {
    super();
    this.pattern = pattern;
    this.subject = subject;
    this.#found = found;
  }
  get cls(): PyClass {
    return matchClass;
  }
  override repr(): string {
    const [start, end] = this.#positions(0);
    return `<re.Match object; span=(${start}, ${end}), match=${repr(this.group(0)).slice(0, 50)}>`;
  }
  /** Number of a group given by number or name. */
  number(of: Value): number {
    const n = typeof of === 'string' ? this.pattern.translated.groups.get(of) : asInt(of);
    if (n === undefined || Number(n) < 0 || Number(n) > this.pattern.translated.count)
      raise('IndexError', 'no such group');
    return Number(n);
  }
  group(of: Value): Value {
    return this.#found[this.number(of)] ?? null;
  }
  /** Where a group begins and ends, in UTF-16 units; -1 when it took no part. */
  span(of: Value): readonly [number, number] {
    return this.#found.indices?.[this.number(of)] ?? [-1, -1];
  }
  #positions(of: Value): [number, number] {
    const [start, end] = this.span(of);
    return start < 0 ? [-1, -1] : [codePoints(this.subject.slice(0, start)), codePoints(this.subject.slice(0, end))];
  }
  place(of: Value): PyTuple {
    return new PyTuple(this.#positions(of));
  }
  groups(missing: Value): Value[] {
    return Array.from({ length: this.pattern.translated.count }, (_, i) => this.#found[i + 1] ?? missing);
  }
  override item(key: Value): Value {
    return this.group(key);
  }
}

/** What `findall` and `split` show of a match: the only group, all groups, or the whole. */
function shownOf(match: Match): Value {
  const groups = match.groups('');
  if (groups.length === 0) return match.group(0);
  return groups.length === 1 ? (groups[0] ?? '') : new PyTuple(groups);
}

function subject(v: Value | undefined): string {
  return typeof v === 'string'
    ? v
    : raise('TypeError', `expected string or bytes-like object, got '${typeName(v ?? null)}'`);
}

function part(v: Value | undefined, pos: Value | undefined, end: Value | undefined): string {
  return pos === undefined && end === undefined
    ? subject(v)
    : stringItem(subject(v), new PySlice(pos ?? null, end ?? null, null));
}

function substituted(pattern: Pattern, by: Value, text: string, limit: number): [string, number] {
  const strange = typeof by === 'string' ? strangeEscape(by) : undefined;
  if (strange !== undefined) throw invalid(`bad escape ${strange.escape} at position ${strange.at}`);
  let result = '';
  let at = 0;
  let count = 0;
  for (const match of pattern.all(text)) {
    if (limit < 0 || (limit > 0 && count >= limit)) break;
    const fresh = typeof by === 'string' ? expandTemplate(by, (group) => match.group(group)) : call(by, [match]);
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

/** Patterns compiled lately, as CPython keeps them; they are never changed by use. */
const cache = new Map<string, Pattern>();

/** A pattern from text or as it is. @throws re.error */
function compiled(v: Value, flags?: Value): Pattern {
  if (v instanceof Pattern) return v;
  if (typeof v !== 'string') return raise('TypeError', 'first argument must be string or compiled pattern');
  const bits = flags === undefined ? 0 : indexOf(flags);
  const key = `${bits}:${v}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = new Pattern(v, bits);
  if (cache.size > 200) cache.clear();
  cache.set(key, made);
  return made;
}

const isPattern = (v: Value): v is Pattern => v instanceof Pattern;
const isMatch = (v: Value): v is Match => v instanceof Match;
const count = (v: Value | undefined): number => (v === undefined ? 0 : indexOf(v));

defineMethods(patternClass, isPattern, {
  'match(string, pos=, endpos=)': (self, text, pos, end) => self.find(part(text, pos, end), 0, 'match') ?? null,
  'fullmatch(string, pos=, endpos=)': (self, text, pos, end) => self.find(part(text, pos, end), 0, 'fullmatch') ?? null,
  'search(string, pos=, endpos=)': (self, text, pos, end) => self.find(part(text, pos, end), 0, 'search') ?? null,
  'findall(string)': (self, text) => new PyList([...self.all(subject(text))].map((match) => shownOf(match))),
  'finditer(string)': (self, text) => iteratorOf('callable_iterator', self.all(subject(text))),
  'sub(repl, string, count=)': (self, by: Value, text, limit) => substituted(self, by, subject(text), count(limit))[0],
  'subn(repl, string, count=)': (self, by: Value, text, limit) =>
    new PyTuple(substituted(self, by, subject(text), count(limit))),
  'split(string, maxsplit=)': (self, text, limit) => new PyList(split(self, subject(text), count(limit))),
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
      [...self.pattern.translated.groups].map(([name, n]) => [name, self.group(n) ?? missing ?? null] as const),
    ),
  'span(group=, /)': (self, of) => self.place(of ?? 0),
  'start(group=, /)': (self, of) => self.place(of ?? 0).items[0] ?? -1,
  'end(group=, /)': (self, of) => self.place(of ?? 0).items[1] ?? -1,
  'expand(template)': (self, template: Value) => expandTemplate(subject(template), (group) => self.group(group)),
});
defineGetters(matchClass, isMatch, {
  string: (self) => self.subject,
  re: (self) => self.pattern,
  lastindex: (self) => self.groups(null).findLastIndex((group) => group !== null) + 1 || null,
});

const finder = (how: 'search' | 'match' | 'fullmatch'): Value =>
  nativeFunction(
    `${how}(pattern, string, flags=)`,
    (pattern: Value, text, flags) => compiled(pattern, flags).find(subject(text), 0, how) ?? null,
  );

/** The module `re`. */
export const re: PyModule = moduleOf('re', {
  ...FLAGS,
  error: regexError,
  Pattern: patternClass,
  Match: matchClass,
  compile: nativeFunction('compile(pattern, flags=)', (pattern: Value, flags) => compiled(pattern, flags)),
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
      substituted(compiled(pattern, flags), by, subject(text), count(limit))[0],
  ),
  subn: nativeFunction(
    'subn(pattern, repl, string, count=, flags=)',
    (pattern: Value, by: Value, text, limit, flags) =>
      new PyTuple(substituted(compiled(pattern, flags), by, subject(text), count(limit))),
  ),
  split: nativeFunction(
    'split(pattern, string, maxsplit=, flags=)',
    (pattern: Value, text, limit, flags) => new PyList(split(compiled(pattern, flags), subject(text), count(limit))),
  ),
  escape: nativeFunction('escape(pattern)', (text: Value) =>
    subject(text).replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, (c) => `\\${c}`),
  ),
  purge: nativeFunction('purge()', () => {
    cache.clear();
    return null;
  }),
});
