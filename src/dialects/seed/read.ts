import type { components } from '../../generated/api.d.ts';
import type { Ask } from '../../planner/ask.ts';
import type { Refusal } from '../../planner/refusal.ts';
import { isOneMachine, totalsOf } from '../../planner/judge/parts.ts';
import { textQuantity } from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import { isNonEmpty } from '../../words/ids.ts';
import { readCompute } from './compute.ts';
import { unknownKeys, type Notes } from './notes.ts';
import { namesScratch } from './paths.ts';
import { readSeedStorage } from './storage.ts';
import { readTask } from './task.ts';
import { readSeedTime } from './time.ts';
import type { Understood } from '../../planner/dialect.ts';
import type { Vocabulary } from '../../planner/vocabulary.ts';

/** The body of POST /request after the contract has checked its shape (api/openapi.yaml). */
export type SeedAsk = components['schemas']['Ask'];

/** Further faults help nobody, and each one that is kept takes ten times the client's text. */
const MOST_FAULTS = 100;

/**
 * Reads an ask in the vocabulary of the 2023 draft and checks what the contract cannot. What is not
 * understood becomes a refusal that names its path, up to 100; nothing is ignored.
 */
export function readSeedAsk(body: SeedAsk, vocabulary: Vocabulary): Understood {
  const refusals: Refusal[] = [];
  const notes: Notes = {
    note: ({ path, ...fault }) => {
      if (refusals.length < MOST_FAULTS)
        refusals.push({ ...fault, place: { what: 'written', path } });
      return undefined;
    },
    isFull: () => refusals.length >= MOST_FAULTS,
  };
  unknownKeys(notes, body, ['task', 'resources', 'time', 'datetime', 'costs'], '');
  const resources = body.resources ?? {};
  unknownKeys(notes, resources, ['compute', 'storage'], 'resources');
  const understood = readTask(notes, body.task, vocabulary);
  const storage = readSeedStorage(notes, resources.storage ?? [], vocabulary);
  const parts = readCompute(notes, resources.compute ?? [], storage, vocabulary.computeTypes);
  noteUnmounted(notes, { parts, storage });
  noteSeveralWriters(notes, { parts, storage });
  const windows = readSeedTime(notes, body);
  const costs = readCosts(notes, body.costs ?? []);
  if (isNonEmpty(refusals)) return { ok: false, refusals };
  if (understood === undefined) throw new Error('a task was not understood and nobody said why');
  const ask: Ask = {
    taskType: body.task.type,
    ...understood,
    parts,
    ...totalsOf(parts),
    storage,
    windows,
    costs,
    namesScratch: namesScratch(body),
  };
  return { ok: true, ask };
}

/** An item without a maximum limits nothing. */
function readCosts(notes: Notes, items: NonNullable<SeedAsk['costs']>): Ask['costs'] {
  return items.map((item, index) => {
    unknownKeys(notes, item, ['type', 'max'], `costs[${index}]`);
    return { type: item.type, max: item.max };
  });
}

/** Notes data that no volume mounts: it would be ignored. */
function noteUnmounted(notes: Notes, { parts, storage }: Pick<Ask, 'parts' | 'storage'>): void {
  storage.forEach(({ kind, name }, index) => {
    if (
      kind === 'ephemeral' ||
      parts.some(({ volumes }) => volumes.some((volume) => volume.name === name))
    )
      return;
    notes.note({
      code: 'storage-not-mounted',
      path: `resources.storage[${index}].name`,
      asked: textQuantity(shown(name)),
    });
  });
}

/** Notes lasting storage that several machines write: the last one would win. */
function noteSeveralWriters(
  notes: Notes,
  { parts, storage }: Pick<Ask, 'parts' | 'storage'>,
): void {
  if (isOneMachine(parts)) return;
  for (const { name } of storage.filter(({ kind }) => kind !== 'ephemeral')) {
    const writers = parts.flatMap(({ volumes, replicas }, part) =>
      volumes.flatMap((volume, index) =>
        volume.name === name && volume.mode === 'rw'
          ? [{ replicas, path: `resources.compute[${part}].volumes[${index}].mode` }]
          : [],
      ),
    );
    const [first, ...more] = writers;
    if (first === undefined || (more.length === 0 && first.replicas === 1)) continue;
    for (const { path } of first.replicas === 1 ? more : writers)
      notes.note({
        code: 'volume-written-by-several',
        path,
        asked: textQuantity('rw'),
        limit: textQuantity('r'),
      });
  }
}
