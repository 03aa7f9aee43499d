import type { Comment } from './document.ts';

/** Lines are folded beyond this column. */
export const WIDTH = 80;

/**
 * A block of text: its column, the column of its key, and whether it keeps the empty lines behind
 * it.
 */
type Block = { readonly column: number; readonly below: number; readonly isOpen: boolean };

/** The text written so far, and the state of its last line. */
export class Page {
  #text = '';
  column = 0;
  /** The text ends with space. */
  isSpaced = true;
  /** The line has only indentation and dashes. */
  isIndented = true;
  indent = 0;
  #block: Block | undefined;
  /** The next indentation stays on the same line. */
  isHeld = false;

  get text(): string {
    return this.#text;
  }

  /** The text ends with a block that keeps the empty lines behind it. */
  get isOpen(): boolean {
    return this.#block?.isOpen === true;
  }

  /** Ends a block of text at the indentation; `isOpen` when it keeps the empty lines behind it. */
  blockEnds(text: string, isOpen: boolean): void {
    // A block without lines would take the first line that is further in than the key.
    this.#block = {
      column: text === '' ? this.indent - 1 : this.indent,
      below: this.indent - 2,
      isOpen,
    };
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

  /** A sign such as `-` or `:`, after a space where it needs one. */
  sign(sign: string, needsSpace: boolean, keepsIndented = false, isSpaced = false): void {
    this.put(this.isSpaced || !needsSpace ? sign : ` ${sign}`);
    this.#block = undefined;
    this.isSpaced = isSpaced;
    this.isIndented = this.isIndented && keepsIndented;
  }

  /** Go to the indentation of a new line, or of this one if it is empty. */
  line(): void {
    if (
      !this.isIndented ||
      this.column > this.indent ||
      (this.column === this.indent && !this.isSpaced)
    ) {
      if (this.isHeld) this.isHeld = false;
      else this.break();
    }
    if (this.column < this.indent) {
      this.isSpaced = true;
      this.put(' '.repeat(this.indent - this.column));
    }
  }

  /** Go to the line of an entry, and forget what was held for the entry before. */
  entry(): void {
    if (!this.isIndented && this.column > 0) this.isHeld = false;
    this.line();
  }

  /** `&name` or `*name`. */
  name(name: string): void {
    this.sign(name, true);
    this.isHeld = false;
  }

  /** A comment behind the last text, which ends the line. */
  behind(comment: Comment): void {
    const { text, column } = this.#besideBlock(comment);
    if (text === '') return;
    // A folded block that ends with a space has not ended its line.
    if (this.#block !== undefined && this.column > 0 && !text.startsWith('\n')) this.break();
    this.#comment(
      text.endsWith('\n') ? text.slice(0, -1) : text,
      text.startsWith('\n') ? this.column : column,
    );
    this.break();
  }

  /** A comment on lines of its own. */
  above(comment: Comment): void {
    const { text, column } = this.#besideBlock(comment);
    if (text === '') return;
    if (this.column !== 0) this.break();
    this.#comment(text, text.startsWith('\n') ? this.column : column);
  }

  /**
   * A comment next to a block of text that must not become part of it: left of it, and without
   * empty lines that the block would keep.
   */
  #besideBlock(comment: Comment): Comment {
    const block = this.#block;
    if (block === undefined) return comment;
    const { column, below, isOpen } = block;
    const outside = (at: number): number => (at < column ? at : below);
    const text = comment.text.replaceAll(/^ +(?=#)/gm, (spaces) =>
      ' '.repeat(outside(spaces.length)),
    );
    if (!isOpen || !text.startsWith('\n')) return { text, column: outside(comment.column) };
    const lines = text.replace(/^\n+/, '');
    return { text: lines.trimStart(), column: lines.length - lines.trimStart().length };
  }

  /** A comment at a column, or behind a longer line. The column of the page stays. */
  #comment(text: string, column: number): void {
    const gap = column - this.column;
    const isCrowded = this.column > 0 && text.trim() !== '' && gap < 1 && !text.startsWith('\n');
    this.#text += ' '.repeat(Math.max(isCrowded ? 1 : gap, 0)) + text;
  }
}
