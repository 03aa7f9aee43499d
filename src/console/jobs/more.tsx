import { useSignal } from '@preact/signals';
import { open, placeOf, sendForm } from '../api.ts';
import type { Documents } from '../contract.ts';
import { documentText } from '../ask/document-text.ts';
import { getsText } from '../offers/gets.ts';
import { shown } from '../time.ts';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { isOfOthers } from '../who.ts';
import { WORDS } from '../words.ts';
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
  const isMost = useSignal(false);
  const words = WORDS.job;
  const end = Date.parse(job.destruction);
  const keepLonger = async (): Promise<void> => {
    const place = placeOf('jobs', job.jobId, 'destruction');
    const wanted = end + WEEK_MS;
    const outcome = await sendForm(place, { DESTRUCTION: new Date(wanted).toISOString() });
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (outcome.ok) isMost.value = (await instantAt(place)) < wanted;
    read();
  };
  return (
    <>
      <p class="row">
        {words.keptUntil(shown(end, zone.value))}
        {!isOfOthers(job.ownerId) && (
          <button type="button" onClick={() => void keepLonger()}>
            {words.longer}
          </button>
        )}
        <span role="status">{isMost.value && words.keptMost}</span>
      </p>
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
    </>
  );
}

/** The instant that stands at an address; without an answer it is after all others. */
async function instantAt(place: string): Promise<number> {
  const response = await open(new Request(place)).catch(() => undefined);
  const instant = response?.ok === true ? Date.parse((await response.text()).trim()) : Number.NaN;
  return Number.isNaN(instant) ? Number.POSITIVE_INFINITY : instant;
}
