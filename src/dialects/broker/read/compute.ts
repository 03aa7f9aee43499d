import type { AskStorage, ComputePart } from '../../../planner/ask.ts';
import { textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import type { Gpus } from '../../../schedule/amount.ts';
import { shown } from '../../../tasks/task.ts';
import { isNonEmpty, type NonEmpty } from '../../../words/ids.ts';
import { readArchitecture, readReplicas } from '../../reading/compute.ts';
import { noteAmount, type Notes } from '../../reading/notes.ts';
import { EXTRA, extraIn } from '../extras.ts';
import { nameIn, type At, type BrokerCompute, type RequestView } from '../view.ts';
import { readCoreBounds, readSizeBounds } from './amounts.ts';
import { noteUnknown, noteUnknownInside } from './known-keys.ts';
import type { Shelves } from '../shelves.ts';
import { readPlatformOf } from './platform.ts';
import { readMounts } from './volumes.ts';

/** What volumes can mount: as the client calls it, and as it was read, in the same order. */
export type ShelvedStorage = { readonly shelves: Shelves; readonly storage: readonly AskStorage[] };

/** The machines of a request, at least one. */
export function readMachines(
  notes: Notes,
  { compute, noComputePath }: RequestView,
  stored: ShelvedStorage,
  { computeTypes }: Vocabulary,
): NonEmpty<ComputePart> {
  const items = isNonEmpty(compute) ? compute : [{ item: {}, path: noComputePath }];
  const parts = items.map((at) => readMachine(notes, at, stored, computeTypes));
  noteTwins(notes, parts, items);
  if (isNonEmpty(parts)) return parts;
  throw new Error('no compute resource');
}

type ComputeTypes = Vocabulary['computeTypes'];

function readMachine(
  notes: Notes,
  at: At<BrokerCompute>,
  { shelves, storage }: ShelvedStorage,
  types: ComputeTypes,
): ComputePart {
  const { item, path } = at;
  const platform = readPlatformOf(notes, at, types);
  const own = platform === undefined || platform.name === 'kubernetes' ? [] : [platform.name];
  noteUnknown(notes, item, ['cores', 'memory', 'volumes', 'extras', ...own], path);
  noteExtras(notes, at);
  const replicas = extraIn(at, EXTRA.replicas);
  const arch = extraIn(at, EXTRA.architecture);
  return {
    name: nameIn(item),
    replicas: readReplicas(notes, replicas?.item.count, `${replicas?.path ?? path}.count`),
    platform,
    arch: readArchitecture(notes, arch?.item.architecture, `${arch?.path ?? path}.architecture`),
    cores: readCoreBounds(notes, { item: item.cores, path: `${path}.cores` }),
    memory: readSizeBounds(notes, { item: item.memory, path: `${path}.memory` }),
    gpus: readGpusOf(notes, at),
    volumes: readMounts(notes, at, shelves, storage),
  };
}

/** What each extra of a machine may say. */
const EXTRA_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  [EXTRA.gpu, ['kind', 'type', 'count']],
  [EXTRA.replicas, ['kind', 'count']],
  [EXTRA.architecture, ['kind', 'architecture']],
]);

function noteExtras(notes: Notes, { item, path }: At<BrokerCompute>): void {
  item.extras?.forEach((extra, index) => {
    const place = `${path}.extras[${index}]`;
    const keys = EXTRA_KEYS.get(extra.kind);
    if (item.extras?.findIndex(({ kind }) => kind === extra.kind) !== index)
      notes.note({
        code: 'duplicate-name',
        path: `${place}.kind`,
        asked: textQuantity(shown(extra.kind)),
      });
    else if (keys !== undefined) noteUnknownInside(notes, extra, keys, place);
    // An offer's exact amounts repeat its bounds.
    else if (extra.kind !== EXTRA.kubernetes && extra.kind !== EXTRA.exact)
      notes.note({
        code: 'unknown-key',
        path: `${place}.kind`,
        asked: textQuantity(shown(extra.kind)),
        detail: 'No extra of a compute resource has this kind.',
      });
  });
}

function readGpusOf(notes: Notes, at: At<BrokerCompute>): Gpus | undefined {
  const gpu = extraIn(at, EXTRA.gpu);
  if (gpu === undefined) return undefined;
  const { type, count = 1 } = gpu.item;
  if (type === undefined)
    return notes.note({
      code: 'compute-block-invalid',
      path: `${gpu.path}.type`,
      detail: 'A GPU needs the URI of its type.',
    });
  const whole = noteAmount(notes, count, `${gpu.path}.count`);
  return whole === undefined ? undefined : { type, count: whole };
}

/** Notes two machines of one name, and two types of GPUs. */
function noteTwins(
  notes: Notes,
  parts: readonly ComputePart[],
  items: readonly At<BrokerCompute>[],
): void {
  parts.forEach(({ name, gpus }, index) => {
    const at = items[index];
    if (at === undefined) return;
    const before = parts.slice(0, index);
    if (name !== undefined && before.some((other) => other.name === name))
      notes.note({
        code: 'duplicate-name',
        path: `${at.path}.${at.item.meta?.name === undefined ? 'name' : 'meta.name'}`,
        asked: textQuantity(shown(name)),
      });
    const other = gpus && before.find((one) => (one.gpus?.type ?? gpus.type) !== gpus.type)?.gpus;
    if (gpus !== undefined && other !== undefined)
      notes.note({
        code: 'several-gpu-types',
        path: `${extraIn(at, EXTRA.gpu)?.path ?? at.path}.type`,
        asked: textQuantity(shown(gpus.type)),
        limit: textQuantity(shown(other.type)),
      });
  });
}
