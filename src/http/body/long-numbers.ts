import { CORE_SCHEMA, defineScalarTag, intCoreTag } from 'js-yaml';
import { exactNumber } from '../../xml/exact-number.ts';
import { isRecord } from '../../words/record.ts';

/**
 * May a document have whole numbers that a double does not hold, such as the identifiers of stars
 * in Gaia's catalogue? They have at least 16 digits, or 14 in other bases.
 */
export function mayHaveLongNumbers(source: string): boolean {
  return /\d{16}|0[ox][\da-f]{14}/i.test(source);
}

/** JSON, in which whole numbers are bigints if a double would print another one. */
export function parseLongJson(source: string): unknown {
  const reviver = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? exactNumber(value, context?.source ?? '') : value;
  return JSON.parse(source, reviver);
}

/** The schema of YAML in which whole numbers are bigints if a double would print another one. */
export const LONG_NUMBERS = CORE_SCHEMA.withTags(
  defineScalarTag<unknown>('tag:yaml.org,2002:int', {
    implicit: true,
    identify: intCoreTag.identify,
    implicitFirstChars: intCoreTag.implicitFirstChars,
    resolve: (source, isExplicit, tagName) => {
      const value: unknown = intCoreTag.resolve(source, isExplicit, tagName);
      return typeof value === 'number' ? exactNumber(value, source) : value;
    },
  }),
);

/** Makes doubles of the bigints of notebooks: nobody reads what they printed before. */
export function roundInNotebooks(value: unknown, isWithin = false): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    if (typeof inner === 'bigint') {
      if (isWithin) Reflect.set(value, key, Number(inner));
    } else roundInNotebooks(inner, isWithin || (isRecord(inner) && Array.isArray(inner['cells'])));
}
