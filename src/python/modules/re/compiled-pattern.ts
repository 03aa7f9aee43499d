import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { keyOf } from '../../objects/key.ts';
import { asInt } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Key, Value } from '../../objects/object.ts';
import { codePoints } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr } from '../../text/repr.ts';
import { regexErrorOf, PatternProblem } from './error.ts';
import type { ModuleFlags } from './flags.ts';
import { closingOrder, limitOf } from './limits.ts';
import { translate } from './pattern.ts';
import type { Translated } from './pattern.ts';

const FLAG_NAMES = [
  ['IGNORECASE', 2],
  ['MULTILINE', 8],
  ['DOTALL', 16],
  ['VERBOSE', 64],
  ['ASCII', 256],
] as const;

export const patternClass = new PyClass('Pattern', [types.object], { module: 're' });
export const matchClass = new PyClass('Match', [types.object], { module: 're' });

/** A compiled pattern. */
export class Pattern extends PyObject {
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
      const limit = limitOf(this.translated.source);
      if (limit !== undefined) throw new PatternProblem(limit);
      this.#expression = new RegExp(this.translated.source, `${this.translated.flags}dg`);
    } catch (error) {
      throw regexErrorOf(error, text);
    }
  }
  get cls(): PyClass {
    return patternClass;
  }
  /** Its groups in the order in which they end. */
  get closing(): readonly number[] {
    return closingOrder(this.translated.source);
  }
  override repr(): string {
    const names = FLAG_NAMES.filter(([, bit]) => (this.allBits & bit) !== 0).map(
      ([name]) => `re.${name}`,
    );
    return `re.compile(${[repr(this.text), ...(names.length === 0 ? [] : [names.join('|')])].join(', ')})`;
  }
  /** The flags given and those at the start of the pattern. */
  get allBits(): number {
    const { ignoreCase, multiline, dotAll, verbose, ascii } = this.translated.inForce;
    const bits = [
      ignoreCase ? 2 : 0,
      multiline ? 8 : 0,
      dotAll ? 16 : 0,
      verbose ? 64 : 0,
      ascii ? 256 : 32,
    ];
    return bits.reduce((sum, bit) => sum | bit, this.bits);
  }
  override key(): Key {
    return keyOf(new PyTuple([this.text, this.bits]));
  }
  /**
   * The first match at or after `from`; `how` says whether it must start at `from` and end at the
   * end.
   */
  find(subject: string, from: number, how: 'search' | 'match' | 'fullmatch'): Match | undefined {
    tick(8 + (subject.length >> 2));
    if (how === 'search') {
      this.#expression.lastIndex = from;
      let found = this.#expression.exec(subject);
      // V8 allows an empty match inside a surrogate pair.
      while (found !== null && isInside(subject, found.index)) {
        this.#expression.lastIndex = found.index + 1;
        found = this.#expression.exec(subject);
      }
      return found === null ? undefined : new Match(this, subject, found);
    }
    const { source, flags } = this.translated;
    const anchored = new RegExp(
      how === 'match' ? source : `(?:${source})(?![\\s\\S])`,
      `${flags}dy`,
    );
    anchored.lastIndex = from;
    const found = anchored.exec(subject);
    return found === null ? undefined : new Match(this, subject, found);
  }
  /**
   * All matches from left to right. After an empty match the next one may start at the same place,
   * but must not be empty; then the search continues after the character.
   */
  *all(subject: string, first = 0): Generator<Match> {
    let from = first;
    while (from <= subject.length) {
      const found = this.find(subject, from, 'search');
      if (found === undefined) return;
      yield found;
      const [start, end] = found.span(0);
      from = end;
      if (end > start) continue;
      const full = this.#notEmpty(subject, end);
      if (full !== undefined) yield full;
      from =
        full === undefined
          ? end + ((subject.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
          : full.span(0)[1];
    }
  }
  /** A match that starts at `at` and is not empty, for patterns that may prefer an empty one. */
  #notEmpty(subject: string, at: number): Match | undefined {
    const { source, flags } = this.translated;
    if (!/[|]|[*+?}]\?/.test(source)) return undefined;
    tick(8 + (subject.length >> 2));
    const expression = new RegExp(
      `(?:${source})(?<=^[\\s\\S]{${codePoints(subject.slice(0, at)) + 1},})`,
      `${flags}dy`,
    );
    expression.lastIndex = at;
    const found = expression.exec(subject);
    return found === null ? undefined : new Match(this, subject, found);
  }
}

/** The part of a text that a search covers. */
type Window = { readonly text: string; readonly pos: number; readonly end: number };

/** A match. */
export class Match extends PyObject {
  readonly pattern: Pattern;
  readonly subject: string;
  readonly #found: RegExpExecArray;
  /** Where the search started and ended, in characters, and the whole text. */
  readonly #window: Window | undefined;

  constructor(pattern: Pattern, subject: string, found: RegExpExecArray, window?: Window) {
    super();
    this.pattern = pattern;
    this.subject = subject;
    this.#found = found;
    this.#window = window;
  }
  /** The same match in a part of a text. */
  within(window: Window): Match {
    return new Match(this.pattern, this.subject, this.#found, window);
  }
  get window(): Window {
    return this.#window ?? { text: this.subject, pos: 0, end: codePoints(this.subject) };
  }
  /** Number of the matched group that ended last; None without any. */
  get lastIndex(): Value {
    return this.pattern.closing.findLast((group) => this.#found[group] !== undefined) ?? null;
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
    // CPython looks the name up in a dict, so a list is unhashable.
    if (n === undefined && this.pattern.translated.groups.size > 0) keyOf(of);
    if (n === undefined || Number(n) < 0 || Number(n) > this.pattern.translated.count)
      raise('IndexError', 'no such group');
    return Number(n);
  }
  group(of: Value): Value {
    return this.#found[this.number(of)] ?? null;
  }
  /** Start and end of a group in UTF-16 units; -1 when it did not match. */
  span(of: Value): readonly [number, number] {
    return this.#found.indices?.[this.number(of)] ?? [-1, -1];
  }
  #positions(of: Value): [number, number] {
    const [start, end] = this.span(of);
    return start < 0
      ? [-1, -1]
      : [codePoints(this.subject.slice(0, start)), codePoints(this.subject.slice(0, end))];
  }
  place(of: Value): PyTuple {
    return new PyTuple(this.#positions(of));
  }
  groups(missing: Value): Value[] {
    return Array.from(
      { length: this.pattern.translated.count },
      (_, i) => this.#found[i + 1] ?? missing,
    );
  }
  override item(key: Value): Value {
    return this.group(key);
  }
}

function flagsOf(bits: number): ModuleFlags {
  const has = (bit: number): boolean => (bits & bit) !== 0;
  return {
    ignoreCase: has(2),
    multiline: has(8),
    dotAll: has(16),
    verbose: has(64),
    ascii: has(256),
  };
}

/** Whether a position lies between the two halves of a character. */
function isInside(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
