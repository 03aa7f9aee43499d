import type { Database } from '../../db/client.ts';
import { drawnGibibytes } from '../../planner/plan/drawn.ts';
import type { components } from '../../generated/api.d.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import { shareOf } from '../../planner/guard.ts';
import { countOpenAnswers, readQuotaUse, readWorkUse } from '../../planner/record/quota-use.ts';
import type { StoredBytes } from '../../planner/record/stored-bytes.ts';
import type { Rates } from '../../quotas/rates.ts';
import { quotasOf, type Applying } from '../../quotas/scopes.ts';
import type { Site } from '../../site/site.ts';

type Line = components['schemas']['QuotaLine'];

/** Where the use of quotas is known. */
export type QuotaSources = {
  readonly database: Database;
  readonly site: () => Site;
  readonly rates: Rates;
  readonly stored: StoredBytes;
};

const MEBIBYTE = 2 ** 20;
const HOUR_S = 3600;

/** A line for each limit that holds for a principal, with what is used of it now. */
export async function quotaLines(
  sources: QuotaSources,
  principal: Principal,
): Promise<readonly Line[]> {
  const site = sources.site();
  const applying = quotasOf(site.quotas, principal);
  const lines = await Promise.all([
    ...applying.map((one) => linesOf(sources, site, one, ownerOf(principal))),
    budgetLines(sources, site, principal),
  ]);
  return lines.flat();
}

/** A line for each limit of one quota. @param owner whose quota it is, if it is of one owner */
export async function linesOf(
  { database, rates, stored }: QuotaSources,
  site: Site,
  applying: Applying,
  owner?: string,
): Promise<readonly Line[]> {
  const {
    scope,
    quota: { for: whose, name, limits },
  } = applying;
  const { holds, jobs, cores, memory, gpuSeconds, results, share } = limits;
  const counts = [holds, jobs, cores, memory, gpuSeconds, results].some((one) => one !== undefined);
  const [use, work, bytes] = await Promise.all([
    counts ? readQuotaUse(database, scope, limits.window) : undefined,
    share === undefined
      ? undefined
      : workLines(database, site, { scope, share, isOwner: scope === owner }),
    limits.storedBytes === undefined ? undefined : stored.used(applying),
  ]);
  const line = (
    limit: Line['limit'],
    most: number | undefined,
    used: number | undefined,
    unit = 1,
  ): readonly Omit<Line, 'for'>[] =>
    most === undefined || used === undefined
      ? []
      : [{ limit, most: rounded(most / unit), used: rounded(used / unit) }];
  const size = (limit: Line['limit'], most?: number, used?: number) =>
    line(limit, most && drawnGibibytes(most), used && drawnGibibytes(used));
  return [
    ...line('holds', holds, use?.holds),
    ...line('jobs', jobs, use && use.holds + use.jobs),
    ...line('cores', cores, use?.cores, 1000),
    ...size('memory', memory, use?.memory),
    ...line('gpu-hours', gpuSeconds, use?.gpuS, HOUR_S).map((one) => ({
      ...one,
      window: limits.window,
    })),
    ...size('results', results, use?.results),
    ...size(
      'stored',
      limits.storedBytes && limits.storedBytes / MEBIBYTE,
      bytes && bytes / MEBIBYTE,
    ),
    ...line('asks-per-minute', limits.asksPerMinute, rates.used(applying)),
    ...(work ?? []),
  ].map((one) => ({ for: whose, ...(name !== undefined && { name }), ...one }));
}

/** What holds at a site whose file has no quotas. */
async function budgetLines(
  { database }: QuotaSources,
  site: Site,
  principal: Principal,
): Promise<readonly Line[]> {
  const owner = ownerOf(principal);
  const whose = principal.kind === 'user' ? 'user' : 'anonymous';
  const key = principal.kind === 'user' ? 'named' : 'anonymous';
  const share = shareOf(site, owner);
  const [open, work] = await Promise.all([
    site.holdBudget && countOpenAnswers(database, owner),
    share === undefined
      ? undefined
      : workLines(database, site, {
          scope: owner,
          share: share / site.offers.longest,
          isOwner: true,
        }),
  ]);
  return [
    ...(site.holdBudget === undefined || open === undefined
      ? []
      : [{ for: whose, limit: 'holds', most: site.holdBudget[key], used: open } as const]),
    ...(work ?? []).map((one) => ({ for: whose, ...one }) as const),
  ];
}

/** Parts of what each destination does in the longest run; one line where nothing is reserved. */
async function workLines(
  database: Database,
  { destinations, offers: { longest } }: Site,
  {
    scope,
    share,
    isOwner,
  }: { readonly scope: string; readonly share: number; readonly isOwner: boolean },
): Promise<readonly Omit<Line, 'for'>[]> {
  const work = await readWorkUse(database, scope, isOwner, [...destinations.keys()]);
  return work.size === 0
    ? [{ limit: 'share', most: share, used: 0 }]
    : [...work].map(([destination, used]) => ({
        limit: 'share',
        most: share,
        used: rounded(used / longest),
        destination,
      }));
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
