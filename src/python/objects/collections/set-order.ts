import type { Key, Value } from '../object.ts';
import { steadyHash } from '../numbers/steady-hash.ts';

/** Adjacent slots that CPython's set tries before it jumps. */
const LINEAR_PROBES = 9;

/** A slot that was filled: by a present element, or by a removed one, whose slot may be reused. */
type FilledSlot = { readonly key: Key; readonly item: Value; isGone: boolean };

/** CPython's hash table for a set of numbers, or of tuples of numbers. */
export class SlotTable {
  readonly slots: (FilledSlot | undefined)[];
  readonly #there = new Map<Key, FilledSlot>();

  constructor(size: number) {
    this.slots = Array.from({ length: size });
  }
  /**
   * The elements in the order of insertion; `undefined` when the place of one differs from run to
   * run, as a text's does.
   */
  static of(table: ReadonlyMap<Key, Value>, size: number): SlotTable | undefined {
    const made = new SlotTable(size);
    for (const [key, item] of table) if (made.add(key, item) === undefined) return undefined;
    return made;
  }
  copied(): SlotTable {
    const made = new SlotTable(this.slots.length);
    for (const [at, filled] of this.slots.entries()) {
      if (filled === undefined) continue;
      const slot = { ...filled };
      made.slots[at] = slot;
      if (!slot.isGone) made.#there.set(slot.key, slot);
    }
    return made;
  }
  /**
   * Whether it used a slot that was never filled; `undefined` for an element without a steady
   * place.
   */
  add(key: Key, item: Value): boolean | undefined {
    const hash = typeof item === 'string' && item !== '' ? undefined : hashOf(item);
    if (hash === undefined) return undefined;
    let again: number | undefined;
    for (const at of probes(hash, this.slots.length - 1)) {
      const filled = this.slots[at];
      if (filled?.isGone === true) again = at;
      if (filled !== undefined) continue;
      const slot = { key, item, isGone: false };
      this.slots[again ?? at] = slot;
      this.#there.set(key, slot);
      return again === undefined;
    }
    return undefined;
  }
  drop(key: Key): void {
    const slot = this.#there.get(key);
    if (slot !== undefined) slot.isGone = true;
  }
}

/** The number of slots that CPython allocates for more than `least` keys. */
export function tableSize(least: number): number {
  let size = 8;
  while (size <= least) size *= 2;
  return size;
}

/** The hash of an element whose place in CPython's table is the same in every run. */
function hashOf(item: Value): number | bigint | undefined {
  if (typeof item === 'number' && Number.isInteger(item)) return item === -1 ? -2 : item;
  return steadyHash(item);
}

/** The slots for a hash, in the order in which CPython tries them; endless. */
function* probes(hash: number | bigint, mask: number): Generator<number, never> {
  let perturb: bigint | undefined;
  let at = low(hash, mask);
  for (;;) {
    const end = at + LINEAR_PROBES <= mask ? at + LINEAR_PROBES : at;
    for (let slot = at; slot <= end; slot += 1) yield slot;
    perturb = (perturb ?? BigInt.asUintN(64, BigInt(hash))) >> 5n;
    at = Number((BigInt(at) * 5n + 1n + perturb) & BigInt(mask));
  }
}

/** `hash & mask` for a mask below 2^31. */
function low(hash: number | bigint, mask: number): number {
  return typeof hash === 'number' && Math.abs(hash) < 2 ** 31
    ? hash & mask
    : Number(BigInt(hash) & BigInt(mask));
}
