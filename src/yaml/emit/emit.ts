import { analyze } from './analysis.ts';
import type { Document, MapOut, ScalarOut, SeqOut } from './document.ts';
import { Page, WIDTH } from './page.ts';
import { withFolds } from './folded.ts';
import { writeDoubleQuoted, writeFolded, writeLiteral, writePlain, writeSingleQuoted } from './scalars.ts';

/** Where a node stands: as a key, a value or an item, or at the top. */
type Role = 'root' | 'key' | 'value' | 'item';

/** `longestKey`: keys of that many characters or more are set apart by `?`; the tag that is not written counts too. */
export type EmitOptions = { readonly longestKey?: number };

const LONGEST_KEY = 123;

/** The text of a document as ruamel.yaml writes it: indentation 2, lines up to 80 columns, Unicode as it is. */
export function emitYaml(document: Document, { longestKey = LONGEST_KEY }: EmitOptions = {}): string {
  const page = new Page();
  new Emitter(page, longestKey).node(document, 'root');
  if (page.column > 0) page.break();
  return page.isOpen ? `${page.text}...\n` : page.text;
}

class Emitter {
  readonly #page: Page;
  readonly #longestKey: number;
  #depth = 0;
  /** The flow collection around what is written. */
  #around: 'seq' | 'map' | null = null;

  constructor(page: Page, longestKey: number) {
    this.#page = page;
    this.#longestKey = longestKey;
  }

  node(node: Document, role: Role): void {
    switch (node.kind) {
      case 'scalar':
        return this.#scalar(node, role);
      case 'seq':
        return this.#collection(node, () => (this.#isFlow(node) ? this.#flowSeq(node) : this.#blockSeq(node, role)));
      case 'map':
        return this.#collection(node, () => (this.#isFlow(node) ? this.#flowMap(node) : this.#blockMap(node, role)));
      default:
        return node satisfies never;
    }
  }

  #isFlow(node: SeqOut | MapOut): boolean {
    return this.#depth > 0 || node.flow || sizeOf(node) === 0;
  }

  #collection(node: SeqOut | MapOut, write: () => void): void {
    const page = this.#page;
    if (node.mark !== undefined) page.sign(node.mark, true);
    if (node.tag !== undefined) page.sign(node.tag, true);
    const { isIndented } = page;
    if (!node.flow && sizeOf(node) > 0 && node.after !== undefined) {
      page.comment(node.after, false);
      if (node.kind === 'seq') {
        page.isIndented = false;
        page.isHeld = true;
      }
    }
    if (node.before !== undefined && node.before.length > 0) {
      page.comments(node.before);
      if (node.kind === 'seq') {
        page.isIndented = isIndented;
        page.isHeld = !isIndented;
      }
    }
    write();
  }

  /** Writes with two columns more indentation. */
  #deeper(write: () => void, columns = 2): void {
    const { indent } = this.#page;
    this.#page.indent = indent + columns;
    write();
    this.#page.indent = indent;
  }

  #scalar(node: ScalarOut, role: Role): void {
    const page = this.#page;
    this.#deeper(() => {
      if (role === 'item' && this.#depth === 0) page.line();
      if (node.mark !== undefined) page.sign(node.mark, true);
      if (node.tag !== undefined) page.sign(node.tag, true);
      if (node.alias === undefined) this.#text(node, role === 'key');
      else page.sign(node.alias, true);
      if (node.after === undefined) return;
      // A comment behind a block of text would be read as part of it, were it not further left.
      const column = node.style !== 'any' ? Math.min(node.after.column, page.indent - 1) : node.after.column;
      page.comment({ text: node.after.text, column }, false);
    });
  }

  #text({ text, style, isPlain, lines }: ScalarOut, isKey: boolean): void {
    const analysis = analyze(text);
    const mayBePlain = this.#depth > 0 ? analysis.allowsFlowPlain : analysis.allowsBlockPlain;
    const page = this.#page;
    // A null that is not written at all would be an empty string in braces.
    if (isPlain && text === '' && this.#depth > 0) return writePlain(page, 'null', false);
    if (style === 'any' && isPlain && mayBePlain && !(isKey && text === '')) return writePlain(page, text, !isKey);
    if (style === 'literal' && this.#depth === 0 && !isKey) return writeLiteral(page, text);
    if (style === 'folded' && this.#depth === 0 && !isKey) return writeFolded(page, text, lines ?? []);
    // In braces and as a key ruamel.yaml writes out the sign by which it remembers folds.
    if (style === 'folded') return writeDoubleQuoted(page, withFolds(text, lines ?? []), !isKey);
    const prefersDouble = style === 'any' && /['\n]/.test(text);
    if (prefersDouble || style !== 'any' || !analysis.allowsSingleQuoted) return writeDoubleQuoted(page, text, !isKey);
    writeSingleQuoted(page, text, !isKey);
  }

  #blockSeq(node: SeqOut, role: Role): void {
    const page = this.#page;
    // The items of a value stand under its key, not further in.
    const isFlush = role === 'value' && !page.isIndented;
    const write = (): void => {
      for (const [index, item] of node.items.entries()) {
        page.comments(item.before);
        if (index > 0) page.isHeld = false;
        const { isHeld } = page;
        page.line();
        page.sign('-', true, true);
        if (isHeld) page.isHeld = true;
        this.node({ ...item, before: undefined }, 'item');
      }
      page.comments(node.end);
    };
    this.#deeper(write, role === 'root' || isFlush ? 0 : 2);
    page.isHeld = false;
  }

  #blockMap(node: MapOut, role: Role): void {
    const page = this.#page;
    const write = (): void => {
      for (const [key, value] of node.entries) {
        page.comments(key.before);
        page.line();
        const isLong = key.text.length >= this.#longestKey;
        if (isLong) page.sign('?', true, true);
        this.node({ ...key, before: undefined }, 'key');
        if (isLong) page.line();
        page.sign(':', false, isLong);
        this.node(value, 'value');
      }
      page.comments(node.end);
    };
    this.#deeper(write, role === 'root' ? 0 : 2);
  }

  #flowSeq(node: SeqOut): void {
    const writes = node.items.map((item) => () => this.node(item, 'item'));
    this.#flow('[', ']', node, writes);
  }

  #flowMap(node: MapOut): void {
    const { entries } = node;
    const writes = entries.map(([key, value]) => () => {
      this.node(key, 'key');
      this.#page.sign(':', false);
      this.node(value, 'value');
    });
    // One pair in a list needs no braces.
    const isBare = this.#around === 'seq' && writes.length === 1;
    this.#flow(isBare ? '' : '{', isBare ? '' : '}', node, writes);
  }

  #flow(open: string, close: string, { kind, after }: SeqOut | MapOut, items: readonly (() => void)[]): void {
    const page = this.#page;
    const around = this.#around;
    page.sign(open, true, false, true);
    this.#around = kind;
    this.#depth += 1;
    this.#deeper(() => {
      for (const [index, write] of items.entries()) {
        if (index > 0) page.sign(',', false);
        if (page.column > WIDTH) page.line();
        write();
      }
    });
    this.#depth -= 1;
    this.#around = around;
    if (close !== '') page.sign(close, false);
    if (after !== undefined) page.comment(after, false);
    else if (items.length === 0 && this.#depth === 0) page.break();
    if (after === undefined) page.isHeld = false;
  }
}

function sizeOf(node: SeqOut | MapOut): number {
  return node.kind === 'seq' ? node.items.length : node.entries.length;
}
