import { raise } from '../../errors.ts';
import { MONTHS, WEEKDAYS, daysIn, ordinalOf } from './calendar.ts';
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
  j: '(?<j>\\d{1,3})',
  b: `(?<b>${MONTHS.map((name) => name.slice(0, 3)).join('|')})`,
  B: `(?<B>${MONTHS.join('|')})`,
  z: '(?<z>Z|[+-]\\d\\d:?[0-5]\\d(?::?[0-5]\\d)?)',
  a: `(?:${WEEKDAYS.map((name) => name.slice(0, 3)).join('|')})`,
  A: `(?:${WEEKDAYS.join('|')})`,
  Z: '(?:UTC|GMT)',
  '%': '%',
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
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/\s+/g, '\\s+')
    .replaceAll('%F', '%Y-%m-%d')
    .replaceAll('%T', '%H:%M:%S');
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
  const ordinal =
    part('j') === undefined
      ? ordinalOf({ year, month, day })
      : ordinalOf({ year, month: 1, day: 1 }) + number('j', 1) - 1;
  return {
    ordinal,
    micro: (hour * 3600 + number('M', 0) * 60 + number('S', 0)) * 1e6 + micro,
    offset: parseOffset(part('z')),
  };
}

/** Seconds of `+HH:MM` or `Z`. */
function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, sign, h, m, s = '0'] = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text) ?? [];
  return sign === undefined
    ? 0
    : (Number(h) * 3600 + Number(m) * 60 + Number(s)) * (sign === '-' ? -1 : 1);
}
