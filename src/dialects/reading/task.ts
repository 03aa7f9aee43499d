import { numberQuantity, textQuantity } from '../../planner/refusal.ts';
import type { PluginTask, Task, TaskType } from '../../tasks/task.ts';
import type { Vocabulary } from '../../planner/vocabulary.ts';
import type { Notes } from './notes.ts';

/** A task, and what the client asked for if a plug-in made the task from it. */
export type UnderstoodTask = { readonly task: Task; readonly plugin: PluginTask | undefined };

/**
 * The task that the details of a type describe; if they do not, the notes say why.
 * @param pathOf the path of a detail in the document
 */
export function readTaskOf(
  notes: Notes,
  type: TaskType,
  spec: unknown,
  { urls, sources }: Pick<Vocabulary, 'urls' | 'sources'>,
  pathOf: (at: string) => string,
): UnderstoodTask | undefined {
  const parsed = type.parse(spec, urls, sources);
  if (parsed.ok) return { task: parsed.task, plugin: parsed.plugin };
  for (const { at, code, text, asked, limit } of parsed.problems)
    notes.note({
      code,
      path: pathOf(at),
      detail: `${text}.`,
      ...(asked === undefined ? {} : { asked: quantityOf(asked) }),
      ...(limit === undefined ? {} : { limit: quantityOf(limit) }),
    });
  return undefined;
}

function quantityOf(value: string | number) {
  return typeof value === 'number' ? numberQuantity(value) : textQuantity(value);
}
