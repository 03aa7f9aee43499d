import { visibleOwner } from '../identity/principal.ts';
import type { JobResult } from '../runners/port.ts';
import type { JobId } from '../words/ids.ts';
import { isActive, type Phase, phaseOf, type Progress } from './phases.ts';
import { printTime } from './time.ts';
import { isXmlText } from './xml.ts';

/** Why a job failed or was stopped: UWS errorSummary (§ 2.1.10) and the document at /error. */
export type JobError = {
  readonly code: string;
  readonly type: 'transient' | 'fatal';
  readonly message: string;
  /** traceback or end of stderr; empty when there is none */
  readonly detail: string;
};

/** A job as the database knows it at the moment `now` of its clock. */
export type Job = Progress & {
  readonly id: JobId;
  readonly owner: string;
  readonly runId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** seconds */
  readonly executionS: number;
  readonly destructionAt: Date;
  readonly error: JobError | null;
  readonly results: readonly JobResult[];
  readonly destination: string;
  /** the offered start */
  readonly startsAt: Date;
  readonly now: Date;
};

/** A line of the job list. */
export type JobEntry = Progress & Pick<Job, 'id' | 'owner' | 'runId' | 'createdAt'>;

/** Where the client finds us: the URL of the service, and of the job list by the name the client used for it. */
export type Places = { readonly service: string; readonly list: string };

/** One parameter; by reference, the value is the URL of the text. */
export type Parameter = { readonly id: string; readonly value: string; readonly byReference: boolean };

/** A file that the job left (§ 2.1.9). */
export type ResultReference = Pick<JobResult, 'id' | 'size' | 'mimeType'> & { readonly href: string };

/** Whether there is more to read at /error (§ 2.1.10). */
export type ErrorSummary = Pick<JobError, 'type' | 'message'> & { readonly hasDetail: boolean };

/** What UWS has no word for, in jobInfo: the session's own state, the offer it was, and where it runs. */
export type SessionInfo = { readonly phase: string; readonly offer: string; readonly destination: string };

/** UWS job (§ 2.1) as the documents show it: times are printed, null is nil. JSON shows exactly this. */
export type JobDocument = {
  readonly version: '1.1';
  readonly jobId: string;
  readonly runId: string | null;
  readonly ownerId: string | null;
  readonly phase: Phase;
  readonly quote: string | null;
  readonly creationTime: string;
  readonly startTime: string | null;
  readonly endTime: string | null;
  readonly executionDuration: number;
  readonly destruction: string;
  readonly parameters: readonly Parameter[];
  readonly results: readonly ResultReference[];
  readonly errorSummary: ErrorSummary | null;
  readonly jobInfo: { readonly session: SessionInfo };
};

/** A jobref of the list (§ 2.2.2.1). */
export type JobReference = Pick<JobDocument, 'phase' | 'runId' | 'ownerId' | 'creationTime'> & {
  readonly id: string;
  readonly href: string;
};

export const jobUrl = (places: Places, id: JobId): string => `${places.list}/${id}`;

/**
 * When the job is over at the latest (§ 2.1.6); null once it has ended, and when it is later than planned, so that we
 * do not know.
 */
export const quoteOf = (job: Job): Date | null => {
  if (!isActive(phaseOf(job))) return null;
  const start = job.startedAt ?? (job.startsAt > job.createdAt ? job.startsAt : job.createdAt);
  const quote = new Date(start.getTime() + job.executionS * 1000);
  return quote > job.now ? quote : null;
};

/** Parameters that are given as text. The task description is one more, `REQUEST`, always by reference. */
export const parameterTexts = (job: Job): ReadonlyMap<string, string> =>
  new Map([['OFFER', job.id], ...(job.runId === null ? [] : [['RUNID', job.runId] as const])]);

const describeParameters = (job: Job, places: Places): readonly Parameter[] => {
  const byReference = (id: string): Parameter =>
    ({ id, value: `${jobUrl(places, job.id)}/parameters/${id}`, byReference: true });
  const texts = [...parameterTexts(job)].map(([id, value]) =>
    (isXmlText(value) ? { id, value, byReference: false } : byReference(id)));
  return [...texts, byReference('REQUEST')];
};

const printOptional = (time: Date | null): string | null => (time === null ? null : printTime(time));

export const describeJob = (job: Job, places: Places): JobDocument => ({
  version: '1.1',
  jobId: job.id,
  runId: job.runId,
  ownerId: visibleOwner(job.owner) ?? null,
  phase: phaseOf(job),
  quote: printOptional(quoteOf(job)),
  creationTime: printTime(job.createdAt),
  startTime: printOptional(job.startedAt),
  endTime: printOptional(job.endedAt),
  executionDuration: job.executionS,
  destruction: printTime(job.destructionAt),
  parameters: describeParameters(job, places),
  results: job.results.map(({ id, size, mimeType }) =>
    ({ id, href: `${jobUrl(places, job.id)}/results/${encodeURIComponent(id)}`, size, mimeType })),
  errorSummary: job.error === null ? null
    : { type: job.error.type, hasDetail: job.error.detail !== '', message: job.error.message },
  jobInfo: { session: { phase: job.state, offer: `${places.service}/offers/${job.id}`, destination: job.destination } },
});

export const describeEntry = (entry: JobEntry, places: Places): JobReference => ({
  id: entry.id,
  href: jobUrl(places, entry.id),
  phase: phaseOf(entry),
  runId: entry.runId,
  ownerId: visibleOwner(entry.owner) ?? null,
  creationTime: printTime(entry.createdAt),
});
