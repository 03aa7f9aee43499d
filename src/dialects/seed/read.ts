import type { components } from '../../generated/api.d.ts';
import type { Ask } from '../../planner/ask.ts';
import { readCompute } from './compute.ts';
import { noteSeveralWriters, noteUnmounted } from '../reading/mounts.ts';
import { openNotes, type Notes } from '../reading/notes.ts';
import { understoodAsk } from '../reading/understood.ts';
import { unknownKeys } from './unknown-keys.ts';
import { namesScratch } from './paths.ts';
import { readSeedStorage } from './storage.ts';
import { noteAskName, readTask } from './task.ts';
import { readSeedTime } from './time.ts';
import type { Understood } from '../../planner/dialect.ts';
import type { Vocabulary } from '../../planner/vocabulary.ts';

/** The body of POST /request after the contract has checked its shape (api/openapi.yaml). */
export type SeedAsk = components['schemas']['Ask'];

/**
 * Reads an ask in the vocabulary of the 2023 draft and checks what the contract cannot. What is not
 * understood becomes a refusal that names its path, up to 100; nothing is ignored.
 */
export function readSeedAsk(body: SeedAsk, vocabulary: Vocabulary): Understood {
  const { notes, refusals } = openNotes();
  unknownKeys(notes, body, ['name', 'task', 'resources', 'time', 'datetime', 'costs'], '');
  noteAskName(notes, body);
  const resources = body.resources ?? {};
  unknownKeys(notes, resources, ['compute', 'storage'], 'resources');
  const understood = readTask(notes, body.task, vocabulary);
  const storage = readSeedStorage(notes, resources.storage ?? [], vocabulary);
  const parts = readCompute(notes, resources.compute ?? [], storage, vocabulary.computeTypes);
  noteUnmounted(notes, { parts, storage }, (item) => `resources.storage[${item}].name`);
  noteSeveralWriters(
    notes,
    { parts, storage },
    (part, volume) => `resources.compute[${part}].volumes[${volume}].mode`,
    ['rw', 'r'],
  );
  const windows = readSeedTime(notes, body);
  const costs = readCosts(notes, body.costs ?? []);
  const task = understood && { taskType: body.task.type, ...understood };
  return understoodAsk(refusals, task, {
    parts,
    storage,
    windows,
    costs,
    namesScratch: namesScratch(body),
  });
}

/** An item without a maximum limits nothing. */
function readCosts(notes: Notes, items: NonNullable<SeedAsk['costs']>): Ask['costs'] {
  return items.map((item, index) => {
    unknownKeys(notes, item, ['type', 'max'], `costs[${index}]`);
    return { type: item.type, max: item.max };
  });
}
