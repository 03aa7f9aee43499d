import { useLayoutEffect, useRef } from 'preact/hooks';
import { controlOf, focusOn, isLost } from '../frame/keep-focus.ts';
import { WORDS } from '../words.ts';

type Props = {
  /** rows that the list above has */
  readonly count: number;
  readonly isMore: boolean;
  readonly onMore: () => void;
};

/** Reads more rows. With the last ones the button goes away, and the first new row has the focus. */
export function Older({ count, isMore, onMore }: Props) {
  const place = useRef<HTMLParagraphElement>(null);
  const before = useRef(0);
  // Earlier than the page itself looks for a lost focus.
  useLayoutEffect(() => {
    if (isMore || !isLost() || before.current === 0) return;
    const rows = place.current?.parentElement?.querySelectorAll('tbody tr');
    focusOn(controlOf(rows?.[before.current]));
  }, [isMore]);
  return (
    <p ref={place}>
      {isMore && (
        <button
          type="button"
          onClick={() => {
            before.current = count;
            onMore();
          }}
        >
          {WORDS.jobs.older}
        </button>
      )}
    </p>
  );
}
