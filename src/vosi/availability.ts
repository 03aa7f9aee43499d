import { closuresOf } from '../site/maintenance.ts';
import type { Site } from '../site/site.ts';
import { printTime } from '../uws/time.ts';
import { element, printDocument } from '../uws/xml.ts';
import { closedTimes, nextDowntime } from './downtime.ts';

/** What is wrong with a part of the service: it `fails`, or answers though not as it should. */
export type PartState = { readonly name: string; readonly trouble: { readonly fails: boolean; readonly texts: readonly string[] } | undefined };

/** VOSI availability: times are printed. */
export type Availability = {
  readonly available: boolean;
  readonly upSince: string;
  readonly downAt: string | undefined;
  readonly backAt: string | undefined;
  readonly notes: readonly string[];
};

const print = (at: number): string => printTime(new Date(at));

const partNote = ({ name, trouble }: PartState): string =>
  (trouble === undefined ? `${name}: ok` : `${name}: ${trouble.fails ? 'fails' : 'degraded'}: ${trouble.texts.join('; ')}`);

const destinationNote = (site: Site, id: string, now: number): string => {
  const range = { start: now, end: now + site.offers.horizon * 1000 };
  const closed = closedTimes(site, id, range).find(({ start, end }) => start <= now && now < end);
  if (closed !== undefined) return `destination ${id}: closed until ${print(closed.end)}`;
  const next = closuresOf(site.destinations.get(id)?.maintenance ?? [], range).find(({ during }) => during.end > now);
  if (next === undefined) return `destination ${id}: open`;
  const what = next.takes === 'all' ? 'closed' : 'partly closed';
  return `destination ${id}: open; ${what} from ${print(next.during.start)} to ${print(next.during.end)}: ${next.reason}`;
};

/**
 * Whether the service can take and run tasks now: all its parts work and a destination is open.
 *
 * @param now milliseconds since 1970
 * @param since when the service started
 */
export const availabilityOf = (site: Site, parts: readonly PartState[], now: number, since: number): Availability => {
  const down = nextDowntime(site, { start: now, end: now + site.offers.horizon * 1000 });
  const isDown = down !== undefined && down.start <= now;
  return {
    available: !isDown && site.destinations.size > 0 && parts.every(({ trouble }) => trouble?.fails !== true),
    upSince: print(since),
    downAt: down && print(down.start),
    backAt: down && print(down.end),
    notes: [...parts.map(partNote), ...[...site.destinations.keys()].map((id) => destinationNote(site, id, now))],
  };
};

/** The document of VOSI 1.1 § 5.3. */
export const availabilityXml = ({ available, upSince, downAt, backAt, notes }: Availability): string => {
  const optional = (name: string, value: string | undefined) => (value === undefined ? [] : [element(name, {}, value)]);
  return printDocument(element('availability', { xmlns: 'http://www.ivoa.net/xml/VOSIAvailability/v1.0' },
    element('available', {}, `${available}`), ...optional('upSince', upSince), ...optional('downAt', downAt), ...optional('backAt', backAt),
    ...notes.map((note) => element('note', {}, note))));
};
