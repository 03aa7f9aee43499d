import type { components } from '../../generated/api.d.ts';
import { numberOf, textOf } from '../../planner/refusal.ts';
import { findTaskType } from '../../tasks/registry.ts';
import { shown, type Task } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { unknownKeys, type Notes } from './notes.ts';

/** The task of the ask (draft 2023, level 1); undefined when it is not understood, and then the notes say why. */
export const readTask = (notes: Notes, task: components['schemas']['Task'], policy: UrlPolicy): Task | undefined => {
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
