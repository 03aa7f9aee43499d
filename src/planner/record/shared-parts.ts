import type { Promised } from '../offer.ts';

/** A value's place in a document: keys and numbers of items. */
type Path = readonly string[];
/** Where a value belongs in the task of a promise, and where it stands in the client's document. */
type Shared = readonly [inTask: Path, inDocument: Path];

/**
 * A promise as it is kept: what its task has in common with the
 * client's document stands there only.
 */
export type KeptPromise = Promised & { readonly shared?: readonly Shared[] };

/** Smaller documents are kept twice, which costs less than looking. */
const LEAST_DOCUMENT = 4096;
/** Smaller values stay where they are: to say where they stand takes as much. */
const LEAST_VALUE = 256;

/**
 * Promises as they are kept beside a document: of a large one, nothing is kept twice,
 * and not once more for each offer.
 *
 * @returns what is written for a promise
 */
export function sharingWith(document: unknown, bytes: number): (promised: Promised) => object {
  if (bytes < LEAST_DOCUMENT || !isObject(document)) return (promised) => promised;
  const places = placesIn(document);
  // The offers of an answer have one task.
  const tasks = new Map<unknown, { readonly task: unknown; readonly shared: readonly Shared[] }>();
  const keptTask = (task: Promised['task']) => {
    const shared: Shared[] = [];
    const kept = tasks.get(task) ?? { task: withoutShared(task, [], places, shared) ?? {}, shared };
    tasks.set(task, kept);
    return kept;
  };
  return (promised) => ({ ...promised, ...keptTask(promised.task) });
}

/**
 * A promise with all of its task again.
 * @param document of its ask; not needed where nothing is shared
 */
export function wholePromise(
  { shared = [], ...promised }: KeptPromise,
  document: unknown,
): Promised {
  for (const [inTask, inDocument] of shared)
    putAt(Object(promised.task), inTask, valueAt(document, inDocument));
  return promised;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Every value of a document that is worth it, by its JSON; the first place counts. */
function placesIn(document: unknown): ReadonlyMap<string, Path> {
  const places = new Map<string, Path>();
  const walk = (value: unknown, path: Path): void => {
    const json = JSON.stringify(value) ?? '';
    if (json.length < LEAST_VALUE) return;
    if (!places.has(json)) places.set(json, path);
    if (isObject(value))
      for (const [key, child] of Object.entries(value)) walk(child, [...path, key]);
  };
  walk(document, []);
  return places;
}

/** A value without what stands in the document; `undefined` where all of it does. */
function withoutShared(
  value: unknown,
  path: Path,
  places: ReadonlyMap<string, Path>,
  shared: Shared[],
): unknown {
  const json = JSON.stringify(value) ?? '';
  if (json.length < LEAST_VALUE) return value;
  const place = places.get(json);
  if (place !== undefined) {
    shared.push([path, place]);
    return undefined;
  }
  if (Array.isArray(value))
    return value.map(
      (item, index): unknown => withoutShared(item, [...path, `${index}`], places, shared) ?? null,
    );
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        withoutShared(child, [...path, key], places, shared),
      ]),
    );
  return value;
}

function putAt(target: Record<string, unknown>, [key, ...rest]: Path, value: unknown): void {
  if (key === undefined) Object.assign(target, value);
  else if (rest.length === 0) target[key] = value;
  else putAt(Object(target[key]), rest, value);
}

function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key): unknown => Object(value)[key], document);
}
