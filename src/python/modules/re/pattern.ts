import { characterAt, escapedCharacter, plain, literalOf } from './characters.ts';
import { bad, PatternProblem } from './error.ts';
import { boundary, charactersOf, noBoundary, readLetters, withLetters } from './flags.ts';
import type { ModuleFlags } from './flags.ts';
import { readSet } from './sets.ts';

/** A translated pattern: `source` for a RegExp with the `u` flag, and the groups by name. */
export type Translated = {
  readonly source: string;
  readonly flags: string;
  readonly groups: ReadonlyMap<string, number>;
  readonly count: number;
  /** The flags given and those at the start of the pattern. */
  readonly inForce: ModuleFlags;
};

/** A group that is not closed: where it starts, the flags around it, and its end. */
type Open = { readonly at: number; readonly flags: ModuleFlags; readonly close: string };

/** Longest pattern; the ones in rule files are tool ids. */
const MAX_PATTERN = 10_000;

/**
 * A Python regular expression as a JavaScript one. It refuses what JavaScript cannot do and never
 * approximates: possessive quantifiers, atomic and conditional groups.
 * @throws PatternProblem, which the module `re` turns into `re.error`
 */
export function translate(pattern: string, flags: ModuleFlags): Translated {
  if (pattern.length > MAX_PATTERN)
    throw new PatternProblem(`the pattern is longer than ${MAX_PATTERN} characters`);
  return new Translator(pattern, flags).all();
}

class Translator {
  readonly #text: string;
  /** The flags of the whole pattern, and those at this place. */
  #whole: ModuleFlags;
  #flags: ModuleFlags;
  readonly #groups = new Map<string, number>();
  #count = 0;
  readonly #open: Open[] = [];
  #at = 0;
  /** Whether a quantifier may follow. */
  #repeatable = false;
  #source = '';

  constructor(text: string, flags: ModuleFlags) {
    this.#text = text;
    this.#whole = flags;
    this.#flags = flags;
  }

  all(): Translated {
    while (this.#at < this.#text.length) this.#source += this.#piece();
    const open = this.#open.at(-1);
    if (open !== undefined) bad('missing ), unterminated subpattern', open.at);
    const flags = `u${this.#whole.ignoreCase ? 'i' : ''}`;
    const source = this.#source;
    return { source, flags, groups: this.#groups, count: this.#count, inForce: this.#whole };
  }

  #piece(): string {
    const at = this.#at;
    const c = characterAt(this.#text, at);
    this.#at += c.length;
    if (this.#flags.verbose && /\s/.test(c)) return '';
    if (this.#flags.verbose && c === '#') return this.#comment();
    switch (c) {
      case '\\':
        return this.#escape(at);
      case '[': {
        const { source, end } = readSet(this.#text, at, this.#flags);
        this.#at = end;
        return this.#atom(source);
      }
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
        return this.#anchor('|');
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
    const open = this.#open.pop() ?? bad('unbalanced parenthesis', at);
    this.#flags = open.flags;
    return this.#atom(open.close);
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
    if (high !== '' && Number(low) > Number(high))
      bad('min repeat greater than max repeat', at + 1);
    if (Math.max(Number(low), Number(high)) > 100_000)
      bad('the repetition number is too large', at);
    return this.#quantifier(`{${low === '' ? '0' : low}${comma}${high}}`, at);
  }

  #escape(at: number): string {
    const c = characterAt(this.#text, this.#at);
    const members = charactersOf(c.toLowerCase(), this.#flags);
    const anchor = { A: '^', Z: '$', b: boundary(this.#flags), B: noBoundary(this.#flags) }[c];
    this.#at += c.length;
    if (members !== undefined)
      return this.#atom(c === c.toLowerCase() ? `[${members}]` : `[^${members}]`);
    if (anchor !== undefined) return this.#anchor(anchor);
    const isOctal = /^(?:0|[0-7]{3})/.test(this.#text.slice(at + 1, at + 4));
    if (/[1-9]/.test(c) && !isOctal) return this.#reference(c, at);
    const { code, end } = escapedCharacter(this.#text, at);
    this.#at = end;
    return this.#atom(literalOf(code));
  }
  #reference(first: string, at: number): string {
    const more = /^\d/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += more.length;
    if (Number(first + more) > this.#count) bad(`invalid group reference ${first}${more}`, at + 1);
    return this.#atom(`(?:\\${first}${more})`);
  }

  #group(at: number): string {
    this.#repeatable = false;
    const rest = this.#text.slice(this.#at, this.#at + MAX_PATTERN);
    if (!rest.startsWith('?')) return this.#numberedGroup(at);
    const opening = /^\?(?::|=|!|<=|<!)/.exec(rest)?.[0];
    if (opening !== undefined) {
      this.#at += opening.length;
      // JavaScript repeats a look-around only inside a group.
      return opening === '?:'
        ? this.#begin('(?:', at)
        : this.#begin(`(?:(${opening}`, at, this.#flags, '))');
    }
    if (rest.startsWith('?P')) return this.#named(rest, at);
    if (/^\?[-aiLmsux]/.test(rest)) return this.#flagged(at);
    if (rest.startsWith('?#')) {
      const end = rest.indexOf(')');
      if (end < 0) bad('missing ), unterminated comment', at);
      this.#at += end + 1;
      return '';
    }
    if (rest.startsWith('?>')) bad('atomic groups (?> are not supported', at);
    if (rest.startsWith('?(')) bad('conditional groups (?( are not supported', at);
    return unknown(rest, at);
  }
  #begin(source: string, at: number, flags = this.#flags, close = ')'): string {
    this.#open.push({ at, flags: this.#flags, close });
    this.#flags = flags;
    return source;
  }
  #numberedGroup(at: number): string {
    this.#count += 1;
    return this.#begin('(', at);
  }
  /** `(?i)` at the start of the pattern, or `(?i-m:...)` for a part of it. */
  #flagged(at: number): string {
    const { on, off, isForAll, end } = readLetters(this.#text, at + 2);
    this.#at = end;
    const flags = withLetters(this.#flags, on, off);
    if (!isForAll) {
      const ignoring = on.includes('i') ? '?i:' : off.includes('i') ? '?-i:' : '?:';
      return this.#begin(`(${ignoring}`, at, flags);
    }
    if (this.#source !== '') bad('global flags not at the start of the expression', at);
    this.#whole = flags;
    this.#flags = flags;
    return '';
  }
  /** `(?P<name>...)` and `(?P=name)`. */
  #named(rest: string, at: number): string {
    const [whole, kind = '', name = '', end = ''] = /^\?P([<=])([^)>]*)([>)]?)/.exec(rest) ?? [];
    if (whole === undefined) return unknown(rest, at);
    if (end !== (kind === '<' ? '>' : ')') || name === '') return unnamed(rest, kind, at);
    this.#at += whole.length;
    if (!/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name))
      bad(`bad character in group name '${name}'`, at + 4);
    const known = this.#groups.get(name);
    if (kind === '=') {
      const group = known ?? bad(`unknown group name '${name}'`, at + 4);
      return this.#atom(`(?:\\${group})`);
    }
    if (known !== undefined)
      bad(
        `redefinition of group name '${name}' as group ${this.#count + 1}; was group ${known}`,
        at + 4,
      );
    this.#groups.set(name, this.#count + 1);
    return this.#numberedGroup(at);
  }
}

/** @throws PatternProblem for a group that begins as none does */
function unknown(rest: string, at: number): never {
  const [told = ''] = /^\?(?:P.?|<.?|.?)/su.exec(rest) ?? [];
  return told === '?' || told === '?P' || told === '?<'
    ? bad('unexpected end of pattern', at + 1 + rest.length)
    : bad(`unknown extension ${told}`, at + 1);
}

/** @throws PatternProblem for a name that is empty or has no end */
function unnamed(rest: string, kind: string, at: number): never {
  const end = kind === '<' ? '>' : ')';
  const name = rest.slice(3).split(end)[0] ?? '';
  if (name === '') bad('missing group name', at + 4);
  return rest.slice(3).includes(end)
    ? bad(`bad character in group name '${name}'`, at + 4)
    : bad(`missing ${end}, unterminated name`, at + 4);
}
