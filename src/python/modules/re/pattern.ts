import { raise } from '../../errors.ts';

/** The flags that change the meaning of a pattern here. */
export type ModuleFlags = {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
  readonly ascii: boolean;
};

/** A translated pattern: `source` for a RegExp with the `u` flag, and the groups by name. */
export type Translated = {
  readonly source: string;
  readonly flags: string;
  readonly groups: ReadonlyMap<string, number>;
  readonly count: number;
  /** The flags given and those at the start of the pattern. */
  readonly inForce: ModuleFlags;
};

/** Classes of characters as text between the brackets of a set. */
const ASCII: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_', s: ' \\t-\\r' };
const UNICODE: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  w: '\\p{L}\\p{N}_',
  s: '\\p{White_Space}\\x1c-\\x1f',
};
const BOUNDARY =
  '(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))';
/** Python finds neither `\b` nor `\B` in an empty text. */
const NO_BOUNDARY =
  '(?!^$)(?:(?<=[\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_]))';
const SYNTAX = /[\\^$.*+?()[\]{}|/-]/;
/** Longest pattern; the ones in rule files are tool ids. */
const MAX_PATTERN = 10_000;

/**
 * A Python regular expression as a JavaScript one. It refuses what JavaScript cannot do and never
 * approximates: possessive quantifiers, atomic and conditional groups, flags inside the pattern.
 * @throws ValueError, which the module `re` turns into `re.error`
 */
export function translate(pattern: string, flags: ModuleFlags): Translated {
  if (pattern.length > MAX_PATTERN)
    raise('ValueError', `the pattern is longer than ${MAX_PATTERN} characters`);
  return new Translator(pattern, flags).all();
}

/**
 * A set under construction: the inside of JavaScript's brackets, and the complements that must
 * stand outside them.
 */
type SetParts = { inside: string; readonly others: string[] };

class Translator {
  readonly #text: string;
  #flags: ModuleFlags;
  readonly #groups = new Map<string, number>();
  #count = 0;
  readonly #openAt: number[] = [];
  /** Where look-arounds start. */
  readonly #aroundAt = new Set<number>();
  #at = 0;
  /** Whether a quantifier may follow. */
  #repeatable = false;

  constructor(text: string, flags: ModuleFlags) {
    this.#text = text;
    this.#flags = flags;
  }

  all(): Translated {
    this.#globalFlags();
    let source = '';
    while (this.#at < this.#text.length) source += this.#piece();
    const open = this.#openAt.at(-1);
    if (open !== undefined) bad('missing ), unterminated subpattern', open);
    const flags = `u${this.#flags.ignoreCase ? 'i' : ''}`;
    return { source, flags, groups: this.#groups, count: this.#count, inForce: this.#flags };
  }

  /** `(?i)` and its like, allowed only at the very start. */
  #globalFlags(): void {
    const found = /^\(\?([aimsxu]+)\)/.exec(this.#text);
    if (found === null) return;
    const has = (letter: string): boolean => found[1]?.includes(letter) ?? false;
    this.#at = found[0].length;
    const { ignoreCase, multiline, dotAll, verbose, ascii } = this.#flags;
    this.#flags = {
      ignoreCase: ignoreCase || has('i'),
      multiline: multiline || has('m'),
      dotAll: dotAll || has('s'),
      verbose: verbose || has('x'),
      ascii: ascii || has('a'),
    };
  }

  #piece(): string {
    const at = this.#at;
    const c = String.fromCodePoint(this.#text.codePointAt(at) ?? 0);
    this.#at += c.length;
    if (this.#flags.verbose && /\s/.test(c)) return '';
    if (this.#flags.verbose && c === '#') return this.#comment();
    switch (c) {
      case '\\':
        return this.#escape(at);
      case '[':
        return this.#set(at);
      case '(':
        return this.#group(at);
      case ')':
        return this.#closing(at);
      case '*':
      case '+':
      case '?':
        return this.#quantifier(c, at);
      case '{':
        return this.#braces(at);
      case '|':
        this.#repeatable = false;
        return '|';
      case '^':
        return this.#anchor(this.#flags.multiline ? '(?:^|(?<=\\n))' : '^');
      case '$':
        return this.#anchor(this.#flags.multiline ? '(?=\\n|$)' : '(?=\\n?$)');
      case '.':
        return this.#atom(this.#flags.dotAll ? '[\\s\\S]' : '[^\\n]');
      default:
        return this.#atom(plain(c));
    }
  }
  #comment(): string {
    while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#at += 1;
    return '';
  }
  #atom(source: string): string {
    this.#repeatable = true;
    return source;
  }
  #anchor(source: string): string {
    this.#repeatable = false;
    return source;
  }
  #closing(at: number): string {
    const open = this.#openAt.pop();
    if (open === undefined) return bad('unbalanced parenthesis', at);
    return this.#atom(this.#aroundAt.has(open) ? '))' : ')');
  }
  #quantifier(text: string, at: number): string {
    if (!this.#repeatable)
      bad(
        at > 0 && /[*+?}]/.test(this.#text[at - 1] ?? '') ? 'multiple repeat' : 'nothing to repeat',
        at,
      );
    this.#repeatable = false;
    const next = this.#text[this.#at];
    if (next === '+') bad('possessive quantifiers are not supported', this.#at);
    if (next !== '?') return text;
    this.#at += 1;
    return `${text}?`;
  }
  #braces(at: number): string {
    const found = /^(\d*)(,?)(\d*)\}/.exec(this.#text.slice(this.#at, this.#at + 30));
    const [whole = '', low = '', comma = '', high = ''] = found ?? [];
    if (found === null || (low === '' && comma === '') || (low === '' && high === ''))
      return this.#atom('\\{');
    this.#at += whole.length;
    if (high !== '' && Number(low) > Number(high)) bad('min repeat greater than max repeat', at);
    if (Math.max(Number(low), Number(high)) > 100_000)
      bad('the repetition number is too large', at);
    return this.#quantifier(`{${low === '' ? '0' : low}${comma}${high}}`, at);
  }

  #escape(at: number): string {
    const c = this.#text[this.#at];
    if (c === undefined) return bad('bad escape (end of pattern)', at);
    this.#at += 1;
    const members = this.#classOf(c.toLowerCase());
    if (members !== undefined)
      return this.#atom(c === c.toLowerCase() ? `[${members}]` : `[^${members}]`);
    if (c === 'b') return this.#anchor(BOUNDARY);
    if (c === 'B') return this.#anchor(NO_BOUNDARY);
    if (c === 'A') return this.#anchor('^');
    if (c === 'Z') return this.#anchor('$');
    if (/[1-9]/.test(c)) return this.#reference(c, at);
    return this.#atom(this.#character(c, at));
  }
  #reference(first: string, at: number): string {
    const more = /^\d/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += more.length;
    if (Number(first + more) > this.#count) bad(`invalid group reference ${first}${more}`, at + 1);
    return this.#atom(`(?:\\${first}${more})`);
  }
  /** An escape for one character, inside or outside a set. */
  #character(c: string, at: number): string {
    const control = { n: '\\n', r: '\\r', t: '\\t', f: '\\f', v: '\\v', a: '\\x07', '0': '\\0' }[c];
    if (control !== undefined) return control;
    const width = { x: 2, u: 4, U: 8 }[c];
    if (width !== undefined) {
      const digits = this.#text.slice(this.#at, this.#at + width);
      if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < width)
        bad(`incomplete escape \\${c}${digits}`, at);
      this.#at += width;
      return `\\u{${digits}}`;
    }
    if (/[A-Za-z0-9]/.test(c)) return bad(`bad escape \\${c}`, at);
    return plain(c);
  }

  #set(at: number): string {
    const isNegated = this.#text[this.#at] === '^';
    if (isNegated) this.#at += 1;
    const first = this.#at;
    const set: SetParts = { inside: '', others: [] };
    for (;;) {
      const c = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
      if (this.#at >= this.#text.length) return bad('unterminated character set', at);
      const here = this.#at;
      this.#at += c.length;
      if (c === ']' && here > first) return this.#atom(setSource(set, isNegated));
      if (c === '\\') this.#inSet(here, set);
      else if (c === '-') set.inside += this.#range(here, first, at);
      else set.inside += plain(c);
    }
  }
  #inSet(at: number, set: SetParts): void {
    const c = this.#text[this.#at];
    if (c === undefined) return bad('bad escape (end of pattern)', at);
    this.#at += 1;
    if (c === 'W' || c === 'S' || c === 'D')
      set.others.push(`[^${this.#classOf(c.toLowerCase()) ?? ''}]`);
    else if (c === 'b') set.inside += '\\x08';
    else set.inside += this.#classOf(c) ?? this.#character(c, at);
    return undefined;
  }
  #classOf(letter: string): string | undefined {
    return (this.#flags.ascii ? ASCII : UNICODE)[letter];
  }
  /** A `-` in a set: a range between two characters, or itself at the ends and after a class. */
  #range(at: number, first: number, open: number): string {
    if (this.#at >= this.#text.length) return bad('unterminated character set', open);
    const before = this.#text.slice(0, at);
    const isEdge =
      at === first ||
      this.#text[this.#at] === ']' ||
      /\\[dDwWsS]$/.test(before) ||
      /^\\[dDwWsS]/.test(this.#text.slice(this.#at));
    if (isEdge) return plain('-');
    const [low, high] = [before.at(-1) ?? '', this.#text[this.#at] ?? ''];
    if (low > high && high !== '\\' && before.at(-2) !== '\\')
      bad(`bad character range ${low}-${high}`, at - 1);
    return '-';
  }

  #group(at: number): string {
    this.#openAt.push(at);
    this.#repeatable = false;
    if (this.#text[this.#at] !== '?') {
      this.#count += 1;
      return '(';
    }
    const rest = this.#text.slice(this.#at);
    const opening = /^\?(?::|=|!|<=|<!)/.exec(rest)?.[0];
    if (opening !== undefined) {
      this.#at += opening.length;
      if (opening === '?:') return '(?:';
      // JavaScript repeats a look-around only inside a group.
      this.#aroundAt.add(at);
      return `(?:(${opening}`;
    }
    const name = /^\?P<([^>]*)>/.exec(rest);
    if (name !== null) return this.#named(name[0], name[1] ?? '', at);
    const reference = /^\?P=([^)]*)\)/.exec(rest);
    if (reference !== null) {
      this.#openAt.pop();
      this.#at += reference[0].length;
      const group = this.#groups.get(reference[1] ?? '');
      return group === undefined
        ? bad(`unknown group name '${reference[1] ?? ''}'`, at)
        : this.#atom(`(?:\\${group})`);
    }
    if (rest.startsWith('?#')) {
      const end = rest.indexOf(')');
      if (end < 0) bad('missing ), unterminated comment', at);
      this.#openAt.pop();
      this.#at += end + 1;
      return '';
    }
    const what = rest.startsWith('?>')
      ? 'atomic groups'
      : rest.startsWith('?(')
        ? 'conditional groups'
        : 'this extension or flags inside the pattern';
    return bad(`${what} (${rest.slice(0, 3)}) are not supported`, at);
  }
  #named(text: string, name: string, at: number): string {
    if (!/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name))
      bad(`bad character in group name '${name}'`, at);
    if (this.#groups.has(name)) bad(`redefinition of group name '${name}'`, at);
    this.#at += text.length;
    this.#count += 1;
    this.#groups.set(name, this.#count);
    return '(';
  }
}

/** A literal character; `-` may be escaped only in a set, so it is written by number. */
function plain(c: string): string {
  return c === '-' ? '\\u{2d}' : SYNTAX.test(c) ? `\\${c}` : c;
}

function bad(message: string, at: number): never {
  return raise('ValueError', `${message} at position ${at}`);
}

function setSource({ inside, others }: SetParts, isNegated: boolean): string {
  if (others.length === 0) return `[${isNegated ? '^' : ''}${inside}]`;
  const any = [...(inside === '' ? [] : [`[${inside}]`]), ...others].join('|');
  return isNegated ? `(?:(?!${any})[\\s\\S])` : `(?:${any})`;
}
