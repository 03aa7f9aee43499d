import type { Tariff } from '../site/read/costs.ts';
import type { Site } from '../site/site.ts';
import type { JobDescription } from '../vortex/index.ts';
import { toCores, toGibibytes } from '../words/units.ts';

type Told = Pick<JobDescription, 'costs'>;
type Rates = NonNullable<JobDescription['costs']>['rates'][number];

const known = new WeakMap<Site, Told>();

/**
 * What the destinations of a site cost, for the rules' helper `cost`; nothing where the site does
 * not say. Made once for each site.
 */
export function costsForRules(site: Site): Told {
  const before = known.get(site);
  if (before !== undefined) return before;
  // Destinations without costs of their own share those of the site.
  const shared = Map.groupBy(
    [...site.destinations.values()].filter(({ costs }) => costs.length > 0),
    ({ costs }) => costs,
  );
  const rates = [...shared].map(([costs, destinations]): Rates => ({
    destinations: destinations.map(({ id }) => id),
    rates: costs.map(ratesOf),
  }));
  const { cores, memory } = site.defaults;
  const defaults = { cores: toCores(cores), mem: toGibibytes(memory) };
  const made = rates.length === 0 ? {} : { costs: { defaults, rates } };
  known.set(site, made);
  return made;
}

function ratesOf({ type, core, memory, gpu, job }: Tariff): Rates['rates'][number] {
  return { type, core, mem: memory, gpu, job };
}
