import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '../api.ts';
import type { Change, Trouble } from '../client.ts';
import { onChange } from '../live/changes.ts';
import { gathered } from '../live/gathered.ts';
import { isSeen } from '../live/visible.ts';

/** A list as far as it was read. */
export type Listed<Row> = {
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
  const listed = useSignal<Listed<Row>>({ rows: undefined, next: undefined, trouble: undefined });
  /** number of the latest request, whose answer counts */
  const latest = useRef(0);
  const isGrowing = useRef(false);
  const read = async (before: readonly Row[], cursor?: string): Promise<void> => {
    const own = (latest.current += 1);
    isGrowing.current = cursor !== undefined;
    const outcome = await readPage(cursor);
    if (own !== latest.current) return;
    isGrowing.current = false;
    listed.value = outcome.ok
      ? { rows: [...before, ...outcome.data.rows], next: outcome.data.next, trouble: undefined }
      : { ...listed.value, trouble: outcome.trouble };
  };
  useEffect(() => {
    if (isSeen.value) void read([]);
  }, [key, isSeen.value]);
  useEffect(() => {
    if (!isSeen.value) return undefined;
    // Longer lists stay as they are, or the reader would lose the place.
    const refresh = (): void => {
      if (!isGrowing.current && (listed.value.rows?.length ?? 0) <= PAGE) void read([]);
    };
    return told === undefined ? regularly(refresh) : whenTold(told, listed, refresh);
  }, [key, isSeen.value, told]);
  return {
    ...listed.value,
    read: () => void read([]),
    more: () => void read(listed.value.rows ?? [], listed.value.next),
  };
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
