/** Milliseconds since 1970. */
export type Instant = number;

const DAY = 86_400_000;
/** From half a year away, a day and a month may be of two years. */
const FAR = 183 * DAY;
const LOCALE = 'en-GB';
/** Making a format takes 0.1 ms, and a calendar needs hundreds of texts. */
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * An instant as a reader of this zone writes it: `Tue 24 Nov, 21:00`; far from now also with its
 * year: `Fri 10 Aug 2096, 14:00`.
 */
export function shown(instant: Instant, zone: string, now: Instant = Date.now()): string {
  const isFar = Math.abs(instant - now) > FAR;
  const text = formatOf(zone, isFar ? 'far' : 'shown', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isFar && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(instant);
  // Only a date with a year has a comma behind its weekday.
  return text.replace(/^(\p{L}+),/u, '$1');
}

/** The time of the day, `21:00`. */
export function hourText(instant: Instant, zone: string): string {
  return formatOf(zone, 'hour', { hour: '2-digit', minute: '2-digit' }).format(instant);
}

/** The day, `Tue 24`. */
export function dayText(instant: Instant, zone: string): string {
  return formatOf(zone, 'day', { weekday: 'short', day: 'numeric' }).format(instant);
}

/** How a zone differs from UTC at an instant, such as `GMT+1`. */
export function offsetName(zone: string, instant: Instant): string {
  const part = formatOf(zone, 'offset', { timeZoneName: 'shortOffset' })
    .formatToParts(instant)
    .find(({ type }) => type === 'timeZoneName');
  return part?.value ?? zone;
}

/** The value of a `datetime-local` field for an instant, to the minute. */
export function inputOf(instant: Instant, zone: string): string {
  return new Date(instant + offsetOf(zone, instant)).toISOString().slice(0, 16);
}

/**
 * The instant of a `datetime-local` value. A time that clocks skip becomes the one that much later;
 * of a time that they repeat it is the first.
 *
 * @returns undefined for an empty or unreadable value
 */
export function instantOf(input: string, zone: string): Instant | undefined {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(input)
    ? Date.parse(`${input}Z`)
    : Number.NaN;
  if (Number.isNaN(wall)) return undefined;
  // Clocks differ from UTC by less than a day, so one of both offsets is the one in force.
  const before = wall - offsetOf(zone, wall - DAY);
  const after = wall - offsetOf(zone, wall + DAY);
  const fits = [before, after].filter((each) => each + offsetOf(zone, each) === wall);
  return fits.length > 0 ? Math.min(...fits) : before;
}

/** Midnights by the clocks of a zone, from the first one after `from`, in steps of days. */
export function midnights(
  { from, to, zone }: { readonly from: Instant; readonly to: Instant; readonly zone: string },
  days = 1,
): readonly Instant[] {
  const found: Instant[] = [];
  let day = Date.parse(`${inputOf(from, zone).slice(0, 10)}T00:00Z`);
  for (let next = from; next < to;) {
    day += days * DAY;
    next = instantOf(new Date(day).toISOString().slice(0, 16), zone) ?? to;
    if (next < to) found.push(next);
  }
  return found;
}

/** A length of time for readers: `15 min`, `2 h 30 min`, `3 days`. */
export function lengthText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (minutes < 120 && minutes % 60 !== 0) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${round(minutes / 1440)} days`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** Seconds as a clock shows them: `4:56`, `1:04:56`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${minutes}:${two(whole % 60)}`;
}

/** Seconds of an ISO 8601 duration; undefined for months, years and other texts. */
export function secondsOf(duration: string): number | undefined {
  const [, days, times = ''] = /^P((?:[\d.]+[WD])*)(?:T((?:[\d.]+[HMS])+))?$/.exec(duration) ?? [];
  if (days === undefined || days + times === '') return undefined;
  return sumOf(days, { W: 604_800, D: 86_400 }) + sumOf(times, { H: 3600, M: 60, S: 1 });
}

/** An ISO 8601 duration of whole seconds. */
export function durationOf(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'H'],
    [Math.floor(whole / 60) % 60, 'M'],
    [whole % 60, 'S'],
  ] as const;
  const text = parts.map(([amount, unit]) => (amount > 0 ? `${amount}${unit}` : '')).join('');
  return text === '' ? 'PT0S' : `PT${text}`;
}

/** A number with at most one digit behind the point. */
export function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Seconds of amounts with units, such as `1H30M`. */
function sumOf(text: string, seconds: Readonly<Record<string, number>>): number {
  return [...text.matchAll(/([\d.]+)([A-Z])/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (seconds[unit] ?? 0),
    0,
  );
}

function offsetOf(zone: string, instant: Instant): number {
  const parts = formatOf(zone, 'wall', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(instant);
  const at = (wanted: string): string => parts.find(({ type }) => type === wanted)?.value ?? '00';
  const day = `${at('year').padStart(4, '0')}-${at('month')}-${at('day')}`;
  const wall = Date.parse(`${day}T${at('hour')}:${at('minute')}:${at('second')}Z`);
  return wall - Math.floor(instant / 1000) * 1000;
}

function formatOf(
  zone: string,
  kind: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${kind} ${zone}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone });
  formats.set(key, made);
  return made;
}
