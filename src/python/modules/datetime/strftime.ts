import { payForText } from '../../text/size.ts';
import { MONTHS, WEEKDAYS, dayOf, isoWeekOf, ordinalOf, weekdayOf } from './calendar.ts';

/**
 * A point in time for formatting: the day, its microseconds, and, if known, the offset from UTC in
 * seconds and the zone.
 */
export type TimePoint = {
  readonly ordinal: number;
  readonly micro: number;
  readonly offset: number | undefined;
  readonly zone?: string | undefined;
};

type Fields = ReturnType<typeof fieldsOf>;

/** The directives that CPython fills in itself, when they have no flags. */
const OWN: Readonly<Record<string, (fields: Fields) => string>> = {
  f: ({ micro }) => pad(micro % 1e6, 6),
  z: ({ offset }) => (offset === undefined ? '' : offsetText(offset, '')),
  Z: ({ zone }) => zone ?? '',
};

/** The text of each directive of the C library. */
const DIRECTIVES: Readonly<Record<string, (fields: Fields) => string>> = {
  Y: ({ year }) => pad(year, year < 1000 ? 1 : 4),
  y: ({ year }) => pad(year % 100),
  C: ({ year }) => String(Math.floor(year / 100)),
  m: ({ month }) => pad(month),
  d: ({ day }) => pad(day),
  e: ({ day }) => String(day).padStart(2),
  H: ({ h }) => pad(h),
  I: (fields) => pad(halfDayHour(fields)),
  M: ({ m }) => pad(m),
  S: ({ s }) => pad(s),
  k: ({ h }) => String(h).padStart(2),
  l: (fields) => String(halfDayHour(fields)).padStart(2),
  p: half,
  P: (fields) => half(fields).toLowerCase(),
  r: (fields) => `${pad(halfDayHour(fields))}${clock(fields).slice(2)} ${half(fields)}`,
  a: ({ weekday }) => WEEKDAYS[weekday]?.slice(0, 3) ?? '',
  A: ({ weekday }) => WEEKDAYS[weekday] ?? '',
  b: ({ month }) => MONTHS[month - 1]?.slice(0, 3) ?? '',
  h: ({ month }) => MONTHS[month - 1]?.slice(0, 3) ?? '',
  B: ({ month }) => MONTHS[month - 1] ?? '',
  j: ({ yearDay }) => pad(yearDay, 3),
  w: ({ weekday }) => String((weekday + 1) % 7),
  u: ({ weekday }) => String(weekday + 1),
  U: ({ weekday, yearDay }) => pad(Math.floor((yearDay + 6 - ((weekday + 1) % 7)) / 7)),
  W: ({ weekday, yearDay }) => pad(Math.floor((yearDay + 6 - weekday) / 7)),
  g: ({ ordinal }) => pad(isoWeekOf(ordinal)[0] % 100),
  G: ({ ordinal }) => String(isoWeekOf(ordinal)[0]),
  V: ({ ordinal }) => pad(isoWeekOf(ordinal)[1]),
  F: ({ year, month, day }) => `${pad(year, year < 1000 ? 1 : 4)}-${pad(month)}-${pad(day)}`,
  R: ({ h, m }) => `${pad(h)}:${pad(m)}`,
  c: ({ year, moment }) => strftime(moment, '%a %b %e %T ') + String(year),
  // The C library is told no zone.
  z: () => '',
  Z: () => '',
  // The C library reads the fields as local time, whatever the zone.
  s: ({ ordinal, seconds }) => String(Math.floor((ordinal - 719_163) * 86400 + seconds)),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
  D: slashed,
  x: slashed,
  T: clock,
  X: clock,
};

/** `+HH:MM`, or with another separator. */
export function offsetText(seconds: number, separator: string): string {
  const size = Math.abs(seconds);
  const parts = [
    Math.floor(size / 3600),
    Math.floor(size / 60) % 60,
    ...(size % 60 === 0 ? [] : [size % 60]),
  ];
  return (seconds < 0 ? '-' : '+') + parts.map((part) => pad(part)).join(separator);
}

/** `YYYY-MM-DD`. */
export function isoDate(ordinal: number): string {
  const { year, month, day } = dayOf(ordinal);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

/** `strftime` in the C locale. */
export function strftime(moment: TimePoint, format: string): string {
  payForText(format.length * 8);
  const fields = fieldsOf(moment);
  return format.replace(
    DIRECTIVE,
    (whole: string, flags: string, width: string, modifier: string, letter: string) => {
      const own = whole === `%${letter}` ? OWN[letter] : undefined;
      if (own !== undefined) return own(fields);
      const takes = modifier === '' || MODIFIED[modifier]?.includes(letter) === true;
      const text = (takes ? DIRECTIVES[letter]?.(fields) : undefined) ?? whole;
      payForText(Number(width));
      return widened(cased(text, flags, letter), flags, Number(width), letter);
    },
  );
}

/** A directive: flags, a width, a modifier for other locales, and its letter. */
const DIRECTIVE = /%([-_0^#]*)(\d{0,9})([EO]?)(.)/gsu;
/** The directives that have a form for other locales; here it is the same. */
const MODIFIED: Readonly<Record<string, string>> = {
  E: 'cCxXyYnpPrRtTuzZ%',
  O: 'BbhdeHIklmMSuUVgGWwyjCnpPrRtTzZ%',
};

/** `^` is for capitals; `#` for the other case, which is the lower one of AM and PM. */
function cased(text: string, flags: string, letter: string): string {
  if (flags.includes('#') && 'pZ'.includes(letter)) return text.toLowerCase();
  const isChanged = flags.includes('#') && 'aAbBh'.includes(letter);
  return (flags.includes('^') && letter !== 'P') || isChanged ? text.toUpperCase() : text;
}

/** Fills up to the width: numbers as the last of `-`, `_` and `0` says, texts with spaces. */
function widened(text: string, flags: string, width: number, letter: string): string {
  const how = /[-_0](?=[^-_0]*$)/.exec(flags)?.[0];
  if (letter === 'z') return text;
  if (!'CdegGHIjklmMsSuUVwWyY'.includes(letter))
    return text.padStart(width, how === '0' ? '0' : ' ');
  const bare = text.replace(/^[ 0]+(?=\d)/, '');
  if (how === '-') return bare.padStart(width);
  const isSpaced = how === '_' || (how === undefined && 'ekl'.includes(letter));
  return bare.padStart(Math.max(width, text.length), isSpaced ? ' ' : '0');
}

function pad(n: number, width = 2): string {
  return String(n).padStart(width, '0');
}

function fieldsOf(moment: TimePoint) {
  const { ordinal, micro } = moment;
  const { year, month, day } = dayOf(ordinal);
  const seconds = Math.floor(micro / 1e6);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const weekday = weekdayOf(ordinal);
  const yearDay = ordinal - ordinalOf({ year, month: 1, day: 1 }) + 1;
  return { ...moment, moment, year, month, day, seconds, h, m, s, weekday, yearDay };
}

function slashed({ year, month, day }: Fields): string {
  return `${pad(month)}/${pad(day)}/${pad(year % 100)}`;
}

/** From 1 to 12. */
function halfDayHour({ h }: Fields): number {
  return h % 12 === 0 ? 12 : h % 12;
}

function half({ h }: Fields): string {
  return h < 12 ? 'AM' : 'PM';
}

function clock({ h, m, s }: Fields): string {
  return `${pad(h)}:${pad(m)}:${pad(s)}`;
}
