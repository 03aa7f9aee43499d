import type { FileProblem } from './error.ts';
import { describe } from './node.ts';
import type { MapEntry, MapNode, Node, Position, SeqNode } from './node.ts';
import { suggestion } from './suggest.ts';

/** Bounds of a number, both inclusive. */
export type NumberRange = { readonly min?: number; readonly max?: number };

/** The most problems of a file to report: nobody reads further. */
export const MOST_PROBLEMS = 200;

/**
 * Reads values from nodes. Collects every problem with file, line and column, instead of stopping
 * at the first. Each `expect...` gives undefined after a problem.
 */
export class Reader {
  readonly file: string;
  readonly #problems: FileProblem[] = [];

  constructor(file: string) {
    this.file = file;
  }

  get problems(): readonly FileProblem[] {
    return this.#problems;
  }

  /** Record a problem at the place of `where`. */
  problem(where: Node | Position, message: string, hint?: string, code?: string): undefined {
    this.put(this.at(where, message, hint, code));
    return undefined;
  }

  /** Record a complete problem. */
  protected put(problem: FileProblem): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem);
  }

  /** A problem at the place of `where`, without recording it. */
  protected at(where: Node | Position, message: string, hint?: string, code?: string): FileProblem {
    const { line, column } = 'kind' in where ? where.at : where;
    const more = { ...(hint !== undefined && { hint }), ...(code !== undefined && { code }) };
    return { file: this.file, line, column, message, ...more };
  }

  /** `what` names the value in the message: `'cores' must be a number, not a list`. */
  #mismatch(node: Node | undefined, what: string, expected: string, hint?: string): undefined {
    return node && this.problem(node, `${what} must be ${expected}, not ${describe(node)}`, hint);
  }

  expectMap(node: Node | undefined, what: string): MapNode | undefined {
    return node?.kind === 'map' ? node : this.#mismatch(node, what, 'a mapping');
  }

  /** A mapping that may be absent or empty. */
  optionalMap(node: Node | undefined, what: string): MapNode | undefined {
    return node?.kind === 'null' ? undefined : this.expectMap(node, what);
  }

  expectSeq(node: Node | undefined, what: string): SeqNode | undefined {
    return node?.kind === 'seq' ? node : this.#mismatch(node, what, 'a list');
  }

  expectString(node: Node | undefined, what: string, hint?: string): string | undefined {
    return node?.kind === 'string' ? node.value : this.#mismatch(node, what, 'a string', hint);
  }

  expectBool(node: Node | undefined, what: string): boolean | undefined {
    return node?.kind === 'bool' ? node.value : this.#mismatch(node, what, 'true or false');
  }

  /** An integer within the range; 8.0 is not one. */
  expectInt(node: Node | undefined, what: string, range: NumberRange = {}): number | undefined {
    if (node?.kind !== 'int' || typeof node.value === 'bigint')
      return this.#mismatch(node, what, 'an integer');
    return this.#inRange(node, node.value, what, range);
  }

  /** A finite number within the range. */
  expectNumber(node: Node | undefined, what: string, range: NumberRange = {}): number | undefined {
    if ((node?.kind !== 'int' && node?.kind !== 'float') || !Number.isFinite(Number(node.value))) {
      return this.#mismatch(node, what, 'a number');
    }
    return this.#inRange(node, Number(node.value), what, range);
  }

  #inRange(
    node: Node,
    value: number,
    what: string,
    { min = -Infinity, max = Infinity }: NumberRange,
  ): number | undefined {
    if (value >= min && value <= max) return value;
    const expected = [
      min > -Infinity ? `at least ${min}` : '',
      max < Infinity ? `at most ${max}` : '',
    ];
    return this.problem(
      node,
      `${what} must be ${expected.filter((part) => part !== '').join(' and ')}, not ${value}`,
    );
  }

  /** One of the listed values; the message guesses the one that was meant. */
  expectOneOf<T extends string>(
    node: Node | undefined,
    what: string,
    values: readonly T[],
  ): T | undefined {
    const found = values.find((value) => node?.kind === 'string' && node.value === value);
    if (found !== undefined) return found;
    return this.#mismatch(node, what, `one of ${values.join(', ')}`, node && guess(node, values));
  }

  /** A list of strings. */
  expectStrings(node: Node | undefined, what: string): readonly string[] | undefined {
    const list = this.expectSeq(node, what);
    const strings = list?.items.map((item, index) => this.expectString(item, `${what}[${index}]`));
    return strings?.every((item) => item !== undefined) === true ? strings : undefined;
  }

  /**
   * The entries of a node that must be a mapping where there is one, by key; a key that is not a
   * string is a problem.
   */
  entries(
    node: Node | undefined,
    what: string,
  ): readonly { readonly name: string; readonly key: Node; readonly value: Node }[] {
    return (this.expectMap(node, what)?.entries ?? []).flatMap(({ key, value }) => {
      const name = this.expectString(key, `a key of ${what}`, `write it in quotes`);
      return name === undefined ? [] : [{ name, key, value }];
    });
  }

  /**
   * The values of known keys. An unknown key is a problem, with a guess at the one that was meant.
   * @param others keys that somebody else reads
   */
  expectKeys<K extends string>(
    node: MapNode,
    what: string,
    known: readonly K[],
    others: readonly string[] = [],
  ): { readonly [key in K]?: Node } {
    const found: { [key in K]?: Node } = {};
    for (const { name, key, value } of this.entries(node, what)) {
      const match = known.find((candidate) => candidate === name);
      if (match !== undefined) found[match] = value;
      else if (!others.includes(name)) {
        const all = [...known, ...others];
        this.problem(
          key,
          `${what} has no key '${name}'`,
          guess(key, all) ?? `known keys: ${all.join(', ')}`,
        );
      }
    }
    return found;
  }

  /**
   * The values of known keys of a node that must be a mapping where there is one.
   * @see expectKeys
   */
  fields<K extends string>(
    node: Node | undefined,
    what: string,
    known: readonly K[],
  ): { readonly [key in K]?: Node } | undefined {
    const map = this.expectMap(node, what);
    return map && this.expectKeys(map, what, known);
  }

  /** The same of a section of a file; without it, and where it is empty, no values. */
  section<K extends string>(
    node: Node | undefined,
    what: string,
    known: readonly K[],
  ): { readonly [key in K]?: Node } {
    return (node?.kind === 'null' ? undefined : this.fields(node, what, known)) ?? {};
  }

  /** Each key that is missing is a problem at the node that lacks it. */
  requireKeys<K extends string>(
    node: Node,
    what: string,
    found: { readonly [key in K]?: Node },
    keys: readonly K[],
  ): void {
    for (const key of keys)
      if (found[key] === undefined) this.problem(node, `${what} needs '${key}'`);
  }
}

/** The value of a key of a mapping; undefined without the key. */
export function valueOf(node: MapNode, key: string): Node | undefined {
  return entryOf(node, key)?.value;
}

/** The entry of a key of a mapping; undefined without the key. */
export function entryOf(node: MapNode, key: string): MapEntry | undefined {
  return node.entries.find((entry) => entry.key.kind === 'string' && entry.key.value === key);
}

function guess(node: Node, known: readonly string[]): string | undefined {
  return node.kind === 'string' ? suggestion(node.value, known) : undefined;
}
