import { isRecord } from '../../words/record.ts';
import { MOST_REFERENCES, outsideOf, tooManyReferences, withoutFragment } from '../gather.ts';
import { workflowFault, type Faulty, type Reference } from '../language.ts';
import { LONGEST_ADDRESS, baseWithin } from './address.ts';
import { besideDefault } from './secondary.ts';
import { ADDRESSES, stepsOf } from './steps.ts';

/**
 * What a CWL document refers to, except for itself.
 *
 * @param base its URL; undefined: it is in the ask
 */
export function cwlReferences(
  document: unknown,
  base: string | undefined,
): Faulty | { readonly ok: true; readonly references: readonly Reference[] } {
  const references: Reference[] = [];
  // Aliases repeat an address, and fragments name many parts of one document.
  const [seen, addresses] = [new Set<string>(), new Set<string>()];
  for (const { written, kind, id } of writtenIn(document)) {
    if (written === '' || written.startsWith('#') || written.startsWith('_:')) continue;
    if (written.length > LONGEST_ADDRESS) return tooLong(written);
    const one = `${kind} ${id ?? ''} ${written}`;
    if (seen.has(one)) continue;
    seen.add(one);
    const url = URL.parse(written, id ?? base);
    if (kind === 'name') {
      const outside = url === null ? undefined : outsideOf(base, url.href);
      if (outside !== undefined) return outside;
      continue;
    }
    if (url === null)
      return workflowFault(
        'workflow-reference',
        base === undefined
          ? 'a workflow in the ask refers to nothing outside of it'
          : 'the workflow refers to what is no URL',
        written.slice(0, 200),
      );
    if (kind === 'directory')
      return workflowFault(
        'workflow-reference',
        'a directory of the workflow needs a listing of its files',
        written.slice(0, 200),
      );
    const address = withoutFragment(url.href);
    if (address !== base) references.push({ url: address, kind });
    addresses.add(address);
    if (addresses.size > MOST_REFERENCES + 1) return tooManyReferences();
  }
  return { ok: true, references };
}

/** `name`: of a directory, which is fetched by its listing or by nobody */
type Written = {
  readonly written: string;
  readonly kind: Reference['kind'] | 'directory' | 'name';
  /** the address around it that it starts from; undefined: the document's */
  readonly id?: string | undefined;
};

/**
 * Addresses as a document writes them, with its own.
 *
 * @param isDefault are they within a default, which nobody may use?
 * @param around the nearest address that an `id` around them is
 */
export function writtenIn(value: unknown, isDefault = false, around?: string): readonly Written[] {
  if (Array.isArray(value))
    return value.flatMap((item: unknown) => writtenIn(item, isDefault, around));
  if (!isRecord(value)) return [];
  const id = baseWithin(value, around);
  return [
    ...besideDefault(value).map((written): Written => ({ written, kind: 'file', id })),
    ...stepsOf(value).flatMap(({ id: name, step }): readonly Written[] => {
      const { run } = step;
      const from = baseWithin(step, baseWithin({ id: name }, id));
      return typeof run === 'string' ? [{ written: run, kind: 'document', id: from }] : [];
    }),
    ...Object.entries(value).flatMap(([key, inner]): readonly Written[] => {
      if (typeof inner !== 'string')
        return key === '$schemas'
          ? schemasIn(inner)
          : writtenIn(inner, isDefault || key === 'default', baseWithin({ id: key }, id));
      const followed = ADDRESSES.get(key);
      if (followed !== undefined) return [{ written: inner, kind: followed }];
      const kind = isPlace(key) ? kindOf(value) : undefined;
      const isName = isDefault && kind === 'directory';
      return kind === undefined ? [] : [{ written: inner, kind: isName ? 'name' : kind, id }];
    }),
  ];
}

function isPlace(key: string): boolean {
  return key === 'location' || key === 'path';
}

/** Directories cannot be fetched, but for the files that their listing names. */
function kindOf(value: Readonly<Record<string, unknown>>): Written['kind'] | undefined {
  if (value['class'] === 'File') return 'file';
  if (value['class'] !== 'Directory') return undefined;
  return Array.isArray(value['listing']) ? 'name' : 'directory';
}

/** Ontologies elsewhere only explain formats: the interpreter goes on without them. */
function schemasIn(schemas: unknown): readonly Written[] {
  const list: readonly unknown[] = Array.isArray(schemas) ? schemas : [];
  return list.flatMap((one) =>
    typeof one === 'string' && URL.parse(one) === null ? [{ written: one, kind: 'file' }] : [],
  );
}

function tooLong(written: string): Faulty {
  return workflowFault(
    'workflow-reference',
    'an address in the workflow is too long',
    written.slice(0, 200),
    `${LONGEST_ADDRESS}`,
  );
}
