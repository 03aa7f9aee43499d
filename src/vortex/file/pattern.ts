import { classOf, leadingFlags, withFlags } from './pattern-flags.ts';
import type { Flags } from './pattern-flags.ts';

/**
 * A Python regular expression that cannot be used here. The message names the reason and the
 * character (from 1).
 */
export class PatternError extends Error {
  constructor(message: string, index: number) {
    super(`${message} at character ${index + 1}`);
    this.name = 'PatternError';
  }
}

/**
 * Python's `re.compile(source)` for `re.match`: a JavaScript expression that matches at the start
 * only. Rewrites what Python reads differently: `.`, `$`, `\d`, `\w`, `{` as a letter, flags,
 * `(?P<n>`, possessive and atomic forms. Refuses what has no safe equivalent: conditionals, and
 * backreferences to groups that may not take part, which fail in Python and match nothing in
 * JavaScript.
 * @throws PatternError
 */
export function compilePattern(source: string): RegExp {
  const { flags, end } = leadingFlags(source);
  const translated = new Translator(source, end, flags).run();
  try {
    return new RegExp(translated, flags.ignoreCase ? 'yui' : 'yu');
  } catch {
    throw new PatternError('this is not a regular expression', 0);
  }
}

const CONTROLS: { readonly [letter: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\u0007',
};

/** An open group: its end, its beginning in the translation, and the flags around it. */
type Open = {
  readonly close: string;
  readonly from: number;
  readonly flags: Flags;
  readonly number: number | null;
  readonly isBehind: boolean;
  /** Whether a part of it repeats a variable number of times. */
  varies: boolean;
};

class Translator {
  readonly #source: string;
  #at: number;
  #flags: Flags;
  #out = '';
  /**
   * The beginning, in the translation, of the last part that a quantifier can repeat; -1 for none.
   */
  #atom = -1;
  readonly #open: Open[] = [];
  readonly #names = new Map<string, number>();
  readonly #closed = new Set<number>();
  #groups = 0;
  /** Counts the groups that the translation adds for parts without backtracking. */
  #atomic = 0;

  constructor(source: string, start: number, flags: Flags) {
    this.#source = source;
    this.#at = start;
    this.#flags = flags;
  }

  run(): string {
    while (this.#at < this.#source.length) {
      if (this.#flags.verbose && this.#skip(/(?:\s|#[^\n]*)+/y)) continue;
      if (this.#skip(/\(\?#[^)]*\)/y)) continue;
      const start = this.#at;
      const quantifier = this.#quantifier();
      if (quantifier === undefined) this.#element(this.#take(), start);
      else this.#repeat(quantifier, start);
    }
    if (this.#open.length > 0)
      throw new PatternError('missing ), unterminated subpattern', this.#source.length);
    return this.#out;
  }

  #take(): string {
    const c = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += c.length;
    return c;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.#source)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }

  #put(atom: string, mayRepeat = true): void {
    this.#atom = mayRepeat ? this.#out.length : -1;
    this.#out += atom;
  }

  #repeat(quantifier: string, start: number): void {
    if (this.#atom < 0) throw new PatternError('there is nothing to repeat', start);
    if (!/^\{(\d+)(?:,\1)?\}/.test(quantifier)) for (const open of this.#open) open.varies = true;
    const atom = this.#out.slice(this.#atom);
    this.#out = this.#out.slice(0, this.#atom);
    const isPossessive = this.#source[this.#at] === '+';
    if (isPossessive) this.#at += 1;
    this.#out += isPossessive ? this.#untried(atom + quantifier) : atom + quantifier;
    if (this.#isQuantifier()) throw new PatternError('multiple repeat', this.#at);
    this.#atom = -1;
  }

  /**
   * Matches once, without backtracking: a lookahead captures the text, and a reference takes it.
   */
  #untried(inner: string): string {
    this.#atomic += 1;
    return `(?:(?=(?<a${this.#atomic}>${inner}))\\k<a${this.#atomic}>)`;
  }

  /** A character that matches itself; `c` has been read. */
  #element(c: string, start: number): void {
    const { multiline, dotAll } = this.#flags;
    if (c === '.') this.#put(dotAll ? '[^]' : String.raw`[^\n]`);
    else if (c === '$') this.#put(multiline ? String.raw`(?=\n|$)` : String.raw`(?=\n?$)`, false);
    else if (c === '^') this.#put(multiline ? String.raw`(?<=^|\n)` : '^', false);
    else if (c === '|') this.#put(c, false);
    else if (c === '(') this.#group(start);
    else if (c === ')') this.#close(start);
    else if (c === '[') this.#put(this.#class(start));
    else if (c === '\\')
      this.#put(this.#escape(start), !/[AZbB]/.test(this.#source.charAt(start + 1)));
    else this.#put(quote(c));
  }

  /** The quantifier at this position, in JavaScript; undefined when there is none. */
  #quantifier(): string | undefined {
    const found = /^(?:[*+?]|\{(\d*)(,?)(\d*)\})/.exec(this.#source.slice(this.#at, this.#at + 30));
    if (found === null || found[0] === '{}' || found[0] === '{,}') return undefined;
    const [text, low = '', comma = '', high = ''] = found;
    this.#at += text.length;
    const lazy = this.#source[this.#at] === '?' ? '?' : '';
    this.#at += lazy.length;
    if (lazy !== '' && this.#isQuantifier()) throw new PatternError('multiple repeat', this.#at);
    return (text.length === 1 ? text : `{${low === '' ? '0' : low}${comma}${high}}`) + lazy;
  }

  #isQuantifier(): boolean {
    return /^(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\})/.test(this.#source.slice(this.#at, this.#at + 30));
  }

  #group(start: number): void {
    const rest = this.#source.slice(this.#at, this.#at + 100);
    const [plain] = /^\?(?::|=|!|<=|<!|>)/.exec(rest) ?? [];
    const [named, name = ''] = /^\?P<([A-Za-z_]\w*)>/.exec(rest) ?? [];
    const [same, earlier = ''] = /^\?P=([A-Za-z_]\w*)\)/.exec(rest) ?? [];
    const [flagged, on = '', off = ''] = /^\?([aimsux]*)(?:-([imsx]+))?:/.exec(rest) ?? [];
    this.#at += (plain ?? named ?? same ?? flagged ?? '').length;
    if (plain === '?>') this.#begin('', '>', null);
    else if (plain !== undefined) this.#begin(`(${plain}`, ')', null);
    else if (same !== undefined) this.#put(this.#reference(this.#names.get(earlier) ?? 0, start));
    else if (flagged !== undefined) {
      const inside = withFlags(withFlags(this.#flags, on), off, false);
      const ignoring = on.includes('i') ? '?i:' : off.includes('i') ? '?-i:' : '?:';
      this.#begin(`(${ignoring}`, ')', null);
      this.#flags = inside;
    } else if (named === undefined && rest.startsWith('?'))
      throw new PatternError(`the group '(${rest.slice(0, 3)}' is not supported`, start);
    else {
      this.#groups += 1;
      if (this.#names.has(name))
        throw new PatternError(`there is a group '${name}' already`, start);
      if (named !== undefined) this.#names.set(name, this.#groups);
      this.#begin(`(?<g${this.#groups}>`, ')', this.#groups);
    }
  }

  #begin(text: string, close: string, number: number | null): void {
    const isBehind = text.startsWith('(?<=') || text.startsWith('(?<!');
    this.#open.push({
      close,
      from: this.#out.length,
      flags: this.#flags,
      number,
      isBehind,
      varies: false,
    });
    this.#put(text, false);
  }

  #close(start: number): void {
    const open = this.#open.pop();
    if (open === undefined) throw new PatternError('unbalanced parenthesis', start);
    if (open.isBehind && open.varies)
      throw new PatternError('look-behind requires fixed-width pattern', start);
    this.#flags = open.flags;
    if (open.number !== null) this.#closed.add(open.number);
    const inner = this.#out.slice(open.from);
    this.#out = this.#out.slice(0, open.from);
    this.#put(open.close === '>' ? this.#untried(inner) : inner + open.close);
  }

  /**
   * The text of a group again. Only for groups that take part in every match, which Python needs.
   */
  #reference(number: number, start: number): string {
    if (!this.#closed.has(number))
      throw new PatternError('there is no such group before this reference', start);
    if (/\||\)(?:[?*]|\{)|\(\?(?:!|<!)/.test(this.#source))
      throw new PatternError('backreferences beside alternatives are not supported', start);
    return `\\k<g${number}>`;
  }

  #class(start: number): string {
    let set = '';
    let others = '';
    const isNegated = this.#source[this.#at] === '^';
    if (isNegated) this.#at += 1;
    for (let first = true; ; first = false) {
      if (this.#at >= this.#source.length)
        throw new PatternError('unterminated character set', start);
      const at = this.#at;
      const c = this.#take();
      if (c === ']' && !first) break;
      const outside = /^\\([DWS])/.exec(this.#source.slice(at, at + 2))?.[1];
      if (outside !== undefined) {
        this.#at += 1;
        others += `|[^${classOf(outside.toLowerCase(), this.#flags) ?? ''}]`;
      } else {
        const isRange = c === '-' && !first && this.#source[this.#at] !== ']';
        set += c === '\\' ? this.#inSet(at) : isRange ? '-' : quote(c);
      }
    }
    if (others === '') return `[${isNegated ? '^' : ''}${set}]`;
    const any = set === '' ? others.slice(1) : `[${set}]${others}`;
    return isNegated ? `(?:(?!${any})[^])` : `(?:${any})`;
  }

  /** An escape inside a set. */
  #inSet(start: number): string {
    const c = this.#source.charAt(this.#at);
    const known = classOf(c, this.#flags) ?? (c === 'b' ? quote('\b') : undefined);
    if (known === undefined) return this.#character(start);
    this.#at += 1;
    return known;
  }

  /** An escape outside a set. */
  #escape(start: number): string {
    const c = this.#source.charAt(this.#at);
    const word = classOf('w', this.#flags) ?? '';
    const set = classOf(c.toLowerCase(), this.#flags);
    const [number] =
      /^(?![0-7]{3})[1-9][0-9]?/.exec(this.#source.slice(this.#at, this.#at + 3)) ?? [];
    this.#at += number?.length ?? 1;
    if (number !== undefined) return this.#reference(Number(number), start);
    if (set !== undefined) return c === c.toLowerCase() ? `[${set}]` : `[^${set}]`;
    if (c === 'A') return '^';
    if (c === 'Z') return '$';
    if (c === 'b') return `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`;
    // Python's `\B` does not match empty text.
    if (c === 'B')
      return `(?!(?<![^])(?![^]))(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`;
    this.#at -= 1;
    return this.#character(start);
  }

  /** An escape for one character. */
  #character(start: number): string {
    if (this.#at >= this.#source.length)
      throw new PatternError('bad escape (end of pattern)', start);
    const [octal] =
      /^(?:0[0-7]{0,2}|[0-3][0-7]{2})/.exec(this.#source.slice(this.#at, this.#at + 3)) ?? [];
    if (octal !== undefined) {
      this.#at += octal.length;
      return quote(String.fromCodePoint(Number.parseInt(octal, 8)));
    }
    const c = this.#take();
    const control = CONTROLS[c];
    if (control !== undefined) return quote(control);
    if (c === 'x' || c === 'u' || c === 'U')
      return quote(this.#codePoint({ x: 2, u: 4, U: 8 }[c], start));
    if (/[A-Za-z0-9]/.test(c)) throw new PatternError(`bad escape \\${c}`, start);
    return quote(c);
  }

  #codePoint(digits: number, start: number): string {
    const hex = this.#source.slice(this.#at, this.#at + digits);
    const code = Number.parseInt(hex, 16);
    if (!/^[0-9a-fA-F]+$/.test(hex) || hex.length < digits || code > 0x10ffff)
      throw new PatternError('incomplete escape', start);
    this.#at += digits;
    return String.fromCodePoint(code);
  }
}

/** A literal character, inside or outside a character set. */
function quote(c: string): string {
  return /[\^$\\.*+?()[\]{}|/-]/.test(c) ? (c === '-' ? String.raw`\x2d` : `\\${c}`) : c;
}
