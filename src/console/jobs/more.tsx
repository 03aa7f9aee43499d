import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { placeOf, sendForm } from '../api.ts';
import type { Documents } from '../contract.ts';
import { documentText } from '../ask/document-text.ts';
import { getsText } from '../offers/gets.ts';
import { shown } from '../time.ts';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { isOfOthers } from '../who.ts';
import { WORDS } from '../words.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';

type Props = {
  readonly job: Documents['UwsJob'];
  readonly offer: Documents['Offer'] | undefined;
  readonly read: () => void;
};

const WEEK_MS = 604_800_000;

/** Why there, what was asked, and until when the job is kept. */
export function JobMore({ job, offer, read }: Props) {
  const words = WORDS.job;
  const { decision } = job.jobInfo.session;
  return (
    <section class="card" aria-label={words.more}>
      <p>
        {decision !== null && (
          <>
            {words.chosen(decision.suitable, decision.considered)}
            {decision.rank !== null && ` ${words.rank(decision.rank)}`}{' '}
          </>
        )}
        <a href={`#/offers/${job.jobId}/explain`}>{WORDS.offers.how}</a>
      </p>
      <KeptUntil job={job} read={read} />
      {offer !== undefined && (
        <details>
          <summary>{words.theAsk}</summary>
          <p>
            {words.gets} {getsText(offer.request.resources.compute)}
          </p>
          <pre tabIndex={0} aria-label={words.theAsk}>
            {documentText(offer.request)}
          </pre>
        </details>
      )}
    </section>
  );
}

function KeptUntil({ job, read }: Omit<Props, 'offer'>) {
  const trouble = useSignal<Trouble | undefined>(undefined);
  /** what was asked for last, of the job as it was then */
  const asked = useSignal<{ readonly end: number; readonly of: Props['job'] } | undefined>(
    undefined,
  );
  const present = useRef(job);
  present.current = job;
  const words = WORDS.job;
  const end = Date.parse(job.destruction);
  const keepLonger = async (): Promise<void> => {
    const place = placeOf('jobs', job.jobId, 'destruction');
    const wanted = end + WEEK_MS;
    const outcome = await sendForm(place, { DESTRUCTION: new Date(wanted).toISOString() });
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (outcome.ok) asked.value = { end: wanted, of: present.current };
    read();
  };
  const { value: last } = asked;
  const isMost = last !== undefined && last.of !== job && end < last.end;
  return (
    <>
      <p class="row">
        {words.keptUntil(shown(end, zone.value))}
        {!isOfOthers(job.ownerId) && (
          <button type="button" onClick={() => void keepLonger()}>
            {SITE.longer}
          </button>
        )}
        <span role="status">{isMost && SITE.keptMost}</span>
      </p>
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
    </>
  );
}
