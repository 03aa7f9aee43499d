import { useSignal } from '@preact/signals';
import { Lazy } from '../../frame/lazy.tsx';
import { WORDS } from '../../words.ts';
import type { StorageDraft } from './storage.ts';

/** The fields of storage, which most asks leave to the site: they load when somebody opens them. */
export function StoragePart({ now: { scratch, kept } }: { readonly now: StorageDraft }) {
  const isOpen = useSignal(false);
  const isShown = isOpen.value || scratch !== '' || kept !== '';
  return (
    <details
      open={isShown}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
      // A browser cannot show what is wrong in a closed part.
      onInvalidCapture={({ currentTarget }) => {
        currentTarget.open = true;
      }}
    >
      <summary>{WORDS.ask.storage}</summary>
      {isShown && <Lazy load={() => import('./storage-fields.tsx').then((part) => part.default)} />}
    </details>
  );
}
