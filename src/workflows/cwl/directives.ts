import { isRecord } from '../../words/record.ts';
import { processIn, type CwlDocuments } from './processes.ts';

/** A value, and the document that it is in; undefined: the ask. */
type At = { readonly value: unknown; readonly base: string | undefined };

/** The most directives that lead to each other. */
const MOST = 20;

/** What is in place of an `$import`; undefined: nothing is known of it. */
export function imported(documents: CwlDocuments, at: At): At | undefined {
  let found: At | undefined = at;
  for (let count = 0; found !== undefined && count < MOST; count += 1) {
    const written: unknown = isRecord(found.value) ? found.value['$import'] : undefined;
    if (typeof written !== 'string') return found;
    found = named(documents, written, found.base);
  }
  return undefined;
}

/** What a mapping has of a name: its own, or that of the document of its `$mixin`. */
export function mixedField(documents: CwlDocuments, at: At, key: string): At | undefined {
  let found: At | undefined = at;
  for (let count = 0; found !== undefined && count < MOST; count += 1) {
    if (!isRecord(found.value)) return undefined;
    if (Object.hasOwn(found.value, key)) return { value: found.value[key], base: found.base };
    const written: unknown = found.value['$mixin'];
    if (typeof written !== 'string') return undefined;
    // Interpreters take the whole document, whatever part is named.
    found = named(documents, beforeHash(written), found.base);
  }
  return undefined;
}

function named(documents: CwlDocuments, written: string, base: string | undefined): At | undefined {
  const file = beforeHash(written);
  const fragment = file === written ? undefined : written.slice(file.length + 1);
  const url = file === '' ? base : URL.parse(file, base)?.href;
  if (file !== '' && url === undefined) return undefined;
  const value =
    fragment === undefined
      ? documents.get(url ?? '')
      : processIn(documents, url, fragment)?.process;
  return value === undefined ? undefined : { value, base: url };
}

function beforeHash(written: string): string {
  return written.split('#', 1)[0] ?? '';
}
