import type { Documents } from '../contract.ts';
import { round } from '../time.ts';
import { SITE } from '../words/site.ts';

type Amounts = Documents['CalendarAmounts'];
type Use = {
  readonly capacity: number;
  readonly held: number;
  readonly firm: number;
  /** undefined: nothing is free, or nobody knows */
  readonly free: number | undefined;
};

/** Width of the picture; its height is in the style sheet. */
const WIDTH = 100;

/** How much of an amount is free, held and reserved, in words and as a bar. */
export function UseBar({ use }: { readonly use: Use }) {
  const { capacity, held, firm, free } = use;
  const part = (amount: number): number =>
    capacity > 0 ? Math.min(WIDTH, (amount / capacity) * WIDTH) : 0;
  return (
    <>
      {capacity > 0 && free !== undefined && (
        <>
          {SITE.freeOf(round(free), round(capacity))}
          <svg class="use" viewBox={`0 0 ${WIDTH} 4`} preserveAspectRatio="none" aria-hidden="true">
            <rect class="free" width={WIDTH} height="4" />
            <rect class="firm" width={part(firm)} height="4" />
            <rect class="held" x={part(firm)} width={part(held)} height="4" />
          </svg>
        </>
      )}
      <small>{SITE.used(round(held), round(firm))}</small>
    </>
  );
}

/** The use of one resource of a destination. */
export function useOf(
  resource: 'cores' | 'memory' | 'scratch',
  amounts: {
    readonly capacity?: Amounts;
    readonly free?: Amounts;
    readonly held: Amounts;
    readonly firm: Amounts;
  },
): Use {
  return {
    capacity: amounts.capacity?.[resource] ?? 0,
    free: amounts.free?.[resource],
    held: amounts.held[resource],
    firm: amounts.firm[resource],
  };
}
