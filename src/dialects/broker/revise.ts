import type { Change } from '../../planner/nearest/change.ts';
import { printInstant } from '../../words/iso8601.ts';
import { printDuration } from '../duration.ts';
import { valueAt, withValue } from '../edit.ts';
import { EXTRA, extraIn } from './extras.ts';
import { uriOf, type BrokerRequest } from './generations.ts';
import type { OpenedRequest } from './opened.ts';
import { machineAt, placeIn } from './paths.ts';
import { gibibytesPer } from './read/amounts.ts';
import { requestMounts } from './read/volumes.ts';

/** A change of the document, for people. */
export type ToldChange = { readonly path: string; readonly from: unknown; readonly to: unknown };

/** The client's document with some changes, and what they are. */
export type RevisedRequest = {
  readonly request: BrokerRequest;
  readonly told: readonly ToldChange[];
};

/**
 * Makes changes in a copy of the client's document, which the client can send. Machines are removed
 * last, so that the places of other changes stay valid.
 */
export function reviseRequest(opened: OpenedRequest, changes: readonly Change[]): RevisedRequest {
  const lost = new Set(changes.flatMap(({ what, of }) => (what === 'item' ? [of] : [])));
  const edits = changes.flatMap((change) =>
    change.what === 'item' ? [] : [...kindOfNew(opened, change), ...editsOf(opened, change)],
  );
  const all = [...edits, ...removals(opened, lost)];
  return {
    request: all.reduce<BrokerRequest>(
      (request, { path, to }) => withValue(request, path, to),
      opened.request,
    ),
    told: all.map(({ path, to }) => ({ path, from: valueAt(opened.request, path), to })),
  };
}

type Edit = { readonly path: string; readonly to: unknown };
type Kept = Exclude<Change, { readonly what: 'item' }>;

function editsOf(opened: OpenedRequest, change: Kept): readonly Edit[] {
  const { what, of, to } = change;
  switch (what) {
    case 'cores':
    case 'memory': {
      const path = placeIn(opened, { what, bound: change.bound, part: of });
      const unit = what === 'cores' ? 1000 : 1024 * gibibytesAt(opened, path);
      return [{ path, to: to === undefined ? undefined : wholeIn(opened, path, to / unit) }];
    }
    case 'gpu':
      return extraEdits(opened, of, EXTRA.gpu, to && { type: to.type, count: to.count });
    case 'replicas':
      return extraEdits(opened, of, EXTRA.replicas, { count: to });
    case 'size': {
      const path = placeIn(opened, { what, item: of });
      const unit = 1024 * gibibytesAt(opened, path);
      return [{ path, to: wholeIn(opened, path, to / unit) }];
    }
    case 'lifetime':
      return [{ path: placeIn(opened, { what, item: of }), to: printDuration(to) }];
    case 'start': {
      const path = placeIn(opened, { what: 'window', window: of });
      const start = `${printInstant(to.earliest)}/${printInstant(to.latest)}`;
      return [{ path: path === 'schedule' ? 'schedule.requested.start' : path, to: start }];
    }
    case 'duration': {
      const path = placeIn(opened, { what, window: of });
      const other = ['minduration', 'maxduration'].map((key) => path.replace(/duration$/, key));
      return [
        ...other
          .filter((one) => valueAt(opened.request, one) !== undefined)
          .map((one) => ({ path: one, to: undefined })),
        { path, to: printDuration(to) },
      ];
    }
    case 'environment':
      return [{ path: placeIn(opened, { what: 'spec', at: what }), to }];
    case 'requirement':
      return [{ path: placeIn(opened, { what: 'spec', at: `requirements[${of}]` }), to }];
    case 'cost':
      return [{ path: placeIn(opened, { what, cost: of }), to }];
    default:
      return change satisfies never;
  }
}

/** A machine that the request does not name needs a kind. */
function kindOfNew({ view, spelling }: OpenedRequest, { what }: Kept): readonly Edit[] {
  if (view.compute.length > 0 || !IN_MACHINE.has(what)) return [];
  const uri = uriOf(spelling, 'compute', 'simple-compute-resource');
  return [{ path: `${view.noComputePath}.${spelling.key}`, to: uri }];
}

const IN_MACHINE: ReadonlySet<Change['what']> = new Set(['cores', 'memory', 'gpu', 'replicas']);

/** GiB of the unit in which an amount at a path is written. */
function gibibytesAt({ request }: OpenedRequest, path: string): number {
  const [block, outer, part] = [1, 2, 3].map((up) =>
    valueAt(request, `${path.split('.').slice(0, -up).join('.')}.units`),
  );
  return gibibytesPer([block, outer, part].find((units) => typeof units === 'string') ?? 'GiB');
}

/**
 * A whole amount, as the drafts have them: a lower one is rounded down and a higher one up, unless
 * nothing would be left.
 */
function wholeIn({ request }: OpenedRequest, path: string, amount: number): number {
  const before = valueAt(request, path);
  const isHigher = typeof before === 'number' && amount > before;
  const whole = isHigher ? Math.ceil(amount) : Math.floor(amount);
  return whole === 0 ? amount : whole;
}

/** Changes an extra of a machine, adds it, or takes it away. */
function extraEdits(
  { view }: OpenedRequest,
  part: number,
  kind: string,
  words: Readonly<Record<string, unknown>> | undefined,
): readonly Edit[] {
  const machine = machineAt(view, part);
  const extra = extraIn(machine, kind);
  if (extra === undefined) {
    const index = machine.item.extras?.length ?? 0;
    return words === undefined
      ? []
      : [{ path: `${machine.path}.extras[${index}]`, to: { kind, ...words } }];
  }
  if (words === undefined) return [{ path: extra.path, to: undefined }];
  return Object.entries(words)
    .filter(([key, value]) => Object(extra.item)[key] !== value)
    .map(([key, value]) => ({ path: `${extra.path}.${key}`, to: value }));
}

/** Takes machines away, and the storage and data that no other machine mounts; the last ones first. */
function removals({ view, shelves }: OpenedRequest, lost: ReadonlySet<number>): readonly Edit[] {
  if (lost.size === 0) return [];
  const mountedBy = (isMounted: (index: number) => boolean): ReadonlySet<string> =>
    new Set(
      view.compute.flatMap(({ item }, index) =>
        isMounted(index) ? requestMounts(item, shelves).map(({ mount }) => mount.name) : [],
      ),
    );
  const [before, after] = [mountedBy(() => true), mountedBy((index) => !lost.has(index))];
  const resources = [...view.storage, ...view.data].filter((_, index) => {
    const name = shelves[index]?.name ?? '';
    return before.has(name) && !after.has(name);
  });
  const machines = view.compute.filter((_, index) => lost.has(index));
  return [...resources, ...machines].toReversed().map(({ path }) => ({ path, to: undefined }));
}
