import { isRecord } from '../../words/record.ts';
import { withoutFragment } from '../gather.ts';
import { plainDocument } from '../plain.ts';
import { baseWithin } from './address.ts';
import { writtenIn } from './references.ts';
import { ADDRESSES } from './steps.ts';

/**
 * The text of a document whose references lead to files: relative ones do already, if the files lie
 * as their URLs do.
 *
 * @param localOf the address of the file of a URL
 */
export function localisedCwl(text: string, base: string, localOf: (url: string) => string): string {
  const document = plainDocument(text, base);
  if (!document.ok) return text;
  const changed = new Map<string, string>();
  for (const { written, id } of writtenIn(document.value)) {
    if (!leadsElsewhere(written, id)) continue;
    const url = URL.parse(written, id ?? base);
    if (url === null) continue;
    changed.set(nameOf(written, id), `${localOf(withoutFragment(url.href))}${url.hash}`);
  }
  return changed.size === 0 ? text : JSON.stringify(withChanged(document.value, changed));
}

/** Keys that may have an address. */
const KEYS: ReadonlySet<string> = new Set(['run', 'location', 'path']);
/** Those that start from the document, whatever is around them. */
const OF_DOCUMENT: ReadonlySet<string> = new Set([...ADDRESSES.keys(), '$schemas']);

/** An `id` that is an address sends an interpreter to its host, also for what lies beside it. */
function leadsElsewhere(written: string, id: string | undefined): boolean {
  if (written === '' || written.startsWith('#') || written.startsWith('_:')) return false;
  if (id !== undefined) return true;
  return written.startsWith('/') || written.includes('?') || URL.parse(written) !== null;
}

/** One text leads to several files where several ids are around it. */
function nameOf(written: string, id: string | undefined): string {
  return `${id ?? ''} ${written}`;
}

/** @param around the nearest address that an `id` around the value is */
function withChanged(
  value: unknown,
  changed: ReadonlyMap<string, string>,
  key = '',
  around?: string,
): unknown {
  if (typeof value === 'string') {
    if (!KEYS.has(key) && !OF_DOCUMENT.has(key)) return value;
    return changed.get(nameOf(value, KEYS.has(key) ? around : undefined)) ?? value;
  }
  if (Array.isArray(value))
    return value.map((item: unknown) => withChanged(item, changed, key, around));
  if (!isRecord(value)) return value;
  const id = baseWithin(value, around);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      withChanged(
        item,
        changed,
        name,
        typeof item === 'string' ? id : baseWithin({ id: name }, id),
      ),
    ]),
  );
}
