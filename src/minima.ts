import { engineKindOf } from './runners/engine.ts';
import { findDefaultIsolation, type Isolation } from './runners/process/start/isolation.ts';
import type { Site } from './site/site.ts';

/**
 * Warns of destinations with burst that cannot guarantee a job its minimum: there are no cgroups,
 * or the site wants none.
 *
 * @returns a sentence for each
 */
export function unheldMinima(
  { destinations }: Pick<Site, 'destinations'>,
  machine: () => Pick<Isolation, 'cgroups'> = findDefaultIsolation,
): readonly string[] {
  return [...destinations.values()]
    .filter(({ sizes }) => sizes.kind === 'burst')
    .flatMap(({ id, engine }) => {
      const wish = engineKindOf(engine).onThisMachine?.(engine).wish;
      if (wish === undefined || (wish !== 'none' && machine().cgroups !== undefined)) return [];
      const why = wish === 'none' ? 'its isolation is none' : 'no cgroups can be made here';
      return [
        `destinations.${id} has burst, and ${why}: its jobs get only their minimum, ` +
          'and other jobs may take even that',
      ];
    });
}
