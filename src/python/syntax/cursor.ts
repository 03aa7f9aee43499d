import { PySyntaxError } from './error.ts';
import { shownToken } from './token.ts';
import type { TokenPosition, Token } from './token.ts';

/** Deepest nesting of expressions and statements: recursion walks the tree, here and in V8. */
const MAX_DEPTH = 150;

/** What the enclosing statements allow. */
type Context = { readonly inFunction: boolean; readonly inLoop: boolean };

/** Reads a list of tokens. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  context: Context = { inFunction: false, inLoop: false };

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }
  token(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    return token ?? this.fail('unexpected end of text');
  }
  get at(): TokenPosition {
    return this.token().at;
  }
  next(): Token {
    const token = this.token();
    this.#at += 1;
    return token;
  }
  /** The current place, for `rewind`. */
  mark(): number {
    return this.#at;
  }
  rewind(mark: number): void {
    this.#at = mark;
  }
  /** Whether the next token is this operator or keyword. */
  is(text: string, ahead = 0): boolean {
    const token = this.token(ahead);
    return (token.kind === 'operator' || token.kind === 'keyword') && token.text === text;
  }
  isKind(kind: Token['kind'], ahead = 0): boolean {
    return this.token(ahead).kind === kind;
  }
  accept(text: string): boolean {
    const found = this.is(text);
    if (found) this.#at += 1;
    return found;
  }
  expect(text: string, where: string): void {
    if (!this.accept(text))
      this.fail(`expected '${text}' ${where}, not ${shownToken(this.token())}`);
  }
  /** @throws PySyntaxError when the next token is not a name; keywords are not names */
  name(what: string): string {
    const token = this.token();
    if (token.kind !== 'name') return this.fail(`expected ${what}, not ${shownToken(token)}`);
    this.#at += 1;
    return token.text;
  }
  fail(message: string, at?: TokenPosition): never {
    const where = at ??
      this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]?.at ?? { line: 1, column: 1 };
    throw new PySyntaxError(message, where.line, where.column);
  }
  unexpected(): never {
    const token = this.token();
    if (token.kind === 'indent') this.fail('unexpected indent');
    return this.fail(`invalid syntax: unexpected ${shownToken(token)}`);
  }
  /** Parses one level deeper. */
  nested<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.fail('too many nested expressions or blocks');
    const result = parse();
    this.#depth -= 1;
    return result;
  }
  /** Parses with another context. */
  within<T>(context: Context, parse: () => T): T {
    const outer = this.context;
    this.context = context;
    const result = parse();
    this.context = outer;
    return result;
  }
}
