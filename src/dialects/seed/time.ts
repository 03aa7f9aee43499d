import type { components } from '../../generated/api.d.ts';
import type { AskWindow, Bounds } from '../../planner/ask.ts';
import { numberQuantity } from '../../planner/refusal.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import type { Seconds } from '../../words/units.ts';
import type { Notes } from '../reading/notes.ts';
import { MOST_WINDOWS } from '../../words/catalogue.ts';
import { readLengths, readStartRange, type SaidText } from '../reading/time.ts';
import { unknownKeys } from './unknown-keys.ts';

type TimeItem = components['schemas']['TimeItem'];
type AskTime = components['schemas']['AskTime'];

const KEYS = ['start', 'duration', 'min-duration', 'max-duration', 'minduration', 'maxduration'];

/**
 * When the task may run (draft 2023, level 4, in the words of its continuation): one time or a list
 * of alternatives, as `time` or `datetime`. The default is now.
 */
export function readSeedTime(
  notes: Notes,
  body: { readonly time?: AskTime | undefined; readonly datetime?: AskTime | undefined },
): NonEmpty<AskWindow> {
  const { time, datetime } = body;
  if (time !== undefined && datetime !== undefined)
    notes.note({ code: 'time-ambiguous', path: 'datetime', detail: 'The ask has time, too.' });
  const name = time === undefined && datetime !== undefined ? 'datetime' : 'time';
  const said = time ?? datetime ?? [];
  const items = Array.isArray(said) ? said : [said];
  if (items.length > MOST_WINDOWS)
    notes.note({
      code: 'too-many-times',
      path: name,
      asked: numberQuantity(items.length),
      limit: numberQuantity(MOST_WINDOWS),
    });
  const windows = items
    .slice(0, MOST_WINDOWS)
    .map((item, index) => readItem(notes, item, Array.isArray(said) ? `${name}[${index}]` : name));
  return isNonEmpty(windows)
    ? windows
    : [{ start: 'now', duration: { min: undefined, max: undefined } }];
}

function readItem(notes: Notes, item: TimeItem, path: string): AskWindow {
  if (typeof item === 'string')
    return {
      start: readStartRange(notes, { text: item, path }),
      duration: { min: undefined, max: undefined },
    };
  unknownKeys(notes, item, KEYS, path);
  return {
    start: readStartRange(notes, { text: item.start, path: `${path}.start` }),
    duration: readDuration(notes, item, path),
  };
}

function readDuration(
  notes: Notes,
  item: Exclude<TimeItem, string>,
  path: string,
): Bounds<Seconds> {
  const whole = item.duration;
  const inner = typeof whole === 'object' ? whole : {};
  if (typeof whole === 'object') unknownKeys(notes, whole, ['min', 'max'], `${path}.duration`);
  const exact: SaidText = {
    text: typeof whole === 'string' ? whole : undefined,
    path: `${path}.duration`,
  };
  const min = onlyPlace(notes, [
    exact,
    { text: inner.min, path: `${path}.duration.min` },
    { text: item['min-duration'], path: `${path}.min-duration` },
    { text: item.minduration, path: `${path}.minduration` },
  ]);
  const max = onlyPlace(notes, [
    exact,
    { text: inner.max, path: `${path}.duration.max` },
    { text: item['max-duration'], path: `${path}.max-duration` },
    { text: item.maxduration, path: `${path}.maxduration` },
  ]);
  return readLengths(notes, min, max);
}

/** The place that names a bound; a second one is refused as ambiguous. */
function onlyPlace(notes: Notes, places: readonly SaidText[]): SaidText {
  const [first, second] = places.filter(({ text }) => text !== undefined);
  if (second !== undefined)
    notes.note({
      code: 'time-ambiguous',
      path: second.path,
      detail: `The ask says it at ${first?.path}, too.`,
    });
  return first ?? { text: undefined, path: '' };
}
