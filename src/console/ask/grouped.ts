import type { Documents } from '../contract.ts';

type Reason = Documents['Reason'];

/** Reasons that say the same of one place of the ask, at several destinations. */
export type ReasonGroup = {
  readonly code: string;
  readonly path: string;
  /** what is wrong, without amounts and destinations */
  readonly text: string;
  readonly asked: string | undefined;
  /** destinations by their limit; one group without a limit where there is none */
  readonly limits: readonly {
    readonly limit: string | undefined;
    readonly destinations: readonly string[];
    readonly earliest: string | undefined;
  }[];
  /** destinations that are not named */
  readonly more: number;
};

/** Groups reasons by what they say: ten destinations gave two screens by destination. */
export function groupsOf(reasons: readonly Reason[]): readonly ReasonGroup[] {
  const groups = Map.groupBy(reasons, ({ code, path }) => `${code} ${path}`);
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    return {
      code: first.code,
      path: first.path,
      text: sentenceOf(first),
      asked: amountOf(first.asked ?? first.needed),
      limits: all.map(({ limit, destinations, earliest }) => ({
        limit: amountOf(limit),
        destinations: destinations ?? [],
        earliest,
      })),
      more: all.reduce((sum, each) => sum + (each['more-destinations'] ?? 0), 0),
    };
  });
}

/** Destinations with their reasons, those with the fewest first. */
export function byDestination(
  reasons: readonly Reason[],
): readonly (readonly [string, readonly Reason[]])[] {
  const names = [...new Set(reasons.flatMap(({ destinations }) => destinations ?? []))];
  return names
    .map((name) => [name, reasons.filter((each) => each.destinations?.includes(name))] as const)
    .toSorted(([, a], [, b]) => a.length - b.length);
}

/** The text of a reason without the destinations before and the amounts behind it. */
export function sentenceOf({ text, destinations = [] }: Reason): string {
  const [name] = destinations;
  const start = name !== undefined && text.startsWith(name) ? text.indexOf(': ') + 2 : 0;
  return text.slice(start).replace(/ \((?:asked|the task needs) .*\)$/, '');
}

function amountOf(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
