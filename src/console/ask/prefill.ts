import type { Draft } from './document.ts';

/**
 * The form with what an address says: `cores`, `memory` in GiB, `hours`, `gpu` and `gpus` for type
 * and number, `start` as an instant; without `start` it is now.
 */
export function prefilled(draft: Draft, fields: URLSearchParams): Draft {
  if (fields.size === 0) return draft;
  const start = Date.parse(fields.get('start') ?? '');
  return {
    ...draft,
    minCores: fields.get('cores') ?? draft.minCores,
    // A limit below the new minimum would be a contradiction.
    maxCores: '',
    memory: fields.get('memory') ?? draft.memory,
    hours: fields.get('hours') ?? draft.hours,
    gpuType: fields.get('gpu') ?? '',
    gpuCount: fields.get('gpus') ?? '',
    start: Number.isNaN(start) ? undefined : start,
    until: undefined,
  };
}
