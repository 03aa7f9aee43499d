import { signal } from '@preact/signals';
import type { Documents } from '../contract.ts';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { documentOf, type Draft } from './document.ts';
import { draft } from './draft.ts';
import { dryRun } from './dry-run.ts';
import { getsText } from '../offers/gets.ts';
import { startText } from '../offers/offers.tsx';
import { Refusal } from './refusal.tsx';

type Proposal = Pick<Documents['Proposal'], 'destination' | 'time' | 'request'>;
type Finding =
  | { readonly kind: 'asking' }
  | { readonly kind: 'yes'; readonly offers: readonly Proposal[] }
  | { readonly kind: 'no'; readonly answer: Documents['DryRunNo'] }
  | { readonly kind: 'failed'; readonly trouble: Trouble };

/** What the service would answer to a form. */
const tried = signal<{ readonly draft: Draft; readonly found: Finding } | undefined>(undefined);

/** Asks what the answer to a form would be now; nothing is held. */
export async function tryOut(form: Draft): Promise<void> {
  const turn = { draft: form, found: { kind: 'asking' } as const };
  tried.value = turn;
  const outcome = await dryRun(documentOf(form));
  if (tried.value !== turn) return;
  tried.value = {
    draft: form,
    found: outcome.ok
      ? findingOf(outcome.data.response)
      : { kind: 'failed', trouble: outcome.trouble },
  };
}

/** Is there such an answer for the form as it is now? */
export function isTried(): boolean {
  return tried.value?.draft === draft.value;
}

/** What the service would answer to the form. */
export function DryRun({ onFill }: { readonly onFill: (draft: Draft) => void }) {
  const words = WORDS.dryRun;
  const { value: now } = tried;
  if (now === undefined) return null;
  const { found } = now;
  return (
    <div aria-busy={found.kind === 'asking'}>
      <p role="status" class={found.kind === 'no' ? 'unseen' : 'card'}>
        {words[found.kind]}
      </p>
      {found.kind === 'failed' && (
        <TroubleBox trouble={found.trouble} again={() => void tryOut(now.draft)} />
      )}
      {found.kind === 'yes' && (
        <ul class="card">
          {found.offers.map(({ destination, time, request }, index) => (
            <li key={index}>
              {words.offer(destination, startText(time.start))}{' '}
              <small>{getsText(request.resources.compute)}</small>
            </li>
          ))}
        </ul>
      )}
      {found.kind === 'no' && (
        <Refusal
          title={words.no}
          no={{ ask: documentOf(now.draft), answer: found.answer }}
          onFill={onFill}
        />
      )}
    </div>
  );
}

function findingOf(answer: Documents['Answer']): Finding {
  if ('offers' in answer) return { kind: 'yes', offers: answer.offers };
  return { kind: 'no', answer: { ...answer, 'dry-run': true } };
}
