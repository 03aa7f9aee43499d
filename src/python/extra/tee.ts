import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { NativeIterator } from '../objects/collections/iterator.ts';
import type { PyIterator, Value } from '../objects/object.ts';

/**
 * An item that one of the iterators has requested, with the items after it as far as they are
 * known.
 */
type Link = { readonly item: Value; rest: Link | undefined };

/**
 * `itertools.tee`: independent iterators over one source, which is read as far as the fastest
 * needs.
 * @throws ValueError
 */
export function teed(source: PyIterator, count: number): readonly PyIterator[] {
  if (count < 0) raise('ValueError', 'n must be >= 0');
  tick(count);
  if (source instanceof Tee)
    return Array.from({ length: count }, (_, i) => (i === 0 ? source : source.copy()));
  const first: Link = { item: null, rest: undefined };
  return Array.from({ length: count }, () => new Tee(source, first));
}

/** One of the iterators; it points at the last item that it returned. */
class Tee extends NativeIterator {
  readonly #source: PyIterator;
  #at: Link;

  constructor(source: PyIterator, at: Link) {
    super('itertools._tee', () => this.#step());
    this.#source = source;
    this.#at = at;
  }
  #step(): Value | undefined {
    const known = this.#at.rest;
    if (known === undefined) {
      tick(1);
      const item = this.#source.next();
      if (item === undefined) return undefined;
      this.#at.rest ??= { item, rest: undefined };
    }
    this.#at = this.#at.rest ?? this.#at;
    return this.#at.item;
  }
  copy(): Tee {
    return new Tee(this.#source, this.#at);
  }
  override duplicate(): Tee {
    return this.copy();
  }
}
