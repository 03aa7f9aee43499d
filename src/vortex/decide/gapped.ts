import { PyDict, PyList } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { Snippets } from '../file/snippets.ts';
import type { Json } from '../job.ts';
import { toJson } from '../values.ts';
import type { TemplatePart } from './template.ts';

/** JSON with gaps: text number `gaps[i]` stands between `fixed[i]` and `fixed[i + 1]`. */
export type Gapped = { readonly fixed: readonly string[]; readonly gaps: readonly number[] };

/** The f-strings of a list or dict in order, and its JSON with gaps for them. */
export type Written = {
  readonly sources: readonly string[];
  /** Null where a JSON object has its keys in another order than the dict. */
  readonly gapped: Gapped | null;
  /** Whether it is a list of dicts of texts. */
  readonly isEntries: boolean;
};

/** Writes a list or dict in one go: with params that differ from user to user, each is new. */
export function writtenOf(value: PyDict | PyList, snippets: Snippets): Written {
  const writer = new JsonWriter(snippets);
  writer.write(value);
  const { sources, gapped } = writer;
  return { sources, gapped, isEntries: value instanceof PyList && value.items.every(hasTexts) };
}

/** The JSON of a template, written once: most of an answer is the same for all jobs. */
export function gappedOf(root: TemplatePart): Gapped {
  const fixed: string[] = [];
  const gaps: number[] = [];
  let current = '';
  const write = (part: TemplatePart): void => {
    switch (part.kind) {
      case 'constant':
        current += JSON.stringify(part.json);
        return;
      case 'text':
        fixed.push(current);
        current = '';
        gaps.push(part.index);
        return;
      case 'list':
        writeAll(
          '[',
          part.items.map((item) => ['', item]),
          ']',
        );
        return;
      case 'dict':
        writeAll(
          '{',
          partsOf(part.constants, part.changing).map(([key, item]) => [
            `${JSON.stringify(key)}:`,
            item,
          ]),
          '}',
        );
        return;
      default:
        part satisfies never;
    }
  };
  const writeAll = (
    open: string,
    items: readonly (readonly [string, TemplatePart])[],
    close: string,
  ): void => {
    current += open;
    for (const [index, [before, item]] of items.entries()) {
      current += `${index === 0 ? '' : ','}${before}`;
      write(item);
    }
    current += close;
  };
  write(root);
  return { fixed: [...fixed, current], gaps };
}

/** The JSON with its texts in the gaps. */
export function filledJson({ fixed, gaps }: Gapped, texts: readonly string[]): string {
  let json = fixed[0] ?? '';
  for (let gap = 0; gap < gaps.length; gap += 1) {
    json += JSON.stringify(texts[gaps[gap] ?? -1] ?? null) + (fixed[gap + 1] ?? '');
  }
  return json;
}

class JsonWriter {
  readonly sources: string[] = [];
  readonly #snippets: Snippets;
  readonly #fixed: string[] = [];
  #current = '';
  #isInOrder = true;

  constructor(snippets: Snippets) {
    this.#snippets = snippets;
  }

  get gapped(): Gapped | null {
    if (!this.#isInOrder) return null;
    return { fixed: [...this.#fixed, this.#current], gaps: [...this.sources.keys()] };
  }

  write(value: Value): void {
    if (typeof value === 'string') this.#writeText(value);
    else if (value instanceof PyDict) this.#writeDict(value);
    else if (value instanceof PyList) this.#writeList(value);
    else this.#current += JSON.stringify(toJson(value));
  }

  #writeText(text: string): void {
    if (this.#snippets.isPlain(text)) {
      this.#current += JSON.stringify(text);
      return;
    }
    this.sources.push(text);
    this.#fixed.push(this.#current);
    this.#current = '';
  }

  #writeList({ items }: PyList): void {
    let separator = '[';
    for (const item of items) {
      this.#current += separator;
      this.write(item);
      separator = ',';
    }
    this.#current += items.length === 0 ? '[]' : ']';
  }

  #writeDict({ table }: PyDict): void {
    let separator = '{';
    for (const { key, value } of table.values()) {
      if (typeof key !== 'string' || INDEX.test(key)) this.#isInOrder = false;
      this.#current += `${separator}${JSON.stringify(typeof key === 'string' ? key : '')}:`;
      this.write(value);
      separator = ',';
    }
    this.#current += table.size === 0 ? '{}' : '}';
  }
}

/** A key that JavaScript may sort before the others. */
const INDEX = /^\d/;

function hasTexts(item: Value): boolean {
  if (!(item instanceof PyDict)) return false;
  for (const { value } of item.table.values()) if (typeof value !== 'string') return false;
  return true;
}

/** The parts in the order of the keys of the object. */
function partsOf(
  constants: { readonly [key: string]: Json },
  changing: readonly (readonly [string, TemplatePart])[],
): readonly (readonly [string, TemplatePart])[] {
  const changes = new Map(changing);
  return Object.entries(constants).map(([key, json]) => [
    key,
    changes.get(key) ?? { kind: 'constant', value: null, json },
  ]);
}
