import type { Documents } from '../contract.ts';
import { durationOf, secondsOf, type Instant } from '../time.ts';

type Ask = Documents['Ask'];
type Time = Documents['TimeItem'];
type Fields = Readonly<Record<string, unknown>>;

/** What the form shows of an ask, and the rest of the document that it came from. */
export type Draft = {
  /** URI of the task type */
  readonly type: string;
  readonly spec: Fields;
  readonly name: string;
  readonly minCores: string;
  readonly maxCores: string;
  /** GiB */
  readonly memory: string;
  readonly gpuType: string;
  readonly gpuCount: string;
  readonly hours: string;
  /** the earliest start; undefined: now */
  readonly start: Instant | undefined;
  /** parts that the form does not show */
  readonly rest: Ask | undefined;
};

/** An empty form for a task type. */
export function draftFor(type: string, spec: Fields): Draft {
  return {
    type,
    spec,
    name: '',
    minCores: '1',
    maxCores: '',
    memory: '1',
    gpuType: '',
    gpuCount: '',
    hours: '0.25',
    start: undefined,
    rest: undefined,
  };
}

/** The ask that a form says, with the rest of the document that it came from. */
export function documentOf(draft: Draft): Ask {
  const { rest, type, spec, name } = draft;
  const [, ...otherTimes] = timesOf(rest);
  const [, ...otherMachines] = rest?.resources?.compute ?? [];
  const machine = machineOf(draft);
  const time = timeOf(draft);
  const { datetime: _, time: __, ...others } = rest ?? {};
  return {
    ...others,
    ...(name.trim() !== '' && { name: name.trim() }),
    task: { ...rest?.task, type, spec: specOf(spec) },
    ...((machine !== undefined || rest?.resources !== undefined) && {
      resources: {
        ...rest?.resources,
        compute: [...(machine === undefined ? [] : [machine]), ...otherMachines],
      },
    }),
    ...((time !== undefined || otherTimes.length > 0) && { time: [time ?? {}, ...otherTimes] }),
  };
}

/** The form for an ask. */
export function draftOf(ask: Ask): Draft {
  const machine: Fields = ask.resources?.compute?.[0] ?? {};
  const [time] = timesOf(ask);
  const { start, duration } = timeFields(time);
  const gpu: Fields = Object(machine['gpu']);
  return {
    type: ask.task.type,
    spec: ask.task.spec ?? {},
    name: textOf(ask['name']),
    minCores: textOf(machine['min-cores']),
    maxCores: textOf(machine['max-cores']),
    memory: gibOf(machine['min-memory']),
    gpuType: textOf(gpu['type']),
    gpuCount: textOf(gpu['count']),
    hours: duration === undefined ? '' : String(Math.round((duration / 3600) * 10_000) / 10_000),
    start,
    rest: ask,
  };
}

/** Paths of an ask that the form does not show and keeps. */
export function unseenOf(ask: Ask | undefined): readonly string[] {
  if (ask === undefined) return [];
  const machines: readonly Fields[] = ask.resources?.compute ?? [];
  const shown = new Set(['name', 'min-cores', 'max-cores', 'min-memory', 'gpu']);
  return [
    ...Object.keys(ask).filter(
      (key) => !['task', 'resources', 'time', 'datetime', 'name'].includes(key),
    ),
    ...Object.keys(ask.resources ?? {})
      .filter((key) => key !== 'compute')
      .map((key) => `resources.${key}`),
    ...machines.slice(1).map((_, index) => `resources.compute[${index + 1}]`),
    ...Object.keys(machines[0] ?? {})
      .filter((key) => !shown.has(key))
      .map((key) => `resources.compute[0].${key}`),
    ...timesOf(ask)
      .slice(1)
      .map((_, index) => `time[${index + 1}]`),
  ];
}

/** The last part of a task type's URI, by which the form knows its fields. */
export function shortTypeOf(type: string): string {
  return type.split('/').at(-1) ?? type;
}

function machineOf({ rest, minCores, maxCores, memory, gpuType, gpuCount }: Draft) {
  const [old] = rest?.resources?.compute ?? [];
  const { 'min-cores': _, 'max-cores': __, 'min-memory': ___, gpu: ____, ...others } = old ?? {};
  const machine = {
    ...others,
    ...(minCores !== '' && { 'min-cores': Number(minCores) }),
    ...(maxCores !== '' && { 'max-cores': Number(maxCores) }),
    ...(memory !== '' && { 'min-memory': `${Number(memory)}GiB` }),
    ...(gpuType !== '' && {
      gpu: { type: gpuType, ...(gpuCount !== '' && { count: Number(gpuCount) }) },
    }),
  };
  return Object.keys(machine).length === 0 ? undefined : machine;
}

function timeOf({ rest, start, hours }: Draft) {
  const [old] = timesOf(rest);
  const kept: Fields = typeof old === 'object' ? old : {};
  const { start: _, duration: __, ...others } = kept;
  const time = {
    ...others,
    ...(start !== undefined && { start: new Date(start).toISOString() }),
    ...(hours !== '' && { duration: durationOf(Number(hours) * 3600) }),
  };
  return Object.keys(time).length === 0 ? undefined : time;
}

function timesOf(ask: Ask | undefined): readonly Time[] {
  const time = ask?.time ?? ask?.datetime;
  if (time === undefined) return [];
  return Array.isArray(time) ? time : [time];
}

/** Start and longest run of a time; a start with an end counts as its beginning. */
function timeFields(time: Time | undefined): {
  readonly start: Instant | undefined;
  readonly duration: number | undefined;
} {
  const { start, duration }: Fields = typeof time === 'string' ? { start: time } : (time ?? {});
  const instant = Date.parse(textOf(start).split('/')[0] ?? '');
  const most = Object(duration)['max'] ?? Object(duration)['min'] ?? duration;
  return { start: Number.isNaN(instant) ? undefined : instant, duration: secondsOf(textOf(most)) };
}

/** GiB of an amount of memory: the units of the contract are binary. */
function gibOf(size: unknown): string {
  const [, amount, unit = 'G'] = /^([\d.]+)\s*([KMGTP]?)i?[bB]?$/.exec(textOf(size)) ?? [];
  if (amount === undefined) return '';
  const gib = Number(amount) * 1024 ** ('KMGTP'.indexOf(unit === '' ? 'G' : unit) - 2);
  return String(Math.round(gib * 1000) / 1000);
}

/** Lists of words as the form has them end with empty ones while somebody types. */
function specOf(spec: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec).map(([key, value]) => [
      key,
      Array.isArray(value) ? trimmed(value) : value,
    ]),
  );
}

function trimmed(words: readonly unknown[]): readonly unknown[] {
  return words.slice(0, words.findLastIndex((word) => word !== '') + 1);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
