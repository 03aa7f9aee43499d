import { readEscape, readNumberToken } from './literal.ts';
import { SourceText } from './source.ts';
import { KEYWORDS } from '../keywords.ts';
import type { FieldPart, TokenPosition, Token } from './token.ts';

const OPERATORS = [
  '**=',
  '//=',
  '>>=',
  '<<=',
  '...',
  '!=',
  '**',
  '//',
  '>>',
  '<<',
  '<=',
  '>=',
  '==',
  '->',
  ':=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '@=',
  '&=',
  '|=',
  '^=',
  '+',
  '-',
  '*',
  '/',
  '%',
  '@',
  '&',
  '|',
  '^',
  '~',
  '<',
  '>',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '.',
  ';',
  '=',
];
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const STRING_START = /([rRbBuUfF]{0,2})('''|"""|'|")/y;
const BLANK = /[ \t\f]*/y;
const COMMENT = /#[^\n]*/y;
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** CPython's own limits: brackets 200, indentation 100; f-string nesting is ours. */
const MAX_BRACKETS = 200;
const MAX_INDENTS = 100;
const MAX_FIELDS = 20;

/**
 * Text to tokens, with indentation as `indent` and `dedent`. Newlines must be `\n`.
 * @throws PySyntaxError
 */
export function tokenize(text: string, shift = 0): Token[] {
  if (text.includes('\0'))
    new SourceText(text, shift).fail('source code cannot contain null bytes');
  return new Tokenizer(new SourceText(text, shift)).all();
}

class Tokenizer {
  readonly #source: SourceText;
  readonly #tokens: Token[] = [];
  readonly #indents: string[] = [''];
  #brackets: { readonly open: string; readonly at: TokenPosition }[] = [];
  #fields = 0;

  constructor(source: SourceText) {
    this.#source = source;
  }

  all(): Token[] {
    const source = this.#source;
    let lineBegins = true;
    while (source.at < source.text.length) {
      if (lineBegins) lineBegins = !this.#indentation();
      else lineBegins = this.#step(this.#tokens);
    }
    const open = this.#brackets.at(-1);
    if (open !== undefined) source.fail(`'${open.open}' was never closed`, open.at);
    const at = source.position();
    if (this.#tokens.length > 0 && !lineBegins) this.#tokens.push({ kind: 'newline', at });
    for (let i = 1; i < this.#indents.length; i += 1) this.#tokens.push({ kind: 'dedent', at });
    this.#tokens.push({ kind: 'end', at });
    return this.#tokens;
  }

  /**
   * Reads the white space at the start of a line. `false` for a line without code, which it skips.
   */
  #indentation(): boolean {
    const source = this.#source;
    const space = (source.take(BLANK) ?? '').replace(/.*\f/, '');
    source.take(COMMENT);
    if (source.peek() === '\n') {
      source.at += 1;
      return false;
    }
    if (source.at >= source.text.length) return false;
    const at = source.position();
    const current = this.#indents.at(-1) ?? '';
    if (space === current) return true;
    if (space.startsWith(current)) {
      if (this.#indents.length >= MAX_INDENTS) source.fail('too many levels of indentation', at);
      this.#indents.push(space);
      this.#tokens.push({ kind: 'indent', at });
      return true;
    }
    if (!current.startsWith(space))
      source.fail('inconsistent use of tabs and spaces in indentation', at);
    while ((this.#indents.at(-1) ?? '').length > space.length) {
      this.#indents.pop();
      this.#tokens.push({ kind: 'dedent', at });
    }
    if (this.#indents.at(-1) !== space)
      source.fail('unindent does not match any outer indentation level', at);
    return true;
  }

  /** Reads one token, or white space. `true` after a line end that counts. */
  #step(into: Token[]): boolean {
    const source = this.#source;
    source.take(BLANK);
    source.take(COMMENT);
    const at = source.position();
    if (source.at >= source.text.length) return false;
    if (source.peek() === '\n') {
      source.at += 1;
      if (this.#brackets.length > 0 || this.#fields > 0) return false;
      into.push({ kind: 'newline', at });
      return true;
    }
    if (source.peek() === '\\') {
      if (source.peek(1) !== '\n')
        source.fail('unexpected character after line continuation character', at);
      source.at += 2;
      if (source.at >= source.text.length)
        source.fail('unexpected end of text after a backslash', at);
      return false;
    }
    into.push(this.#token(at));
    return false;
  }

  #token(at: TokenPosition): Token {
    const source = this.#source;
    const string = this.#string(at);
    if (string !== undefined) return string;
    if (/[0-9]/.test(source.peek()) || (source.peek() === '.' && /[0-9]/.test(source.peek(1))))
      return readNumberToken(source);
    const name = source.take(NAME)?.normalize('NFKC');
    if (name !== undefined)
      return { kind: KEYWORDS.has(name) ? 'keyword' : 'name', text: name, at };
    const operator = OPERATORS.find((candidate) => source.startsWith(candidate));
    if (operator === undefined) {
      const character = String.fromCodePoint(source.text.codePointAt(source.at) ?? 0);
      return source.fail(
        character === '!'
          ? "invalid syntax: '!'"
          : `invalid character ${JSON.stringify(character)}`,
        at,
      );
    }
    source.at += operator.length;
    this.#bracket(operator, at);
    return { kind: 'operator', text: operator, at };
  }

  #bracket(operator: string, at: TokenPosition): void {
    if (CLOSERS[operator] !== undefined) {
      if (this.#brackets.length >= MAX_BRACKETS)
        this.#source.fail('too many nested parentheses', at);
      this.#brackets.push({ open: operator, at });
    } else if (operator === ')' || operator === ']' || operator === '}') {
      const open = this.#brackets.pop();
      if (open === undefined) this.#source.fail(`unmatched '${operator}'`, at);
      if (CLOSERS[open.open] !== operator) {
        this.#source.fail(
          `closing parenthesis '${operator}' does not match opening parenthesis '${open.open}'`,
          at,
        );
      }
    }
  }

  #string(at: TokenPosition): Token | undefined {
    const source = this.#source;
    const start = source.take(STRING_START);
    if (start === undefined) return undefined;
    const [, prefix = '', quote = ''] = /^([a-zA-Z]*)(.*)$/.exec(start) ?? [];
    const kinds = prefix.toLowerCase();
    if (kinds.includes('b')) source.fail('bytes literals are not supported', at);
    if (kinds.length === 2 && !['rf', 'fr'].includes(kinds))
      source.fail(`invalid string prefix '${prefix}'`, at);
    const raw = kinds.includes('r');
    if (kinds.includes('f')) {
      this.#fields += 1;
      if (this.#fields > MAX_FIELDS) source.fail('f-string: expressions nested too deeply', at);
      const parts = this.#parts({ quote, raw, at, depth: 0 });
      this.#fields -= 1;
      source.at += quote.length;
      return { kind: 'fstring', parts, at };
    }
    let value = '';
    while (!source.startsWith(quote)) value += this.#character(quote, raw, at);
    source.at += quote.length;
    return { kind: 'string', value, at };
  }

  #character(quote: string, raw: boolean, at: TokenPosition): string {
    const source = this.#source;
    const c = source.peek();
    if (c === '' || (c === '\n' && quote.length === 1)) {
      source.fail(`unterminated ${quote.length === 3 ? 'triple-quoted ' : ''}string literal`, at);
    }
    source.at += 1;
    if (c !== '\\') return c;
    if (!raw) return readEscape(source);
    const next = source.peek();
    source.at += 1;
    return `\\${next}`;
  }

  /**
   * The pieces of an f-string up to its closing quote, or of a format spec up to its `}`; leaves
   * the end.
   */
  #parts(string: { quote: string; raw: boolean; at: TokenPosition; depth: number }): FieldPart[] {
    const source = this.#source;
    const parts: FieldPart[] = [];
    let text = '';
    const flush = (): void => {
      if (text !== '') parts.push({ kind: 'text', text });
      text = '';
    };
    for (;;) {
      if (source.startsWith(string.quote)) break;
      const c = source.peek();
      if (string.depth > 0 && c === '}') break;
      if (string.depth === 0 && (c === '{' || c === '}') && source.peek(1) === c) {
        text += c;
        source.at += 2;
      } else if (c === '{') {
        flush();
        parts.push(this.#field(string));
      } else if (c === '}') {
        source.fail("f-string: single '}' is not allowed");
      } else if (c === '\\' && /[{}]/.test(source.peek(1))) {
        text += c;
        source.at += 1;
      } else {
        text +=
          c === '' || (c === '\n' && string.depth > 0 && string.quote.length === 1)
            ? source.fail(
                `unterminated ${string.quote.length === 3 ? 'triple-quoted ' : ''}f-string literal`,
                string.at,
              )
            : this.#character(string.quote, string.raw, string.at);
      }
    }
    flush();
    return parts;
  }

  #field(string: { quote: string; raw: boolean; at: TokenPosition; depth: number }): FieldPart {
    const source = this.#source;
    const at = source.position();
    if (string.depth >= 2) source.fail('f-string: expressions nested too deeply', at);
    source.at += 1;
    const start = source.at;
    const outer = this.#brackets;
    this.#brackets = [];
    const tokens: Token[] = [];
    while (!this.#fieldEnds()) {
      const isOver =
        source.text.length - source.at <= string.quote.length && source.startsWith(string.quote);
      if (isOver || source.at >= source.text.length) source.fail("f-string: expecting '}'", at);
      this.#step(tokens);
    }
    const end = source.position();
    if (tokens.length === 0) source.fail("f-string: valid expression required before '}'", at);
    let debug: string | undefined;
    if (source.peek() === '=') {
      source.at += 1;
      source.take(BLANK);
      debug = source.text.slice(start, source.at);
    }
    const conversion = this.#conversion();
    let spec: FieldPart[] | undefined;
    if (source.peek() === ':') {
      source.at += 1;
      spec = this.#parts({ ...string, depth: string.depth + 1 });
    }
    if (source.peek() !== '}') source.fail("f-string: expecting '}'");
    source.at += 1;
    this.#brackets = outer;
    tokens.push({ kind: 'newline', at: end }, { kind: 'end', at: end });
    return { kind: 'field', tokens, debug, conversion, spec };
  }

  /** Whether the expression of a field ends: `}`, `:`, `=` or `!` outside its brackets. */
  #fieldEnds(): boolean {
    const source = this.#source;
    source.take(BLANK);
    if (this.#brackets.length > 0) return false;
    const c = source.peek();
    return c === '}' || c === ':' || ((c === '=' || c === '!') && source.peek(1) !== '=');
  }

  #conversion(): 'r' | 's' | 'a' | undefined {
    const source = this.#source;
    if (source.peek() !== '!') return undefined;
    const letter = source.peek(1);
    if (letter !== 'r' && letter !== 's' && letter !== 'a') {
      return source.fail(
        `f-string: invalid conversion character '${letter}': expected 's', 'r', or 'a'`,
      );
    }
    source.at += 2;
    source.take(BLANK);
    return letter;
  }
}
