import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { MONTHS, WEEKDAYS, dayOf, daysIn, isoWeekOf, ordinalOf, weekdayOf } from './calendar.ts';

/**
 * A point in time for formatting: the day, its microseconds, and, if known, the offset from UTC in
 * seconds and the zone.
 */
type TimePoint = {
  readonly ordinal: number;
  readonly micro: number;
  readonly offset: number | undefined;
  readonly zone?: string | undefined;
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

/** `strftime` in the C locale. One case per directive. */
export function strftime(moment: TimePoint, format: string): string {
  payForText(format.length * 8);
  const { ordinal, micro, offset } = moment;
  const { year, month, day } = dayOf(ordinal);
  const seconds = Math.floor(micro / 1e6);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const weekday = weekdayOf(ordinal);
  const yearDay = ordinal - ordinalOf({ year, month: 1, day: 1 }) + 1;
  const directive = (letter: string): string => {
    switch (letter) {
      case 'Y':
        return pad(year, year < 1000 ? 1 : 4);
      case 'y':
        return pad(year % 100);
      case 'C':
        return String(Math.floor(year / 100));
      case 'm':
        return pad(month);
      case 'd':
        return pad(day);
      case 'e':
        return String(day).padStart(2);
      case 'H':
        return pad(h);
      case 'I':
        return pad(h % 12 === 0 ? 12 : h % 12);
      case 'M':
        return pad(m);
      case 'S':
        return pad(s);
      case 'f':
        return pad(micro % 1e6, 6);
      case 'p':
        return h < 12 ? 'AM' : 'PM';
      case 'a':
        return WEEKDAYS[weekday]?.slice(0, 3) ?? '';
      case 'A':
        return WEEKDAYS[weekday] ?? '';
      case 'b':
      case 'h':
        return MONTHS[month - 1]?.slice(0, 3) ?? '';
      case 'B':
        return MONTHS[month - 1] ?? '';
      case 'j':
        return pad(yearDay, 3);
      case 'w':
        return String((weekday + 1) % 7);
      case 'u':
        return String(weekday + 1);
      case 'U':
        return pad(Math.floor((yearDay + 6 - ((weekday + 1) % 7)) / 7));
      case 'W':
        return pad(Math.floor((yearDay + 6 - weekday) / 7));
      case 'G':
        return String(isoWeekOf(ordinal)[0]);
      case 'V':
        return pad(isoWeekOf(ordinal)[1]);
      case 'D':
        return `${pad(month)}/${pad(day)}/${pad(year % 100)}`;
      case 'F':
        return `${pad(year, year < 1000 ? 1 : 4)}-${pad(month)}-${pad(day)}`;
      case 'T':
        return `${pad(h)}:${pad(m)}:${pad(s)}`;
      case 'R':
        return `${pad(h)}:${pad(m)}`;
      case 'x':
        return `${pad(month)}/${pad(day)}/${pad(year % 100)}`;
      case 'X':
        return `${pad(h)}:${pad(m)}:${pad(s)}`;
      case 'c':
        return strftime(moment, '%a %b %e %T ') + String(year);
      case 'z':
        return offset === undefined ? '' : offsetText(offset, '');
      case 'Z':
        return moment.zone ?? '';
      // The C library reads the fields as local time, whatever the zone.
      case 's':
        return String(Math.floor((ordinal - 719_163) * 86400 + seconds));
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case '%':
        return '%';
      default:
        return `%${letter}`;
    }
  };
  return format.replace(/%(-?)(.)/gsu, (_, bare: string, letter: string) => {
    const text = directive(letter);
    if (bare === '') return text;
    return /^[ \d]+$/.test(text) ? text.replace(/^[ 0]+(?=\d)/, '') : text.replace(/^%/, '%-');
  });
}

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
  let source = format
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/\s+/g, '\\s+')
    .replaceAll('%F', '%Y-%m-%d')
    .replaceAll('%T', '%H:%M:%S');
  source = source.replace(
    /%(.)/gs,
    (_, letter: string) =>
      PIECES[letter] ?? raise('ValueError', `'${letter}' is a bad directive in format '${format}'`),
  );
  if (/\(\?<(\w+)>.*\(\?<\1>/.test(source))
    raise('ValueError', `a directive is repeated in format '${format}'`);
  const found = new RegExp(`^${source}`, 'i').exec(text);
  if (found === null)
    return raise('ValueError', `time data '${text}' does not match format '${format}'`);
  if (found[0].length < text.length)
    raise('ValueError', `unconverted data remains: ${text.slice(found[0].length)}`);
  const part = (name: string): string | undefined => found.groups?.[name];
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

function pad(n: number, width = 2): string {
  return String(n).padStart(width, '0');
}

/** Seconds of `+HH:MM` or `Z`. */
function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, sign, h, m, s = '0'] = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text) ?? [];
  return sign === undefined
    ? 0
    : (Number(h) * 3600 + Number(m) * 60 + Number(s)) * (sign === '-' ? -1 : 1);
}
