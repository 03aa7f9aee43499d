import { compile, itemAssignment, PySyntaxError } from '../../python/index.ts';
import type { ItemAssignment, Program, PyDict, PyList, Value } from '../../python/index.ts';
import { Results } from '../decide/results.ts';
import { Template } from '../decide/template.ts';

export type SnippetKind = 'code' | 'exec' | 'fstring';

/** Where a snippet's text starts in the rule files. */
export type SnippetPlace = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
};

/** A piece of Python, and the names in its text that are only filled on demand. */
export type Snippet = {
  readonly program: Program;
  readonly hasImport: boolean;
  readonly hasHelpers: boolean;
  readonly hasInputSize: boolean;
  /** `entity` or `self`, or a call that shows all names. */
  readonly hasEntity: boolean;
  /** `env`, `params` or `resubmit`, or a call that shows all names. */
  readonly hasTexts: boolean;
  /** Whether its result follows from names and facts of the job (decide/results.ts). */
  readonly isSteady: boolean;
};

type Compiled = Snippet | PySyntaxError;

/** Every piece of Python in a configuration, compiled once per text. */
export class Snippets {
  readonly #compiled: { readonly [kind in SnippetKind]: Map<string, Compiled> } = {
    code: new Map(),
    exec: new Map(),
    fstring: new Map(),
  };
  readonly results = new Results<Value>();
  readonly filled = new Results<readonly string[]>();
  readonly #paramSets = new Map<string, ItemAssignment>();
  readonly #templates = new WeakMap<PyDict | PyList, Template>();
  readonly #plain = new Map<string, boolean>();
  readonly #places: { readonly [kind in SnippetKind]: Map<string, SnippetPlace> } = {
    code: new Map(),
    exec: new Map(),
    fstring: new Map(),
  };

  #forgettable: (() => void)[] = [];
  #mayTryNext = false;

  /** Whether a text could raise TryNextDestination...: none can without its name. */
  get mayTryNext(): boolean {
    return this.#mayTryNext;
  }

  /** Compile the text at `place`. Throws PySyntaxError. */
  add(kind: SnippetKind, text: string, place: SnippetPlace): void {
    if (text.includes('TryNext')) this.#mayTryNext = true;
    const places = this.#places[kind];
    if (!places.has(text)) places.set(text, place);
    if (kind !== 'fstring' || !isPlain(text)) this.get(kind, text);
    const set = kind === 'exec' ? itemAssignment(text) : undefined;
    if (set?.object === 'entity' && set.attribute === 'params' && isFilled(set.value))
      this.#paramSets.set(text, set);
  }

  /**
   * The program of a text; a text that a rule makes is compiled at run time. Throws PySyntaxError.
   */
  get(kind: SnippetKind, text: string): Program {
    return this.snippet(kind, text).program;
  }

  /** The program of a text, with the names that it mentions. Throws PySyntaxError. */
  snippet(kind: SnippetKind, text: string): Snippet {
    const known = this.#compiled[kind];
    let compiled = known.get(text);
    if (compiled === undefined) {
      compiled = compiledOf(kind, text);
      if (!this.#places[kind].has(text)) this.#madeUp(known, text);
      known.set(text, compiled);
    }
    if (compiled instanceof PySyntaxError) throw compiled;
    return compiled;
  }

  /** A text that only does `entity.params['key'] = value`, without a look at the entity. */
  paramSet(text: string): ItemAssignment | undefined {
    return this.#paramSets.get(text);
  }

  /** A snippet whose result follows from names and facts; undefined for any other text. */
  steady(kind: SnippetKind, text: string): Snippet | undefined {
    const known = this.#compiled[kind].get(text);
    return known instanceof PySyntaxError || known?.isSteady !== true ? undefined : known;
  }

  /**
   * Texts that rules make (an `entity.mem` that differs from job to job) must not fill the heap.
   */
  #madeUp(known: Map<string, Compiled>, text: string): void {
    if (this.#forgettable.length >= MOST_MADE_UP) {
      for (const forget of this.#forgettable) forget();
      this.#forgettable = [];
    }
    this.#forgettable.push(() => known.delete(text));
  }

  /** `isPlain` of a text, remembered. */
  isPlain(text: string): boolean {
    const known = this.#plain.get(text);
    if (known !== undefined) return known;
    const plain = isPlain(text);
    if (this.#plain.size >= MOST_PLAIN) this.#plain.clear();
    this.#plain.set(text, plain);
    return plain;
  }

  /** Whether the pattern matches a text of the files. */
  mention(pattern: RegExp): boolean {
    return Object.values(this.#places).some((places) =>
      [...places.keys()].some((text) => pattern.test(text)),
    );
  }

  /**
   * A list or dict of f-strings, taken apart and remembered as long as it lives; it must not
   * change.
   */
  template(value: PyDict | PyList): Template {
    const known = this.#templates.get(value);
    if (known !== undefined) return known;
    const template = new Template(value, this);
    this.#templates.set(value, template);
    return template;
  }

  /** Every import in the files, with its place. */
  *imports(): Generator<{ readonly module: string; readonly place: SnippetPlace }> {
    for (const kind of ['code', 'exec'] as const) {
      for (const [text, { file, line, column }] of this.#places[kind]) {
        const snippet = this.#compiled[kind].get(text);
        if (snippet === undefined || snippet instanceof PySyntaxError) continue;
        for (const at of snippet.program.imports) {
          yield {
            module: at.module,
            place: { file, line: line + at.line - 1, column: column + at.column - 1 },
          };
        }
      }
    }
  }

  /** Every text of the files, with its first place. */
  *texts(): Generator<{
    readonly kind: SnippetKind;
    readonly text: string;
    readonly place: SnippetPlace;
  }> {
    for (const kind of ['code', 'exec', 'fstring'] as const) {
      for (const [text, place] of this.#places[kind]) yield { kind, text, place };
    }
  }

  /** The first place of a text; undefined for a text of no file. */
  placeOf(kind: SnippetKind, text: string): SnippetPlace | undefined {
    return this.#places[kind].get(text);
  }

  /** `file:line` of a line (from 1) of a snippet; null for a text of no file. */
  place(kind: SnippetKind, text: string, line: number): string | null {
    const place = this.#places[kind].get(text);
    return place === undefined ? null : `${place.file}:${place.line + Math.max(line, 1) - 1}`;
  }
}

/** Most programs of texts that rules make, at some kB each. */
const MOST_MADE_UP = 500;
/** The largest configuration seen has 3,000 texts. */
const MOST_PLAIN = 20_000;

/** True for an f-string that is its own value: no braces, no escapes, no end of quotes. */
export function isPlain(text: string): boolean {
  return !/[{}\\\r\0]|'''|'$/.test(text);
}

/** Whether the names of a program have their values without a demand (`Snippet`). */
function isFilled({ ownNames }: Program): boolean {
  return !ON_DEMAND.some((name) => ownNames.has(name));
}

const ON_DEMAND = ['entity', 'self', 'env', 'params', 'resubmit', 'helpers', 'input_size'] as const;

function compiledOf(kind: SnippetKind, text: string): Compiled {
  try {
    const program = compile(text, kind);
    const hasAll = /locals|globals|vars|dir/.test(text);
    const has = (name: string): boolean => text.includes(name);
    const hasHelpers = has('helpers');
    const hasEntity = hasAll || /entity|self/.test(text);
    const hasTexts = hasAll || /env|params|resubmit/.test(text);
    return {
      program,
      hasImport: has('import'),
      hasHelpers,
      hasInputSize: has('input_size'),
      hasEntity,
      hasTexts,
      isSteady: program.onlyLooks && !hasHelpers && !hasEntity && !hasTexts,
    };
  } catch (error) {
    if (error instanceof PySyntaxError) return error;
    throw error;
  }
}
