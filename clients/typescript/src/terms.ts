import type { Documents, Phase } from './contract.ts';

/** Of every call that can take long. */
export type Terms = { readonly signal?: AbortSignal | undefined };

export type CheckTerms = Terms & {
  /** false: a NO without the nearest YES, which is faster */
  readonly nearest?: boolean | undefined;
};

export type AskTerms = CheckTerms & {
  /** marks repetitions of one ask, of which the service decides one; made by the client */
  readonly key?: string | undefined;
};

export type UpdateTerms = Terms & {
  readonly key?: string | undefined;
  /** who starts the job: the service at the offered time, or the client with `run` */
  readonly start?: 'auto' | 'client' | undefined;
};

export type AskFilter = {
  /** items of a page */
  readonly limit?: number;
  /** for administrators: of this user, or of everybody with `*` */
  readonly owner?: string;
};

export type OfferFilter = AskFilter & {
  readonly status?: readonly Documents['SessionState'][];
  readonly destination?: readonly string[];
};

export type JobFilter = AskFilter & {
  readonly phase?: readonly Phase[];
  readonly destination?: readonly string[];
  /** text in the name */
  readonly name?: string;
  /** created after this time */
  readonly after?: Date;
  /** created before this time */
  readonly before?: Date;
  readonly endedAfter?: Date;
};

export type CalendarTerms = {
  /** now, without it */
  readonly from?: Date;
  /** a week later, without it */
  readonly to?: Date;
  readonly destination?: readonly string[];
  /** your own reservations, too */
  readonly mine?: boolean;
};
