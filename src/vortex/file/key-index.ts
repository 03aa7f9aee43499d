import { compilePattern, PatternError } from './pattern.ts';

/** A key of a rule file: its position in the files, and its pattern. */
type Entry<T> = { readonly position: number; readonly value: T; readonly pattern: RegExp };

/** Keys by their first characters; `any` is for a dot, which stands for one character. */
type Branch<T> = {
  readonly next: Map<string, Branch<T>>;
  any: Branch<T> | undefined;
  /** Keys whose literal beginning ends here: their pattern decides. */
  readonly entries: Entry<T>[];
};

/** A key that makes TPV fail when a decision reaches it. */
export type BrokenKey = { readonly position: number; readonly message: string };

/** Most characters by which keys are told apart. */
const DEEPEST = 200;

/**
 * Finds regular expressions by their literal beginnings. Nearly all keys have one, so of thousands
 * of patterns only a few are tried. The pattern always decides.
 */
export class KeyIndex<T> {
  readonly #root: Branch<T> = branch();
  #broken: BrokenKey | null = null;

  constructor(values: ReadonlyMap<string, T>) {
    let position = 0;
    for (const [key, value] of values) {
      const pattern = this.#patternOf(key, position);
      if (pattern !== undefined) this.#add(key, { position, value, pattern });
      position += 1;
    }
  }

  /** The first key that is no regular expression. */
  get broken(): BrokenKey | null {
    return this.#broken;
  }

  #patternOf(key: string, position: number): RegExp | undefined {
    try {
      return compilePattern(key);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.#broken ??= { position, message: error.message };
      return undefined;
    }
  }

  /**
   * The values whose key matches at the start of `text`, and their
   * positions, in the order of the keys.
   */
  matching(text: string): { readonly values: readonly T[]; readonly positions: readonly number[] } {
    const found: Entry<T>[] = [];
    let level: readonly Branch<T>[] = [this.#root];
    collect(level, text, found);
    for (const character of text) {
      const deeper: Branch<T>[] = [];
      for (const { next, any } of level) {
        const branch = next.get(character);
        if (branch !== undefined) deeper.push(branch);
        if (any !== undefined) deeper.push(any);
      }
      if (deeper.length === 0) break;
      level = deeper;
      collect(level, text, found);
    }
    found.sort((a, b) => a.position - b.position);
    return {
      values: found.map(({ value }) => value),
      positions: found.map(({ position }) => position),
    };
  }

  #add(key: string, entry: Entry<T>): void {
    let at = this.#root;
    for (const character of plainStart(key)) at = step(at, character);
    at.entries.push(entry);
  }
}

/** Adds the entries whose pattern matches. */
function collect<T>(level: readonly Branch<T>[], text: string, found: Entry<T>[]): void {
  for (const { entries } of level) {
    if (entries.length === 0) continue;
    for (const entry of entries) if (matches(entry.pattern, text)) found.push(entry);
  }
}

function step<T>(from: Branch<T>, character: string | null): Branch<T> {
  if (character === null) return (from.any ??= branch());
  const known = from.next.get(character);
  if (known !== undefined) return known;
  const fresh = branch<T>();
  from.next.set(character, fresh);
  return fresh;
}

function branch<T>(): Branch<T> {
  return { next: new Map(), any: undefined, entries: [] };
}

/**
 * The characters that every match of a key begins with; null for any character. They end at the
 * first special character, and before a character that a quantifier may make optional. Empty for a
 * key with alternatives or flags.
 */
function plainStart(key: string): readonly (string | null)[] {
  if (key.includes('|') || key.startsWith('(')) return [];
  const plain: (string | null)[] = [];
  for (let at = 0; at < key.length && plain.length < DEEPEST; at += 1) {
    const character = key[at] ?? '';
    const escaped = key[at + 1] ?? '';
    if (character === '.') plain.push(null);
    else if (/[\w/ :@%,;=~!#&<>-]/.test(character)) plain.push(character);
    else if (character === '\\' && /[.+*?/ -]/.test(escaped)) {
      plain.push(escaped);
      at += 1;
    } else return /[*+?{]/.test(character) ? plain.slice(0, -1) : plain;
  }
  return plain;
}

function matches(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}
