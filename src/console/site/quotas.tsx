import type { Documents } from '../contract.ts';
import { round } from '../time.ts';
import { WORDS } from '../words.ts';
import { SITE } from '../words/site.ts';
import { Card } from './card.tsx';
import { DataTable } from '../lists/data-table.tsx';

type Line = Documents['QuotaLine'];
type Props = {
  readonly lines: readonly Line[];
  /** names of owners */
  readonly users: ReadonlyMap<string, string>;
};

/** Quotas that are in use, the fullest first. */
export function QuotasInUse({ lines, users }: Props) {
  const words = WORDS.me;
  const fullest = lines.toSorted((a, b) => partOf(b) - partOf(a));
  return (
    <Card title={SITE.quotas}>
      <DataTable
        label={SITE.quotas}
        columns={[SITE.whose, SITE.limit, SITE.use]}
        none={SITE.noQuotas}
        rows={fullest.map((line) => ({
          key: [line.for, line.name, line.owner, line.limit, line.destination].join(' '),
          cells: [
            whoseText(line, users),
            `${words.limits[line.limit]}${line.destination === undefined ? '' : ` ${words.at(line.destination)}`}`,
            <Used line={line} label={`${whoseText(line, users)}, ${words.limits[line.limit]}`} />,
          ],
        }))}
      />
    </Card>
  );
}

function Used({ line, label }: { readonly line: Line; readonly label: string }) {
  const text = (value: number): string =>
    line.limit === 'share' ? `${round(value * 100)} %` : round(value);
  return (
    <>
      {WORDS.me.of(text(line.used), text(line.most))}
      <progress
        aria-label={label}
        value={Math.min(line.used, line.most)}
        max={Math.max(line.most, Number.MIN_VALUE)}
        class={line.used >= line.most ? 'soon' : undefined}
      />
    </>
  );
}

function whoseText({ for: kind, name, owner = '' }: Line, users: Props['users']): string {
  return SITE.whoseQuota[kind](name ?? users.get(owner) ?? owner);
}

/** A limit of nothing is always full. */
function partOf({ used, most }: Line): number {
  return most === 0 ? 1 : used / most;
}
