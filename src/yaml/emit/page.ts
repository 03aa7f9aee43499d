import type { Comment } from './document.ts';

/** Column after which lines are folded. */
export const WIDTH = 80;

/** The text under way, and what is known of its last line. */
export class Page {
  #text = '';
  column = 0;
  /** The last thing written is space. */
  isSpaced = true;
  /** The line has nothing but its indentation and dashes. */
  isIndented = true;
  indent = 0;
  /** The last sign was that of a block that keeps the empty lines behind it. */
  isOpen = false;
  /** The next indentation stays on the line. */
  isHeld = false;

  get text(): string {
    return this.#text;
  }

  put(text: string): void {
    this.#text += text;
    this.column += [...text].length;
  }

  break(text = '\n'): void {
    this.#text += text;
    this.column = 0;
    this.isSpaced = true;
    this.isIndented = true;
  }

  /** A sign such as `-` or `:`, behind a space if it needs one. */
  sign(sign: string, needsSpace: boolean, keepsIndented = false, isSpaced = false): void {
    this.put(this.isSpaced || !needsSpace ? sign : ` ${sign}`);
    this.isOpen = false;
    this.isSpaced = isSpaced;
    this.isIndented = this.isIndented && keepsIndented;
  }

  /** Go to a new line, unless this one is still empty, and to the indentation. */
  line(): void {
    if (!this.isIndented || this.column > this.indent || (this.column === this.indent && !this.isSpaced)) {
      if (this.isHeld) this.isHeld = false;
      else this.break();
    }
    if (this.column < this.indent) {
      this.isSpaced = true;
      this.put(' '.repeat(this.indent - this.column));
    }
  }

  /** `&name` or `*name`. */
  name(name: string): void {
    this.sign(name, true);
    this.isHeld = false;
  }

  /** A comment behind what was written, and the end of its line. */
  behind({ text, column }: Comment): void {
    this.#comment(text.endsWith('\n') ? text.slice(0, -1) : text, text.startsWith('\n') ? this.column : column);
    this.break();
  }

  /** A comment on lines of its own. */
  above({ text, column }: Comment): void {
    if (this.column !== 0) this.break();
    this.#comment(text, text.startsWith('\n') ? this.column : column);
  }

  /** A comment at a column, where the line is not longer already; the column of the page stays. */
  #comment(text: string, column: number): void {
    const gap = column - this.column;
    const isCrowded = this.column > 0 && text.trim() !== '' && gap < 1 && !text.startsWith('\n');
    this.#text += ' '.repeat(Math.max(isCrowded ? 1 : gap, 0)) + text;
  }
}
