import { instantOf, inputOf, type Instant } from '../time.ts';

/** Filters of the job list as its address has them. */
export type JobFilter = {
  readonly phase: string;
  readonly destination: string;
  readonly name: string;
  /** jobs created after this instant */
  readonly since: Instant | undefined;
  /** jobs that ended after this instant */
  readonly ended: Instant | undefined;
  /** for administrators: a user, or `*` */
  readonly owner: string;
};

/** Phases that one word of the filter stands for; the list has archived jobs only on request. */
export const PHASE_GROUPS = {
  running: ['EXECUTING'],
  waiting: ['PENDING', 'QUEUED', 'HELD', 'SUSPENDED', 'UNKNOWN'],
  done: ['COMPLETED'],
  failed: ['ERROR'],
  aborted: ['ABORTED'],
  archived: ['ARCHIVED'],
} as const;

/** A word of the filter for phases. */
export type PhaseGroup = keyof typeof PHASE_GROUPS;

/** Reads the filters of an address. */
export function filterOf(fields: URLSearchParams): JobFilter {
  const instant = (name: string): Instant | undefined => {
    const read = Date.parse(fields.get(name) ?? '');
    return Number.isNaN(read) ? undefined : read;
  };
  return {
    phase: fields.get('phase') ?? '',
    destination: fields.get('destination') ?? '',
    name: fields.get('name') ?? '',
    since: instant('since'),
    ended: instant('ended'),
    owner: fields.get('owner') ?? '',
  };
}

/** The fields of an address for filters. */
export function fieldsOf({ since, ended, ...texts }: JobFilter): Readonly<Record<string, string>> {
  const text = (at: Instant | undefined): string =>
    at === undefined ? '' : new Date(at).toISOString();
  return { ...texts, since: text(since), ended: text(ended) };
}

/** The parameters of `GET /jobs` for filters. */
export function queryOf({ phase, destination, name, since, ended, owner }: JobFilter) {
  const phases = Object.entries(PHASE_GROUPS).find(([group]) => group === phase)?.[1];
  return {
    ...(phases !== undefined && { PHASE: [...phases] }),
    ...(destination !== '' && { DESTINATION: [destination] }),
    ...(name !== '' && { NAME: name }),
    ...(since !== undefined && { AFTER: new Date(since).toISOString() }),
    ...(ended !== undefined && { ENDEDAFTER: new Date(ended).toISOString() }),
    ...(owner !== '' && { OWNER: owner }),
  };
}

/** A day for a field, in a zone; the first moment of it as an instant. */
export const days = {
  textOf: (instant: Instant | undefined, zone: string): string =>
    instant === undefined ? '' : inputOf(instant, zone).slice(0, 10),
  instantOf: (text: string, zone: string): Instant | undefined => instantOf(`${text}T00:00`, zone),
};
