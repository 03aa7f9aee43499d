import type { Ask } from '../../../planner/ask.ts';
import { numberQuantity, textQuantity } from '../../../planner/refusal.ts';
import { shown } from '../../../tasks/task.ts';
import type { Notes } from '../../reading/notes.ts';
import type { BrokerRequest } from '../generations.ts';
import { kindNamed } from '../kinds.ts';
import { noteUnknownInside } from './known-keys.ts';

/** The limits of costs. A minimum is what a service quotes, so it asks for nothing. */
export function readLimits(notes: Notes, { costs = [] }: BrokerRequest): Ask['costs'] {
  return costs.map(({ kind, type, max, ...item }, index) => {
    const path = `costs[${index}]`;
    noteUnknownInside(notes, item, ['description', 'min'], path);
    const isOther = kind !== undefined && kindNamed(kind, 'costs') === undefined;
    if (isOther || (type === undefined && max !== undefined))
      notes.note({
        code: 'cost-unknown',
        path: `${path}.${isOther ? 'kind' : 'type'}`,
        ...(isOther ? { asked: textQuantity(shown(kind)) } : {}),
      });
    if (max !== undefined && max < 0)
      notes.note({ code: 'amount-not-positive', path: `${path}.max`, asked: numberQuantity(max) });
    return { type: type ?? '', max };
  });
}

/** Notes bounds of metrics: nobody measures them here. */
export function noteMetrics(notes: Notes, { metrics = [] }: BrokerRequest): void {
  metrics.forEach(({ min, max, type = '' }, index) => {
    if (min === undefined && max === undefined) return;
    notes.note({
      code: 'metric-unknown',
      path: `metrics[${index}]`,
      asked: textQuantity(shown(type)),
    });
  });
}
