import { raise } from '../../errors.ts';
import { MAX_ORDINAL, MONTHS, WEEKDAYS, dayOf, daysIn, ordinalOf, weekdayOf } from './calendar.ts';
import type { TimePoint } from './strftime.ts';

const PIECES: Readonly<Record<string, string>> = {
  Y: '(?<Y>\\d{4})',
  y: '(?<y>\\d\\d)',
  m: '(?<m>1[0-2]|0[1-9]|[1-9])',
  d: '(?<d>3[01]|[12]\\d|0[1-9]|[1-9]| [1-9])',
  H: '(?<H>2[0-3]|[01]\\d|\\d)',
  I: '(?<I>1[0-2]|0[1-9]|[1-9])',
  M: '(?<M>[0-5]\\d|\\d)',
  S: '(?<S>6[01]|[0-5]\\d|\\d)',
  f: '(?<f>\\d{1,6})',
  p: '(?<p>am|pm)',
  j: '(?<j>36[0-6]|3[0-5]\\d|[12]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9])',
  G: '(?<G>\\d{4})',
  U: '(?<U>5[0-3]|[0-4]\\d|\\d)',
  W: '(?<W>5[0-3]|[0-4]\\d|\\d)',
  V: '(?<V>5[0-3]|0[1-9]|[1-4]\\d|\\d)',
  w: '(?<w>[0-6])',
  u: '(?<u>[1-7])',
  b: `(?<b>${MONTHS.map((name) => name.slice(0, 3)).join('|')})`,
  B: `(?<B>${MONTHS.join('|')})`,
  z: '(?<z>Z|[+-]\\d\\d:?[0-5]\\d(?::?[0-5]\\d)?)',
  a: `(?<a>${WEEKDAYS.map((name) => name.slice(0, 3)).join('|')})`,
  A: `(?<A>${WEEKDAYS.join('|')})`,
  Z: '(?:UTC|GMT)',
  '%': '%',
};

/** Directives that stand for several, in the C locale. */
const COMPOSED: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  c: '%a %b %d %H:%M:%S %Y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

/** `strptime`. @throws ValueError when the text does not match the format */
export function strptime(text: string, format: string): TimePoint {
  if (format.replaceAll('%%', '').endsWith('%'))
    raise('ValueError', `stray % in format '${format}'`);
  const found = new RegExp(`^${patternOf(format)}`, 'i').exec(text);
  if (found === null)
    return raise('ValueError', `time data '${text}' does not match format '${format}'`);
  if (found[0].length < text.length)
    raise('ValueError', `unconverted data remains: ${text.slice(found[0].length)}`);
  return pointOf(found.groups ?? {});
}

/** The regular expression of a format. @throws ValueError */
function patternOf(format: string): string {
  const written = format
    .replace(/%(.)/gs, (directive, letter: string) => COMPOSED[letter] ?? directive)
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/\s+/g, '\\s+');
  const source = written.replace(
    /%(.)/gs,
    (_, letter: string) =>
      PIECES[letter] ?? raise('ValueError', `'${letter}' is a bad directive in format '${format}'`),
  );
  if (/\(\?<(\w+)>.*\(\?<\1>/.test(source))
    raise('ValueError', `a directive is repeated in format '${format}'`);
  return source;
}

/** The point in time that the groups of a match spell. @throws ValueError */
function pointOf(groups: Readonly<Record<string, string>>): TimePoint {
  const part = (name: string): string | undefined => groups[name];
  const number = (name: string, absent: number): number =>
    part(name) === undefined ? absent : Number(part(name));
  const short = number('y', 0);
  const year =
    part('Y') === undefined
      ? part('y') === undefined
        ? 1900
        : short + (short < 69 ? 2000 : 1900)
      : number('Y', 1900);
  const monthName = (part('B') ?? part('b'))?.slice(0, 3).toLowerCase();
  const month =
    monthName === undefined
      ? number('m', 1)
      : MONTHS.findIndex((name) => name.toLowerCase().startsWith(monthName)) + 1;
  const day = number('d', 1);
  if (year < 1 || day > daysIn(year, month)) raise('ValueError', 'day is out of range for month');
  const half = part('p')?.toLowerCase();
  const hour =
    part('I') === undefined ? number('H', 0) : (number('I', 0) % 12) + (half === 'pm' ? 12 : 0);
  const micro = Number((part('f') ?? '0').padEnd(6, '0'));
  const ordinal = ordinalInWeek(year, part) ?? ordinalOf({ year, month, day });
  if (ordinal < 1 || ordinal > MAX_ORDINAL)
    raise('ValueError', `year ${dayOf(ordinal).year} is out of range`);
  return {
    ordinal,
    micro: (hour * 3600 + number('M', 0) * 60 + number('S', 0)) * 1e6 + micro,
    offset: parseOffset(part('z')),
  };
}

/** The day that its number in the year says, or its week and weekday; undefined without them. */
function ordinalInWeek(
  year: number,
  part: (name: string) => string | undefined,
): number | undefined {
  const [isoYear, isoWeek] = [part('G'), part('V')];
  const weekday = weekdayNamed(part);
  checkIsoWeek(part, weekday);
  const first = ordinalOf({ year, month: 1, day: 1 });
  const inYear = part('j');
  if (inYear !== undefined) return first + Number(inYear) - 1;
  if (weekday === undefined) return undefined;
  const week = part('U') ?? part('W');
  if (week !== undefined) {
    // Weeks begin on Sunday or on Monday; week 0 is what is before the first of these.
    const shift = part('U') === undefined ? 0 : 1;
    const firstWeekday = (weekdayOf(first) + shift) % 7;
    const start =
      Number(week) === 0 ? -firstWeekday : ((7 - firstWeekday) % 7) + 7 * (Number(week) - 1);
    return first + start + ((weekday + shift) % 7);
  }
  if (isoYear === undefined) return undefined;
  const fourth = ordinalOf({ year: Number(isoYear), month: 1, day: 4 });
  return fourth - weekdayOf(fourth) + 7 * (Number(isoWeek) - 1) + weekday;
}

/** The weekday of `%a`, `%A`, `%w` or `%u`; Monday is 0. */
function weekdayNamed(part: (name: string) => string | undefined): number | undefined {
  const name = (part('A') ?? part('a'))?.slice(0, 3).toLowerCase();
  if (name !== undefined)
    return WEEKDAYS.findIndex((weekday) => weekday.toLowerCase().startsWith(name));
  const [fromSunday, fromMonday] = [part('w'), part('u')];
  if (fromSunday !== undefined) return (Number(fromSunday) + 6) % 7;
  return fromMonday === undefined ? undefined : Number(fromMonday) - 1;
}

/** @throws ValueError where year, week and weekday of ISO 8601 are not together */
function checkIsoWeek(
  part: (name: string) => string | undefined,
  weekday: number | undefined,
): void {
  const days = "a weekday directive ('%A', '%a', '%w', or '%u').";
  if (part('G') !== undefined) {
    if (part('j') !== undefined)
      raise(
        'ValueError',
        "Day of the year directive '%j' is not compatible with ISO year directive '%G'. Use '%Y' instead.",
      );
    if (part('V') === undefined || weekday === undefined)
      raise(
        'ValueError',
        `ISO year directive '%G' must be used with the ISO week directive '%V' and ${days}`,
      );
  } else if (part('V') !== undefined)
    raise(
      'ValueError',
      (part('Y') ?? part('y')) === undefined || weekday === undefined
        ? `ISO week directive '%V' must be used with the ISO year directive '%G' and ${days}`
        : "ISO week directive '%V' is incompatible with the year directive '%Y'. Use the ISO year '%G' instead.",
    );
}

/** Seconds of `+HH:MM` or `Z`. */
function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, sign, h, m, s = '0'] = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text) ?? [];
  return sign === undefined
    ? 0
    : (Number(h) * 3600 + Number(m) * 60 + Number(s)) * (sign === '-' ? -1 : 1);
}
