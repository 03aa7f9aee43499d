import { textQuantity } from '../../../planner/refusal.ts';
import { shown } from '../../../tasks/task.ts';
import type { Notes } from '../../reading/notes.ts';
import { EXTRA } from '../extras.ts';
import type { BrokerRequest } from '../generations.ts';

/** Notes extras of the whole request, but for those of an answer that a client sends back. */
export function noteTopExtras(notes: Notes, { extras }: BrokerRequest): void {
  extras?.forEach(({ kind }, index) => {
    if (TOLD_EXTRAS.has(kind)) return;
    notes.note({
      code: 'unknown-key',
      path: `extras[${index}].kind`,
      asked: textQuantity(shown(kind)),
      detail: 'No extra of a request has this kind.',
    });
  });
}

const TOLD_EXTRAS: ReadonlySet<string> = new Set([
  EXTRA.destination,
  EXTRA.identity,
  EXTRA.explain,
  EXTRA.nearest,
]);
