import type { AskPlace } from '../../planner/place.ts';
import { EXTRA, extraIn } from './extras.ts';
import type { Spelling } from './generations.ts';
import type { OpenedRequest } from './opened.ts';
import { boundPath } from './read/amounts.ts';
import { kindPath, specPathIn } from './read/executable.ts';
import { requestMounts } from './read/volumes.ts';
import { pathOfItem, saysScratch, type At, type BrokerCompute, type RequestView } from './view.ts';

/** The path of a place in the client's document, as its generation writes it. */
export function placeIn(opened: OpenedRequest, place: AskPlace): string {
  const { request, view, shelves, spelling } = opened;
  switch (place.what) {
    case 'task':
      return 'executable';
    case 'identity':
      return place.what;
    case 'task-type':
      return kindPath(request.executable);
    case 'spec':
      return specPathIn(request.executable, place.at);
    case 'parts':
      return view.computePath;
    case 'cores':
    case 'memory':
      return inMachine(view, place.part, ({ item, path }) =>
        boundPath({ item: item[place.what], path: `${path}.${place.what}` }, spelling, place.bound),
      );
    case 'gpus':
      return inExtra(view, place.part, EXTRA.gpu, '');
    case 'gpu-type':
      return inExtra(view, place.part, EXTRA.gpu, '.type');
    case 'gpu-count':
      return inExtra(view, place.part, EXTRA.gpu, '.count');
    case 'compute-type':
      return platformPath(view, place.part, undefined);
    case 'compute-block':
      return platformPath(view, place.part, place.name);
    case 'arch':
      return inExtra(view, place.part, EXTRA.architecture, '.architecture');
    case 'replicas':
      return inExtra(view, place.part, EXTRA.replicas, '.count');
    case 'volume':
      return inMachine(view, place.part, ({ item, path }) => {
        const mount = requestMounts(item, shelves)[place.volume];
        return `${path}.volumes[${mount?.volume ?? place.volume}]`;
      });
    case 'scratch':
      return saysScratch(view) ? storagePath(view) : view.computePath;
    case 'storage':
      return pathOfItem(view, place.item);
    case 'size':
      return sizePath(spelling, view, place.item);
    case 'lifetime':
    case 'object':
      return lastingPath(view, place.item, place.what);
    case 'window': {
      const time = view.times[place.window];
      return time?.start.path ?? 'schedule';
    }
    case 'duration':
      return `${view.times[place.window]?.of.path ?? 'schedule.requested'}.duration`;
    case 'cost':
      return `costs[${place.cost}].max`;
    case 'written':
      return place.path;
    default:
      return place satisfies never;
  }
}

/** The machine of a part; a request that names none has one all the same. */
export function machineAt(
  { compute, noComputePath }: RequestView,
  part: number,
): At<BrokerCompute> {
  return compute[part] ?? { item: {}, path: noComputePath };
}

/** A path in one machine, or that of all machines. */
function inMachine(
  view: RequestView,
  part: number | 'all',
  pathOf: (machine: At<BrokerCompute>) => string,
): string {
  return part === 'all' ? view.computePath : pathOf(machineAt(view, part));
}

function inExtra(view: RequestView, part: number | 'all', kind: string, key: string): string {
  return inMachine(view, part, (machine) => {
    const extra = extraIn(machine, kind);
    return extra === undefined ? `${machine.path}.extras` : `${extra.path}${key}`;
  });
}

/** Where a machine says what it must be, or the details of that. @param block name of the details */
function platformPath(view: RequestView, part: number | 'all', block: string | undefined): string {
  return inMachine(view, part, (machine) => {
    const extra = extraIn(machine, EXTRA.kubernetes);
    if (extra !== undefined) return block === undefined ? `${extra.path}.kind` : extra.path;
    const key = machine.item.type === undefined ? 'kind' : 'type';
    return `${machine.path}.${block ?? key}`;
  });
}

function storagePath({ storage }: RequestView): string {
  return (storage[0]?.path ?? 'storage').replace(/\[\d+\]$/, '');
}

function sizePath(spelling: Spelling, { storage, data }: RequestView, index: number): string {
  const place = storage[index];
  if (place === undefined) return data[index - storage.length]?.path ?? 'data';
  const { size } = place.item;
  const path = `${place.path}.size`;
  return typeof size === 'number' ? path : boundPath({ item: size, path }, spelling, 'min');
}

/** `lifetime` or `object` of storage that outlives the run. */
function lastingPath({ storage }: RequestView, index: number, key: 'lifetime' | 'object'): string {
  const place = storage[index];
  if (place === undefined) return 'storage';
  const extra = extraIn(place, EXTRA.persistence);
  if (extra !== undefined) return `${extra.path}.${key}`;
  const { lifetime } = place.item;
  const inner =
    key === 'object' || typeof lifetime !== 'object'
      ? ''
      : lifetime.requested === undefined
        ? '.min'
        : '.requested.min';
  return `${place.path}.${key}${inner}`;
}
