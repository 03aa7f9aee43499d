import ICAL from 'ical.js';
import { IANAZone } from 'luxon';
import { instantOfWall, wallOf, type Recurrence } from '../schedule/recurrence.ts';
import { readRule, type WallTime } from '../schedule/recurrence-rule.ts';
import type { Maintenance } from './maintenance.ts';
import { errorText } from '../words/system-error.ts';

/** The busy times of a calendar, or what is wrong with the calendar. */
type CalendarReading =
  | { readonly ok: true; readonly maintenance: readonly Maintenance[] }
  | {
      readonly ok: false;
      readonly problems: readonly { readonly line: number; readonly message: string }[];
    };

class Unusable extends Error {}

const DAY_MS = 86_400_000;

/**
 * Reads the events of an iCalendar file (RFC 5545) as times at which a destination is not
 * available. Transparent and cancelled events are ignored. Times without a zone are in
 * X-WR-TIMEZONE, or else in UTC.
 */
export function readCalendar(text: string): CalendarReading {
  const lines = linesOf(text);
  try {
    const calendar = new ICAL.Component(ICAL.parse(text));
    const fallback = String(calendar.getFirstPropertyValue('x-wr-timezone') ?? 'UTC');
    const events = calendar.getAllSubcomponents('vevent');
    const without = withoutReplaced(events);
    const problems: { line: number; message: string }[] = [];
    const maintenance = events.flatMap((event, index) => {
      if (!isBusy(event)) return [];
      try {
        return [without(event, maintenanceOf(event, fallback))];
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        problems.push({ line: lines[index] ?? 1, message: error.message });
        return [];
      }
    });
    return problems.length === 0 ? { ok: true, maintenance } : { ok: false, problems };
  } catch (error) {
    const message = errorText(error);
    return {
      ok: false,
      problems: [
        {
          line: Number(/line (\d+)/.exec(message)?.[1] ?? 1),
          message: `not an iCalendar file: ${message}`,
        },
      ],
    };
  }
}

/** The lines where events begin, in order. */
function linesOf(text: string): readonly number[] {
  return text
    .split(/\r?\n/)
    .flatMap((line, index) => (/^BEGIN:VEVENT\s*$/i.test(line) ? [index + 1] : []));
}

/** A changed date of a repeated event replaces that date (RFC 5545 § 3.8.4.4). */
function withoutReplaced(
  events: readonly ICAL.Component[],
): (event: ICAL.Component, made: Maintenance) => Maintenance {
  const replaced = Map.groupBy(
    events.filter((event) => event.hasProperty('recurrence-id')),
    (event) => String(event.getFirstPropertyValue('uid')),
  );
  return (event, made) => {
    if (event.hasProperty('recurrence-id')) return made;
    const dates = (replaced.get(String(event.getFirstPropertyValue('uid'))) ?? []).flatMap(
      (other) => {
        const changed = other.getFirstProperty('recurrence-id');
        return changed === null ? [] : wallsIn(changed, made.when.zone);
      },
    );
    return { ...made, when: { ...made.when, except: new Set([...made.when.except, ...dates]) } };
  };
}

/** The times of a property by the clocks of an event, whatever clocks the property follows itself. */
function wallsIn(property: ICAL.Property, zone: string): readonly WallTime[] {
  return property.getValues().flatMap((value: unknown) => {
    if (!(value instanceof ICAL.Time)) return [];
    const own = value.isDate ? zone : zoneIn(property, zone);
    const at = wall(value, own);
    return [own === zone ? at : wallOf(instantOfWall(at, own), zone)];
  });
}

/** Only UTC and IANA names are allowed; the file's VTIMEZONE cannot redefine them. */
function zoneIn(property: ICAL.Property, fallback: string): string {
  const value: unknown = property.getFirstValue();
  if (value instanceof ICAL.Time && value.zone === ICAL.Timezone.utcTimezone) return 'UTC';
  const zone = property.getFirstParameter('tzid') ?? fallback;
  if (!IANAZone.isValidZone(zone))
    throw new Unusable(`TZID ${zone} is not an IANA name such as Europe/Berlin`);
  return zone;
}

function wall(time: ICAL.Time, zone: string): WallTime {
  return time.zone === ICAL.Timezone.utcTimezone
    ? wallOf(time.toUnixTime() * 1000, zone)
    : Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
}

function isBusy(event: ICAL.Component): boolean {
  return (
    event.getFirstPropertyValue('transp') !== 'TRANSPARENT' &&
    event.getFirstPropertyValue('status') !== 'CANCELLED'
  );
}

function maintenanceOf(event: ICAL.Component, fallback: string): Maintenance {
  const start = timeOf(event, 'dtstart');
  if (start === undefined) throw new Unusable('an event needs DTSTART');
  const zone = zoneOf(event, 'dtstart', fallback);
  const rule: unknown = event.getFirstPropertyValue('rrule');
  const understood = rule instanceof ICAL.Recur ? readRule(rule.toString()) : undefined;
  if (typeof understood === 'string')
    throw new Unusable(`RRULE ${String(rule)} cannot be used: ${understood}`);
  if (event.getFirstProperty('rdate') !== null)
    throw new Unusable('RDATE is not supported; write one event for each date');
  const except = event.getAllProperties('exdate').flatMap((property) => wallsIn(property, zone));
  const length = lengthOf(event, start, zone, fallback);
  if (length.ms <= 0) throw new Unusable('an event must end after it begins');
  return {
    when: { start: wall(start, zone), length, zone, rule: understood, except: new Set(except) },
    reason: String(event.getFirstPropertyValue('summary') ?? ''),
    takes: 'all',
  };
}

function timeOf(event: ICAL.Component, name: string): ICAL.Time | undefined {
  const value: unknown = event.getFirstPropertyValue(name);
  return value instanceof ICAL.Time ? value : undefined;
}

/** The zone of the time of an event: its own, or else the calendar's. */
function zoneOf(event: ICAL.Component, name: string, fallback: string): string {
  const property = event.getFirstProperty(name);
  return property === null ? fallback : zoneIn(property, fallback);
}

function lengthOf(
  event: ICAL.Component,
  start: ICAL.Time,
  zone: string,
  fallback: string,
): Recurrence['length'] {
  const end = timeOf(event, 'dtend');
  if (end !== undefined) {
    const own = zoneOf(event, 'dtend', fallback);
    if (own === zone || own === 'UTC')
      return { kind: 'by-the-clock', ms: wall(end, zone) - wall(start, zone) };
    // The end is in another zone: all repetitions have the length of the first.
    const [begins, ends] = [
      instantOfWall(wall(start, zone), zone),
      instantOfWall(wall(end, own), own),
    ];
    return { kind: 'lasting', ms: ends - begins };
  }
  const duration: unknown = event.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration) {
    const { hours, minutes, seconds } = duration;
    // RFC 5545 § 3.3.6: days and weeks are those of the calendar, hours are as long as they are.
    const isOfDays = hours === 0 && minutes === 0 && seconds === 0;
    return { kind: isOfDays ? 'by-the-clock' : 'lasting', ms: duration.toSeconds() * 1000 };
  }
  return { kind: 'by-the-clock', ms: start.isDate ? DAY_MS : 0 };
}
