import { ANONYMOUS_OWNER, ownerOf, type Principal } from '../identity/principal.ts';
import { quotasOf, whoseQuota } from '../quotas/scopes.ts';
import type { Instant } from '../schedule/interval.ts';
import type { Site } from '../site/site.ts';
import {
  destinationId,
  isNonEmpty,
  type AskId,
  type NonEmpty,
  type OfferId,
} from '../words/ids.ts';
import { Problem } from '../words/problem.ts';
import type { Ask } from './ask.ts';
import type { Proposal } from './offer.ts';
import {
  coresQuantity,
  numberQuantity,
  sizeQuantity,
  type Quantity,
  type QuotaName,
  type Refusal,
} from './refusal.ts';
import type { FullPool, PoolNeed } from './judge/resource-pools.ts';

/** The client's Idempotency-Key, which marks repeated requests, and its request. */
export type DecisionKey = {
  readonly key: string;
  readonly route: string;
  readonly bodyHash: string;
};

/**
 * A quota as `place_guarded_answers` in prisma/functions.sql reads it: millicores, MiB, GPU-seconds,
 * seconds.
 */
type Scope = {
  readonly scope: string;
  readonly holds?: number | undefined;
  readonly jobs?: number | undefined;
  readonly cores?: number | undefined;
  readonly memory?: number | undefined;
  readonly gpuS?: number | undefined;
  readonly results?: number | undefined;
  /** seconds of each whole destination */
  readonly shareS?: number | undefined;
  /** the scope is an owner, whose work is added up */
  readonly byOwner?: true;
  /** check only the share */
  readonly shareOnly?: true;
  readonly windowS: number;
};

/** What the transaction that writes an answer must check. */
export type Guard = { readonly scopes: readonly Scope[]; readonly key?: DecisionKey } & (
  | { readonly pools?: never }
  /** pools of a person, who may have several identities (`personOf`) */
  | { readonly pools: readonly PoolNeed[]; readonly person: string }
);

/** The limit of a quota that an answer would exceed, in the units of `Scope`. */
export type Excess = {
  readonly scope: string;
  readonly what: QuotaName;
  readonly used: number;
  readonly asked: number;
  readonly limit: number;
  /** the destination of a share */
  readonly destination?: string;
};

/** What became of an answer. */
export type PlacementVerdict =
  /** written; `expires` has the offers that expire sooner than proposed */
  | { readonly kind: 'placed'; readonly expires: ReadonlyMap<OfferId, Instant> }
  /** somebody else took the capacity; nothing is written */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'over'; readonly excesses: NonEmpty<Excess> }
  /** resource pools of the rule files are full */
  | { readonly kind: 'full'; readonly pools: NonEmpty<FullPool> }
  /** the key was used before for the same request, which became this ask */
  | { readonly kind: 'replay'; readonly ask: AskId }
  /** another request used the key before */
  | { readonly kind: 'mismatch' };

type Limiting = Pick<Site, 'quotas' | 'shares' | 'offers'>;

/** The share of everybody, in seconds; undefined if the site file has quotas. */
export function shareOf(
  { shares, offers: { longest } }: Limiting,
  owner: string,
): number | undefined {
  return shares && longest * shares[owner === ANONYMOUS_OWNER ? 'anonymous' : 'named'];
}

/**
 * The quotas that an answer must pass; undefined if there are none and no key.
 * @param isNear may this answer pass the share of everybody?
 */
export function guardOf(
  site: Limiting,
  principal: Principal,
  key: DecisionKey | undefined,
  isNear = false,
): Guard | undefined {
  const owner = ownerOf(principal);
  const shareS = isNear ? shareOf(site, owner) : undefined;
  const limited = quotasOf(site.quotas, principal)
    .map(({ scope, quota: { limits } }): Scope => ({
      scope,
      holds: limits.holds,
      jobs: limits.jobs,
      cores: limits.cores,
      memory: limits.memory,
      gpuS: limits.gpuSeconds,
      results: limits.results,
      windowS: limits.gpuSeconds === undefined ? 0 : limits.window,
      shareS: limits.share === undefined ? undefined : limits.share * site.offers.longest,
      ...(scope === owner && { byOwner: true }),
    }))
    .filter(({ holds, jobs, cores, memory, gpuS, results, shareS: share }) =>
      [holds, jobs, cores, memory, gpuS, results, share].some((limit) => limit !== undefined),
    );
  const scopes: readonly Scope[] =
    shareS === undefined
      ? limited
      : [{ scope: owner, shareS, byOwner: true, shareOnly: true, windowS: 0 }];
  if (scopes.length === 0 && key === undefined) return undefined;
  return { scopes, ...(key !== undefined && { key }) };
}

/** 422: one key for two requests. */
export function keyMismatch(): Problem {
  return new Problem(
    'idempotency-mismatch',
    'The Idempotency-Key was used for another request within 24 hours; a new request needs a new key.',
  );
}

const QUOTA_NAMES: Readonly<Record<Excess['what'], string>> = {
  holds: 'answers with open offers',
  jobs: 'jobs and open answers',
  cores: 'cores',
  memory: 'memory',
  'gpu-hours': 'GPU hours',
  share: 'hours of the whole destination',
  results: 'results',
};

/** The proposals that quotas leave. */
export function withinQuotas<Kind extends Proposal>(
  proposals: readonly Kind[],
  excesses: readonly Excess[],
): readonly Kind[] {
  return proposals.filter((one) =>
    excesses.every(
      ({ what, used, limit, destination = one.destination }) =>
        destination !== one.destination || used + addedBy(one, what) <= limit,
    ),
  );
}

/** The quotas that the ask exceeds by itself, whatever is in use. */
export function neverWithinQuotas(
  guard: Guard | undefined,
  { cores, memory }: Pick<Ask, 'cores' | 'memory'>,
): readonly Refusal[] {
  return (guard?.scopes ?? []).flatMap((scope) =>
    (
      [
        ['cores', cores.min],
        ['memory', memory.min],
      ] as const
    ).flatMap(([what, asked]): readonly Refusal[] => {
      const limit = scope[what];
      if (asked === undefined || limit === undefined || asked <= limit) return [];
      const most = quantityOf(what, limit);
      return [
        {
          code: 'quota-exceeded',
          place: { what: 'identity' },
          quota: what,
          asked: quantityOf(what, asked),
          limit: most,
          left: most,
          detail: `The quota of ${QUOTA_NAMES[what]} is for ${whoseQuota(scope.scope)}.`,
        },
      ];
    }),
  );
}

/** Why quotas cut some of the proposals. */
export function refusalsOfCut(
  proposals: readonly Proposal[],
  excesses: readonly Excess[],
): readonly Refusal[] {
  const cut = proposals.filter((one) => withinQuotas([one], excesses).length === 0);
  return isNonEmpty(cut) ? quotaRefusals(cut, excesses) : [];
}

/** Why there is no offer: each quota with its use, what the smallest offer would add, and its limit. */
export function quotaRefusals(
  proposals: NonEmpty<Proposal>,
  excesses: readonly Excess[],
): NonEmpty<Refusal> {
  const refusal = ({ scope, what, used, limit, destination }: Excess): Refusal => ({
    code: 'quota-exceeded',
    place: { what: 'identity' },
    quota: what,
    ...(destination !== undefined && { destination: destinationId(destination) }),
    asked: quantityOf(
      what,
      Math.min(
        ...proposals
          .filter((one) => destination === undefined || one.destination === destination)
          .map((one) => addedBy(one, what)),
      ),
    ),
    limit: quantityOf(what, limit),
    left: quantityOf(what, Math.max(0, limit - used)),
    detail: [
      `The quota of ${QUOTA_NAMES[what]} is for ${whoseQuota(scope)}; `,
      quantityOf(what, used),
      ' in use.',
    ],
  });
  // A quota that leaves some offers is a reason only if all quotas together leave none.
  const alone = excesses.filter((one) => withinQuotas(proposals, [one]).length === 0).map(refusal);
  const all = isNonEmpty(alone) ? alone : excesses.map(refusal);
  return isNonEmpty(all) ? all : [{ code: 'quota-exceeded', place: { what: 'identity' } }];
}

/** What a proposal would add, in the units of the excess. */
function addedBy(
  { amount, prepare, startWindow, duration, release, promised, work = 0 }: Proposal,
  what: Excess['what'],
): number {
  switch (what) {
    case 'holds':
    case 'jobs':
      return 1;
    case 'cores':
      return amount.cores;
    case 'memory':
      return amount.memory;
    case 'results':
      return promised.results ?? 0;
    case 'share':
      return work;
    case 'gpu-hours':
      return (amount.gpus?.count ?? 0) * (prepare + startWindow + duration + release);
    default:
      return what satisfies never;
  }
}

/** GPU hours are kept in seconds and told so precisely that a second makes a difference. */
function quantityOf(what: Excess['what'], value: number): Quantity {
  switch (what) {
    case 'holds':
    case 'jobs':
      return numberQuantity(value);
    case 'cores':
      return coresQuantity(value);
    case 'memory':
    case 'results':
      return sizeQuantity(value);
    case 'share':
    case 'gpu-hours':
      return numberQuantity(Math.round(value / 0.36) / 10_000);
    default:
      return what satisfies never;
  }
}
