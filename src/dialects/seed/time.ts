import type { components } from '../../generated/api.d.ts';
import type { AskWindow, Bounds } from '../../planner/ask.ts';
import { numberQuantity, textQuantity } from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import { MOST_WINDOWS, type RefusalCode } from '../../words/catalogue.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import { parseDuration, parseSpan, type TimeFault } from '../../words/iso8601.ts';
import { ROUNDED, seconds, type Bound, type Seconds } from '../../words/units.ts';
import { unknownKeys, type Notes } from './notes.ts';
import { printDuration } from './print.ts';

type TimeItem = components['schemas']['TimeItem'];
type AskTime = components['schemas']['AskTime'];

/** UWS executionDuration is an xs:int. */
const MOST_SECONDS = 2 ** 31 - 1;

const FAULTS: Readonly<Record<TimeFault, readonly [code: RefusalCode, detail: string]>> = {
  unreadable: [
    'time-unreadable',
    'Write an instant such as 2026-08-10T10:00Z, or an interval such as 2026-08-10T10:00Z/PT2H.',
  ],
  'zone-missing': [
    'time-zone-missing',
    'Write it as 2026-08-10T10:00Z, or with an offset such as +02:00.',
  ],
  repeats: ['time-repeats', 'Write each time as an item of a list.'],
  'form-unsupported': ['time-form-unsupported', 'Write start/end or start/duration.'],
  inverted: ['time-inverted', 'Does it end on the next day? Then write its whole date.'],
};

const DURATION_HINT = 'Write it as PT90M, PT2H or P1D; years and months have no fixed length.';

const WHOLE_SECONDS = 'In whole seconds: a minimum is rounded up and a maximum down.';

/** A duration, or a bound of one, in whole seconds. */
export function readLength(
  notes: Notes,
  text: string | undefined,
  path: string,
  bound: Bound = 'least',
): Seconds | undefined {
  if (text === undefined) return undefined;
  const length = parseDuration(text);
  if (!length.ok)
    return notes.note({
      code: 'duration-unreadable',
      path,
      asked: textQuantity(shown(text)),
      detail: DURATION_HINT,
    });
  const whole = ROUNDED[bound](length.value);
  if (whole < 1)
    return notes.note({
      code: 'duration-not-positive',
      path,
      asked: textQuantity(shown(text)),
      ...(length.value > 0 && { detail: WHOLE_SECONDS }),
    });
  if (whole > MOST_SECONDS)
    return notes.note({
      code: 'duration-too-long',
      path,
      asked: numberQuantity(whole),
      limit: numberQuantity(MOST_SECONDS),
      detail: 'Both in seconds.',
    });
  return seconds(whole);
}

type Said = { readonly text: string | undefined; readonly path: string };

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
    return { start: readStart(notes, item, path), duration: { min: undefined, max: undefined } };
  unknownKeys(notes, item, KEYS, path);
  return {
    start: readStart(notes, item.start, `${path}.start`),
    duration: readDuration(notes, item, path),
  };
}

function readStart(notes: Notes, text: string | undefined, path: string): AskWindow['start'] {
  if (text === undefined) return 'now';
  const span = parseSpan(text);
  if (!span.ok) {
    const [code, detail] = FAULTS[span.fault];
    return notes.note({ code, path, asked: textQuantity(shown(text)), detail }) ?? 'now';
  }
  const { start, end } = span.value;
  // Half-open: the run begins before the end. An interval of length 0 is an instant.
  return { earliest: start, latest: Math.max(start, end - 1) };
}

function readDuration(
  notes: Notes,
  item: Exclude<TimeItem, string>,
  path: string,
): Bounds<Seconds> {
  const whole = item.duration;
  const inner = typeof whole === 'object' ? whole : {};
  if (typeof whole === 'object') unknownKeys(notes, whole, ['min', 'max'], `${path}.duration`);
  const exact: Said = {
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
  const least = readLength(notes, min.text, min.path);
  // A fault of an exact duration is noted once, not for minimum and maximum.
  const most =
    max === exact && least === undefined
      ? undefined
      : readLength(notes, max.text, max.path, 'most');
  if (least !== undefined && most !== undefined && least > most) {
    const isRounded = isFraction(min.text) || isFraction(max.text);
    const [asked, limit] = isRounded
      ? [printDuration(least), printDuration(most)]
      : [shown(min.text ?? ''), shown(max.text ?? '')];
    notes.note({
      code: 'minimum-above-maximum',
      path: min.path,
      asked: textQuantity(asked),
      limit: textQuantity(limit),
      ...(isRounded && { detail: WHOLE_SECONDS }),
    });
  }
  return { min: least, max: most };
}

/** The place that names a bound; a second one is refused as ambiguous. */
function onlyPlace(notes: Notes, places: readonly Said[]): Said {
  const [first, second] = places.filter(({ text }) => text !== undefined);
  if (second !== undefined)
    notes.note({
      code: 'time-ambiguous',
      path: second.path,
      detail: `The ask says it at ${first?.path}, too.`,
    });
  return first ?? { text: undefined, path: '' };
}

function isFraction(text: string | undefined): boolean {
  return text !== undefined && /[.,]/.test(text);
}
