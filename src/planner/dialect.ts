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
import type { OfferJob, SessionWords } from './session.ts';
import type { ClientUpdate, SessionState } from './states.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * A vocabulary on the wire: how clients of one draft ask, and how they are answered. A dialect
 * reads and prints; it decides nothing. `src/dialects/all.ts` lists the dialects of the service.
 *
 * An offer has one id in all dialects, and the route by which a client reads it tells the dialect.
 * On the job list the document tells the dialect of an ask.
 */
export type Dialect = {
  readonly name: string;
  readonly routes: DialectRoutes;
  /** for a client that names no representation; YAML wins if it takes both equally */
  readonly prefers: 'yaml' | 'json';
  /** the key that may wrap each document; it is removed first */
  readonly wrappers: { readonly ask: string; readonly update: string };
  /** the key of an update that says what the client wants; the audit shows it */
  readonly updateKey: string;
  /** Does a document look like an ask of this dialect? */
  readonly isAsk: (document: unknown) => boolean;
  /** @throws Problem `body-not-an-ask` (400) with all faults of the shape */
  readonly requireShape: (document: unknown) => void;
  /** Opens a document that has the shape of an ask. */
  readonly open: (document: unknown) => Asking;
  /** @throws Problem `parameter-invalid` or `body-not-an-ask` (400) */
  readonly readUpdate: (document: unknown, offer: OfferId) => OfferUpdate;
  readonly printOffer: (offer: PrintableOffer, base: string) => object;
  /** present if an offer of this dialect is a session, which its clients follow to the end */
  readonly sessions?: SessionWords;
  /** a phrase: what a client sends to accept the offer at this URL */
  readonly howToAccept: (url: string) => string;
  /** Reasons for a problem document or for people. */
  readonly printReasons: (reasons: readonly Reason[]) => readonly PrintedReason[];
} & Partial<OwnDocuments>;

/** Where the clients of a dialect ask, read and update. `:ident` is an id. */
export type DialectRoutes = {
  /** POST an ask, the same at each of them */
  readonly asks: NonEmpty<string>;
  /** GET an offer, and POST an update of it */
  readonly offer: `${string}/:ident`;
};

/** Documents that no draft has; the first dialect that can print them does. */
export type OwnDocuments = {
  /** a promise as an ask that can be sent again; for records without the client's document */
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
  /** asks in any dialect. @param next where the next page begins; undefined: this is the last */
  readonly printAsks: (asks: readonly ListedAsk[], next: string | undefined) => object;
  /** an ask in any dialect, with what its client sent and its answer as it is now */
  readonly printAsk: (asked: AnsweredAsking, base: string) => object;
  readonly printOffers: (
    offers: readonly PrintableOffer[],
    next: string | undefined,
    base: string,
  ) => object;
};

/** An ask of the records, and what became of its offers. */
export type ListedAsk = {
  readonly ask: AskId;
  readonly identity: Identity;
  /** milliseconds since 1970 */
  readonly createdAt: number;
  readonly result: 'YES' | 'NO';
  /** what its client calls the task */
  readonly name: string | undefined;
  /** what the rules call the task; undefined if it was not understood */
  readonly tool: string | undefined;
  /** best first */
  readonly offers: readonly OfferId[];
  /** how many of them can still be accepted */
  readonly open: number;
  readonly accepted: OfferId | undefined;
};

/** An ask of the records with its answer. */
export type AnsweredAsking = ListedAsk & {
  /** in any dialect; null in records of earlier versions */
  readonly document: unknown;
  readonly told: ToldAnswer;
};

/** A client's document: how it is read, and how its client is answered. */
export type Asking = Wording & {
  /** what the record keeps */
  readonly document: unknown;
  /** what the client calls the task, as a job may be called; its job has this name */
  readonly name: string | undefined;
  /** What is not understood becomes a refusal that names its place; nothing is ignored. */
  readonly read: (vocabulary: Vocabulary) => Understood;
  /** The same document with some changes; the client can send it. */
  readonly revise: (changes: readonly Change[]) => Asking;
  readonly printAnswer: (answer: ToldAnswer, base: string) => DialectReply;
};

/** An ask that was understood, or every reason why not. */
export type Understood =
  | { readonly ok: true; readonly ask: Ask }
  | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

/** An answer for a client. The answer of a dry run has no ids, so nobody can accept it. */
export type ToldAnswer =
  | { readonly kind: 'yes'; readonly ask: AskId; readonly offers: readonly PrintableOffer[] }
  | ({ readonly kind: 'no'; readonly ask: AskId } & ToldReasons)
  | { readonly kind: 'would-be-yes'; readonly offers: readonly PrintableProposal[] }
  | ({ readonly kind: 'would-be-no' } & ToldReasons);

export type ToldReasons = {
  readonly reasons: readonly Reason[];
  readonly nearest: NearestAsk | undefined;
};

/** What is printed of an offer and of a dry run's proposal. */
export type PrintableProposal = {
  /** who gets it */
  readonly identity: Identity;
  /** what the client calls the task */
  readonly name: string | undefined;
  readonly destination: string;
  readonly promised: Promised;
  /** milliseconds since 1970 */
  readonly startsAt: number;
  readonly durationS: number;
};

/** What is printed of an offer, new or from the book. Times are in milliseconds since 1970. */
export type PrintableOffer = PrintableProposal & {
  readonly id: OfferId;
  readonly ask: AskId;
  /** the document of its ask, in any dialect; null in records of earlier versions */
  readonly document: unknown;
  readonly state: SessionState;
  readonly createdAt: number;
  /** of the last change that the record has a time of */
  readonly modifiedAt: number;
  readonly expiresAt: number;
  readonly secondsLeft: number;
  /** reserved before the start */
  readonly prepareS: number;
  readonly startWindowS: number;
  readonly releaseS: number;
  /** what its reader may make of it now; an administrator accepts no offer of somebody else */
  readonly mayBecome: readonly ClientUpdate[];
  /** what became of an accepted offer; read only for dialects with sessions */
  readonly job?: OfferJob | undefined;
};

/** An answer to an ask over HTTP. */
export type DialectReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: object;
};

/** What a client wants an offer to become. @see allowedUpdates */
export type OfferUpdate =
  | { readonly to: 'ACCEPTED'; readonly start: 'AUTO' | 'CLIENT' }
  | { readonly to: 'REJECTED' | 'CANCELLED' };

/** A reason for people: its place in the client's document, and a sentence. */
type PrintedReason = { readonly code: string; readonly path: string; readonly text: string };
