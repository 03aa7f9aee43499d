import { hashFloat, hashInt } from './hash.ts';
import type { Key } from './object.ts';

/** Slots that CPython's set tries next to one another before it jumps. */
const LINEAR_PROBES = 9;

/** The hash of a key whose place in CPython's table does not change from run to run: a whole number. */
function hashOf(key: Key): number | bigint | undefined {
  if (typeof key === 'number' && Number.isInteger(key)) return key === -1 ? -2 : key;
  if (typeof key === 'number' && !Number.isNaN(key)) return hashFloat(key);
  return typeof key === 'bigint' ? hashInt(key) : undefined;
}

/** `hash & mask` for a mask below 2^31. */
function low(hash: number | bigint, mask: number): number {
  return typeof hash === 'number' && Math.abs(hash) < 2 ** 31 ? hash & mask : Number(BigInt(hash) & BigInt(mask));
}

/** Puts a hash into the first free slot of its probe sequence. */
function place(slots: (Key | undefined)[], key: Key, hash: number | bigint): void {
  const mask = slots.length - 1;
  let perturb: bigint | undefined;
  let at = low(hash, mask);
  for (;;) {
    const end = at + LINEAR_PROBES <= mask ? at + LINEAR_PROBES : at;
    for (let slot = at; slot <= end; slot += 1) {
      if (slots[slot] === undefined) {
        slots[slot] = key;
        return;
      }
    }
    perturb = (perturb ?? BigInt.asUintN(64, BigInt(hash))) >> 5n;
    at = Number((BigInt(at) * 5n + 1n + perturb) & BigInt(mask));
  }
}

/**
 * The keys of a set of whole numbers in the order of CPython's hash table of `size` slots, given in the order in which
 * they entered it. `undefined` when there is another key: texts have another order in each run of CPython, so the one
 * they came in is as good as any.
 */
export function tableOrder(keys: ReadonlyMap<Key, unknown>, size: number): Key[] | undefined {
  for (const key of keys.keys()) if (typeof key !== 'number' && typeof key !== 'bigint') return undefined;
  if (keys.size < 2) return undefined;
  const slots: (Key | undefined)[] = Array.from({ length: size });
  for (const key of keys.keys()) {
    const hash = hashOf(key);
    if (hash === undefined) return undefined;
    place(slots, key, hash);
  }
  return slots.filter((key) => key !== undefined);
}

/** Slots of the table that CPython makes when it needs room for more than `least` keys. */
export function tableSize(least: number): number {
  let size = 8;
  while (size <= least) size *= 2;
  return size;
}
