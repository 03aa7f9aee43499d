import type { Understood } from '../../../planner/dialect.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import { openNotes } from '../../reading/notes.ts';
import { understoodAsk } from '../../reading/understood.ts';
import type { OpenedRequest } from '../opened.ts';
import { saysScratch } from '../view.ts';
import { readMachines } from './compute.ts';
import { readExecutable } from './executable.ts';
import { noteUnknown, noteUnknownInside } from './known-keys.ts';
import { noteMetrics, readLimits } from './measures.ts';
import { readTimes } from './schedule.ts';
import { readStored } from './storage.ts';
import { noteTopExtras, noteTopKind } from './top-extras.ts';
import { noteTogether } from './volumes.ts';

/**
 * Reads a request of any generation and checks what the contract cannot. What is not understood
 * becomes a refusal that names its path, up to 100; nothing is ignored.
 */
export function readBrokerRequest(
  { request, view, shelves }: OpenedRequest,
  vocabulary: Vocabulary,
): Understood {
  const { notes, refusals } = openNotes();
  noteUnknown(notes, request, TOP, '');
  noteTopKind(notes, request);
  noteTopExtras(notes, request);
  if (request.resources !== undefined)
    noteUnknownInside(notes, request.resources, ['compute', 'storage', 'data'], 'resources');
  const understood = readExecutable(notes, request, vocabulary);
  const storage = readStored(notes, view, shelves, vocabulary);
  const parts = readMachines(notes, view, { shelves, storage }, vocabulary);
  noteTogether(notes, { parts, storage }, { view, shelves });
  const windows = readTimes(notes, request, view);
  const costs = readLimits(notes, request);
  noteMetrics(notes, request);
  const namesScratch = saysScratch(view);
  return understoodAsk(refusals, understood, { parts, storage, windows, costs, namesScratch });
}

/** An offer has `connectors` and `expires`, and a client may send it back. */
const TOP = [
  'executable',
  'compute',
  'storage',
  'data',
  'resources',
  'datetime',
  'costs',
  'metrics',
  'expires',
  'connectors',
  'extras',
];
