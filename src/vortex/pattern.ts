/** A Python regular expression that cannot be used here; the message says what and at which character (from 1). */
export class PatternError extends Error {
  readonly column: number;

  constructor(message: string, index: number) {
    super(`${message} at character ${index + 1}`);
    this.name = 'PatternError';
    this.column = index + 1;
  }
}

/**
 * Python's `re.compile(source)` for `re.match`: a JavaScript expression that matches at the start only (1.9, 5.2 no.
 * 4). What Python reads differently from JavaScript is rewritten (`.`, `$`, `\d`, `\w`, `{` as a letter, `(?P<n>`);
 * what has no safe equal (possessive and atomic forms, backreferences, conditionals, inline flags but a leading `(?i)`)
 * is refused.
 * @throws PatternError
 */
export function compilePattern(source: string): RegExp {
  const insensitive = source.startsWith('(?i)');
  const translated = new Translator(source, insensitive ? 4 : 0).run();
  try {
    return new RegExp(translated, insensitive ? 'yui' : 'yu');
  } catch {
    throw new PatternError('this is not a regular expression', 0);
  }
}

const DIGIT = String.raw`\p{Nd}`;
const WORD = String.raw`\p{L}\p{N}_`;
const SPACE = String.raw`\s\x1c-\x1f\x85`;
const BOUNDARY = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;
const CLASSES: { readonly [letter: string]: string } = { d: DIGIT, w: WORD, s: SPACE };
const CONTROLS: { readonly [letter: string]: string } = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\u0007' };

class Translator {
  readonly #source: string;
  #at: number;

  constructor(source: string, start: number) {
    this.#source = source;
    this.#at = start;
  }

  run(): string {
    let out = '';
    let groups = 0;
    let repeatable = false;
    while (this.#at < this.#source.length) {
      const start = this.#at;
      const quantifier = this.#quantifier();
      if (quantifier !== undefined) {
        if (!repeatable) throw new PatternError('there is nothing to repeat', start);
        out += quantifier;
        repeatable = false;
        continue;
      }
      const c = this.#take();
      repeatable = c !== '^' && c !== '|' && c !== '(';
      if (c === '(') groups += 1;
      if (c === ')' && groups-- === 0) throw new PatternError('unbalanced parenthesis', start);
      out += this.#element(c, start);
    }
    if (groups > 0) throw new PatternError('missing ), unterminated subpattern', this.#source.length);
    return out;
  }

  #take(): string {
    const c = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += c.length;
    return c;
  }

  /** One element that stands for itself; `c` has been taken. */
  #element(c: string, start: number): string {
    switch (c) {
      case '.':
        return String.raw`[^\n]`;
      case '$':
        return String.raw`(?=\n?$)`;
      case '^':
      case '|':
      case ')':
        return c;
      case '(':
        return this.#group(start);
      case '[':
        return this.#class(start);
      case '\\':
        return this.#escape(start, false);
      default:
        return quote(c);
    }
  }

  /** A quantifier here, as JavaScript writes it; undefined when what stands here is none. */
  #quantifier(): string | undefined {
    const found = /^(?:[*+?]|\{(\d*)(,?)(\d*)\})/.exec(this.#source.slice(this.#at, this.#at + 30));
    if (found === null || found[0] === '{}' || found[0] === '{,}') return undefined;
    const [text, low = '', comma = '', high = ''] = found;
    this.#at += text.length;
    if (this.#source[this.#at] === '+') throw new PatternError('possessive quantifiers are not supported', this.#at);
    if (/^[*{]/.test(this.#source.slice(this.#at)) && this.#isQuantifier())
      throw new PatternError('multiple repeat', this.#at);
    const lazy = this.#source[this.#at] === '?' ? '?' : '';
    this.#at += lazy.length;
    if (lazy !== '' && this.#isQuantifier()) throw new PatternError('multiple repeat', this.#at);
    return (text.length === 1 ? text : `{${low === '' ? '0' : low}${comma}${high}}`) + lazy;
  }

  #isQuantifier(): boolean {
    return /^(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\})/.test(this.#source.slice(this.#at, this.#at + 30));
  }

  #group(start: number): string {
    const rest = this.#source.slice(this.#at);
    const plain = /^\?(?::|=|!|<=|<!)/.exec(rest)?.[0];
    const name = /^\?P<([A-Za-z_]\w*)>/.exec(rest);
    if (plain !== undefined) {
      this.#at += plain.length;
      return `(${plain}`;
    }
    if (name !== null) {
      this.#at += name[0].length;
      return `(?<${name[1] ?? ''}>`;
    }
    if (rest.startsWith('?')) throw new PatternError(`the group '(${rest.slice(0, 3)}' is not supported`, start);
    return '(';
  }

  #class(start: number): string {
    let out = '[';
    if (this.#source[this.#at] === '^') out += this.#take();
    for (let first = true; ; first = false) {
      if (this.#at >= this.#source.length) throw new PatternError('unterminated character set', start);
      const at = this.#at;
      const c = this.#take();
      if (c === ']' && !first) return `${out}]`;
      const isRange = c === '-' && !first && this.#source[this.#at] !== ']';
      out += c === '\\' ? this.#escape(at, true) : isRange ? '-' : quote(c);
    }
  }

  #escape(start: number, inClass: boolean): string {
    if (this.#at >= this.#source.length) throw new PatternError('bad escape (end of pattern)', start);
    const c = this.#take();
    const set = CLASSES[c.toLowerCase()];
    if (set !== undefined) return this.#set(c, set, inClass, start);
    const control = CONTROLS[c];
    if (control !== undefined) return quote(control);
    if (c === 'x' || c === 'u' || c === 'U') return quote(this.#codePoint({ x: 2, u: 4, U: 8 }[c], start));
    if (!inClass && c === 'A') return '^';
    if (!inClass && c === 'Z') return '$';
    if (c === 'b') return inClass ? quote('\b') : BOUNDARY;
    if (/[0-9]/.test(c)) throw new PatternError('backreferences and octal escapes are not supported', start);
    if (/[A-Za-z]/.test(c)) throw new PatternError(`bad escape \\${c}`, start);
    return quote(c);
  }

  #set(letter: string, set: string, inClass: boolean, start: number): string {
    if (letter === letter.toLowerCase()) return inClass ? set : `[${set}]`;
    if (inClass) throw new PatternError(`\\${letter} inside a character set is not supported`, start);
    return `[^${set}]`;
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

/** A character that stands for itself, in or outside a character set. */
function quote(c: string): string {
  return /[\^$\\.*+?()[\]{}|/-]/.test(c) ? (c === '-' ? String.raw`\x2d` : `\\${c}`) : c;
}
