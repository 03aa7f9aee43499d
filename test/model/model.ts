/**
 * A model of the conversation in memory: offers, what they hold of two destinations at one hour,
 * and their possible states. Time passes outside, so the model only knows when a request was sent
 * and answered; if an offer expired between the two, both outcomes are right and the answer
 * decides.
 */

/** When a request was sent and when it was answered, in milliseconds since 1970. */
export type During = { readonly sent: number; readonly answered: number };

/** An offer of the service. */
export type Told = {
  readonly ident: string;
  readonly destination: string;
  readonly expires: number;
};

export type Decision = 'ACCEPTED' | 'REJECTED' | 'CANCELLED';
type State = 'OFFERED' | 'EXPIRED' | 'REJECTED' | 'ACCEPTED' | 'CANCELLED' | 'COMPLETED';

export type ModelOffer = Told & {
  readonly ask: number;
  readonly cores: number;
  readonly isQuick: boolean;
  state: State;
};

export type Model = {
  readonly offers: readonly ModelOffer[];
  /** Destinations that certainly have room for this many cores, and those that may have it. */
  readonly room: (
    cores: number,
    during: During,
  ) => { readonly surely: readonly string[]; readonly perhaps: readonly string[] };
  readonly answered: (offers: readonly Told[], cores: number, isQuick: boolean) => void;
  /** The correct HTTP statuses for a decision on an offer now. */
  readonly statuses: (offer: ModelOffer, decision: Decision, during: During) => readonly number[];
  /** Records the answer. */
  readonly decided: (offer: ModelOffer, decision: Decision, status: number) => void;
  /** Possible states of an offer now, in the service's words. */
  readonly seen: (offer: ModelOffer, during: During) => readonly string[];
  /** Cores that stay reserved at each destination after every open offer has expired. */
  readonly firm: () => Readonly<Record<string, number>>;
};

const RUNNING = ['ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING'];

/** @param capacity cores of each destination at the hour for which everything is asked */
export function createModel(capacity: Readonly<Record<string, number>>): Model {
  const offers: ModelOffer[] = [];
  let asks = 0;
  const siblings = ({ ask }: ModelOffer): readonly ModelOffer[] =>
    offers.filter((one) => one.ask === ask);
  const winnerOf = (offer: ModelOffer): ModelOffer | undefined =>
    siblings(offer).find(
      ({ state }) => state === 'ACCEPTED' || state === 'CANCELLED' || state === 'COMPLETED',
    );
  const surelyOpen = ({ state, expires }: ModelOffer, { answered }: During): boolean =>
    state === 'OFFERED' && answered <= expires;
  const perhapsOpen = ({ state, expires }: ModelOffer, { sent }: During): boolean =>
    state === 'OFFERED' && sent < expires;

  const used = (destination: string, counts: (offer: ModelOffer) => boolean): number =>
    offers
      .filter(
        (one) =>
          one.destination === destination &&
          !one.isQuick &&
          (one.state === 'ACCEPTED' || counts(one)),
      )
      .reduce((sum, { cores }) => sum + cores, 0);

  const room: Model['room'] = (cores, during) => {
    const where = (counts: (offer: ModelOffer) => boolean): readonly string[] =>
      Object.entries(capacity)
        .filter(([id, has]) => used(id, counts) + cores <= has)
        .map(([id]) => id);
    return {
      surely: where((one) => perhapsOpen(one, during)),
      perhaps: where((one) => surelyOpen(one, during)),
    };
  };

  const whenOpen = (offer: ModelOffer, during: During): readonly number[] => [
    ...(perhapsOpen(offer, during) ? [200] : []),
    ...(surelyOpen(offer, during) ? [] : [410]),
  ];

  const statuses: Model['statuses'] = (offer, decision, during) => {
    const winner = winnerOf(offer);
    switch (decision) {
      case 'ACCEPTED':
        // Idempotent: the winner is always confirmed, whatever its job does.
        if (winner !== undefined) return winner === offer ? [200] : [409];
        return offer.state === 'REJECTED' ? [409] : whenOpen(offer, during);
      case 'REJECTED':
        if (winner === offer) return [409];
        return offer.state === 'REJECTED' ? [200] : whenOpen(offer, during);
      case 'CANCELLED':
        if (offer.state === 'CANCELLED') return [200];
        if (offer.state === 'ACCEPTED') return offer.isQuick ? [200, 409] : [200];
        return [409];
      default:
        return decision satisfies never;
    }
  };

  const decided: Model['decided'] = (offer, decision, status) => {
    if (status === 410) offer.state = 'EXPIRED';
    if (decision === 'CANCELLED') {
      if (status === 200) offer.state = 'CANCELLED';
      if (status === 409 && offer.state === 'ACCEPTED') offer.state = 'COMPLETED';
    }
    if (status !== 200 || offer.state !== 'OFFERED') return;
    offer.state = decision;
    if (decision !== 'ACCEPTED') return;
    for (const one of siblings(offer))
      if (one !== offer && one.state === 'OFFERED') one.state = 'REJECTED';
  };

  const seen: Model['seen'] = (offer, during) => {
    switch (offer.state) {
      case 'OFFERED':
        return [
          ...(perhapsOpen(offer, during) ? ['OFFERED'] : []),
          ...(surelyOpen(offer, during) ? [] : ['EXPIRED']),
        ];
      case 'ACCEPTED':
        return offer.isQuick ? [...RUNNING, 'COMPLETED'] : ['ACCEPTED'];
      case 'CANCELLED':
        // The executor stops a running job a little later; it may have ended before.
        return offer.isQuick ? [...RUNNING, 'CANCELLED', 'COMPLETED'] : ['CANCELLED'];
      default:
        // A sibling that expired before the decision may have either state.
        return offer.state === 'REJECTED' ? ['REJECTED', 'EXPIRED'] : [offer.state];
    }
  };

  return {
    offers,
    room,
    statuses,
    decided,
    seen,
    answered: (told, cores, isQuick) => {
      asks += 1;
      offers.push(
        ...told.map((one): ModelOffer => ({ ...one, ask: asks, cores, isQuick, state: 'OFFERED' })),
      );
    },
    firm: () => Object.fromEntries(Object.keys(capacity).map((id) => [id, used(id, () => false)])),
  };
}
