import { analyze } from './analysis.ts';
import type { Comment, EmittedNode, MapOut, ScalarOut, SeqOut } from './document.ts';
import { Page, WIDTH } from './page.ts';
import { withFolds } from './folded.ts';
import {
  writeDoubleQuoted,
  writeFolded,
  writeLiteral,
  writePlain,
  writeSingleQuoted,
} from './scalars.ts';

/** The position of a node: at the top, as a key, a value or an item. */
type Role = 'root' | 'key' | 'value' | 'item';

/**
 * `longestKey`: a key with this many characters or more gets a `?`; a tag counts even if it is not
 * written.
 */
type EmitOptions = { readonly longestKey?: number };

const LONGEST_KEY = 123;

/**
 * The text of a document as ruamel.yaml writes it: indentation 2, lines up to 80 columns, Unicode
 * unescaped.
 */
export function emitYaml(
  document: EmittedNode,
  { longestKey = LONGEST_KEY }: EmitOptions = {},
): string {
  const page = new Page();
  new Emitter(page, longestKey).node(document, 'root');
  page.line();
  return page.isOpen ? `${page.text}...\n` : page.text;
}

class Emitter {
  readonly #page: Page;
  readonly #longestKey: number;
  /** The open collections: their kind, and the indentation around them. */
  readonly #levels: { readonly isSeq: boolean; readonly indent: number }[] = [];
  /** The opening signs of the flow collections among them. */
  readonly #flows: string[] = [];
  /** Written comments of collections; several nodes may share one. */
  readonly #written = new Set<Comment>();
  /** New columns of comments that were moved to the left; several nodes may share one. */
  readonly #columns = new Map<Comment, number>();

  constructor(page: Page, longestKey: number) {
    this.#page = page;
    this.#longestKey = longestKey;
  }

  node(node: EmittedNode, role: Role): void {
    const page = this.#page;
    if (node.mark !== undefined) page.name(node.mark);
    switch (node.kind) {
      case 'scalar':
        return this.#scalar(node, role);
      case 'seq':
        if (node.tag !== undefined) page.sign(node.tag, true);
        return this.#seq(node, role);
      case 'map':
        if (node.tag !== undefined) page.sign(node.tag, true);
        return this.#map(node, role);
      default:
        return node satisfies never;
    }
  }

  get #isInFlow(): boolean {
    return this.#flows.length > 0;
  }

  get #isInSeq(): boolean {
    return this.#levels.at(-1)?.isSeq === true;
  }

  /** Writes with two more columns of indentation, or none at the top. */
  #deeper(isSeq: boolean, columns: number, write: () => void): void {
    const { indent } = this.#page;
    this.#levels.push({ isSeq, indent });
    this.#page.indent = indent + columns;
    write();
    this.#page.indent = indent;
    this.#levels.pop();
  }

  /** Writes the comments above a node; those of a collection once only. */
  #above(node: EmittedNode): void {
    const isCollection = node.kind !== 'scalar';
    for (const comment of node.before ?? []) {
      if (comment.isHeader || (isCollection && this.#written.has(comment))) continue;
      this.#page.above(comment);
      if (isCollection) this.#written.add(comment);
    }
  }

  #scalar(node: ScalarOut, role: Role): void {
    const page = this.#page;
    if (node.alias !== undefined) {
      page.name(node.alias);
      if (role !== 'key') return;
      // Without the space the colon would belong to the name; ruamel.yaml does not count it.
      page.put(' ');
      page.column -= 1;
      return;
    }
    const isItem = role === 'item' && !this.#isInFlow && node.mark === undefined;
    if (node.tag !== undefined) {
      page.sign(node.tag, true);
      page.isHeld ||= isItem;
    }
    const { indent } = page;
    page.indent = indent + 2;
    if (isItem) page.line();
    // Otherwise the first fold would be lost.
    page.isHeld = false;
    const isBlock = this.#text(node, role === 'key');
    if (node.after !== undefined) {
      const { text, column } = node.after;
      const known = this.#columns.get(node.after) ?? column;
      // Behind a block of text a comment must stand further left, or it would belong to the text.
      const moved = isBlock ? Math.min(known, page.indent - 1) : known;
      this.#columns.set(node.after, moved);
      page.behind({ text, column: moved });
    }
    page.indent = indent;
  }

  /** Writes the text of a scalar. @returns whether it is a block */
  #text({ text, style, isPlain, lines, before, tag }: ScalarOut, isKey: boolean): boolean {
    const analysis = analyze(text);
    const mayBePlain = this.#isInFlow ? analysis.allowsFlowPlain : analysis.allowsBlockPlain;
    const page = this.#page;
    const isBlock = style === 'literal' || style === 'folded';
    if (isBlock && !this.#isInFlow && !isKey) {
      const header = before?.[0]?.isHeader ? before[0].text : '';
      if (style === 'literal') writeLiteral(page, text, header);
      else writeFolded(page, text, lines ?? [], header);
      return true;
    }
    const prefersDouble = style === 'double' || isBlock || (style === 'any' && /['\n]/.test(text));
    // In braces, a null written as nothing would be an empty string.
    if (style === 'any' && isPlain && text === '' && this.#isInFlow && tag === undefined)
      writePlain(page, 'null', false);
    else if (style === 'any' && isPlain && mayBePlain && !(isKey && text === ''))
      writePlain(page, text, !isKey);
    // In braces and as a key, ruamel.yaml writes its own mark of folds as a character.
    else if (style === 'folded') writeDoubleQuoted(page, withFolds(text, lines ?? []), !isKey);
    else if (prefersDouble || !analysis.allowsSingleQuoted || (isKey && analysis.isMultiline))
      writeDoubleQuoted(page, text, !isKey);
    else writeSingleQuoted(page, text, !isKey);
    return false;
  }

  #seq(node: SeqOut, role: Role): void {
    const page = this.#page;
    const { column, isIndented } = page;
    const isFlow = node.flow || node.items.length === 0;
    if (!isFlow && node.after !== undefined) {
      page.behind(node.after);
      page.isIndented = false;
      page.isHeld = true;
    }
    const isBelow = isFlow && node.before !== undefined && !this.#isInSeq;
    if (node.before !== undefined) {
      this.#above(node);
      page.isIndented = isIndented;
      page.isHeld = !isIndented;
    }
    if (!isFlow && !this.#isInFlow) return this.#blockSeq(node, role);
    if (isFlow && node.before !== undefined) page.column = column;
    const writes = node.items.map((item) => () => this.node(item, 'item'));
    this.#flow('[', ']', { isSeq: true, isBelow, after: isFlow ? node.after : undefined }, writes);
  }

  #blockSeq({ items, end }: SeqOut, role: Role): void {
    const page = this.#page;
    // The items of a value stand in the column of its key.
    const isFlush = role === 'value' && !page.isIndented;
    this.#deeper(true, role === 'root' || isFlush ? 0 : 2, () => {
      this.#straight();
      for (const [index, item] of items.entries()) {
        this.#above(item);
        const isHeld = page.isHeld && page.column === 0;
        if (role === 'item' && index === 0) page.line();
        else page.entry();
        page.sign('-', true, true);
        page.isHeld ||= isHeld;
        this.node(item, 'item');
      }
      for (const comment of end ?? []) page.above(comment);
    });
    page.isHeld = false;
  }

  /** A list as the first part of an item begins on the line of its dash. */
  #straight(): void {
    if (this.#levels.at(-2)?.isSeq !== true) return;
    this.#page.isIndented = true;
    this.#page.isHeld = false;
  }

  #map(node: MapOut, role: Role): void {
    const isFlow = node.flow || node.entries.length === 0;
    if (!isFlow && node.after !== undefined) this.#page.behind(node.after);
    this.#above(node);
    if (!isFlow && !this.#isInFlow) return this.#blockMap(node, role);
    const writes = node.entries.map(([key, value]) => () => {
      this.node(key, 'key');
      this.#page.sign(':', false);
      this.node(value, 'value');
    });
    // A single pair in a list needs no braces.
    const isBare = this.#flows.at(-1) === '[' && writes.length === 1;
    const isBelow = isFlow && (node.before ?? []).length > 0 && !this.#isInSeq;
    this.#flow(
      isBare ? '' : '{',
      isBare ? '' : '}',
      { isSeq: false, isBelow, after: isFlow ? node.after : undefined },
      writes,
    );
  }

  #blockMap({ entries }: MapOut, role: Role): void {
    const page = this.#page;
    this.#deeper(false, role === 'root' ? 0 : 2, () => {
      for (const [index, [key, value]] of entries.entries()) {
        this.#above(key);
        // The first entry of an item stands behind its dash.
        if (role === 'item' && index === 0) page.line();
        else page.entry();
        // A colon cannot stand behind a comment.
        const isApart = key.text.length >= this.#longestKey || key.after !== undefined;
        if (isApart) page.sign('?', true, true);
        this.node(key, 'key');
        if (isApart) page.line();
        page.sign(':', false, isApart);
        this.node(value, 'value');
      }
    });
  }

  /** A collection in braces; `isBelow` when comments stand between it and its key. */
  #flow(open: string, close: string, of: FlowStart, items: readonly (() => void)[]): void {
    const page = this.#page;
    const { isSeq, isBelow, after } = of;
    const start = (): void =>
      page.sign(' '.repeat(this.#flowColumn(isBelow)) + open, true, false, true);
    if (!isBelow) start();
    this.#deeper(isSeq, 2, () => {
      if (isBelow) start();
      if (isSeq) this.#straight();
      this.#flows.push(open);
      for (const [index, write] of items.entries()) {
        if (index > 0) page.sign(',', false);
        if (page.column > WIDTH) page.line();
        write();
      }
      this.#flows.pop();
    });
    if (close !== '') page.sign(close, false);
    if (after !== undefined) page.behind(after);
    else if (items.length > 0) page.isHeld = false;
    else if (!this.#isInFlow) page.break();
  }

  /**
   * Spaces before the brace: in a list up to the column behind the dash, below a comment two more
   * than the key.
   */
  #flowColumn(isBelow: boolean): number {
    const level = this.#levels.at(-1);
    if (level === undefined || (!isBelow && (this.#levels.length < 2 || !level.isSeq))) return 0;
    return Math.max(level.indent + (isBelow ? 2 : 1 - this.#page.column), 0);
  }
}

type FlowStart = {
  readonly isSeq: boolean;
  readonly isBelow: boolean;
  readonly after: Comment | undefined;
};
