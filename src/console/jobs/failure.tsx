import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { placeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { WORDS } from '../words.ts';

/** The document that a job has about its failure. */
export type JobError = {
  /** of the catalogue in docs/errors.md; empty where the document cannot be read */
  readonly code: string;
  /** code, message and details */
  readonly text: string;
};

type Props = {
  readonly job: Documents['UwsJob'];
  readonly summary: Documents['UwsErrorSummary'];
  /** undefined: not read yet */
  readonly error: JobError | undefined;
};

/** Why a job failed, and its details. */
export function JobFailure({ job, summary, error }: Props) {
  const words = WORDS.job;
  return (
    <section class="card trouble" aria-labelledby="failure">
      <h2 id="failure">{job.phase === 'ABORTED' ? words.wasAborted : words.failed}</h2>
      <p>{summary.message}</p>
      {summary.hasDetail && error !== undefined && (
        <details>
          <summary>{words.detail}</summary>
          <pre tabIndex={0}>{error.text}</pre>
        </details>
      )}
    </section>
  );
}

/** What to do about a failure, below the log that tells more, and what its code means. */
export function FailureHelp({ summary, error }: Omit<Props, 'job'>) {
  const words = WORDS.job;
  if (error === undefined) return null;
  const known: Readonly<Record<string, string>> = words.help;
  const help = known[error.code] ?? '';
  const isWorthAgain = summary.type === 'transient' && !help.startsWith('Ask again');
  return (
    <section class="card" aria-labelledby="to-do">
      <h2 id="to-do">{words.toDo}</h2>
      <p>
        {help} {isWorthAgain && `${words.transient} `}
        <a href={`${placeOf('docs', 'errors')}#${error.code}`}>{words.meaning}</a>
      </p>
    </section>
  );
}

/** Reads why a job failed; undefined until it is there, and for a job that did not fail. */
export function useError({
  jobId,
  errorSummary,
}: Pick<Documents['UwsJob'], 'jobId' | 'errorSummary'>): JobError | undefined {
  const error = useSignal<JobError | undefined>(undefined);
  const hasFailed = errorSummary !== null;
  useEffect(() => {
    if (!hasFailed) return;
    void readError(placeOf('jobs', jobId, 'error')).then((read) => {
      error.value = read;
    });
  }, [jobId, hasFailed]);
  return error.value;
}

/** @returns undefined if it cannot be read: an empty text would look like what the job said */
async function readError(place: string): Promise<JobError | undefined> {
  const response = await fetch(place).catch(() => undefined);
  if (response?.ok !== true) return undefined;
  const text = (await response.text()).trim();
  return { text, code: /^[a-z][a-z-]+(?=:)/.exec(text)?.[0] ?? '' };
}
