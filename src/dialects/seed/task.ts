import type { components } from '../../generated/api.d.ts';
import { numberQuantity, textQuantity } from '../../planner/refusal.ts';
import { shown, type PluginTask, type Task } from '../../tasks/task.ts';
import { unknownKeys, type Notes } from './notes.ts';
import { specPath } from './paths.ts';
import type { Vocabulary } from '../../planner/vocabulary.ts';

/** A task, and what the client asked for if a plug-in made the task from it. */
type UnderstoodTask = { readonly task: Task; readonly plugin: PluginTask | undefined };

/** The task of an ask (draft 2023, level 1); if it is not understood, the notes say why. */
export function readTask(
  notes: Notes,
  task: components['schemas']['Task'],
  { taskTypes, urls }: Vocabulary,
): UnderstoodTask | undefined {
  unknownKeys(notes, task, ['type', 'spec'], 'task');
  const type = taskTypes.find(task.type);
  if (type === undefined)
    return notes.note({
      code: 'unknown-task-type',
      path: 'task.type',
      asked: textQuantity(shown(task.type)),
    });
  const parsed = type.parse(task.spec ?? {}, urls);
  if (parsed.ok) return { task: parsed.task, plugin: parsed.plugin };
  for (const { at, code, text, asked, limit } of parsed.problems) {
    const quantity = (value: string | number) =>
      typeof value === 'number' ? numberQuantity(value) : textQuantity(value);
    notes.note({
      code,
      path: specPath(at),
      detail: `${text}.`,
      ...(asked !== undefined && { asked: quantity(asked) }),
      ...(limit !== undefined && { limit: quantity(limit) }),
    });
  }
  return undefined;
}
