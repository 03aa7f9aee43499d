import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { isSeen } from '../live/visible.ts';
import type { Trouble } from '../client.ts';
import { useLatest } from '../lists/use-latest.ts';

const AGAIN_MS = 5000;

/** Reads the overview again and again while somebody sees it. */
export function useOverview(): {
  readonly now: Documents['Overview'] | undefined;
  /** why it cannot be read now; the overview is then as it was */
  readonly trouble: Trouble | undefined;
  readonly read: () => void;
} {
  const now = useSignal<Documents['Overview'] | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const begin = useLatest();
  const isReading = useRef(false);
  const read = async (): Promise<void> => {
    const isLatest = begin();
    isReading.current = true;
    const outcome = await outcomeOf(api.GET('/overview'));
    if (!isLatest()) return;
    isReading.current = false;
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (outcome.ok) now.value = outcome.data.overview;
  };
  useEffect(() => {
    if (!isSeen.value) return undefined;
    void read();
    // Of a slow service, requests of many would take all connections that browsers have to a host.
    const timer = setInterval(() => isReading.current || void read(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isSeen.value]);
  return { now: now.value, trouble: trouble.value, read: () => void read() };
}
