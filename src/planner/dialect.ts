import type { Identity } from '../identity/principal.ts';
import type { Interval } from '../schedule/interval.ts';
import type { PoolUse } from '../schedule/resource-pools.ts';
import type { AskId, NonEmpty, OfferId } from '../words/ids.ts';
import type { Ask } from './ask.ts';
import type { Explained } from './explain/explained.ts';
import type { Change } from './nearest/change.ts';
import type { NearestAsk } from './nearest/nearest.ts';
import type { Promised } from './offer.ts';
import type { DestinationCalendar } from './plan/calendar.ts';
import type { Reason, Wording } from './reasons.ts';
import type { Refusal } from './refusal.ts';
import type { SessionState } from './states.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * A vocabulary on the wire: how clients of one draft ask, and how they are answered. A dialect
 * reads and prints, and decides nothing; `src/dialects/all.ts` lists those of the service.
 *
 * An offer is told in the dialect of the route by which a client asks for it, since its id is the
 * same in all of them. Where no route says it, an ask is of the dialect that knows its document.
 */
export type Dialect = {
  readonly name: string;
  /** where asks are POSTed, and where an offer is read and updated; `:ident` is its id */
  readonly routes: { readonly ask: string; readonly offer: `${string}/:ident` };
  /** the key that may stand around each document; it is taken off before anything else */
  readonly wrappers: { readonly ask: string; readonly update: string };
  /** the key of an update that says what the client wants; the audit shows it */
  readonly updateKey: string;
  /** Is a document an ask in these words, understood or not? */
  readonly isAsk: (document: unknown) => boolean;
  /** @throws Problem `body-not-an-ask` (400) with every fault of the shape */
  readonly requireShape: (document: unknown) => void;
  /** Opens a document that has the shape of an ask. */
  readonly open: (document: unknown) => Asking;
  /** @throws Problem `parameter-invalid` or `body-not-an-ask` (400) */
  readonly readUpdate: (document: unknown, offer: OfferId) => OfferUpdate;
  readonly printOffer: (offer: PrintableOffer, base: string) => object;
  /** what a person or a program must send to accept the offer at this URL, as a phrase */
  readonly howToAccept: (url: string) => string;
  /** Reasons as they are listed where no answer is printed: in a problem, and to people. */
  readonly printReasons: (reasons: readonly Reason[]) => readonly PrintedReason[];
} & Partial<OwnDocuments>;

/** What a dialect prints of documents that no draft has; the first dialect that can prints them. */
export type OwnDocuments = {
  /**
   * what was promised, so that it can be asked for again; for records
   * without the client's own document
   */
  readonly printRequest: (promised: Promised) => object;
  readonly printExplanation: (
    explained: Explained,
    base: string,
  ) => { readonly document: object; readonly toText: () => Promise<string> };
  readonly printCalendar: (
    range: Interval,
    destinations: readonly DestinationCalendar[],
    pools: readonly PoolUse[],
  ) => { readonly document: object; readonly toYaml: () => string };
};

/** A client's own document: what is read out of it, and how its client is answered. */
export type Asking = Wording & {
  /** what is kept of it */
  readonly document: unknown;
  /** Whatever is not understood is a refusal that names its place; nothing is ignored. */
  readonly read: (vocabulary: Vocabulary) => Understood;
  /** The same with some things said otherwise; it can be sent as it is then. */
  readonly revise: (changes: readonly Change[]) => Asking;
  readonly printAnswer: (answer: ToldAnswer, base: string) => DialectReply;
};

/** An ask that was understood, or every reason why not. */
export type Understood =
  | { readonly ok: true; readonly ask: Ask }
  | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

/**
 * An answer as it is told. What would be the answer is told without a name that could be accepted.
 */
export type ToldAnswer =
  | { readonly kind: 'yes'; readonly ask: AskId; readonly offers: readonly PrintableOffer[] }
  | ({ readonly kind: 'no'; readonly ask: AskId } & ToldReasons)
  | { readonly kind: 'would-be-yes'; readonly offers: readonly PrintableProposal[] }
  | ({ readonly kind: 'would-be-no' } & ToldReasons);

export type ToldReasons = {
  readonly reasons: readonly Reason[];
  readonly nearest: NearestAsk | undefined;
};

/** What is printed of an offer whether or not it was made. */
export type PrintableProposal = {
  /** whom it is made for */
  readonly identity: Identity;
  readonly destination: string;
  readonly promised: Promised;
  /** milliseconds since 1970 */
  readonly startsAt: number;
  readonly durationS: number;
};

/** What is printed of an offer, fresh or read back from the book. */
export type PrintableOffer = PrintableProposal & {
  readonly id: string;
  readonly state: SessionState;
  /** milliseconds since 1970 */
  readonly expiresAt: number;
  readonly secondsLeft: number;
};

/** An answer to an ask over HTTP. */
export type DialectReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: object;
};

/** What a client wants to become of an offer. @see allowedUpdates */
export type OfferUpdate =
  | { readonly to: 'ACCEPTED'; readonly start: 'AUTO' | 'CLIENT' }
  | { readonly to: 'REJECTED' | 'CANCELLED' };

/** A reason for a person: its place in the client's document, and a sentence. */
export type PrintedReason = { readonly code: string; readonly path: string; readonly text: string };
