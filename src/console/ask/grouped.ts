import type { Documents } from '../contract.ts';
import { WORDS } from '../words.ts';

type Reason = Documents['Reason'];

/** Reasons that say the same of one place of the ask, at several destinations. */
export type ReasonGroup = {
  readonly code: string;
  readonly path: string;
  /** what is wrong, without amounts and destinations */
  readonly text: string;
  /** what was asked or is needed, in words; empty where nothing was */
  readonly amount: string;
  /** destinations by their limit, in words; it is empty where there is none */
  readonly limits: readonly {
    readonly limit: string;
    readonly destinations: readonly string[];
    readonly earliest: string | undefined;
  }[];
  /** destinations that are not named */
  readonly more: number;
};

/**
 * Groups reasons by what they say: ten destinations gave two screens by destination. Only limits,
 * destinations and times differ within a group, and the group names each of them.
 */
export function groupsOf(reasons: readonly Reason[]): readonly ReasonGroup[] {
  const groups = Map.groupBy(reasons, (reason) =>
    [reason.code, reason.path, sentenceOf(reason), amountsOf(reason).amount].join('\n'),
  );
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    return {
      code: first.code,
      path: first.path,
      text: sentenceOf(first),
      amount: amountsOf(first).amount,
      limits: all.map((reason) => ({
        limit: amountsOf(reason).limit,
        destinations: reason.destinations ?? [],
        earliest: reason.earliest,
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
  return text.slice(start).replace(/ \((?:asked|the task needs|limit) .*\)$/, '');
}

/** The amounts of a reason in one text: what was asked or is needed, and the limit. */
export function amountsText(reason: Reason): string {
  const { amount, limit } = amountsOf(reason);
  return [amount, limit].filter(Boolean).join(', ');
}

/**
 * What was asked, or what the task needs although nobody asked for it, and the limit; empty where
 * the reason has none.
 */
function amountsOf({ asked, needed, limit, resource }: Reason): {
  readonly amount: string;
  readonly limit: string;
} {
  const words = WORDS.refusal;
  const named = (value: string | number): string =>
    resource === undefined ? `${value}` : words.amount(`${value}`, resource);
  const isLimitAlone = asked === undefined && needed === undefined;
  const most = limit !== undefined && isLimitAlone ? named(limit) : limit;
  return {
    amount: [
      ...(asked === undefined ? [] : [words.asked(named(asked))]),
      ...(needed === undefined ? [] : [words.needed(named(needed))]),
    ].join(', '),
    limit: most === undefined ? '' : words.limit(`${most}`),
  };
}
