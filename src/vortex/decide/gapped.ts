import type { Json } from '../job.ts';
import type { TemplatePart } from './template.ts';

/** JSON with gaps: text number `gaps[i]` stands between `fixed[i]` and `fixed[i + 1]`. */
export type Gapped = { readonly fixed: readonly string[]; readonly gaps: readonly number[] };

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
