import type { AskStorage, SaidPlace } from '../../../planner/ask.ts';
import { textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import { shown } from '../../../tasks/task.ts';
import { parseObjectId, type ObjectId } from '../../../words/ids.ts';
import type { Mebibytes, Seconds } from '../../../words/units.ts';
import type { Notes } from '../../reading/notes.ts';
import { readLength, type SaidText } from '../../reading/time.ts';
import { EXTRA, extraIn } from '../extras.ts';
import type { At, BrokerStorage } from '../view.ts';
import { noteUnknownInside } from './known-keys.ts';

/** A storage resource of the ask: its name, its place among them, its least size. */
type LastingItem = {
  readonly name: string;
  readonly item: number;
  readonly size: Mebibytes | undefined;
};

/** Storage that outlives the run: new, or of an earlier job, which an offer named. */
export function readLasting(
  notes: Notes,
  at: At<BrokerStorage>,
  { name, item: index, size }: LastingItem,
  { newObject }: Vocabulary,
): AskStorage | undefined {
  const { lifetime, object, place } = lastingOf(at);
  const kept = object.text === undefined ? undefined : readObject(notes, object.text, object.path);
  const length = readLength(notes, lifetime.text, lifetime.path);
  if (object.text !== undefined && kept === undefined) return undefined;
  if (kept !== undefined) {
    const otherwise = size !== undefined &&
      length !== undefined && { ...persistent(name, size, length, index), object: newObject() };
    return {
      kind: 'kept',
      name,
      object: kept,
      found: undefined,
      ...(place === undefined ? {} : { said: { place, size } }),
      ...(otherwise === false ? {} : { otherwise: { ...otherwise, ...(place && { place }) } }),
      item: index,
    };
  }
  if (size === undefined)
    return notes.note({ code: 'storage-incomplete', path: `${at.path}.size.min` });
  return length === undefined
    ? undefined
    : { ...persistent(name, size, length, index), object: newObject() };
}

/** Does an extra say that the storage outlives the run? */
export function isExtraLasting(at: At<BrokerStorage>): boolean {
  return extraIn(at, EXTRA.persistence) !== undefined;
}

/** Notes extras that no storage resource has. */
export function noteStorageExtras(notes: Notes, { item, path }: At<BrokerStorage>): void {
  item.extras?.forEach((extra, index) => {
    const place = `${path}.extras[${index}]`;
    if (extra.kind === EXTRA.persistence) noteUnknownInside(notes, extra, PERSISTENCE_KEYS, place);
    else if (extra.kind !== EXTRA.exact)
      notes.note({
        code: 'unknown-key',
        path: `${place}.kind`,
        asked: textQuantity(shown(extra.kind)),
        detail: 'No extra of a storage resource has this kind.',
      });
  });
}

const PERSISTENCE_KEYS = ['kind', 'lifetime', 'object', 'type', 'endpoint', 'size'];

function persistent(name: string, size: Mebibytes, lifetime: Seconds, item: number) {
  return { kind: 'persistent' as const, name, size, lifetime, item };
}

const ONE_DAY = 'P1D';

/** How long storage lasts, and its object: in its own keys (2024) or in an extra. */
function lastingOf(at: At<BrokerStorage>): {
  readonly lifetime: SaidText;
  readonly object: SaidText;
  readonly place: SaidPlace | undefined;
} {
  const { item, path } = at;
  const extra = extraIn(at, EXTRA.persistence);
  const own = item.lifetime;
  const bounds = typeof own === 'object' ? (own.requested ?? own) : undefined;
  const inner = typeof own === 'object' && own.requested !== undefined ? '.requested' : '';
  const said = typeof own === 'string' ? own : bounds?.min;
  const object = extra?.item.object ?? item['object'];
  const { type, endpoint } = extra?.item ?? {};
  return {
    lifetime: {
      text: extra?.item.lifetime ?? said ?? ONE_DAY,
      path:
        extra === undefined
          ? `${path}.lifetime${bounds === undefined ? '' : `${inner}.min`}`
          : `${extra.path}.lifetime`,
    },
    object: {
      text: typeof object === 'string' ? object : undefined,
      path: `${extra?.path ?? path}.object`,
    },
    place: type === undefined ? undefined : { type, endpoint },
  };
}

function readObject(notes: Notes, text: string, path: string): ObjectId | undefined {
  return (
    parseObjectId(text.toLowerCase()) ??
    notes.note({ code: 'unknown-object', path, asked: textQuantity(shown(text)) })
  );
}
