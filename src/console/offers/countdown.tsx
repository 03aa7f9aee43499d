import { useSignal, useSignalEffect } from '@preact/signals';
import { secondsUntil } from '../clock.ts';
import { site } from '../site-of.ts';
import { clockText } from '../time.ts';
import { WORDS } from '../words.ts';
import { announcementOf } from './announcement.ts';

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
 * Says politely, at 60 s, at 15 s and at the end, how long the offers are held. It stays on the
 * page after the end: what goes away with its last sentence is not read out.
 */
export function Announcement({ end, isDecided }: Props & { readonly isDecided: boolean }) {
  const said = useSignal('');
  useSignalEffect(() => {
    const seconds = secondsUntil(end);
    said.value = isDecided ? WORDS.offers.decided : announcementOf(seconds);
  });
  return (
    <p class="unseen" role="status">
      {said}
    </p>
  );
}
