import { compile, PySyntaxError } from '../python/index.ts';
import type { Program } from '../python/index.ts';

export type SnippetKind = 'code' | 'exec' | 'fstring';

/** Where a snippet's text starts in the rule files. */
export type Place = { readonly file: string; readonly line: number; readonly column: number };

type Compiled = Program | PySyntaxError;

/** Every piece of Python in a configuration, compiled once per text. */
export class Snippets {
  readonly #compiled = new Map<string, Compiled>();
  readonly #places = new Map<string, Place>();

  /** Compile a text that stands at `place`. Throws PySyntaxError. */
  add(kind: SnippetKind, text: string, place: Place): void {
    const key = keyOf(kind, text);
    if (!this.#places.has(key)) this.#places.set(key, place);
    if (kind !== 'fstring' || !isPlain(text)) this.get(kind, text);
  }

  /** The program of a text; a text made by a rule at run time is compiled now. Throws PySyntaxError. */
  get(kind: SnippetKind, text: string): Program {
    const key = keyOf(kind, text);
    let compiled = this.#compiled.get(key);
    if (compiled === undefined) {
      compiled = compiledOf(kind, text);
      // Texts that rules make up (an `entity.mem` set in a loop over jobs) must not fill the heap.
      if (this.#compiled.size < MOST_PROGRAMS) this.#compiled.set(key, compiled);
    }
    if (compiled instanceof PySyntaxError) throw compiled;
    return compiled;
  }

  /** Where a text stands first; undefined for one that is in no file. */
  placeOf(kind: SnippetKind, text: string): Place | undefined {
    return this.#places.get(keyOf(kind, text));
  }

  /** `file:line` of a line (from 1) of a snippet; null for a text that is in no file. */
  place(kind: SnippetKind, text: string, line: number): string | null {
    const place = this.#places.get(keyOf(kind, text));
    return place === undefined ? null : `${place.file}:${place.line + Math.max(line, 1) - 1}`;
  }
}

/** The largest configuration seen has 3,000 texts. */
const MOST_PROGRAMS = 50_000;

/** True for an f-string that is its own value: no braces, no escapes, nothing that could end the quotes (1.6). */
export function isPlain(text: string): boolean {
  return !/[{}\\\r\0]|'''|'$/.test(text);
}

function keyOf(kind: SnippetKind, text: string): string {
  return `${kind}:${text}`;
}

function compiledOf(kind: SnippetKind, text: string): Compiled {
  try {
    return compile(text, kind);
  } catch (error) {
    if (error instanceof PySyntaxError) return error;
    throw error;
  }
}
