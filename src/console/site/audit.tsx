import { useSignal } from '@preact/signals';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { shown } from '../time.ts';
import type { Trouble } from '../trouble.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { DataTable } from './data-table.tsx';

type Entry = Documents['AuditEntry'];

/** Who changed what, newest first; read when somebody opens it. */
export function AuditTrail() {
  const words = WORDS.site;
  const entries = useSignal<readonly Entry[] | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const read = async (): Promise<void> => {
    const outcome = await outcomeOf(api.GET('/audit', { params: { query: { limit: 50 } } }));
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (outcome.ok) entries.value = outcome.data.audit;
  };
  return (
    <details class="card" onToggle={({ currentTarget: { open } }) => void (open && read())}>
      <summary>{words.audit}</summary>
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
      {entries.value !== undefined && (
        <DataTable
          label={words.audit}
          columns={[words.when, words.who, words.what, words.outcome, words.why]}
          none={words.noAudit}
          rows={entries.value.map((entry, index) => ({
            key: String(index),
            cells: cellsOf(entry),
          }))}
        />
      )}
    </details>
  );
}

function cellsOf({ at, owner, administrator, action, status, why = '' }: Entry): readonly string[] {
  return [
    shown(Date.parse(at), zone.value),
    `${owner}${administrator ? ` (${WORDS.site.administrator})` : ''}`,
    action,
    String(status),
    why,
  ];
}
