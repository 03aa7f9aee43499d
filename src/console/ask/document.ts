import type { Documents } from '../contract.ts';
import { durationOf, secondsOf } from '../time.ts';
import { startsOf, textOfStarts, type Starts } from './fields/starts.ts';
import {
  NO_STORAGE,
  storageOf,
  unseenStorage,
  withStorage,
  type StorageDraft,
} from './fields/storage.ts';
import { extraOf, gibOf, isFields, listOf, sizeOf, textOf, type Fields } from './fields/values.ts';

type Ask = Documents['Ask'];
type Time = Documents['TimeItem'];
type Machine = Documents['ComputeItem'];

/** Stands for details that are no fields, so that the form can tell a change. */
const NO_FIELDS: Fields = {};

/** What the form shows of an ask, and the rest of the document that it came from. */
export type Draft = Starts &
  StorageDraft & {
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
    until: undefined,
    ...NO_STORAGE,
    rest: undefined,
  };
}

/**
 * The ask that a form says. Of the document that the form came from, it keeps what the form does not
 * show, and the spelling of what nobody changed.
 */
export function documentOf(draft: Draft): Ask {
  const { rest, type, spec, name } = draft;
  const before = rest && draftOf(rest);
  const isSame = (...keys: readonly (keyof Draft)[]): boolean =>
    before !== undefined && keys.every((key) => draft[key] === before[key]);
  const { name: oldName, ...others } = rest ?? {};
  const named = isSame('name') ? oldName : name.trim() || undefined;
  const isSameMachine = isSame('minCores', 'maxCores', 'memory', 'gpuType', 'gpuCount');
  const machines = isSameMachine ? rest?.resources : resourcesOf(draft);
  const resources = withStorage(machines, draft, before);
  return {
    ...(isSame('start', 'until', 'hours') ? others : withTimes(others, draft, before)),
    ...(named !== undefined && { name: named }),
    ...(resources !== undefined && { resources }),
    task: isSame('type', 'spec') && rest ? rest.task : { ...rest?.task, type, spec: specOf(spec) },
  };
}

/** The form for an ask. */
export function draftOf(ask: Ask): Draft {
  const machine: Fields = machinesOf(ask)[0] ?? {};
  const { start, duration } = timeFields(timesOf(ask)[0]);
  const run = secondsOf(textOf(Object(duration)['max'] ?? Object(duration)['min'] ?? duration));
  const gpu: Fields = Object(machine['gpu']);
  return {
    type: ask.task.type,
    spec: isFields(ask.task.spec) ? ask.task.spec : NO_FIELDS,
    name: textOf(ask['name']),
    minCores: textOf(machine['min-cores']),
    maxCores: textOf(machine['max-cores']),
    memory: gibOf(machine['min-memory']),
    gpuType: textOf(gpu['type']),
    gpuCount: textOf(gpu['count']),
    hours: run === undefined ? '' : String(Math.round((run / 3600) * 10_000) / 10_000),
    start: undefined,
    until: undefined,
    ...startsOf(start),
    ...storageOf(ask.resources),
    rest: ask,
  };
}

/** Paths of an ask that the form does not show and keeps. */
export function unseenOf(ask: Ask | undefined): readonly string[] {
  if (ask === undefined) return [];
  const machines: readonly Fields[] = machinesOf(ask);
  const shown = new Set(['min-cores', 'max-cores', 'min-memory', 'gpu']);
  return [
    ...Object.keys(ask).filter(
      (key) => !['task', 'resources', 'time', 'datetime', 'name'].includes(key),
    ),
    ...Object.entries(ask.resources ?? {})
      .filter(([key, value]) => key !== 'compute' && !(key === 'storage' && Array.isArray(value)))
      .map(([key]) => `resources.${key}`),
    ...unseenStorage(ask.resources),
    ...machines.slice(1).map((_, index) => `resources.compute[${index + 1}]`),
    ...Object.entries(machines[0] ?? {})
      .filter(([key, value]) => !shown.has(key) && !(key === 'volumes' && Array.isArray(value)))
      .map(([key]) => `resources.compute[0].${key}`),
    ...extraOf(ask.task, ['type', 'spec']).map((key) => `task.${key}`),
    ...(startsOf(timeFields(timesOf(ask)[0]).start) === undefined ? ['time[0].start'] : []),
    ...extraOf(timesOf(ask)[0], ['start', 'duration']).map((key) => `time[0].${key}`),
    ...timesOf(ask)
      .slice(1)
      .map((_, index) => `time[${index + 1}]`),
  ];
}

function resourcesOf(draft: Draft): Ask['resources'] {
  const [, ...others] = machinesOf(draft.rest);
  const machine = machineOf(draft);
  if (machine === undefined && draft.rest?.resources === undefined) return undefined;
  return {
    ...draft.rest?.resources,
    compute: [...(machine === undefined ? [] : [machine]), ...others],
  };
}

/** A document with the times of a form, which were changed; `datetime` keeps its name. */
function withTimes(document: Partial<Ask>, draft: Draft, before: Draft | undefined): Partial<Ask> {
  const [, ...others] = timesOf(draft.rest);
  const time = timeOf(draft, before);
  const { time: _, datetime: __, ...timeless } = document;
  if (time === undefined && others.length === 0) return timeless;
  const times = [time ?? {}, ...others];
  return document.time === undefined && document.datetime !== undefined
    ? { ...document, datetime: times }
    : { ...document, time: times };
}

function machineOf({ rest, minCores, maxCores, memory, gpuType, gpuCount }: Draft) {
  const [old] = machinesOf(rest);
  const { 'min-cores': _, 'max-cores': __, 'min-memory': ___, gpu: ____, ...others } = old ?? {};
  const machine = {
    ...others,
    ...(minCores !== '' && { 'min-cores': Number(minCores) }),
    ...(maxCores !== '' && { 'max-cores': Number(maxCores) }),
    ...(memory !== '' && { 'min-memory': sizeOf(memory) }),
    ...(gpuType !== '' && {
      gpu: {
        ...Object(old?.gpu),
        type: gpuType,
        ...(gpuCount !== '' && { count: Number(gpuCount) }),
      },
    }),
  };
  return Object.keys(machine).length === 0 ? undefined : machine;
}

function timeOf(draft: Draft, before: Draft | undefined) {
  const { start: oldStart, duration: oldDuration, ...others } = timeFields(timesOf(draft.rest)[0]);
  const { start, until, hours } = draft;
  const isSameStart = start === before?.start && until === before?.until;
  const begin = isSameStart ? oldStart : textOfStarts(draft);
  const isSameRun = hours === before?.hours;
  const run = isSameRun ? oldDuration : hours && durationOf(Number(hours) * 3600);
  const time = {
    ...others,
    ...(typeof begin === 'string' && { start: begin }),
    ...(isRun(run) && { duration: run }),
  };
  return Object.keys(time).length === 0 ? undefined : time;
}

function isRun(run: unknown): run is string | { min?: string; max?: string } {
  return (typeof run === 'string' && run !== '') || isFields(run);
}

/** Machines of a document that somebody may have typed. */
function machinesOf(ask: Ask | undefined): readonly Machine[] {
  return listOf(ask?.resources?.compute);
}

function timesOf(ask: Ask | undefined): readonly Time[] {
  const time = ask?.time ?? ask?.datetime;
  if (time === undefined || time === null) return [];
  return Array.isArray(time) ? time : [time];
}

/** A time as fields; a text alone is its start. */
function timeFields(time: Time | undefined): Fields {
  return typeof time === 'string' ? { start: time } : (time ?? {});
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
