import { drawnCapacity, drawnClosure, drawnGibibytes } from '../../planner/plan/drawn.ts';
import type { components } from '../../generated/api.d.ts';
import { closuresAhead } from '../../planner/plan/fit.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { SiteStore } from '../../site/read/storage.ts';
import type { Site } from '../../site/site.ts';
import type { TaskTypes } from '../../tasks/registry.ts';
import { signInsOf } from './sign-ins.ts';

type SiteDocument = components['schemas']['Site'];
type Place = NonNullable<SiteDocument['storage']>[number];
type Offered = SiteDocument['destinations'][number];

/** A page shows no more; the calendar has all. */
const MOST_CLOSURES = 10;

/**
 * What everybody may know of a site before asking. It has no secrets, and no amounts in use.
 *
 * @param now milliseconds since 1970
 */
export function siteDocument(site: Site, types: TaskTypes, now: number): SiteDocument {
  const destinations = [...site.destinations.values()];
  const taken = new Set(destinations.flatMap(({ taskTypes }) => [...taskTypes]));
  const uris = new Map(types.all.map(({ name, uri }) => [name, uri]));
  return {
    name: site.name,
    ...(site.message !== undefined && { message: site.message }),
    ...(site.timeZone !== undefined && { 'time-zone': site.timeZone }),
    'sign-in': [...signInsOf(site.identity)],
    anonymous: site.identity.anonymous,
    offers: lifetimesOf(site),
    defaults: {
      cores: site.defaults.cores / 1000,
      memory: drawnGibibytes(site.defaults.memory),
      scratch: drawnGibibytes(site.defaults.scratch),
    },
    'task-types': types.all
      .filter(({ name }) => taken.has(name))
      .map(({ name, uri, form }) => {
        const example = form.example(site.fetch);
        return {
          type: uri,
          name,
          title: form.title,
          schema: { ...form.schema },
          ...(example !== undefined && { example: { ...example } }),
        };
      }),
    ...(site.storage.length > 0 && { storage: site.storage.map(placeOf) }),
    'gpu-types': [...new Set(destinations.flatMap(({ capacity }) => [...capacity.gpus.keys()]))],
    architectures: [...new Set(destinations.flatMap(({ arch }) => arch ?? []))],
    destinations: destinations.map((one) => destinationOf(one, site, uris, now)),
  };
}

function placeOf({ size, maxLifetime, destinations }: SiteStore): Place {
  return {
    size: drawnGibibytes(size),
    'max-lifetime': maxLifetime,
    ...(destinations !== undefined && { destinations: [...destinations] }),
  };
}

function lifetimesOf({ offers }: Site): SiteDocument['offers'] {
  return {
    lifetime: offers.lifetime,
    most: offers.most,
    duration: offers.duration,
    longest: offers.longest,
    horizon: offers.horizon,
    'start-window': offers.startWindow,
    'queue-limit': offers.queueLimit,
    'keep-results': offers.keepResults,
  };
}

function destinationOf(
  destination: SiteDestination,
  { offers }: Site,
  uris: ReadonlyMap<string, string>,
  now: number,
): Offered {
  const { id, description, capacity, taskTypes, arch } = destination;
  const closures = closuresAhead(offers, destination, now).filter(({ during }) => now < during.end);
  return {
    destination: id,
    ...(description !== undefined && { description }),
    'task-types': [...taskTypes].flatMap((name) => uris.get(name) ?? []),
    ...(arch !== undefined && { arch }),
    open: !closures.some(({ during, takes }) => takes === 'all' && during.start <= now),
    capacity: drawnCapacity(capacity),
    maintenance: closures.slice(0, MOST_CLOSURES).map(drawnClosure),
  };
}
