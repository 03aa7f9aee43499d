import type { AskId, NonEmpty } from '../words/ids.ts';
import type { DialectReply, PrintableOffer, ToldAnswer, ToldReasons } from './dialect.ts';

/**
 * The words of a dialect whose clients follow an offer as a session from the ask to its end, over
 * the route of the offer. The service lists a client's own sessions in the folder of that route.
 */
export type SessionWords = {
  readonly routes: {
    /** POST an ask: the first offer is accepted at once, in the name of the client */
    readonly direct: NonEmpty<string>;
    /** GET an answer again; its folder lists the client's own */
    readonly answer: `${string}/:ident`;
  };
  /** @param document of the ask; it has the shape of one */
  readonly printDirect: (answer: DirectAnswer, document: unknown, base: string) => DialectReply;
  /** Prints an answer to an ask in any dialect. */
  readonly printKept: (kept: KeptAnswer, base: string) => object;
  /** Prints a page of a list. @param documents as `printKept` or `printOffer` makes them */
  readonly printPage: (page: ListPage) => object;
};

/** What became of an ask whose first offer is accepted at once. */
export type DirectAnswer =
  | { readonly kind: 'accepted'; readonly offer: PrintableOffer }
  | ({ readonly kind: 'no'; readonly ask: AskId } & ToldReasons);

/** An answer of the records, with its offers as they are now. */
export type KeptAnswer = {
  readonly told: Extract<ToldAnswer, { readonly kind: 'yes' | 'no' }>;
  /** of the ask, in any dialect; null in records of earlier versions */
  readonly document: unknown;
  /** milliseconds since 1970 */
  readonly createdAt: number;
};

export type ListPage = {
  readonly of: 'answers' | 'sessions';
  readonly documents: readonly object[];
  /** URL of the next page; undefined: this is the last one */
  readonly next: string | undefined;
};

/** What became of an accepted offer. Times are in milliseconds since 1970. */
export type OfferJob = {
  /** who starts it: the planner at the offered time, or the client */
  readonly start: 'AUTO' | 'CLIENT';
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** its record and results are kept until then */
  readonly destroyedAt: number;
  /** are the results removed already? */
  readonly isArchived: boolean;
  /** place in the queue of its destination, from 1 */
  readonly queuePosition: number | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** files at `/jobs/{ident}/results/{id}`; sizes in bytes */
  readonly results: readonly {
    readonly id: string;
    readonly size: number;
    readonly mimeType: string;
  }[];
  /** of a job that is over, as far as its engine counts it: seconds, and MiB at the most */
  readonly usage:
    | { readonly wallS?: number; readonly processorS?: number; readonly memoryMib?: number }
    | undefined;
};
