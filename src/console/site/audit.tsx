import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { useLatest } from '../lists/use-latest.ts';
import { shown } from '../time.ts';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';
import { DataTable } from '../lists/data-table.tsx';
import { Older } from '../lists/older.tsx';

type Entry = Documents['AuditEntry'];

const PAGE = 50;

/**
 * Who changed what and why, newest first; read while it is open.
 *
 * @param at the time of the overview: with each new one, the trail is read again
 */
export function AuditTrail({ at }: { readonly at: string }) {
  const isOpen = useSignal(false);
  const entries = useSignal<readonly Entry[] | undefined>(undefined);
  const isMore = useSignal(false);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const begin = useLatest();
  const isGrowing = useRef(false);
  const read = async (known: readonly Entry[]): Promise<void> => {
    const isLatest = begin();
    isGrowing.current = known.length > 0;
    const before = known.at(-1)?.at;
    const query = { limit: PAGE, ...(before !== undefined && { before }) };
    const outcome = await outcomeOf(api.GET('/audit', { params: { query } }));
    if (!isLatest()) return;
    isGrowing.current = false;
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (!outcome.ok) return;
    entries.value = [...known, ...outcome.data.audit];
    isMore.value = outcome.data.audit.length >= PAGE;
  };
  useEffect(() => {
    // A longer trail stays as it is, or the reader would lose the place.
    const isLonger = isGrowing.current || (entries.value?.length ?? 0) > PAGE;
    if (isOpen.value && !isLonger) void read([]);
  }, [isOpen.value, at]);
  return (
    <details
      class="card"
      onToggle={({ currentTarget: { open } }) => {
        isOpen.value = open;
      }}
    >
      <summary>{SITE.audit}</summary>
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
      {entries.value !== undefined && (
        <>
          <AuditTable entries={entries.value} />
          <Older
            count={entries.value.length}
            isMore={isMore.value}
            onMore={() => void read(entries.value ?? [])}
          />
        </>
      )}
    </details>
  );
}

function AuditTable({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <DataTable
      label={SITE.audit}
      columns={[SITE.when, SITE.who, SITE.what, SITE.outcome, SITE.whyDone, SITE.address]}
      none={SITE.noAudit}
      rows={entries.map((entry) => ({ key: entry['request-id'], cells: cellsOf(entry) }))}
    />
  );
}

function cellsOf(entry: Entry): readonly ComponentChildren[] {
  const { at, owner, administrator, action, status, why, address } = entry;
  return [
    shown(Date.parse(at), zone.value),
    `${owner}${administrator ? ` (${SITE.administrator})` : ''}`,
    <div class="text">{action}</div>,
    <span class={status >= 400 ? 'bad' : undefined}>{status}</span>,
    why !== undefined && <div class="text">{why}</div>,
    address,
  ];
}
