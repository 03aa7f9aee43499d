import type {
  PoolClaim,
  PoolExcess,
  PoolsJudged,
  ResourceName as Amount,
} from '../../vortex/index.ts';
import { RESOURCES } from '../../vortex/decision.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import type { Ask } from '../ask.ts';
import type { Guard } from '../guard.ts';
import { placeOfAmount } from '../place.ts';
import {
  compared,
  coresQuantity,
  numberQuantity,
  sizeQuantity,
  askedOrNeeded,
  type Quantity,
  type Refusal,
  type RefusedResource,
} from '../refusal.ts';

/**
 * What an answer takes from a resource pool of the rule files, as `admit_to_pools` in
 * prisma/functions.sql reads it: cores, GiB, GPUs.
 */
export type PoolNeed = Pick<
  PoolClaim,
  'pool' | 'request' | 'budget' | 'mostOversize' | 'reserve'
> & { readonly oversize: boolean };

/** A full pool: what its user has of it, and when there will be room if all jobs end in time. */
export type FullPool = {
  readonly pool: string;
  readonly cores: number;
  readonly mem: number;
  readonly gpus: number;
  /** the number of jobs that are larger than the pool */
  readonly oversize: number;
  readonly freeAt: string | null;
};

/**
 * More than there is of anything, but small enough to be added and converted. Rules may ask for any
 * finite number, and two of them could add up to Infinity.
 */
const MOST_AMOUNT = 1e200;

/**
 * The guard with the pools of the job, if it has any.
 * @param person whose share of the pools the job takes
 */
export function withPools(
  guard: Guard | undefined,
  judged: PoolsJudged | null,
  person: string,
): Guard | undefined {
  const pools = needsOf(judged);
  return pools.length === 0 ? guard : { scopes: [], ...guard, pools, person };
}

const RESOURCE = { cores: 'cores', mem: 'memory', gpus: 'gpus' } as const satisfies Record<
  Amount,
  RefusedResource
>;
/** Converts the units of rules: cores to millicores, TPV's GB (which are GiB) to MiB. */
const UNIT = { cores: 1000, mem: 1024, gpus: 1 } as const satisfies Record<Amount, number>;

/** Why a pool never takes the job. */
export function poolExceeded(ask: Ask, { limits, message }: PoolExcess): readonly Refusal[] {
  return limits.map(({ resource, asked, limit }): Refusal => ({
    code: 'pool-exceeded',
    place: placeOfAmount(ask, RESOURCE[resource]),
    detail: message,
    ...compared(
      RESOURCE[resource],
      bounded(asked) * UNIT[resource],
      limit * UNIT[resource],
      saidOf(ask, resource),
    ),
  }));
}

const NAMES: Readonly<Record<Amount, string>> = { cores: 'cores', mem: 'memory', gpus: 'GPUs' };

/** Why full pools leave no offer now. */
export function poolsFull(
  ask: Ask,
  judged: PoolsJudged | null,
  full: NonEmpty<FullPool>,
): NonEmpty<Refusal> {
  const needs = needsOf(judged);
  const refusals = full.flatMap((one): readonly Refusal[] => {
    const need = needs.find(({ pool }) => pool === one.pool);
    const when = one.freeAt === null ? {} : { when: Date.parse(one.freeAt) };
    const short = need === undefined ? [] : shortOf(ask, need, one);
    if (isNonEmpty(short)) return short.map((refusal) => ({ ...refusal, ...when }));
    return [
      {
        code: 'pool-full',
        place: { what: 'identity' },
        ...when,
        ...(need && { detail: oversizeText(need, one) }),
      },
    ];
  });
  return isNonEmpty(refusals) ? refusals : [{ code: 'pool-full', place: { what: 'identity' } }];
}

function needsOf(judged: PoolsJudged | null): readonly PoolNeed[] {
  return (judged?.claims ?? []).map(
    ({ kind, pool, request: { cores, mem, gpus }, budget, mostOversize, reserve }): PoolNeed => ({
      pool,
      oversize: kind === 'oversize',
      request: { cores: bounded(cores), mem: bounded(mem), gpus: bounded(gpus) },
      budget,
      mostOversize,
      reserve,
    }),
  );
}

function bounded(value: number): number {
  return Math.max(-MOST_AMOUNT, Math.min(MOST_AMOUNT, value));
}

function saidOf({ cores, memory, gpus }: Ask, resource: Amount): number | undefined {
  return { cores: cores.min, mem: memory.min, gpus: gpus?.count }[resource];
}

/** The resources of which the pool has too little left; none for an oversize job. */
function shortOf(ask: Ask, need: PoolNeed, full: FullPool): readonly Refusal[] {
  return (need.oversize ? [] : RESOURCES).flatMap((resource): readonly Refusal[] => {
    const [used, asked, limit] = [full[resource], need.request[resource], need.budget[resource]];
    if (limit === null || used + asked <= limit) return [];
    return [
      {
        code: 'pool-full',
        place: placeOfAmount(ask, RESOURCE[resource]),
        ...askedOrNeeded(RESOURCE[resource], asked * UNIT[resource], saidOf(ask, resource)),
        limit: quantityOf(resource, limit),
        left: quantityOf(resource, Math.max(0, limit - used)),
        detail: [
          `The resource pool '${full.pool}' lets you have `,
          quantityOf(resource, limit),
          ` ${NAMES[resource]} at a time; `,
          quantityOf(resource, used),
          ' are in use.',
        ],
      },
    ];
  });
}

function quantityOf(resource: Amount, value: number): Quantity {
  return { cores: coresQuantity, mem: sizeQuantity, gpus: numberQuantity }[resource](
    value * UNIT[resource],
  );
}

function oversizeText(
  { oversize, mostOversize, reserve }: PoolNeed,
  { pool, oversize: there }: FullPool,
): string {
  if (oversize && there >= mostOversize)
    return (
      `At most ${mostOversize} of your jobs at a time may be larger than the resource pool ` +
      `'${pool}'; you have ${there}.`
    );
  if (oversize && reserve)
    return `A job that is larger than the resource pool '${pool}' needs it alone, and you have other jobs in it.`;
  return `One of your jobs is larger than the resource pool '${pool}' and has it alone.`;
}
