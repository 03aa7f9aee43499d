import type { Ask, AskPaths, Bounds, EphemeralStorage, VolumeMount } from '../planner/ask.ts';
import { numberOf, textOf, type Refusal } from '../planner/refusal.ts';
import type { Gpus } from '../schedule/amount.ts';
import { findTaskType } from '../tasks/registry.ts';
import { shown, type Task } from '../tasks/task.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import { isNonEmpty, type NonEmpty } from '../words/ids.ts';
import { fromCores, fromGibibytes, mebibytes, readMebibytes, type Mebibytes, type Millicores } from '../words/units.ts';
import type { components } from '../generated/api.d.ts';

/** The body of POST /request after the contract has checked its shape (api/openapi.yaml). */
export type SeedAsk = components['schemas']['Ask'];
type ComputeItem = components['schemas']['ComputeItem'];
type StorageItem = components['schemas']['StorageItem'];

/** An ask that was understood, or every reason why not (R2, R3). */
export type Understood = { readonly ok: true; readonly ask: Ask } | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

/** Type URIs of storage that lives as long as the job: ours, and those of the later drafts. */
const EPHEMERAL: ReadonlySet<string> = new Set([
  'https://www.purl.org/ivoa-net/storage-type/ephemeral',
  'https://www.purl.org/ivoa.net/storage-types/ephemeral-storage',
  'uri:ephemeral-storage',
]);

const MAX_CORES = 1_000_000;
const MAX_MEBIBYTES = 2 ** 40;

type Notes = { readonly note: (refusal: Refusal) => undefined };

const unknownKeys = (notes: Notes, value: object, known: readonly string[], path: string): void => {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      notes.note({ code: 'unknown-key', path: path === '' ? shown(key) : `${path}.${shown(key)}`, detail: `Known here: ${known.join(', ')}.` });
    }
  }
};

const readAmount = (notes: Notes, value: number | undefined, path: string, most: number): number | undefined => {
  if (value === undefined) return undefined;
  if (value <= 0) return notes.note({ code: 'amount-not-positive', path, asked: numberOf(value) });
  if (value > most) return notes.note({ code: 'amount-too-large', path, asked: numberOf(value), limit: numberOf(most) });
  return value;
};

const readCores = (notes: Notes, value: number | undefined, path: string): Millicores | undefined => {
  const cores = readAmount(notes, value, path, MAX_CORES);
  return cores === undefined ? undefined : fromCores(cores);
};

const readSize = (notes: Notes, value: string | number | undefined, path: string): Mebibytes | undefined => {
  if (value === undefined) return undefined;
  const size = readMebibytes(value);
  if (size === undefined) {
    const detail = 'A size is a number with Gb, GiB, MiB, TiB and so on, or a bare number of GiB.';
    return notes.note({ code: 'amount-unreadable', path, asked: typeof value === 'number' ? numberOf(value) : textOf(shown(value)), detail });
  }
  if (size <= 0) return notes.note({ code: 'amount-not-positive', path, asked: typeof value === 'number' ? numberOf(value) : textOf(shown(value)) });
  if (size > MAX_MEBIBYTES) return notes.note({ code: 'amount-too-large', path, asked: textOf(shown(`${value}`)), limit: textOf('1EiB') });
  return fromGibibytes(size / 1024);
};

const bounds = <Unit extends number>(notes: Notes, min: Unit | undefined, max: Unit | undefined, path: string, unit: 'cores' | 'memory'): Bounds<Unit> => {
  if (min !== undefined && max !== undefined && min > max) notes.note({ code: 'minimum-above-maximum', path: `${path}.min-${unit}` });
  return { min, max };
};

const readGpus = (notes: Notes, gpu: ComputeItem['gpu'], path: string): Gpus | undefined => {
  if (gpu === undefined) return undefined;
  unknownKeys(notes, gpu, ['type', 'count'], path);
  const count = readAmount(notes, gpu.count ?? 1, `${path}.count`, MAX_CORES);
  return count === undefined ? undefined : { type: gpu.type, count };
};

const COMPUTE_KEYS = ['name', 'type', 'min-cores', 'max-cores', 'min-memory', 'max-memory', 'gpu', 'volumes'];

const readVolumes = (notes: Notes, item: ComputeItem, storage: readonly EphemeralStorage[], path: string): readonly VolumeMount[] => {
  const mounts = (item.volumes ?? []).map((volume, index): VolumeMount => {
    const at = `${path}.volumes[${index}]`;
    unknownKeys(notes, volume, ['name', 'path', 'mode'], at);
    if (!storage.some(({ name }) => name === volume.name)) {
      notes.note({ code: 'unknown-volume', path: `${at}.name`, asked: textOf(shown(volume.name)) });
    }
    const mode = volume.mode ?? 'rw';
    if (mode !== 'r' && mode !== 'rw') notes.note({ code: 'volume-mode-unknown', path: `${at}.mode`, asked: textOf(shown(mode)) });
    const segments = volume.path.split('/');
    if (volume.path === '' || volume.path.length > 500 || volume.path.includes('\0') || segments.includes('..') || segments.includes('.')) {
      notes.note({ code: 'volume-path-invalid', path: `${at}.path`, asked: textOf(shown(volume.path)) });
    }
    return { name: volume.name, path: volume.path, mode: mode === 'r' ? 'r' : 'rw' };
  });
  for (const key of ['name', 'path'] as const) {
    mounts.forEach((mount, index) => {
      if (mounts.findIndex((other) => other[key] === mount[key]) < index) {
        notes.note({ code: 'duplicate-name', path: `${path}.volumes[${index}].${key}`, asked: textOf(shown(mount[key])) });
      }
    });
  }
  return mounts;
};

const readCompute = (notes: Notes, item: ComputeItem, storage: readonly EphemeralStorage[], path: string): Pick<Ask, 'cores' | 'memory' | 'gpus' | 'volumes'> => {
  unknownKeys(notes, item, COMPUTE_KEYS, path);
  if (item.type !== undefined) notes.note({ code: 'unknown-compute-type', path: `${path}.type`, asked: textOf(shown(item.type)) });
  const cores = (key: 'min-cores' | 'max-cores') => readCores(notes, item[key], `${path}.${key}`);
  const memory = (key: 'min-memory' | 'max-memory') => readSize(notes, item[key], `${path}.${key}`);
  return {
    cores: bounds(notes, cores('min-cores'), cores('max-cores'), path, 'cores'),
    memory: bounds(notes, memory('min-memory'), memory('max-memory'), path, 'memory'),
    gpus: readGpus(notes, item.gpu, `${path}.gpu`),
    volumes: readVolumes(notes, item, storage, path),
  };
};

/** A name becomes a directory and part of the name of an environment variable. */
const STORAGE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})$/;

const readStorage = (notes: Notes, items: readonly StorageItem[]): readonly EphemeralStorage[] =>
  items.map((item, index): EphemeralStorage => {
    const path = `resources.storage[${index}]`;
    if (!EPHEMERAL.has(item.type)) {
      notes.note({ code: 'unknown-storage-type', path: `${path}.type`, asked: textOf(shown(item.type)) });
    } else {
      unknownKeys(notes, item, ['name', 'type', 'size'], path);
    }
    if (!STORAGE_NAME.test(item.name)) {
      notes.note({ code: 'storage-name-invalid', path: `${path}.name`, asked: textOf(shown(item.name)) });
    }
    if (items.findIndex(({ name }) => name === item.name) < index) {
      notes.note({ code: 'duplicate-name', path: `${path}.name`, asked: textOf(shown(item.name)) });
    }
    return { name: item.name, size: readSize(notes, item.size, `${path}.size`) ?? mebibytes(0) };
  });

const readTask = (notes: Notes, task: SeedAsk['task'], policy: UrlPolicy): Task | undefined => {
  unknownKeys(notes, task, ['type', 'spec'], 'task');
  const type = findTaskType(task.type);
  if (type === undefined) return notes.note({ code: 'unknown-task-type', path: 'task.type', asked: textOf(shown(task.type)) });
  const parsed = type.parse(task.spec ?? {}, policy);
  if (parsed.ok) return parsed.task;
  for (const { path, code, text, asked, limit } of parsed.problems) {
    const quantity = (value: string | number) => (typeof value === 'number' ? numberOf(value) : textOf(value));
    notes.note({
      code, path, detail: `${text}.`,
      ...(asked === undefined ? {} : { asked: quantity(asked) }),
      ...(limit === undefined ? {} : { limit: quantity(limit) }),
    });
  }
  return undefined;
};

const paths = (item: string, hasStorage: boolean): AskPaths => ({
  cores: `${item}.min-cores`,
  memory: `${item}.min-memory`,
  gpus: `${item}.gpu`,
  volumes: `${item}.volumes`,
  scratch: hasStorage ? 'resources.storage' : 'resources',
});

/**
 * Reads an ask in the vocabulary of the 2023 draft. What the contract cannot check is checked here, and everything that
 * is not understood is a refusal that names its path, never ignored (R2).
 */
export const readSeedAsk = (body: SeedAsk, policy: UrlPolicy): Understood => {
  const refusals: Refusal[] = [];
  const notes: Notes = {
    note: (refusal) => {
      refusals.push(refusal);
      return undefined;
    },
  };
  unknownKeys(notes, body, ['task', 'resources'], '');
  const resources = body.resources ?? {};
  unknownKeys(notes, resources, ['compute', 'storage'], 'resources');
  const task = readTask(notes, body.task, policy);
  const storage = readStorage(notes, resources.storage ?? []);
  const [item = {}, ...more] = resources.compute ?? [];
  more.forEach((_, index) => notes.note({ code: 'several-compute-items', path: `resources.compute[${index + 1}]` }));
  const compute = readCompute(notes, item, storage, 'resources.compute[0]');
  if (isNonEmpty(refusals)) return { ok: false, refusals };
  if (task === undefined) throw new Error('a task was not understood and nobody said why');
  const ask: Ask = { taskType: body.task.type, task, name: item.name, ...compute, storage, paths: paths('resources.compute[0]', storage.length > 0) };
  return { ok: true, ask };
};
