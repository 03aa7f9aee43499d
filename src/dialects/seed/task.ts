import type { components } from '../../generated/api.d.ts';
import { isJobName } from '../../planner/job-name.ts';
import { textQuantity } from '../../planner/refusal.ts';
import type { Vocabulary } from '../../planner/vocabulary.ts';
import { shown } from '../../tasks/task.ts';
import { suggest } from '../../yaml/suggest.ts';
import type { Notes } from '../reading/notes.ts';
import { readTaskOf, type UnderstoodTask } from '../reading/task.ts';
import { specPath } from './paths.ts';
import { unknownKeys } from './unknown-keys.ts';

/** The task of an ask (draft 2023, level 1); if it is not understood, the notes say why. */
export function readTask(
  notes: Notes,
  task: components['schemas']['Task'],
  vocabulary: Vocabulary,
): UnderstoodTask | undefined {
  unknownKeys(notes, task, ['type', 'spec'], 'task');
  const type = vocabulary.taskTypes.find(task.type);
  if (type === undefined) {
    const detail = likelyType(task.type, vocabulary);
    return notes.note({
      code: 'unknown-task-type',
      path: 'task.type',
      asked: textQuantity(shown(task.type)),
      ...(detail === undefined ? {} : { detail }),
    });
  }
  return readTaskOf(notes, type, task.spec ?? {}, vocabulary, specPath);
}

/** What the client calls the task; undefined: nothing, or what no job can be called. */
export function askNameOf({ name }: Named): string | undefined {
  return name !== undefined && isJobName(name) ? name : undefined;
}

/** Notes a name that no job can have. */
export function noteAskName(notes: Notes, { name }: Named): void {
  if (name !== undefined && !isJobName(name))
    notes.note({ code: 'name-invalid', path: 'name', asked: textQuantity(shown(name)) });
}

type Named = Pick<components['schemas']['Ask'], 'name'>;

const SEPARATORS = ['/', '#', ':'];

/** A guess at the type of which a client wrote the name alone, as site files do, or a similar URI. */
function likelyType(written: string, { taskTypes }: Vocabulary): string | undefined {
  const name = written.slice(Math.max(...SEPARATORS.map((mark) => written.lastIndexOf(mark))) + 1);
  const near = suggest(
    name,
    taskTypes.all.map((type) => type.name),
  );
  const type = taskTypes.all.find((one) => one.name === near);
  return type && `Did you mean ${type.uri}?`;
}
