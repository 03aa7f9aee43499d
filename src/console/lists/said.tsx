import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { SITE } from '../words/site.ts';

type Saying = {
  readonly text: string;
  readonly trouble: Trouble | undefined;
  readonly place: RefObject<HTMLParagraphElement | null>;
  /** Says that something is done. @param trouble why it is not */
  readonly tell: (trouble: Trouble | undefined) => void;
};

/** @param then what follows each try, such as reading again */
export function useSaid(then: () => void): Saying {
  const text = useSignal('');
  const trouble = useSignal<Trouble | undefined>(undefined);
  const place = useRef<HTMLParagraphElement>(null);
  const tell = (problem: Trouble | undefined): void => {
    trouble.value = problem;
    text.value = problem === undefined ? SITE.done : '';
    // The button that had the focus may be gone.
    place.current?.focus();
    then();
  };
  return { text: text.value, trouble: trouble.value, place, tell };
}

/** What the last change came to; it has the focus after it. */
export function Said({ said: { text, trouble, place } }: { readonly said: Saying }) {
  return (
    <>
      <p role="status" tabIndex={-1} ref={place}>
        {text}
      </p>
      {trouble !== undefined && <TroubleBox trouble={trouble} />}
    </>
  );
}
