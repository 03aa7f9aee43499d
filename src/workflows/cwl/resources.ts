import { isRecord } from '../../words/record.ts';
import { processIn, type CwlDocuments, type CwlProcess } from './processes.ts';

/**
 * Finds the ResourceRequirement among requirements or hints.
 *
 * @param base of the document that they are in; undefined: the ask
 */
export type ResourceFinder = (list: unknown, base: string | undefined) => CwlProcess | undefined;

/** A finder for one workflow, which follows `$import` among its documents. */
export function resourceFinder(documents: CwlDocuments): ResourceFinder {
  // The steps of a workflow share its lists, which may be long; and imports may lead in a circle.
  const known = new Map<string, Map<object, CwlProcess | undefined>>();
  const find: ResourceFinder = (list, base) => {
    const at = imported(documents, { value: list, base });
    if (typeof at?.value !== 'object' || at.value === null) return undefined;
    const ofBase = known.get(at.base ?? '') ?? new Map<object, CwlProcess | undefined>();
    known.set(at.base ?? '', ofBase);
    if (!ofBase.has(at.value)) {
      ofBase.set(at.value, undefined);
      ofBase.set(at.value, among(at.value, at.base));
    }
    return ofBase.get(at.value);
  };
  /** Lists of requirements are lists of mappings with `class`, or mappings by class. */
  const among = (list: object, base: string | undefined): CwlProcess | undefined => {
    if (Array.isArray(list)) {
      for (const item of list) {
        // A list in a list is no CWL, and would be a way to make the stack deep.
        if (Array.isArray(item)) continue;
        const found = find(item, base);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    if (!isRecord(list)) return undefined;
    if (typeof list['class'] === 'string') return list['class'] === NAME ? list : undefined;
    const own = imported(documents, { value: list[NAME], base })?.value;
    return isRecord(own) ? own : undefined;
  };
  return find;
}

const NAME = 'ResourceRequirement';

/** The most imports that lead to each other. */
const MOST_IMPORTS = 20;

type At = { readonly value: unknown; readonly base: string | undefined };

/** What is in place of an `$import`; undefined: nothing is known of it. */
function imported(documents: CwlDocuments, at: At): At | undefined {
  let found: At | undefined = at;
  for (let count = 0; found !== undefined && count < MOST_IMPORTS; count += 1) {
    const written: unknown = isRecord(found.value) ? found.value['$import'] : undefined;
    if (typeof written !== 'string') return found;
    found = named(documents, written, found.base);
  }
  return undefined;
}

function named(documents: CwlDocuments, written: string, base: string | undefined): At | undefined {
  const hash = written.indexOf('#');
  const [file, fragment] =
    hash === -1 ? [written, undefined] : [written.slice(0, hash), written.slice(hash + 1)];
  const url = file === '' ? base : URL.parse(file, base)?.href;
  if (file !== '' && url === undefined) return undefined;
  const value =
    fragment === undefined
      ? documents.get(url ?? '')
      : processIn(documents, url, fragment)?.process;
  return value === undefined ? undefined : { value, base: url };
}
