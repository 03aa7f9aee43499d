import type { Documents } from '../contract.ts';
import { WORDS } from '../words.ts';

type Phase = Documents['UwsPhase'];

/** Where a job is on its way: one list item is the present step. */
export function Steps({ phase }: { readonly phase: Phase }) {
  const words = WORDS.job.steps;
  const end = phase === 'ERROR' ? words.failed : phase === 'ABORTED' ? words.aborted : words.done;
  const now = stepOf(phase);
  return (
    <ol class="steps" aria-label={WORDS.job.way}>
      {[words.accepted, words.queued, words.running, end].map((text, index) => (
        <li
          key={text}
          aria-current={index === now ? 'step' : undefined}
          class={index < now ? 'past' : index === now && now === 3 ? `end ${phase}` : undefined}
        >
          {text}
        </li>
      ))}
    </ol>
  );
}

function stepOf(phase: Phase): number {
  switch (phase) {
    case 'PENDING':
    case 'HELD':
      return 0;
    case 'QUEUED':
    case 'SUSPENDED':
    case 'UNKNOWN':
      return 1;
    case 'EXECUTING':
      return 2;
    case 'COMPLETED':
    case 'ERROR':
    case 'ABORTED':
    case 'ARCHIVED':
      return 3;
  }
}
