import { useSignal } from '@preact/signals';
import { placeOf, remove, sendForm } from '../api.ts';
import type { Documents } from '../contract.ts';
import { leaveAnswer } from '../ask/conversation.ts';
import { draftOf } from '../ask/document.ts';
import { draft } from '../ask/draft.ts';
import { Confirm } from '../confirm.tsx';
import { seenName } from '../lists/seen-name.ts';
import { Page } from '../page.tsx';
import { go } from '../router.ts';
import type { Trouble } from '../client.ts';
import { isActive } from '../job-client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { isOfOthers } from '../who.ts';
import { WORDS } from '../words.ts';
import { FailureHelp, JobFailure, useError } from './failure.tsx';
import { useJob } from './follow-job.ts';
import { JobLog, type Log } from './log.tsx';
import { JobMore } from './more.tsx';
import { Results } from './results.tsx';
import { Steps } from './steps.tsx';
import { useOffer } from './use-offer.ts';
import { JobTimes } from './times.tsx';

type Job = Documents['UwsJob'];
type Offer = Documents['Offer'];

/** One job, from its acceptance to its results. */
export function JobScreen({ ident }: { readonly ident: string }) {
  const { now, read } = useJob(ident);
  const { job, trouble } = now.value;
  const offer = useOffer(ident, job);
  return (
    <Page title={titleOf(job)} aside={job && <Actions job={job} offer={offer} read={read} />}>
      {trouble !== undefined && <TroubleBox trouble={trouble} again={read} />}
      {job === undefined && trouble === undefined && <p>{WORDS.shell.loading}</p>}
      {job !== undefined && <JobBody job={job} offer={offer} read={read} />}
    </Page>
  );
}

type Props = { readonly job: Job; readonly offer: Offer | undefined; readonly read: () => void };

function JobBody({ job, offer, read }: Props) {
  const logs = logsOf(job, offer);
  const error = useError(job);
  const wanted = job.phase === 'ERROR' ? /stderr$/ : /stdout$/;
  const first = (logs.find(({ id }) => wanted.test(id)) ?? logs[0])?.id;
  return (
    <>
      <p class="over">
        <code>{job.jobId}</code>
      </p>
      <Steps phase={job.phase} />
      <JobTimes job={job} />
      {job.errorSummary !== null && (
        <JobFailure job={job} summary={job.errorSummary} error={error} />
      )}
      {first !== undefined && <JobLog key={first} ident={job.jobId} logs={logs} first={first} />}
      {job.errorSummary !== null && <FailureHelp summary={job.errorSummary} error={error} />}
      {job.results.length > 0 && <Results job={job} />}
      <JobMore job={job} offer={offer} read={read} />
    </>
  );
}

function Actions({ job, offer, read }: Props) {
  const trouble = useSignal<Trouble | undefined>(undefined);
  const words = WORDS.job;
  const place = placeOf('jobs', job.jobId);
  const others = isOfOthers(job.ownerId);
  const owner = job.ownerId ?? WORDS.jobs.nobody;
  const setPhase = async (phase: string, why = ''): Promise<boolean> => {
    const outcome = await sendForm(`${place}/phase`, {
      PHASE: phase,
      ...(why !== '' && { WHY: why }),
    });
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    read();
    return outcome.ok;
  };
  const destroy = async (why: string): Promise<boolean> => {
    const { hash } = location;
    const outcome = await remove(place, why === '' ? {} : { WHY: why });
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (outcome.ok && location.hash === hash) go(others ? '#/jobs?owner=*' : '#/jobs');
    return outcome.ok;
  };
  return (
    <>
      {job.phase === 'PENDING' && !others && (
        <button type="button" class="main" onClick={() => void setPhase('RUN')}>
          {words.start}
        </button>
      )}
      {isActive(job) && (
        <Confirm
          action={words.abort}
          question={others ? words.abortOthers(owner) : words.abortQuestion}
          field={others ? words.why : undefined}
          onYes={(why) => setPhase('ABORT', why)}
        />
      )}
      {offer !== undefined && (
        <button type="button" onClick={() => askAgain(offer)}>
          {words.askAgain}
        </button>
      )}
      <Confirm
        action={words.destroy}
        question={others ? words.destroyOthers(owner) : words.destroyQuestion}
        field={others ? words.why : undefined}
        onYes={destroy}
      />
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
    </>
  );
}

/** Fills the form with what this job runs. */
function askAgain({ request, time }: Offer): void {
  const { start: _, ...length } = time;
  draft.value = draftOf({ ...request, time: [length] });
  leaveAnswer();
  go('#/ask');
}

function titleOf(job: Job | undefined): string {
  if (job === undefined) return WORDS.job.title;
  return seenName(job.runId) ?? WORDS.job.at(job.jobInfo.session.destination);
}

/** The logs that can be read now: of a job that runs, those that its machines write. */
function logsOf(job: Job, offer: Offer | undefined): readonly Log[] {
  if (!isActive(job))
    return job.results.filter(({ id }) => /^(?:machine-\d+\.)?std(?:out|err)$/.test(id));
  if (job.phase !== 'EXECUTING') return [];
  const compute = offer?.request.resources.compute ?? [];
  const machines = compute.reduce((sum, { replicas = 1 }) => sum + replicas, 0);
  const places =
    machines <= 1 ? [''] : Array.from({ length: machines }, (_, at) => `machine-${at}.`);
  return places.flatMap((place) =>
    ['stdout', 'stderr'].map((name) => ({ id: `${place}${name}`, size: undefined })),
  );
}
