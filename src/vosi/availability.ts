import type { Interval } from '../schedule/interval.ts';
import { closuresOf, OPEN_END } from '../site/maintenance.ts';
import type { Site } from '../site/site.ts';
import { element, printDocument } from '../uws/print/xml.ts';
import { printInstant } from '../words/iso8601.ts';
import { closedTimes, nextDowntime } from './downtime.ts';
import { engineTrouble, type EngineStates } from './engines.ts';

/** The trouble of a part of the service: it `fails`, or it answers with faults. */
export type PartState = {
  readonly name: string;
  readonly trouble: { readonly fails: boolean; readonly texts: readonly string[] } | undefined;
};

/** VOSI availability with printed times. */
type Availability = {
  readonly available: boolean;
  readonly upSince: string;
  readonly downAt: string | undefined;
  readonly backAt: string | undefined;
  readonly notes: readonly string[];
};

/** A destination now: a note for people, and whether it can run jobs. */
type DestinationState = { readonly note: string; readonly works: boolean };

/** What is known of the service now. */
type SeenEngines = {
  readonly parts: readonly PartState[];
  /** absent when the executors' states are unknown, and for a service without executors */
  readonly engines?: EngineStates | undefined;
  /** milliseconds since 1970 */
  readonly now: number;
  /** start of the service */
  readonly since: number;
};

/**
 * Says whether the service can take and run tasks now: all parts work, and at least one destination
 * is open and has an engine that answers.
 */
export function availabilityOf(
  site: Site,
  { parts, engines, now, since }: SeenEngines,
): Availability {
  const down = nextDowntime(site, { start: now, end: now + site.offers.horizon * 1000 });
  const isDown = down !== undefined && down.start <= now;
  const destinations = [...site.destinations.keys()].map((id) =>
    destinationState(site, engines, id, now),
  );
  return {
    available:
      !isDown &&
      destinations.some(({ works }) => works) &&
      parts.every(({ trouble }) => trouble?.fails !== true),
    upSince: printInstant(since),
    downAt: down && printInstant(down.start),
    backAt: down && down.end < OPEN_END ? printInstant(down.end) : undefined,
    notes: [...parts.map(partNote), ...destinations.map(({ note }) => note)],
  };
}

/** Prints the document of VOSI 1.1 § 5.3. */
export function availabilityXml({
  available,
  upSince,
  downAt,
  backAt,
  notes,
}: Availability): string {
  const optional = (name: string, value: string | undefined) =>
    value === undefined ? [] : [element(name, {}, value)];
  return printDocument(
    element(
      'availability',
      { xmlns: 'http://www.ivoa.net/xml/VOSIAvailability/v1.0' },
      element('available', {}, `${available}`),
      ...optional('upSince', upSince),
      ...optional('downAt', downAt),
      ...optional('backAt', backAt),
      ...notes.map((note) => element('note', {}, note)),
    ),
  );
}

function destinationState(
  site: Site,
  engines: EngineStates | undefined,
  id: string,
  now: number,
): DestinationState {
  const range = { start: now, end: now + site.offers.horizon * 1000 };
  const closed = closedTimes(site, id, range).find(({ start, end }) => start <= now && now < end);
  if (closed !== undefined)
    return { note: `destination ${id}: closed${until(closed)}`, works: false };
  const trouble = engines && engineTrouble(engines, id);
  const state = trouble === undefined ? 'open' : `fails: ${trouble}`;
  const next = closuresOf(site.destinations.get(id)?.maintenance ?? [], range).find(
    ({ during }) => during.end > now,
  );
  const what = next?.takes === 'all' ? 'closed' : 'partly closed';
  const later =
    next === undefined
      ? ''
      : `; ${what} from ${printInstant(next.during.start)}${until(next.during, ' to')}: ${next.reason}`;
  return { note: `destination ${id}: ${state}${later}`, works: trouble === undefined };
}

function until({ end }: Interval, word = ' until'): string {
  return end < OPEN_END ? `${word} ${printInstant(end)}` : '';
}

function partNote({ name, trouble }: PartState): string {
  return trouble === undefined
    ? `${name}: ok`
    : `${name}: ${trouble.fails ? 'fails' : 'degraded'}: ${trouble.texts.join('; ')}`;
}
