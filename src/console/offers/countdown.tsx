import { useSignal, useSignalEffect } from '@preact/signals';
import { secondsUntil } from '../clock.ts';
import { site } from '../site-of.ts';
import { clockText } from '../time.ts';
import { WORDS } from '../words.ts';
import { saidAfter, type Said } from './announcement.ts';

type Props = { readonly end: number };

/** How long an offer is held; screen readers hear `Announcement` instead. */
export function Countdown({ end }: Props) {
  const seconds = secondsUntil(end);
  return (
    <div class="countdown" role="timer" aria-live="off">
      {WORDS.offers.heldFor} <strong>{clockText(Math.ceil(seconds))}</strong>
      <progress
        aria-hidden="true"
        value={seconds}
        max={Math.max(site.value.lifetime, seconds)}
        class={seconds < 60 ? 'soon' : undefined}
      />
    </div>
  );
}

/**
 * Says politely how long the offers are held: at 60 s, at 15 s and at the end, and at once where
 * less than that is left. It stays on the page after the end: what goes away with its last sentence
 * is not read out.
 */
export function Announcement({ end, isDecided }: Props & { readonly isDecided: boolean }) {
  const said = useSignal<Said | undefined>(undefined);
  useSignalEffect(() => {
    said.value = saidAfter(said.peek(), secondsUntil(end));
  });
  return (
    <p class="unseen" role="status">
      {isDecided ? WORDS.offers.decided : said.value?.text}
    </p>
  );
}
