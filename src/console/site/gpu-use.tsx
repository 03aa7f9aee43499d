import type { Documents } from '../contract.ts';
import { SITE } from '../words/site.ts';
import { UseBar } from './use-bar.tsx';
import { shortTypeOf } from '../words/short-type.ts';

type Amounts = Documents['CalendarAmounts'];

/** The GPUs of a destination by type. */
export function GpuUse({ each }: { readonly each: Documents['OverviewDestination'] }) {
  const { capacity, held, firm, free } = each;
  const types = [...new Set([capacity, held, firm].flatMap((amounts) => typesOf(amounts)))];
  if (types.length === 0) return <>{SITE.nothing}</>;
  return (
    <>
      {types.map((type) => (
        <div key={type}>
          {shortTypeOf(type)}:{' '}
          <UseBar
            use={{
              capacity: countOf(capacity, type),
              held: countOf(held, type),
              firm: countOf(firm, type),
              free: free && countOf(free, type),
            }}
          />
        </div>
      ))}
    </>
  );
}

function typesOf(amounts: Amounts | undefined): readonly string[] {
  return (amounts?.gpus ?? []).map(({ type }) => type);
}

function countOf(amounts: Amounts | undefined, wanted: string): number {
  return amounts?.gpus?.find(({ type }) => type === wanted)?.count ?? 0;
}
