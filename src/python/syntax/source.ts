import { PySyntaxError } from './error.ts';
import type { TokenPosition } from './token.ts';

/** The text and the current place in it. */
export class SourceText {
  readonly text: string;
  /** Columns to subtract on the first line: a wrapping that is not the user's. */
  readonly #shift: number;
  at = 0;
  #line = 1;
  #lineStart = 0;
  #counted = 0;

  constructor(text: string, shift = 0) {
    this.text = text;
    this.#shift = shift;
  }
  peek(offset = 0): string {
    return this.text[this.at + offset] ?? '';
  }
  startsWith(part: string): boolean {
    return this.text.startsWith(part, this.at);
  }
  /** Reads what a sticky regular expression matches here. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
  /** Line and column of the next character. */
  position(): TokenPosition {
    while (this.#counted < this.at) {
      this.#counted += 1;
      if (this.text[this.#counted - 1] === '\n') {
        this.#line += 1;
        this.#lineStart = this.#counted;
      }
    }
    const column = this.at - this.#lineStart + 1;
    return {
      line: this.#line,
      column: this.#line === 1 ? Math.max(1, column - this.#shift) : column,
    };
  }
  fail(message: string, at: TokenPosition = this.position()): never {
    throw new PySyntaxError(message, at.line, at.column);
  }
}
