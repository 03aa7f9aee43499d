import { mebibytes, seconds } from '../../words/units.ts';
import type { Ask, AskStorage } from '../ask.ts';
import type { Change, Circumstance, Remedies } from './change.ts';
import { isOneMachine } from '../judge/parts.ts';
import type { AskPlace } from '../place.ts';
import type { Refusal } from '../refusal.ts';

type TooMuch = { readonly asked: number; readonly limit: number };

/** A volume that could be smaller, MiB, and how many machines have one of their own. */
type Volume = { readonly of: number; readonly size: number; readonly times: number };

/** The largest volume gives up the excess; if it is too small for that, all give up their share. */
export function smallerVolumes(ask: Ask, place: AskPlace, { asked, limit }: TooMuch): Remedies {
  const volumes = volumesFor(ask, place).toSorted((a, b) => b.size * b.times - a.size * a.times);
  const [most] = volumes;
  if (most === undefined) return [];
  const alone = most.size - Math.ceil((asked - limit) / most.times);
  if (alone > 0) return [sizeChange(most, alone)];
  const sum = volumes.reduce((total, { size, times }) => total + size * times, 0);
  const share = (sum - (asked - limit)) / sum;
  const each = volumes.map((volume) => ({ volume, to: Math.floor(volume.size * share) }));
  return each.every(({ to }) => to > 0)
    ? [each.flatMap(({ volume, to }) => sizeChange(volume, to))]
    : [];
}

/** A volume of the size that it needs; undefined: the refusal is not about the size of one. */
export function largerVolume({ place, limit }: Refusal): Remedies | undefined {
  return place.what === 'size' && limit?.kind === 'size'
    ? [[{ what: 'size', of: place.item, to: limit.value }]]
    : undefined;
}

/** A shorter lifetime. */
export function shorterLifetime(place: AskPlace, limit: number): Remedies {
  const of = itemAt(place);
  return of === -1 ? [] : [[lifetimeChange(of, limit)]];
}

/** What each store of a destination would keep, if one has the room and another the time. */
export function otherKeeping(
  { ask, site: { storage } }: Circumstance,
  { destination, place, limit }: Refusal,
): Remedies {
  // An object cannot move to another store.
  if (limit !== undefined) return [];
  const sum = ask.storage.reduce(
    (total, item) => total + (item.kind === 'persistent' ? item.size : 0),
    0,
  );
  return storage
    .filter(
      ({ destinations }) => destination === undefined || destinations?.has(destination) !== false,
    )
    .flatMap(({ size, maxLifetime }) => {
      const lifetimes = ask.storage.flatMap((item, of) =>
        item.kind === 'persistent' && item.lifetime > maxLifetime
          ? [lifetimeChange(of, maxLifetime)]
          : [],
      );
      const sizes = sum > size ? smallerVolumes(ask, place, { asked: sum, limit: size }) : [[]];
      return sizes
        .map((changes) => [...changes, ...lifetimes])
        .filter((changes) => changes.length > 0);
    });
}

/** A kept volume takes room of a store once; every volume takes scratch space of each machine. */
function volumesFor(ask: Ask, place: AskPlace): readonly Volume[] {
  const isKept = ask.storage[itemAt(place)]?.kind === 'persistent';
  return ask.storage.flatMap((item, of) => {
    if (item.kind !== 'persistent' && (isKept || item.kind !== 'ephemeral')) return [];
    const times = isKept ? 1 : timesOf(ask, item);
    return times === 0 || item.size === 0 ? [] : [{ of, size: item.size, times }];
  });
}

/** The storage item that a refusal is about, or -1. */
function itemAt(place: AskPlace): number {
  return 'item' in place ? place.item : -1;
}

/** How many machines have room for a volume: the only one, or each that mounts it. */
function timesOf({ parts }: Ask, { name }: AskStorage): number {
  return isOneMachine(parts)
    ? 1
    : parts.reduce(
        (sum, { volumes, replicas }) =>
          sum + (volumes.some((volume) => volume.name === name) ? replicas : 0),
        0,
      );
}

function sizeChange({ of }: Volume, to: number): readonly Change[] {
  return [{ what: 'size', of, to: mebibytes(to) }];
}

function lifetimeChange(of: number, to: number): Change {
  return { what: 'lifetime', of, to: seconds(to) };
}
