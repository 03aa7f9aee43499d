import type { ResultsUsed } from '../../schedule/results.ts';
import type { Suitable } from '../judge/candidate.ts';
import { compared, type Refusal } from '../refusal.ts';

/** A destination and the use of its pool of results; undefined: the pool is known to have room. */
type Filled = {
  readonly suitable: Pick<Suitable, 'id' | 'destination' | 'sizes'>;
  readonly results: ResultsUsed | undefined;
};

/** Why there is no room for results. They stay until they are removed, so a later start does not help. */
export function resultRefusals({
  suitable: {
    id,
    destination,
    sizes: [{ results: asked }],
  },
  results: used,
}: Filled): readonly Refusal[] {
  if (used === undefined || destination.results === undefined || asked === undefined) return [];
  const left = destination.results.size - used.held - used.kept;
  return asked <= left
    ? []
    : [
        {
          code: 'no-results-space',
          place: { what: 'task' },
          destination: id,
          ...compared('results', asked, left, undefined),
        },
      ];
}
