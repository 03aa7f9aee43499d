import { isRecord } from '../../words/record.ts';
import { imported, mixedField } from './directives.ts';
import { CWL, fullName } from './names.ts';
import type { CwlDocuments, CwlProcess } from './processes.ts';

/** What a requirement says of a name. */
export type Said = (name: string) => unknown;

/**
 * Finds a requirement among the requirements or hints of a process or step.
 *
 * @param base of the document that it is in; undefined: the ask
 */
export type RequirementFinder = (
  of: CwlProcess,
  key: 'requirements' | 'hints',
  base: string | undefined,
) => Said | undefined;

/**
 * A finder for one workflow, which follows `$import` and `$mixin` among its documents.
 *
 * @param wanted the class of the requirement
 */
export function requirementFinder(documents: CwlDocuments, wanted: string): RequirementFinder {
  // The steps of a workflow share its lists, which may be long; and imports may lead in a circle.
  const known = new Map<string, Map<object, Said | undefined>>();
  const find = (list: unknown, base: string | undefined): Said | undefined => {
    const at = imported(documents, { value: list, base });
    if (typeof at?.value !== 'object' || at.value === null) return undefined;
    const ofBase = known.get(at.base ?? '') ?? new Map<object, Said | undefined>();
    known.set(at.base ?? '', ofBase);
    if (!ofBase.has(at.value)) {
      ofBase.set(at.value, undefined);
      ofBase.set(at.value, among(at.value, at.base));
    }
    return ofBase.get(at.value);
  };
  /** Lists of requirements are lists of mappings with `class`, or mappings by class. */
  const among = (list: object, base: string | undefined): Said | undefined => {
    if (Array.isArray(list)) {
      // Of two the last one counts.
      for (const item of list.toReversed()) {
        // A list in a list is no CWL, and would be a way to make the stack deep.
        if (Array.isArray(item)) continue;
        const found = find(item, base);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    const at = { value: list, base };
    const kind = mixedField(documents, at, 'class')?.value;
    if (typeof kind === 'string') return isName(kind, wanted) ? saidAt(at) : undefined;
    const field = mixedField(documents, at, wanted);
    const own = field && imported(documents, field);
    return own && isRecord(own.value) ? saidAt(own) : undefined;
  };
  const saidAt =
    (at: Parameters<typeof mixedField>[1]): Said =>
    (name) =>
      mixedField(documents, at, name)?.value;
  return (of, key, base) => {
    const list = mixedField(documents, { value: of, base }, key);
    return list && find(list.value, list.base);
  };
}

function isName(kind: string, wanted: string): boolean {
  return kind === wanted || fullName(kind, undefined) === `${CWL}${wanted}`;
}
