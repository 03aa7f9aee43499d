import type { Documents } from '../contract.ts';

type State = Documents['SessionState'];

/** Filters of the list of offers as its address has them. */
export type OfferFilter = {
  /** a word for states; empty: open ones */
  readonly state: string;
  readonly destination: string;
  /** for administrators: a user, or `*` */
  readonly owner: string;
};

const OPEN: readonly State[] = ['OFFERED'];

/** States that one word of the filter stands for, besides the open ones. */
export const STATE_GROUPS: ReadonlyMap<string, readonly State[]> = new Map<string, State[]>([
  ['accepted', ['ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING']],
  ['ended', ['COMPLETED', 'FAILED', 'CANCELLED']],
  ['given back', ['REJECTED']],
  ['expired', ['EXPIRED']],
  ['all', []],
]);

/** Reads the filters of an address. */
export function offerFilterOf(fields: URLSearchParams): OfferFilter {
  return {
    state: fields.get('state') ?? '',
    destination: fields.get('destination') ?? '',
    owner: fields.get('owner') ?? '',
  };
}

/** The parameters of `GET /offers` for filters. */
export function offerQueryOf({ state, destination, owner }: OfferFilter): {
  status?: State[];
  destination?: string[];
  owner?: string;
} {
  const status = STATE_GROUPS.get(state) ?? OPEN;
  return {
    ...(status.length > 0 && { status: [...status] }),
    ...(destination !== '' && { destination: [destination] }),
    ...(owner !== '' && { owner }),
  };
}
