import type { AskWindow, Bounds } from '../../../planner/ask.ts';
import { numberQuantity } from '../../../planner/refusal.ts';
import { MOST_WINDOWS } from '../../../words/catalogue.ts';
import { isNonEmpty, type NonEmpty } from '../../../words/ids.ts';
import type { Seconds } from '../../../words/units.ts';
import type { Notes } from '../../reading/notes.ts';
import { readLengths, readStartRange, type SaidText } from '../../reading/time.ts';
import type { BrokerRequest } from '../generations.ts';
import type { At, BrokerTime, RequestView } from '../view.ts';
import { noteUnknownInside } from './known-keys.ts';

/** When the task may run; the default is now. Several starts are alternatives. */
export function readTimes(
  notes: Notes,
  { schedule, datetime }: BrokerRequest,
  { times }: RequestView,
): NonEmpty<AskWindow> {
  if (schedule !== undefined) noteUnknownInside(notes, schedule, BLOCKS, 'schedule');
  if (schedule?.requested !== undefined && datetime !== undefined)
    notes.note({
      code: 'time-ambiguous',
      path: 'datetime',
      detail: 'The request has schedule.requested, too.',
    });
  if (times.length > MOST_WINDOWS)
    notes.note({
      code: 'too-many-times',
      path: schedule?.requested === undefined ? 'datetime' : 'schedule.requested.start',
      asked: numberQuantity(times.length),
      limit: numberQuantity(MOST_WINDOWS),
    });
  const lengths = new Map<At<BrokerTime>, Bounds<Seconds>>();
  const windows = times.slice(0, MOST_WINDOWS).map(({ start, of }): AskWindow => {
    const duration = lengths.get(of) ?? readDuration(notes, of);
    lengths.set(of, duration);
    return { start: readStartRange(notes, start, 'all'), duration };
  });
  return isNonEmpty(windows)
    ? windows
    : [{ start: 'now', duration: { min: undefined, max: undefined } }];
}

/** An answer's times stand beside the requested one, and a client may send them back. */
const BLOCKS = ['requested', 'preparing', 'available', 'executing', 'releasing'];

function readDuration(notes: Notes, { item, path }: At<BrokerTime>): Bounds<Seconds> {
  noteUnknownInside(notes, item, ['start', 'duration', 'minduration', 'maxduration'], path);
  const { duration } = item;
  const inner = typeof duration === 'object' ? duration : {};
  if (typeof duration === 'object')
    noteUnknownInside(notes, duration, ['min', 'max'], `${path}.duration`);
  const exact = {
    text: typeof duration === 'string' ? duration : undefined,
    path: `${path}.duration`,
  };
  const said = (key: 'min' | 'max'): SaidText =>
    onlyOne(notes, [
      exact,
      { text: inner[key], path: `${path}.duration.${key}` },
      { text: item[`${key}duration`], path: `${path}.${key}duration` },
    ]);
  return readLengths(notes, said('min'), said('max'));
}

/** The place that names a bound; a second one is refused as ambiguous. */
function onlyOne(notes: Notes, places: readonly SaidText[]): SaidText {
  const [first, second] = places.filter(({ text }) => text !== undefined);
  if (second !== undefined)
    notes.note({
      code: 'time-ambiguous',
      path: second.path,
      detail: `The request says it at ${first?.path}, too.`,
    });
  return first ?? { text: undefined, path: '' };
}
