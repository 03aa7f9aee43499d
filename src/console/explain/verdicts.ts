import type { Documents } from '../contract.ts';

type Explanation = Documents['Explanation'];

/** What became of one destination. */
export type Verdict = {
  readonly destination: string;
  /** place in the order of preference; undefined: it was not tried */
  readonly rank: number | undefined;
  readonly score: number | undefined;
  /** what was free there during the first offer; undefined: nobody looked */
  readonly free: Documents['CalendarAmounts'] | undefined;
} & (
  | { readonly kind: 'offered'; readonly offer: Explanation['offers'][number] }
  /** it fits, and has no offer; without reasons the answer had enough offers */
  | { readonly kind: 'fits'; readonly reasons: readonly Documents['Reason'][] }
  /** the task does not fit; `said` are the rules' own words */
  | {
      readonly kind: 'unfit';
      readonly reasons: readonly Documents['Reason'][];
      readonly said: readonly string[];
    }
  /** a rule ended the decision there */
  | { readonly kind: 'stopped'; readonly said: readonly string[] }
);

/** Every destination of a decision, in the order of preference; those that do not fit are last. */
export function verdictsOf({ candidates, offers, reasons, book }: Explanation): readonly Verdict[] {
  return candidates.map(({ destination, verdict, rank, score, reasons: said }): Verdict => {
    const own = reasons.filter((reason) => placesOf(reason).includes(destination));
    const free = book?.read.find((each) => each.destination === destination)?.free;
    const common = { destination, rank, score, free };
    const offer = offers.find((each) => each.destination === destination);
    if (offer !== undefined) return { ...common, kind: 'offered', offer };
    switch (verdict) {
      case 'matched':
        return { ...common, kind: 'fits', reasons: own };
      case 'refused':
        return { ...common, kind: 'unfit', reasons: own, said };
      case 'stopped':
        return { ...common, kind: 'stopped', said };
    }
  });
}

/** Reasons of a NO that belong to no destination of the decision. */
export function generalReasons({
  candidates,
  reasons,
}: Explanation): readonly Documents['Reason'][] {
  const known = new Set(candidates.map(({ destination }) => destination));
  return reasons.filter((reason) => !placesOf(reason).some((place) => known.has(place)));
}

/**
 * Why destinations are in their order.
 *
 * @returns `own`: a ranking function of the rules; `one`: there is nothing to order
 */
export function orderOf(verdicts: readonly Verdict[]): 'one' | 'scores' | 'equal' | 'own' {
  const scores = verdicts.filter(({ rank }) => rank !== undefined).map(({ score = 0 }) => score);
  if (scores.length < 2) return 'one';
  if (scores.some((score, index) => score > (scores[index - 1] ?? Infinity))) return 'own';
  return new Set(scores).size === 1 ? 'equal' : 'scores';
}

function placesOf({ destination, destinations }: Documents['Reason']): readonly string[] {
  return destinations ?? (destination === undefined ? [] : [destination]);
}
