import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '../api.ts';
import type { Change, Trouble } from '../client.ts';
import { onChange } from '../live/changes.ts';
import { gathered } from '../live/gathered.ts';
import { isSeen } from '../live/visible.ts';
import { useLatest } from './use-latest.ts';

/** A list as far as it was read. */
type Listed<Row> = {
  /** the key of the list */
  readonly of: string;
  /** undefined: not yet */
  readonly rows: readonly Row[] | undefined;
  /** the cursor of the next page; undefined: there is none */
  readonly next: string | undefined;
  readonly trouble: Trouble | undefined;
};

type Page<Row> = { readonly rows: readonly Row[]; readonly next: string | undefined };

/** A list whose changes the service tells. */
export type Told<Row> = {
  readonly kind: Change['kind'];
  /** the rows after a change of that kind, as far as it says */
  readonly changed: (rows: readonly Row[], change: Change) => readonly Row[];
};

/** Rows of a page. */
export const PAGE = 50;
const AGAIN_MS = 10_000;
/** Many changes are one reading a second. */
const TOGETHER_MS = 1000;

/**
 * Reads a list page by page, and while somebody sees it, its first page again: when the service
 * tells of a change, or every ten seconds.
 *
 * @param key another one means another list
 * @param readPage reads the page of a cursor; without one it is the first
 * @param told undefined: changes are not told
 */
export function usePages<Row>(
  key: string,
  readPage: (cursor: string | undefined) => Promise<Outcome<Page<Row>>>,
  told?: Told<Row>,
): Listed<Row> & { readonly read: () => void; readonly more: () => void } {
  const listed = useSignal<Listed<Row>>(unread(key));
  const begin = useLatest();
  const isGrowing = useRef(false);
  // The rows of the list before are not those of this one.
  const now = (): Listed<Row> => (listed.value.of === key ? listed.value : unread(key));
  /** @param least rows to read, if there are as many */
  const read = async (before: readonly Row[], cursor?: string, least = 0): Promise<void> => {
    const isLatest = begin();
    isGrowing.current = cursor !== undefined || least > PAGE;
    let page: Page<Row> = { rows: before, next: cursor };
    do {
      const outcome = await readPage(page.next);
      if (!isLatest()) return;
      if (!outcome.ok) {
        isGrowing.current = false;
        listed.value = { ...now(), trouble: outcome.trouble };
        return;
      }
      const { rows, next } = outcome.data;
      page = { rows: [...page.rows, ...rows], next };
    } while (page.next !== undefined && page.rows.length < least);
    isGrowing.current = false;
    listed.value = { ...page, of: key, trouble: undefined };
  };
  useEffect(() => {
    // All of it, or the reader would lose the place.
    if (isSeen.value) void read([], undefined, now().rows?.length);
  }, [key, isSeen.value]);
  useEffect(() => {
    if (!isSeen.value) return undefined;
    // Longer lists stay as they are while somebody reads them.
    const refresh = (): void => {
      if (!isGrowing.current && (now().rows?.length ?? 0) <= PAGE) void read([]);
    };
    return told === undefined ? regularly(refresh) : whenTold(told, listed, refresh);
  }, [key, isSeen.value, told]);
  return {
    ...now(),
    // All of it, or who has changed a row far below would lose the place.
    read: () => void read([], undefined, now().rows?.length),
    more: () => void read(now().rows ?? [], now().next),
  };
}

function unread<Row>(key: string): Listed<Row> {
  return { of: key, rows: undefined, next: undefined, trouble: undefined };
}

function whenTold<Row>(
  { kind, changed }: Told<Row>,
  listed: Signal<Listed<Row>>,
  refresh: () => void,
): () => void {
  const soon = gathered(TOGETHER_MS, refresh);
  const stop = onChange((change) => {
    const { value: now } = listed;
    if (change.kind === kind && now.rows !== undefined)
      listed.value = { ...now, rows: changed(now.rows, change) };
    if (change.kind === kind || change.kind === 'start') soon.call();
  });
  return () => {
    stop();
    soon.cancel();
  };
}

function regularly(refresh: () => void): () => void {
  const timer = setInterval(refresh, AGAIN_MS);
  return () => clearInterval(timer);
}
