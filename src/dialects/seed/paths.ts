import type { components } from '../../generated/api.d.ts';
import type { AskPlace } from '../../planner/place.ts';

type SeedAsk = components['schemas']['Ask'];

/** The path of a place in the client's document. */
export function pathIn(body: SeedAsk, place: AskPlace): string {
  switch (place.what) {
    case 'task':
    case 'identity':
      return place.what;
    case 'task-type':
      return 'task.type';
    case 'spec':
      return specPath(place.at);
    case 'parts':
      return COMPUTE;
    case 'cores':
    case 'memory':
      return inPart(place.part, `${place.bound}-${place.what}`);
    case 'gpus':
      return inPart(place.part, 'gpu');
    case 'gpu-type':
      return inPart(place.part, 'gpu.type');
    case 'gpu-count':
      return inPart(place.part, 'gpu.count');
    case 'compute-type':
      return inPart(place.part, 'type');
    case 'compute-block':
      return inPart(place.part, place.name);
    case 'arch':
    case 'replicas':
      return inPart(place.part, place.what);
    case 'volume':
      return inPart(place.part, `volumes[${place.volume}]`);
    case 'scratch':
      return namesScratch(body) ? STORAGE : 'resources';
    case 'storage':
      return `${STORAGE}[${place.item}]`;
    case 'size':
    case 'lifetime':
      return `${STORAGE}[${place.item}].${place.what}`;
    case 'object':
      return `${STORAGE}[${place.item}].objectid`;
    case 'window':
      return timePath(body, place.window);
    case 'duration':
      return `${timePath(body, place.window)}.duration`;
    case 'cost':
      return `costs[${place.cost}].max`;
    case 'written':
      return place.path;
    default:
      return place satisfies never;
  }
}

/** The path of a detail of the task. @param at within the spec; empty: all of it */
export function specPath(at: string): string {
  return at === '' ? 'task.spec' : `task.spec${at.startsWith('[') ? '' : '.'}${at}`;
}

/** An ask names its scratch space by storage items with a size. */
export function namesScratch({ resources }: Pick<SeedAsk, 'resources'>): boolean {
  return resources?.storage?.some(({ size }) => size !== undefined) ?? false;
}

const COMPUTE = 'resources.compute';
const STORAGE = 'resources.storage';

/** A path in one compute item, or that of the list for the sum of all items. */
function inPart(part: number | 'all', key: string): string {
  return part === 'all' ? COMPUTE : `${COMPUTE}[${part}].${key}`;
}

function timePath({ time, datetime }: SeedAsk, window: number): string {
  const name = time === undefined && datetime !== undefined ? 'datetime' : 'time';
  const said = time ?? datetime;
  if (!Array.isArray(said)) return name;
  return said.length === 0 ? 'time' : `${name}[${window}]`;
}
