import type { AskWindow, Bounds } from '../../planner/ask.ts';
import { numberQuantity, textQuantity } from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import type { RefusalCode } from '../../words/catalogue.ts';
import { parseDuration, parseSpan, type TimeFault } from '../../words/iso8601.ts';
import { ROUNDED, seconds, type Bound, type Seconds } from '../../words/units.ts';
import { printDuration } from '../duration.ts';
import type { Notes } from './notes.ts';

/** A text of the document and its place; undefined: there is none. */
export type SaidText = { readonly text: string | undefined; readonly path: string };

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
      ...(length.value > 0 ? { detail: WHOLE_SECONDS } : {}),
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

/** The least and the most that a run may last. An exact duration is the same text for both. */
export function readLengths(notes: Notes, min: SaidText, max: SaidText): Bounds<Seconds> {
  const least = readLength(notes, min.text, min.path);
  // A fault of an exact duration is noted once, not for minimum and maximum.
  const most =
    max === min && least === undefined ? undefined : readLength(notes, max.text, max.path, 'most');
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
      ...(isRounded ? { detail: WHOLE_SECONDS } : {}),
    });
  }
  return { min: least, max: most };
}

/**
 * When a run may begin. The end of an interval does not belong to it.
 * @param forms `all`: `duration/end`, too
 */
export function readStartRange(
  notes: Notes,
  { text, path }: SaidText,
  forms: 'forward' | 'all' = 'forward',
): AskWindow['start'] {
  if (text === undefined) return 'now';
  const span = parseSpan(text, forms);
  if (!span.ok) {
    const [code, detail] = FAULTS[span.fault];
    return notes.note({ code, path, asked: textQuantity(shown(text)), detail }) ?? 'now';
  }
  const { start, end } = span.value;
  // Half-open: the run begins before the end. An interval of length 0 is an instant.
  return { earliest: start, latest: Math.max(start, end - 1) };
}

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

function isFraction(text: string | undefined): boolean {
  return text !== undefined && /[.,]/.test(text);
}
