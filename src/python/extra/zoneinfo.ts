import { PyError, raise } from '../errors.ts';
import { PyException, exceptionClass, exceptionNamed } from '../objects/classes/exceptions.ts';
import { moduleOf } from '../objects/classes/module.ts';
import {
  defineClassMethod,
  defineGetters,
  defineMethods,
  nativeFunction,
} from '../objects/classes/native.ts';
import { asText } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName } from '../objects/types.ts';
import type { Key, Value } from '../objects/object.ts';
import { PySet } from '../objects/collections/set.ts';
import { repr } from '../text/repr.ts';
import { TimeZone, tzinfoClass } from '../modules/datetime/date.ts';
import { TimeDelta } from '../modules/datetime/timedelta.ts';

const zoneClass = new PyClass('ZoneInfo', [tzinfoClass], { module: 'zoneinfo' });
const notFound = exceptionClass('ZoneInfoNotFoundError', exceptionNamed('KeyError'), 'zoneinfo');

/** `zoneinfo.ZoneInfo` of a zone with a constant offset. */
class ZoneInfo extends TimeZone {
  readonly #key: string;

  constructor(key: string) {
    super(0, key);
    this.#key = key;
  }
  override get cls(): PyClass {
    return zoneClass;
  }
  get zone(): string {
    return this.#key;
  }
  override repr(): string {
    return `zoneinfo.ZoneInfo(key=${repr(this.#key)})`;
  }
  override equals(other: Value): Value | undefined {
    return this === other ? true : undefined;
  }
  override key(): Key {
    return this;
  }
}

/** There is no time-zone database here, so only zones that need none exist. */
const ZONES: ReadonlyMap<string, ZoneInfo> = new Map(
  ['UTC', 'GMT'].map((key) => [key, new ZoneInfo(key)]),
);

const constructor = nativeFunction('ZoneInfo(key)', zoneOf);
zoneClass.create = (_cls, args, kwargs) => constructor.call(args, kwargs);
defineGetters(zoneClass, ZoneInfo, { key: (self) => self.zone });
defineMethods(zoneClass, ZoneInfo, {
  'utcoffset(dt, /)': () => new TimeDelta(0, 0),
  'tzname(dt, /)': (self) => self.str(),
  'dst(dt, /)': () => new TimeDelta(0, 0),
});
defineClassMethod(zoneClass, 'no_cache(key)', (_cls, key: Value) => zoneOf(key));

/** The module `zoneinfo`. */
export const zoneinfo = moduleOf('zoneinfo', () => ({
  ZoneInfo: zoneClass,
  ZoneInfoNotFoundError: notFound,
  available_timezones: nativeFunction('available_timezones()', () => new PySet([...ZONES.keys()])),
}));

function zoneOf(key: Value): ZoneInfo {
  const name =
    asText(key) ??
    raise('TypeError', `expected str, bytes or os.PathLike object, not ${typeName(key)}`);
  const known = ZONES.get(name);
  if (known !== undefined) return known;
  const text = `No time zone found with key ${name}`;
  throw new PyError('ZoneInfoNotFoundError', [text], text, new PyException(notFound, [text]));
}
