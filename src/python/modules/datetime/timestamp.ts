import { raise } from '../../errors.ts';
import { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';
import { ordinalOf } from './calendar.ts';
import { checked, microOf } from './fields.ts';
import { PyDate, TimeZone, datetimeClass } from './date.ts';

const timestampClass = new PyClass('TimeStamp', [datetimeClass], {
  module: 'ruamel.yaml.timestamp',
});

/** A time of a YAML file, written with a `T` or an offset: its text keeps that form. */
class TimeStamp extends PyDate {
  readonly #separator: string;

  constructor(ordinal: number, micro: number, zone: TimeZone | undefined, separator: string) {
    super(ordinal, micro, zone);
    this.#separator = separator;
  }
  override get cls(): PyClass {
    return timestampClass;
  }
  override repr(): string {
    return super.repr().replace('datetime.datetime(', 'TimeStamp(');
  }
  override str(): string {
    return this.iso(this.#separator);
  }
}

const DATE = /^(\d{4})-(\d\d?)-(\d\d?)$/;
const TIME =
  /^(\d{4})-(\d\d?)-(\d\d?)([Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|[-+]\d\d?(?::\d\d)?))?$/;

/**
 * The Python value of a YAML timestamp, as ruamel.yaml makes it: `datetime.date`,
 * `datetime.datetime`, or its own subclass TimeStamp.
 * @throws ValueError for other texts
 */
export function yamlTimestamp(text: string): Value {
  const day = DATE.exec(text);
  if (day !== null)
    return new PyDate(ordinalOf(checked(Number(day[1]), Number(day[2]), Number(day[3]))));
  const found = TIME.exec(text);
  if (found === null) return raise('ValueError', `not a timestamp: ${text}`);
  const [, y, m, d, separator = ' ', h, min, s, fraction = '', offset] = found;
  const ordinal = ordinalOf(checked(Number(y), Number(m), Number(d)));
  const digits = fraction.slice(0, 6).padEnd(6, '0');
  const up = Number(fraction[6] ?? '0') > 4 ? 1 : 0;
  const micro = microOf(Number(h), Number(min), Number(s), Math.min(Number(digits) + up, 999_999));
  const zone = zoneOf(offset);
  const isPlain = !/^[Tt]$/.test(separator) && (zone === undefined || offset === 'Z');
  return isPlain
    ? new PyDate(ordinal, micro, zone)
    : new TimeStamp(ordinal, micro, zone, /^[Tt]$/.test(separator) ? 'T' : ' ');
}

function zoneOf(text: string | undefined): TimeZone | undefined {
  if (text === undefined) return undefined;
  const [, sign, hours, minutes = '0'] = /^([-+])(\d\d?)(?::(\d\d))?$/.exec(text) ?? [];
  const seconds = hours === undefined ? 0 : Number(hours) * 3600 + Number(minutes) * 60;
  return new TimeZone(sign === '-' ? -seconds : seconds, text);
}
