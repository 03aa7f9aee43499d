import { serviceNow } from '../../clock.ts';
import { secondsOf, type Instant } from '../../time.ts';

/** When a run may begin, as the form has it; neither: now, the first alone: exactly then. */
export type Starts = { readonly start: Instant | undefined; readonly until: Instant | undefined };

const WHOLE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;
const ZONE = /(?:Z|[+-]\d\d:\d\d)$/;
/** Fields for times have years of four digits. */
const LAST = Date.parse('9999-12-30T00:00Z');
const MINUTE = 60_000;

/**
 * The starts that a text of the document names: an instant, `start/end` or `start/duration`.
 *
 * @returns undefined for a text that the form cannot show, such as one without a zone
 */
export function startsOf(text: unknown): Starts | undefined {
  if (text === undefined) return { start: undefined, until: undefined };
  if (typeof text !== 'string') return undefined;
  const [first = '', end, ...more] = text
    .toUpperCase()
    .split('/')
    .map((part) => part.trim());
  const start = instantOf(first);
  if (start === undefined || more.length > 0) return undefined;
  if (end === undefined) return { start, until: undefined };
  const until = endOf(first, start, end);
  return until === undefined || until < start || until > LAST ? undefined : { start, until };
}

/** The text of starts; an end alone begins with this minute. */
export function textOfStarts({ start, until }: Starts): string | undefined {
  if (until === undefined) return start === undefined ? undefined : isoOf(start);
  return `${isoOf(start ?? Math.floor(serviceNow() / MINUTE) * MINUTE)}/${isoOf(until)}`;
}

/** The end of an interval; it may leave out what it has in common with the start. */
function endOf(first: string, start: Instant, end: string): Instant | undefined {
  if (end.startsWith('P')) {
    const seconds = secondsOf(end);
    return seconds === undefined ? undefined : start + Math.round(seconds * 1000);
  }
  const timed = end.includes('T') ? end : `T${end}`;
  const zone = ZONE.test(timed) ? '' : (ZONE.exec(first)?.[0] ?? '');
  return instantOf(first.slice(0, Math.max(0, 10 - timed.indexOf('T'))) + timed + zone);
}

function instantOf(text: string): Instant | undefined {
  const instant = WHOLE.test(text) ? Date.parse(text) : Number.NaN;
  return instant >= 0 && instant <= LAST ? instant : undefined;
}

function isoOf(instant: Instant): string {
  return new Date(instant).toISOString();
}
