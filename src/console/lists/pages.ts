import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '../api.ts';
import { isSeen } from '../jobs/visible.ts';
import type { Trouble } from '../trouble.ts';

/** A list as far as it was read. */
export type Listed<Row> = {
  /** undefined: not yet */
  readonly rows: readonly Row[] | undefined;
  /** the cursor of the next page; undefined: there is none */
  readonly next: string | undefined;
  readonly trouble: Trouble | undefined;
};

type Page<Row> = { readonly rows: readonly Row[]; readonly next: string | undefined };

/** Rows of a page. */
export const PAGE = 50;
const AGAIN_MS = 10_000;

/**
 * Reads a list page by page, and its first page every ten seconds while somebody sees it.
 *
 * @param key another one means another list
 * @param readPage reads the page of a cursor; without one it is the first
 */
export function usePages<Row>(
  key: string,
  readPage: (cursor: string | undefined) => Promise<Outcome<Page<Row>>>,
): Listed<Row> & { readonly read: () => void; readonly more: () => void } {
  const listed = useSignal<Listed<Row>>({ rows: undefined, next: undefined, trouble: undefined });
  const wanted = useRef(key);
  wanted.current = key;
  const read = async (before: readonly Row[], cursor?: string): Promise<void> => {
    const outcome = await readPage(cursor);
    // An answer for other filters comes too late.
    if (wanted.current !== key) return;
    listed.value = outcome.ok
      ? { rows: [...before, ...outcome.data.rows], next: outcome.data.next, trouble: undefined }
      : { ...listed.value, trouble: outcome.trouble };
  };
  useEffect(() => {
    if (!isSeen.value) return undefined;
    void read([]);
    // Longer lists stay as they are, or the reader would lose the place.
    const timer = setInterval(() => {
      if ((listed.value.rows?.length ?? 0) <= PAGE) void read([]);
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [key, isSeen.value]);
  return {
    ...listed.value,
    read: () => void read([]),
    more: () => void read(listed.value.rows ?? [], listed.value.next),
  };
}
