import { textQuantity } from '../../../planner/refusal.ts';
import type { ExternalSource } from '../../../storage/content.ts';
import { shown } from '../../../tasks/task.ts';
import type { Mebibytes } from '../../../words/units.ts';
import type { Notes } from '../../reading/notes.ts';

/** Where data is, and its size if the request says it. */
export type FoundData = { readonly source: ExternalSource; readonly size: Mebibytes | undefined };

/** Notes a collection of files: only a single one is fetched. */
export function noteSeveralFiles(notes: Notes, type: string | undefined, path: string): void {
  if (type === undefined || type === 'FILE') return;
  notes.note({
    code: 'data-not-fetched',
    path,
    asked: textQuantity(shown(type)),
    limit: textQuantity('FILE'),
  });
}
