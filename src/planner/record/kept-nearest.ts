import type { AmountBound, Change } from '../nearest/change.ts';
import type { NearestAsk } from '../nearest/nearest.ts';

/**
 * The nearest ask as it is kept: bounds of amounts are one word, in
 * this version as in those before.
 */
export type KeptNearest = Pick<NearestAsk, 'destination'> & {
  readonly changes: readonly KeptChange[];
};

type AmountChange = Extract<Change, { bound: AmountBound }>;
type KeptAmount<One extends AmountChange> = One extends AmountChange
  ? Omit<One, 'what' | 'bound'> & { readonly what: `${AmountBound}-${One['what']}` }
  : never;
type KeptChange = Exclude<Change, AmountChange> | KeptAmount<AmountChange>;

/** See {@link nearestOf}. */
export function keptNearest({ destination, changes }: NearestAsk): KeptNearest {
  return { destination, changes: changes.map(keptChange) };
}

/** The nearest ask of a record. */
export function nearestOf({ destination, changes }: KeptNearest): NearestAsk {
  return { destination, changes: changes.map(changeOf) };
}

function keptChange(change: Change): KeptChange {
  switch (change.what) {
    case 'cores':
      return { what: `${change.bound}-cores`, of: change.of, to: change.to };
    case 'memory':
      return { what: `${change.bound}-memory`, of: change.of, to: change.to };
    default:
      return change;
  }
}

function changeOf(kept: KeptChange): Change {
  switch (kept.what) {
    case 'min-cores':
      return { what: 'cores', bound: 'min', of: kept.of, to: kept.to };
    case 'max-cores':
      return { what: 'cores', bound: 'max', of: kept.of, to: kept.to };
    case 'min-memory':
      return { what: 'memory', bound: 'min', of: kept.of, to: kept.to };
    case 'max-memory':
      return { what: 'memory', bound: 'max', of: kept.of, to: kept.to };
    default:
      return kept;
  }
}
