import { useRef } from 'preact/hooks';

/**
 * Of readings of the same thing, the one that began last counts: an earlier one may end later.
 *
 * @returns begins a reading; what it returns says whether the reading is still the latest
 */
export function useLatest(): () => () => boolean {
  const latest = useRef(0);
  return () => {
    const own = (latest.current += 1);
    return () => own === latest.current;
  };
}
