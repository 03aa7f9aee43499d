import type { components } from '../../generated/api.d.ts';
import type { Change } from '../../planner/nearest/change.ts';
import { printSize, toCores, type Mebibytes, type Millicores } from '../../words/units.ts';
import { printDuration } from '../duration.ts';
import { valueAt, withValue } from '../edit.ts';
import { specPath } from './paths.ts';
import { SIZES } from './print.ts';
import type { SeedAsk } from './read.ts';
import { printInstant } from '../../words/iso8601.ts';

type WireChange = components['schemas']['Change'];
type ComputeItem = components['schemas']['ComputeItem'];
type Whole = Exclude<components['schemas']['TimeItem'], string>;

/** The client's document with some changes, and these changes on the wire. */
type Revised = { readonly body: SeedAsk; readonly changes: readonly WireChange[] };

type Edit = { readonly body: SeedAsk; readonly told: readonly WireChange[] };

const DURATIONS = ['min-duration', 'max-duration', 'minduration', 'maxduration'] as const;

/**
 * Makes changes in a copy of the client's document, which the client can send. Items are removed
 * last, so that the places of other changes stay valid.
 */
export function revise(body: SeedAsk, changes: readonly Change[]): Revised {
  const lost = new Set(changes.flatMap(({ what, of }) => (what === 'item' ? [of] : [])));
  const revised = changes
    .filter((change) => change.what !== 'item')
    .reduce<Revised>(
      (before, change) => {
        const edit = apply(before.body, change);
        return { body: edit.body, changes: [...before.changes, ...edit.told] };
      },
      { body, changes: [] },
    );
  if (lost.size === 0) return revised;
  const { body: rest, told: left } = withoutItems(revised.body, lost);
  return { body: rest, changes: [...revised.changes, ...left] };
}

function apply(body: SeedAsk, change: Exclude<Change, { what: 'item' }>): Edit {
  const { what, of, to } = change;
  switch (what) {
    case 'cores':
      return inAmount(body, of, `${change.bound}-${what}`, coresOf(to));
    case 'memory':
      return inAmount(body, of, `${change.bound}-${what}`, sizeText(to));
    case 'gpu':
      return inGpu(body, of, to);
    case 'replicas':
      return inCompute(body, of, (item, path) => ({
        item: { ...item, replicas: to },
        told: [wireChange(`${path}.replicas`, item.replicas, to)],
      }));
    case 'size':
      return inStorage(body, of, what, printSize(to, SIZES));
    case 'lifetime':
      return inStorage(body, of, what, printDuration(to));
    case 'start': {
      const start = `${printInstant(to.earliest)}/${printInstant(to.latest)}`;
      return inTime(body, of, (item, path) => ({
        item: { ...item, start },
        told: [wireChange(`${path}.start`, item.start, start)],
      }));
    }
    case 'duration':
      return inDuration(body, of, printDuration(to));
    case 'cost':
      return inCost(body, of, to);
    case 'environment':
      return inSpec(body, what, to);
    case 'requirement':
      return inSpec(body, `requirements[${of}]`, to);
    default:
      return change satisfies never;
  }
}

/** @param at a key of what the task needs, or an item of its list */
function inSpec(body: SeedAsk, at: string, to: string): Edit {
  const path = specPath(at);
  return { body: withValue(body, path, to), told: [wireChange(path, valueAt(body, path), to)] };
}

function inAmount(
  body: SeedAsk,
  of: number,
  key: 'min-cores' | 'max-cores' | 'min-memory' | 'max-memory',
  to: number | string | undefined,
): Edit {
  return inCompute(body, of, (item, path) => ({
    item: { ...without(item, [key]), ...(to !== undefined && { [key]: to }) },
    told: [wireChange(`${path}.${key}`, item[key], to)],
  }));
}

function inCompute(
  body: SeedAsk,
  of: number,
  change: (
    item: ComputeItem,
    path: string,
  ) => { readonly item: ComputeItem; readonly told: readonly WireChange[] },
): Edit {
  const items = body.resources?.compute ?? [];
  const { item, told: changes } = change(items[of] ?? {}, `resources.compute[${of}]`);
  const compute =
    items.length === 0 ? [item] : items.map((one, index) => (index === of ? item : one));
  return { body: { ...body, resources: { ...body.resources, compute } }, told: changes };
}

/** A copy without some optional keys. */
function without<Value extends object>(value: Value, keys: readonly string[]): Value {
  const copy = { ...value };
  for (const key of keys) Reflect.deleteProperty(copy, key);
  return copy;
}

function wireChange(path: string, from: unknown, to: unknown): WireChange {
  return {
    path,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    text:
      to === undefined
        ? `${path}: left out (it was ${textOf(from)})`
        : `${path}: ${textOf(to)} instead of ${from === undefined ? 'the default' : textOf(from)}`,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function coresOf(value: Millicores | undefined): number | undefined {
  return value === undefined ? undefined : toCores(value);
}

function sizeText(value: Mebibytes | undefined): string | undefined {
  return value === undefined ? undefined : printSize(value, SIZES);
}

function inGpu(body: SeedAsk, of: number, to: Extract<Change, { what: 'gpu' }>['to']): Edit {
  return inCompute(body, of, (item, path) => {
    if (to === undefined || item.gpu === undefined) {
      return {
        item: { ...without(item, ['gpu']), ...(to !== undefined && { gpu: { ...to } }) },
        told: [wireChange(`${path}.gpu`, item.gpu, to)],
      };
    }
    const { type, count } = item.gpu;
    return {
      item: { ...item, gpu: { ...item.gpu, type: to.type, count: to.count } },
      told: [
        ...(type === to.type ? [] : [wireChange(`${path}.gpu.type`, type, to.type)]),
        ...((count ?? 1) === to.count ? [] : [wireChange(`${path}.gpu.count`, count, to.count)]),
      ],
    };
  });
}

function inStorage(body: SeedAsk, of: number, key: 'size' | 'lifetime', to: string): Edit {
  const items = body.resources?.storage ?? [];
  const storage = items.map((item, index) => (index === of ? { ...item, [key]: to } : item));
  return {
    body: { ...body, resources: { ...body.resources, storage } },
    told: [wireChange(`resources.storage[${of}].${key}`, items[of]?.[key], to)],
  };
}

/** An item without a limit asks for nothing, so places of other items stay valid. */
function inCost(body: SeedAsk, of: number, to: number | undefined): Edit {
  const items = body.costs ?? [];
  const costs = items.map((item, index) =>
    index === of ? { ...without(item, ['max']), ...(to === undefined ? {} : { max: to }) } : item,
  );
  return { body: { ...body, costs }, told: [wireChange(`costs[${of}].max`, items[of]?.max, to)] };
}

/** Changes one of the times in any of its forms; a bare text becomes the start of an item. */
function inTime(
  body: SeedAsk,
  of: number,
  change: (
    item: Whole,
    path: string,
  ) => { readonly item: Whole; readonly told: readonly WireChange[] },
): Edit {
  const name = body.time === undefined && body.datetime !== undefined ? 'datetime' : 'time';
  const said = body[name];
  const items = Array.isArray(said) ? said : [said ?? {}];
  const item = items[of] ?? {};
  const path = Array.isArray(said) && said.length > 0 ? `${name}[${of}]` : name;
  const changed = change(typeof item === 'string' ? { start: item } : item, path);
  const time =
    Array.isArray(said) && said.length > 0
      ? said.map((one, index) => (index === of ? changed.item : one))
      : changed.item;
  return { body: { ...body, [name]: time }, told: changed.told };
}

function inDuration(body: SeedAsk, of: number, to: string): Edit {
  return inTime(body, of, (item, path) => {
    const from =
      item.duration ?? DURATIONS.map((key) => item[key]).find((value) => value !== undefined);
    return {
      item: { ...without(item, DURATIONS), duration: to },
      told: [wireChange(`${path}.duration`, from, to)],
    };
  });
}

/** Removes compute items, and the storage that no other item mounts. */
function withoutItems(body: SeedAsk, lost: ReadonlySet<number>): Edit {
  const { compute: items = [], storage = [] } = body.resources ?? {};
  const mountedBy = (some: typeof items): ReadonlySet<string> =>
    new Set(some.flatMap(({ volumes = [] }) => volumes.map(({ name }) => name)));
  const compute = items.filter((_, index) => !lost.has(index));
  const [before, after] = [mountedBy(items), mountedBy(compute)];
  const isKept = ({ name }: (typeof storage)[number]): boolean =>
    after.has(name) || !before.has(name);
  return {
    body: {
      ...body,
      resources: {
        ...body.resources,
        compute,
        ...(storage.every(isKept) ? {} : { storage: storage.filter(isKept) }),
      },
    },
    told: [
      ...items.flatMap((item, index) =>
        lost.has(index) ? [wireChange(`resources.compute[${index}]`, item, undefined)] : [],
      ),
      ...storage.flatMap((item, index) =>
        isKept(item) ? [] : [wireChange(`resources.storage[${index}]`, item, undefined)],
      ),
    ],
  };
}
