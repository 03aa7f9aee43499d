import { DateTime, IANAZone } from 'luxon';
import type { Amount } from '../../schedule/amount.ts';
import { wallOf, type Recurrence } from '../../schedule/recurrence.ts';
import { readRule, type Rule, type WallTime } from '../../schedule/recurrence-rule.ts';
import { parseDuration } from '../../words/iso8601.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readCores, readSize } from '../../yaml/fields.ts';
import type { Maintenance } from '../maintenance.ts';

const KEYS = [
  'start',
  'duration',
  'end',
  'rrule',
  'timezone',
  'reason',
  'cores',
  'memory',
] as const;
const FORM = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?\s?(Z|[+-]\d\d:?\d\d)?$/i;
const HINT = 'a time such as 2026-10-20T02:00, by the clocks of timezone (UTC without one)';

type Found = { readonly [key in (typeof KEYS)[number]]?: Node };

/** Reads `maintenance` of a destination: times at which it, or a part of it, is not available. */
export function readMaintenance(
  reader: Reader,
  node: Node | undefined,
  what: string,
): readonly Maintenance[] {
  const list = reader.expectSeq(node, what);
  return (list?.items ?? [])
    .map((item, index) => readOne(reader, item, `${what}[${index}]`))
    .filter((one) => one !== undefined);
}

function readOne(reader: Reader, node: Node, what: string): Maintenance | undefined {
  const found = reader.fields(node, what, KEYS);
  if (found === undefined) return undefined;
  const zone = readZone(reader, found.timezone, `${what}.timezone`);
  const before = reader.problems.length;
  const reason = reader.expectString(found.reason, `${what}.reason`) ?? '';
  const takes = readTakes(reader, found, what);
  const rule = found.rrule && readRecurrenceRule(reader, found.rrule, `${what}.rrule`);
  if (found.start === undefined) return reader.problem(node, `${what} needs 'start'`);
  const start = readWall(
    reader,
    found.start,
    `${what}.start`,
    IANAZone.isValidZone(zone) ? zone : 'UTC',
  );
  const length =
    start === undefined
      ? undefined
      : readLength(reader, node, found, what, start, IANAZone.isValidZone(zone) ? zone : 'UTC');
  if (start === undefined || length === undefined || reader.problems.length > before)
    return undefined;
  return { when: { start, length, zone, rule, except: new Set() }, reason, takes };
}

function readZone(reader: Reader, node: Node | undefined, what: string): string {
  const zone = reader.expectString(node, what);
  if (node === undefined || zone === undefined) return 'UTC';
  if (!IANAZone.isValidZone(zone))
    reader.problem(node, `${what} cannot be '${zone}'`, 'an IANA name such as Europe/Berlin');
  return zone;
}

function readTakes(reader: Reader, { cores, memory }: Found, what: string): 'all' | Amount {
  return cores === undefined && memory === undefined
    ? 'all'
    : {
        cores: readCores(reader, cores, `${what}.cores`, millicores(0)),
        memory: readSize(reader, memory, `${what}.memory`, mebibytes(0)),
        scratch: mebibytes(0),
        gpus: undefined,
      };
}

function readRecurrenceRule(reader: Reader, node: Node, what: string): Rule | undefined {
  const text = reader.expectString(node, what, 'a recurrence rule such as FREQ=WEEKLY;BYDAY=TU');
  const rule = text === undefined ? undefined : readRule(text);
  return typeof rule === 'string'
    ? reader.problem(node, `${what} cannot be '${text}'`, rule)
    : rule;
}

function readWall(reader: Reader, node: Node, what: string, zone: string): WallTime | undefined {
  const text = readTimeText(reader, node, what, HINT);
  if (text === undefined) return undefined;
  const [, , , offset] = FORM.exec(text) ?? [];
  // A time without an offset stays what it is, also on a day when the clocks do not show it.
  const at = FORM.test(text)
    ? DateTime.fromISO(text.replace(' ', 'T'), { zone: 'utc' })
    : DateTime.invalid('form');
  if (!at.isValid) return reader.problem(node, `${what} cannot be '${text}'`, HINT);
  return offset === undefined ? at.toMillis() : wallOf(at.toMillis(), zone);
}

function readTimeText(reader: Reader, node: Node, what: string, hint: string): string | undefined {
  return node.kind === 'date' ? node.value : reader.expectString(node, what, hint);
}

function readLength(
  reader: Reader,
  map: Node,
  found: Found,
  what: string,
  start: WallTime,
  zone: string,
): Recurrence['length'] | undefined {
  const { duration, end } = found;
  if ((duration === undefined) === (end === undefined))
    return reader.problem(map, `${what} needs either 'duration' or 'end'`);
  if (end !== undefined) {
    const wall = readWall(reader, end, `${what}.end`, zone);
    if (wall !== undefined && wall <= start)
      return reader.problem(end, `${what}.end must be after its start`);
    return wall === undefined ? undefined : { kind: 'by-the-clock', ms: wall - start };
  }
  const hint = 'an ISO 8601 duration such as PT4H';
  const text = duration && readTimeText(reader, duration, `${what}.duration`, hint);
  if (duration === undefined || text === undefined) return undefined;
  const length = parseDuration(text);
  return length.ok && length.value > 0
    ? { kind: 'lasting', ms: Math.round(length.value * 1000) }
    : reader.problem(duration, `${what}.duration cannot be '${text}'`, hint);
}
