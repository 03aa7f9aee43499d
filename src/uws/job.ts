import { visibleOwner } from '../identity/principal.ts';
import type { JobResult, Usage } from '../runners/port.ts';
import type { JobId } from '../words/ids.ts';
import type { Mebibytes, Millicores } from '../words/units.ts';
import { isActive, type Phase, phaseOf, type JobProgress } from './phases.ts';
import { printTime } from './read/time.ts';
import type { JobDecision } from './store/decision.ts';
import { shownResults } from './print/main-result.ts';
import { isXmlText } from '../xml/escape.ts';

/** Why a job failed or was stopped: the UWS errorSummary (§ 2.1.10) and the document at /error. */
export type JobError = {
  readonly code: string;
  readonly type: 'transient' | 'fatal';
  readonly message: string;
  /** traceback or end of stderr; empty without one */
  readonly detail: string;
};

/** What a job used that is over, as far as its engine counts it. */
export type JobUsage = Usage & {
  /** seconds from its start to its end */
  readonly wallS?: number;
};

/** A job as the database knows it at the moment `now` of the database's clock. */
export type Job = JobProgress & {
  readonly id: JobId;
  readonly owner: string;
  /** last known name of an issuer's user; null for all other owners */
  readonly ownerName: string | null;
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
  readonly runner: string;
  /**
   * what the client gave besides the offer, by name; null for a value that is given by reference
   * only
   */
  readonly parameters: readonly { readonly name: string; readonly text: string | null }[];
  /** place in the queue of its destination, from 1; null outside the queue */
  readonly queuePosition: number | null;
  readonly decision: JobDecision | null;
  /** null before the end, and of a job that never began */
  readonly usage: JobUsage | null;
  /** the offered start */
  readonly startsAt: Date;
  /**
   * latest begin by the present reservations; null unless the job waits beyond the offered start
   */
  readonly claimAt: Date | null;
  readonly now: Date;
};

/** A line of the job list. */
export type JobEntry = JobProgress &
  Pick<Job, 'id' | 'owner' | 'ownerName' | 'runId' | 'createdAt'>;

/** A line of the job list in JSON. */
export type ListedJob = JobEntry &
  Pick<Job, 'destination' | 'startsAt' | 'startedAt' | 'endedAt' | 'executionS'> & {
    /** null in records of earlier versions */
    readonly taskType: string | null;
    /** what is held for it: thousandths of a core, MiB */
    readonly cores: Millicores;
    readonly memory: Mebibytes;
    readonly scratch: Mebibytes;
    readonly gpuType: string | null;
    readonly gpus: number;
  };

/**
 * Where the client finds the service: the URL of the offers, and the URL of the job list under the
 * name that the client used.
 */
export type Places = { readonly offers: string; readonly list: string };

/** One parameter; a parameter by reference has the URL of its text as its value. */
type JobParameter = { readonly id: string; readonly value: string; readonly byReference: boolean };

/** A file that the job left (§ 2.1.9). */
type ResultReference = Pick<JobResult, 'id' | 'size' | 'mimeType'> & { readonly href: string };

/** `hasDetail` says whether the document at /error has more (§ 2.1.10). */
type ErrorSummary = Pick<JobError, 'type' | 'message'> & { readonly hasDetail: boolean };

/** {@link JobUsage} with the words of UWS: seconds, and MiB at the most. */
export type UsageInfo = {
  readonly wallTime: number | null;
  readonly processorTime: number | null;
  readonly peakMemory: number | null;
};

/** How the offer came about: {@link JobDecision} with a printed time. */
export type DecisionInfo = Omit<JobDecision, 'askedAt'> & { readonly asked: string };

/**
 * What UWS has no word for, in jobInfo: the state of the session, the offer, the destination, the
 * place in the queue and the reasons.
 */
type SessionInfo = {
  readonly state: string;
  readonly offer: string;
  readonly destination: string;
  readonly runner: string;
  readonly offeredStart: string;
  readonly claimedStart: string | null;
  readonly queuePosition: number | null;
  readonly decision: DecisionInfo | null;
  readonly usage: UsageInfo | null;
};

/**
 * A UWS job (§ 2.1) as the documents show it: times are printed, and nil is null. JSON shows
 * exactly this.
 */
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
  readonly parameters: readonly JobParameter[];
  readonly results: readonly ResultReference[];
  readonly errorSummary: ErrorSummary | null;
  readonly jobInfo: { readonly session: SessionInfo };
};

/** A jobref of the list (§ 2.2.2.1). */
export type JobReference = Pick<JobDocument, 'phase' | 'runId' | 'ownerId' | 'creationTime'> & {
  readonly id: string;
  readonly href: string;
};

export function jobUrl(places: Places, id: JobId): string {
  return `${places.list}/${id}`;
}

/**
 * The latest end of the job (§ 2.1.6); null after the end, and for a late job, whose end is
 * unknown.
 */
export function quoteOf(job: Job): Date | null {
  if (!isActive(phaseOf(job))) return null;
  const start =
    job.startedAt?.getTime() ??
    Math.max(
      ...[job.startsAt, job.createdAt, job.claimAt ?? job.createdAt].map((at) => at.getTime()),
    );
  const quote = new Date(start + job.executionS * 1000);
  return quote > job.now ? quote : null;
}

/**
 * Parameters with a text as their value. `REQUEST`, the task description, is always given by
 * reference.
 */
export function parameterTexts(job: Job): ReadonlyMap<string, string> {
  return new Map([
    ['OFFER', job.id],
    ...(job.runId === null ? [] : [['RUNID', job.runId] as const]),
  ]);
}

export function describeJob(job: Job, places: Places): JobDocument {
  return {
    version: '1.1',
    jobId: job.id,
    runId: job.runId,
    ownerId: visibleOwner(job.owner, job.ownerName) ?? null,
    phase: phaseOf(job),
    quote: printOptional(quoteOf(job)),
    creationTime: printTime(job.createdAt),
    startTime: printOptional(job.startedAt),
    endTime: printOptional(job.endedAt),
    executionDuration: job.executionS,
    destruction: printTime(job.destructionAt),
    parameters: describeParameters(job, places),
    results: shownResults(job).map(({ id, size, mimeType }) => ({
      id,
      href: `${jobUrl(places, job.id)}/results/${encodeURIComponent(id)}`,
      size,
      mimeType,
    })),
    errorSummary:
      job.error === null
        ? null
        : { type: job.error.type, hasDetail: job.error.detail !== '', message: job.error.message },
    jobInfo: {
      session: {
        state: job.state,
        offer: `${places.offers}/${job.id}`,
        destination: job.destination,
        runner: job.runner,
        offeredStart: printTime(job.startsAt),
        claimedStart: printOptional(job.claimAt),
        queuePosition: job.queuePosition,
        decision: describeDecision(job.decision),
        usage: describeUsage(job.usage),
      },
    },
  };
}

export function describeEntry(entry: JobEntry, places: Places): JobReference {
  return {
    id: entry.id,
    href: jobUrl(places, entry.id),
    phase: phaseOf(entry),
    runId: entry.runId,
    ownerId: visibleOwner(entry.owner, entry.ownerName) ?? null,
    creationTime: printTime(entry.createdAt),
  };
}

function printOptional(time: Date | null): string | null {
  return time === null ? null : printTime(time);
}

function describeParameters(job: Job, places: Places): readonly JobParameter[] {
  const byReference = (id: string): JobParameter => ({
    id,
    value: `${jobUrl(places, job.id)}/parameters/${encodeURIComponent(id)}`,
    byReference: true,
  });
  const texts = [...parameterTexts(job)].map(([id, value]) =>
    isXmlText(value) ? { id, value, byReference: false } : byReference(id),
  );
  const given = job.parameters.map(({ name, text }) =>
    text === null || !isXmlText(text)
      ? byReference(name)
      : { id: name, value: text, byReference: false },
  );
  return [...texts, byReference('REQUEST'), ...given];
}

function describeUsage(usage: JobUsage | null): UsageInfo | null {
  return usage === null
    ? null
    : {
        wallTime: usage.wallS ?? null,
        processorTime: usage.processorS ?? null,
        peakMemory: usage.memoryMib ?? null,
      };
}

function describeDecision(decision: JobDecision | null): DecisionInfo | null {
  if (decision === null) return null;
  const { askedAt, ...rest } = decision;
  return { asked: printTime(askedAt), ...rest };
}
