import type { Promised } from '../offer.ts';

/** The place of a value in a document: keys and indices. */
type Path = readonly string[];
/** Where a value stands in the task of a promise and in the client's document. */
type Shared = readonly [inTask: Path, inDocument: Path];

/** A promise as it is kept: without the parts of its task that stand in the client's document. */
export type KeptPromise = Promised & { readonly shared?: readonly Shared[] };

/** Characters of a document below which a search costs more than it saves. */
const LEAST_DOCUMENT = 4096;
/** Characters of a value below which its place takes as much space as the value. */
const LEAST_VALUE = 256;

/**
 * A function that makes promises ready to be kept beside a document. The parts of a large document
 * are kept once, not once more for each offer.
 */
export function sharingWith(document: unknown, bytes: number): (promised: Promised) => object {
  if (bytes < LEAST_DOCUMENT || !isObject(document)) return (promised) => promised;
  const places = placesIn(document);
  // All offers of an answer have the same task.
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
 * A promise with its whole task.
 * @param document of its ask; not needed if the promise shares nothing
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

/** The first place of every large value of a document, by its JSON. */
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

/** A value without the parts that stand in the document; `undefined` if all of it does. */
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
