import { numberQuantity, textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import { shown, type TaskType } from '../../../tasks/task.ts';
import { isRecord } from '../../../words/record.ts';
import type { Notes } from '../../reading/notes.ts';
import { readTaskOf, type UnderstoodTask } from '../../reading/task.ts';
import type { BrokerRequest } from '../generations.ts';
import { kindNamed } from '../kinds.ts';
import type { BrokerExecutable } from '../view.ts';
import { noteTwoKinds, noteUnknownInside, ownWordsOf } from './known-keys.ts';

/** The executable of a request, understood. */
export type UnderstoodExecutable = UnderstoodTask & {
  /** the URI of its task type, by which every dialect knows it */
  readonly taskType: string;
};

/** The executable of a request; if it is not understood, the notes say why. */
export function readExecutable(
  notes: Notes,
  { executable }: BrokerRequest,
  vocabulary: Vocabulary,
): UnderstoodExecutable | undefined {
  noteTwoKinds(notes, executable, 'executable');
  const uri = executable.kind ?? executable.type ?? '';
  const name = kindNamed(uri, 'executable');
  if (name === 'singularity')
    return notes.note({
      code: 'no-singularity',
      path: kindPath(executable),
      asked: textQuantity(shown(uri)),
    });
  const taskUri = TASK_TYPES.get(name ?? '');
  // A type of a plug-in has exactly its own URI, on whatever host.
  const type = vocabulary.taskTypes.find(taskUri ?? uri);
  if (type === undefined)
    return notes.note({
      code: 'unknown-task-type',
      path: kindPath(executable),
      asked: textQuantity(shown(uri)),
    });
  const spec = specOf(notes, executable, type);
  const understood = readTaskOf(notes, type, spec, vocabulary, (at) => specPathIn(executable, at));
  return understood && { taskType: taskUri ?? uri, ...understood };
}

/** The path of a detail of the executable. @param at as its task type names it; empty: all of it */
export function specPathIn(executable: BrokerExecutable, at: string): string {
  const root = isRecord(executable['spec']) ? 'executable.spec' : 'executable';
  if (at === '') return root;
  const own = at.startsWith('notebook') ? notebookKey(wordsOf(executable)) : at;
  return `${root}${own.startsWith('[') ? '' : '.'}${own}`;
}

/** Where an executable says what it is. */
export function kindPath({ kind }: BrokerExecutable): string {
  return kind === undefined ? 'executable.type' : 'executable.kind';
}

const TASK = 'https://www.purl.org/ivoa-net/task-type';
const TASK_TYPES: ReadonlyMap<string, string> = new Map([
  ['container', `${TASK}/oci-container`],
  ['notebook', `${TASK}/jupyter-notebook`],
  ['python-program', `${TASK}/python-program`],
  ['executable', `${TASK}/executable`],
  ['helm-chart', `${TASK}/helm-chart`],
  ['cwl-workflow', `${TASK}/cwl-workflow`],
  ['snakemake-workflow', `${TASK}/snakemake-workflow`],
  ['nextflow-workflow', `${TASK}/nextflow-workflow`],
]);

/** What an answer says of an executable, and a client may send back. */
const TOLD: ReadonlySet<string> = new Set(['access', 'spec']);

/** The details of an executable, which stand beside its kind, or in `spec` (2023, 2024). */
function wordsOf(executable: BrokerExecutable): Readonly<Record<string, unknown>> {
  const { spec } = executable;
  const own = ownWordsOf(executable);
  const inline = Object.fromEntries(Object.entries(own).filter(([key]) => !TOLD.has(key)));
  return isRecord(spec) ? { ...inline, ...spec } : inline;
}

function specOf(
  notes: Notes,
  executable: BrokerExecutable,
  { name }: TaskType,
): Readonly<Record<string, unknown>> {
  const words = wordsOf(executable);
  switch (name) {
    case 'jupyter-notebook':
      return notebookOf(notes, executable, words);
    case 'oci-container':
      return withoutPorts(notes, executable, words);
    default:
      return words;
  }
}

/** Where a generation has the URL of a notebook. */
function notebookKey(words: Readonly<Record<string, unknown>>): string {
  if (words['location'] !== undefined) return 'location';
  const { notebook } = words;
  if (!isRecord(notebook)) return notebook === undefined ? 'location' : 'notebook';
  return notebook['file'] === undefined ? 'notebook.location' : 'notebook.file';
}

/** A notebook's URL is its `location` (2025, 2026), `notebook.file` or `notebook.location` (2024). */
function notebookOf(
  notes: Notes,
  executable: BrokerExecutable,
  words: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { location, notebook, ...rest } = words;
  const at = `${specPathIn(executable, '')}.notebook`;
  if (isRecord(notebook)) noteUnknownInside(notes, notebook, ['file', 'location'], at);
  const inner = isRecord(notebook) ? (notebook['file'] ?? notebook['location']) : notebook;
  if (location !== undefined && inner !== undefined)
    notes.note({ code: 'time-ambiguous', path: at, detail: 'The executable has a location, too.' });
  const url = location ?? inner;
  return { ...rest, ...(url === undefined ? {} : { notebook: url }) };
}

/** A container's network without the ports, for which there is a refusal of their own. */
function withoutPorts(
  notes: Notes,
  executable: BrokerExecutable,
  words: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { network } = words;
  if (!isRecord(network)) return words;
  const { ports, ...rest } = network;
  if (!Array.isArray(ports) || ports.length === 0) return words;
  notes.note({
    code: 'no-connectors',
    path: `${specPathIn(executable, 'network')}.ports`,
    asked: numberQuantity(ports.length),
    limit: numberQuantity(0),
  });
  return { ...words, network: rest };
}
