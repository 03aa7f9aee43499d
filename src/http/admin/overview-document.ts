import { drawnCapacity, drawnClosure, drawnGibibytes } from '../../planner/plan/drawn.ts';
import type { components } from '../../generated/api.d.ts';
import { visibleOwner } from '../../identity/principal.ts';
import { closuresAhead } from '../../planner/plan/fit.ts';
import { freeOf, UNUSED, type Queue, type Use } from '../../schedule/use.ts';
import type { SiteDestination } from '../../site/destination.ts';
import { printInstant } from '../../words/iso8601.ts';
import { printDrain } from './drain-routes.ts';
import type { OverviewReading } from './overview-reading.ts';

type Overview = components['schemas']['Overview'];
type OverviewDestination = Overview['destinations'][number];

/** A page shows no more owners; the lists of offers and jobs have all. */
const MOST_LINES = 200;
const IDLE: Queue = { pending: 0, waiting: 0, due: 0, running: 0, longest: 0 };

/** The part of the overview that comes from the site and the database. */
export function overviewOf(
  reading: OverviewReading,
): Pick<Overview, 'at' | 'destinations' | 'executors' | 'holders' | 'jobs'> {
  const { site, now, use, queues, executors, holdings, jobs } = reading;
  const gone = [...new Set([...use.keys(), ...queues.keys()])].filter(
    (id) => !site.destinations.has(id),
  );
  return {
    at: printInstant(now),
    destinations: [
      ...[...site.destinations.values()].map((one) => destinationOf(one, reading)),
      ...gone.map((id) => ({
        destination: id,
        listed: false,
        open: false,
        engine: engineOf(reading, id),
        ...usedOf(use.get(id) ?? UNUSED),
        queue: queueOf(queues.get(id)),
      })),
    ],
    executors: executors.map(({ name, host, until, jobs: count, engines }) => ({
      executor: name,
      host,
      alive: until > now,
      until: printInstant(until),
      jobs: count,
      engines: Object.entries(engines).map(([destination, answers]) => ({ destination, answers })),
    })),
    holders: holdings
      .slice(0, MOST_LINES)
      .map((one) => ({
        ...whose(one),
        destination: one.destination,
        ...usedOf(one),
        answers: one.answers,
        jobs: one.jobs,
        until: printInstant(one.until),
      })),
    jobs: jobs
      .slice(0, MOST_LINES)
      .map((one) => ({ ...whose(one), phase: one.phase, jobs: one.count })),
  };
}

function destinationOf(
  destination: SiteDestination,
  reading: OverviewReading,
): OverviewDestination {
  const { id, capacity, engine, results } = destination;
  const { site, now, use, queues, drains } = reading;
  const reserved = use.get(id) ?? UNUSED;
  const drain = drains.find((one) => one.destination === id);
  const closures = closuresAhead(site.offers, destination, now).filter(
    ({ during }) => during.start <= now && now < during.end,
  );
  const pool = results && reading.results.get(results.name);
  return {
    destination: id,
    listed: true,
    open: !closures.some(({ takes }) => takes === 'all'),
    runner: engine.runner,
    engine: engineOf(reading, id),
    capacity: drawnCapacity(capacity),
    ...usedOf(reserved),
    free: drawnCapacity(freeOf(capacity, reserved)),
    ...(results !== undefined && {
      results: {
        pool: results.name,
        size: drawnGibibytes(results.size),
        held: drawnGibibytes(pool?.held ?? 0),
        kept: drawnGibibytes(pool?.kept ?? 0),
      },
    }),
    queue: queueOf(queues.get(id)),
    maintenance: closures.map(drawnClosure),
    ...(drain !== undefined && { drain: printDrain(drain) }),
  };
}

function usedOf({ held, firm }: Use): Pick<OverviewDestination, 'held' | 'firm'> {
  return { held: drawnCapacity(held), firm: drawnCapacity(firm) };
}

function queueOf({
  pending,
  waiting,
  due,
  running,
  longest,
}: Queue = IDLE): OverviewDestination['queue'] {
  return { pending, waiting, due, running, 'longest-wait': Math.round(longest) };
}

function engineOf({ engines }: OverviewReading, id: string): OverviewDestination['engine'] {
  return engines.get(id) ?? 'unasked';
}

function whose({ owner, name }: { readonly owner: string; readonly name: string | null }): {
  owner: string;
  user?: string;
} {
  const user = visibleOwner(owner, name);
  return { owner, ...(user !== undefined && { user }) };
}
