import type { components } from '../../generated/api.d.ts';
import type { Ask, AskPaths } from '../../planner/ask.ts';
import type { Refusal } from '../../planner/refusal.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import { readCompute } from './compute.ts';
import { unknownKeys, type Notes } from './notes.ts';
import { readStorage } from './storage.ts';
import { readTask } from './task.ts';

/** The body of POST /request after the contract has checked its shape (api/openapi.yaml). */
export type SeedAsk = components['schemas']['Ask'];

/** An ask that was understood, or every reason why not (R2, R3). */
export type Understood = { readonly ok: true; readonly ask: Ask } | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

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
