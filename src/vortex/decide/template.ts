import { PyDict, PyList, str } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { EnvEntry } from '../decision.ts';
import { filledJson, gappedOf, writtenOf } from './gapped.ts';
import type { Gapped, Written } from './gapped.ts';
import type { Json } from '../job.ts';
import type { SteadyTexts } from './results.ts';
import type { Snippets } from '../file/snippets.ts';
import { copyValue, isList, isTable, toJson } from '../values.ts';

/** A value of f-strings, taken apart once: most of them are plain text. */
export type TemplatePart =
  | { readonly kind: 'constant'; readonly value: Value; readonly json: Json }
  /** The text number `index`. */
  | { readonly kind: 'text'; readonly index: number }
  | { readonly kind: 'list'; readonly items: readonly TemplatePart[] }
  | {
      readonly kind: 'dict';
      /** All keys in order; those of `changing` hold no value yet. */
      readonly constants: { readonly [key: string]: Json };
      readonly changing: readonly (readonly [string, TemplatePart])[];
      readonly entries: readonly (readonly [Value, TemplatePart])[];
    };

/** A list or dict of f-strings, as `env` and `params` are. */
export class Template {
  readonly #value: PyDict | PyList;
  readonly #snippets: Snippets;
  readonly #written: Written;
  #root: TemplatePart | undefined;
  #texts = 0;
  #gapped: Gapped | undefined;
  #repeated: Template['repeated'] | undefined;

  constructor(value: PyDict | PyList, snippets: Snippets) {
    this.#value = value;
    this.#snippets = snippets;
    this.#written = writtenOf(value, snippets);
  }

  /**
   * Whether it is a list of dicts of texts: then its JSON has what Python's `str` makes of each
   * value.
   */
  get isEntries(): boolean {
    return this.#written.isEntries;
  }

  /** Its parts. Made on demand: most templates only become JSON, and many serve one job. */
  get root(): TemplatePart {
    return (this.#root ??= this.#partOf(this.#value));
  }

  /** Its JSON with gaps for the texts. */
  get gapped(): Gapped {
    return (this.#gapped ??= this.#written.gapped ?? gappedOf(this.root));
  }

  /** The texts to evaluate, in order. */
  get sources(): readonly string[] {
    return this.#written.sources;
  }

  /** All texts as one that repeats; null if one of them may not have the same result again. */
  get repeated(): (SteadyTexts & { readonly hasInputSize: boolean }) | null {
    if (this.#repeated === undefined) this.#repeated = this.#repeatedOf();
    return this.#repeated;
  }

  #repeatedOf(): Template['repeated'] {
    const { sources } = this.#written;
    if (sources.length === 0) return null;
    const names = new Set<string>();
    let hasInputSize = false;
    for (const source of sources) {
      const snippet = this.#snippets.steady('fstring', source);
      if (snippet === undefined) return null;
      hasInputSize ||= snippet.hasInputSize;
      for (const name of snippet.program.ownNames) names.add(name);
    }
    return { text: sources.join('\0'), names, hasInputSize };
  }

  /** Itself with its texts evaluated. */
  fill(texts: readonly string[]): Filled {
    return new Filled(this, texts);
  }

  #partOf(value: Value): TemplatePart {
    if (typeof value === 'string' && !this.#snippets.isPlain(value)) {
      this.#texts += 1;
      return { kind: 'text', index: this.#texts - 1 };
    }
    if (value instanceof PyList) {
      const items = value.items.map((item) => this.#partOf(item));
      return items.every(isConstant) ? constant(value) : { kind: 'list', items };
    }
    if (!(value instanceof PyDict)) return constant(value);
    const entries = value.pairs().map(([key, item]) => [key, this.#partOf(item)] as const);
    if (entries.every(([, part]) => isConstant(part))) return constant(value);
    return {
      kind: 'dict',
      constants: Object.fromEntries(
        entries.map(([key, part]) => [str(key), part.kind === 'constant' ? part.json : null]),
      ),
      changing: entries
        .filter(([, part]) => !isConstant(part))
        .map(([key, part]) => [str(key), part]),
      entries,
    };
  }
}

/** A template with its texts: as JSON, or as the Python value that rules see. */
export class Filled {
  readonly #template: Template;
  readonly #texts: readonly string[];
  #value: Value | undefined;

  constructor(template: Template, texts: readonly string[]) {
    this.#template = template;
    this.#texts = texts;
  }

  /** Whether rules have got hold of the value: then only its JSON tells whether it has one. */
  get isHeld(): boolean {
    return this.#value !== undefined;
  }

  /** The Python value, which rules may change. From the first call on it replaces the JSON. */
  value(): Value {
    return (this.#value ??= this.#valueOf(this.#template.root));
  }

  /** As entries of `env`: every value is text, as Python's `str` writes it. */
  entries(): readonly EnvEntry[] {
    if (this.#template.isEntries && this.#value === undefined) {
      const json = this.#json(this.#template.root);
      if (isList(json)) return json.filter(isEntry);
    }
    const value = this.value();
    return value instanceof PyList ? value.items.map(entryOf) : [];
  }

  /** The JSON of `entries`. */
  entriesText(): string {
    return this.#template.isEntries && this.#value === undefined
      ? filledJson(this.#template.gapped, this.#texts)
      : JSON.stringify(this.entries());
  }

  json(): Json {
    return this.#value === undefined ? this.#json(this.#template.root) : toJson(this.#value);
  }

  /** The JSON of `json`. */
  jsonText(): string {
    return this.#value === undefined
      ? filledJson(this.#template.gapped, this.#texts)
      : JSON.stringify(toJson(this.#value));
  }

  #json(part: TemplatePart): Json {
    switch (part.kind) {
      case 'constant':
        return part.json;
      case 'text':
        return this.#texts[part.index] ?? null;
      case 'list':
        return part.items.map((item) => this.#json(item));
      case 'dict': {
        const json: { [key: string]: Json } = { ...part.constants };
        for (const [key, item] of part.changing) json[key] = this.#json(item);
        return json;
      }
      default:
        return part satisfies never;
    }
  }

  #valueOf(part: TemplatePart): Value {
    switch (part.kind) {
      case 'constant':
        return copyValue(part.value);
      case 'text':
        return this.#texts[part.index] ?? null;
      case 'list':
        return new PyList(part.items.map((item) => this.#valueOf(item)));
      case 'dict':
        return new PyDict(part.entries.map(([key, item]) => [key, this.#valueOf(item)]));
      default:
        return part satisfies never;
    }
  }
}

/** All answers share the parts that are the same for all jobs. */
function constant(value: Value): TemplatePart {
  return { kind: 'constant', value, json: frozen(toJson(value)) };
}

function frozen(json: Json): Json {
  if (json === null || typeof json !== 'object') return json;
  Object.values(json).forEach(frozen);
  return Object.freeze(json);
}

function isConstant(part: TemplatePart): boolean {
  return part.kind === 'constant';
}

function isEntry(json: Json): json is EnvEntry {
  return isTable(json);
}

function entryOf(entry: Value): EnvEntry {
  if (!(entry instanceof PyDict)) return { value: str(entry) };
  return Object.fromEntries(entry.pairs().map(([key, value]) => [str(key), str(value)]));
}
