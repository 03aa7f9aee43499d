import type { components } from '../../../generated/api.d.ts';
import type { Bounds } from '../../../planner/ask.ts';
import { compared, textQuantity } from '../../../planner/refusal.ts';
import { shown } from '../../../tasks/task.ts';
import type { Bound, Mebibytes, Millicores } from '../../../words/units.ts';
import { noteCores, noteSize, type Notes } from '../../reading/notes.ts';
import type { Spelling } from '../generations.ts';
import type { At } from '../view.ts';
import { noteUnknownInside } from './known-keys.ts';

type BrokerBounds = components['schemas']['BrokerBounds'];

/** The bounds of cores, and where they stand. */
export function readCoreBounds(
  notes: Notes,
  block: At<BrokerBounds | undefined>,
): Bounds<Millicores> {
  const asked = requestedIn(notes, block, ['min', 'max']);
  const read = (key: 'min' | 'max', bound: Bound): Millicores | undefined =>
    noteCores(notes, asked.item[key], `${asked.path}.${key}`, bound);
  return ordered(notes, { min: read('min', 'least'), max: read('max', 'most') }, asked, 'cores');
}

/** The bounds of memory or of a size: GiB, unless `units` says otherwise. */
export function readSizeBounds(
  notes: Notes,
  block: At<BrokerBounds | undefined>,
  outer?: string,
): Bounds<Mebibytes> {
  const asked = requestedIn(notes, block, ['min', 'max', 'units']);
  const units = asked.item.units ?? block.item?.units ?? outer ?? 'GiB';
  const factor = UNITS.get(units);
  if (factor === undefined) {
    notes.note({
      code: 'amount-unreadable',
      path: `${asked.item.units === undefined ? block.path : asked.path}.units`,
      asked: textQuantity(shown(units)),
      detail: `Units are ${[...UNITS.keys()].join(', ')}.`,
    });
    return { min: undefined, max: undefined };
  }
  const read = (key: 'min' | 'max', bound: Bound): Mebibytes | undefined => {
    const value = asked.item[key];
    const gibibytes = value === undefined ? undefined : value * factor;
    return noteSize(notes, gibibytes, `${asked.path}.${key}`, bound);
  };
  return ordered(notes, { min: read('min', 'least'), max: read('max', 'most') }, asked, 'memory');
}

/** Where a bound stands, or would: below `requested` in the drafts of 2024. */
export function boundPath(
  { item, path }: At<BrokerBounds | undefined>,
  { generation }: Spelling,
  bound: 'min' | 'max',
): string {
  const isInner = item === undefined ? generation === 'types' : item.requested !== undefined;
  return `${path}${isInner ? '.requested' : ''}.${bound}`;
}

/** GiB of a unit of sizes; one that is not known counts as GiB. */
export function gibibytesPer(units: string): number {
  return UNITS.get(units) ?? 1;
}

const GIB = 2 ** 30;
const PREFIXES = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];

/** GiB of each unit. Unlike the 2023 vocabulary, this one has decimal units, too. */
const UNITS: ReadonlyMap<string, number> = new Map(
  PREFIXES.flatMap((prefix, index) => [
    [`${prefix}iB`, 1024 ** (index + 1) / GIB],
    [`${prefix}B`, 1000 ** (index + 1) / GIB],
  ]),
);

/** The block with the client's bounds. What was offered before is no demand. */
function requestedIn(
  notes: Notes,
  { item, path }: At<BrokerBounds | undefined>,
  keys: readonly string[],
): At<BrokerBounds> {
  if (item === undefined) return { item: {}, path };
  noteUnknownInside(notes, item, [...keys, 'requested', 'offered'], path);
  const { requested } = item;
  if (requested === undefined) return { item, path };
  noteUnknownInside(notes, requested, keys, `${path}.requested`);
  for (const key of ['min', 'max'] as const)
    if (item[key] !== undefined)
      notes.note({
        code: 'time-ambiguous',
        path: `${path}.${key}`,
        detail: `The request has ${path}.requested, too.`,
      });
  return { item: requested, path: `${path}.requested` };
}

function ordered<Unit extends number>(
  notes: Notes,
  bounds: Bounds<Unit>,
  { path }: At<BrokerBounds>,
  resource: 'cores' | 'memory',
): Bounds<Unit> {
  const { min, max } = bounds;
  if (min !== undefined && max !== undefined && min > max)
    notes.note({
      code: 'minimum-above-maximum',
      path: `${path}.min`,
      ...compared(resource, min, max, min),
    });
  return bounds;
}
