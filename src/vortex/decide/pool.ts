import { asNumber, float, raise, repr, str, truthy, typeName } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { RESOURCES } from '../decision.ts';
import type {
  AmountsText,
  PoolAmounts,
  PoolBudget,
  PoolClaim,
  PoolExcess,
  PoolsJudged,
  ResourceName,
} from '../decision.ts';
import type { Concurrent, Entity } from '../entity/entity.ts';
import { floatIn } from '../numbers.ts';
import { oversizeOf } from '../entity/pool-part.ts';
import type { Trace } from '../explain/trace.ts';

/** A resource pool (TPV 3.3.0): a bound on what the jobs of one user take at a time. */
export type Pool = {
  readonly name: string;
  readonly abstract: boolean;
  /** A job must carry all of these tags, and none of the rejected ones. */
  readonly require: readonly string[];
  readonly reject: readonly string[];
  readonly bounds: Concurrent;
  readonly oversize: {
    readonly most: number;
    readonly ceiling: { readonly [name in ResourceName]: Value };
  };
  readonly reserve: boolean;
};

/** The pools of merged rule files, by name: the order in which TPV looks at them. */
export function poolsOf(entities: Iterable<Entity>): readonly Pool[] {
  return [...entities]
    .flatMap((entity) => (entity.pool === null ? [] : [poolOf(entity, entity.pool)]))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * What the pools say to a job that a destination takes, whatever the pools hold already.
 * @param job the job's entity with its resources from before any destination. Throws Python's
 * exceptions for amounts that are no numbers.
 */
export function judgePools(pools: readonly Pool[], job: Entity, trace: Trace | null): PoolsJudged {
  const request = requestOf(job);
  const carried = carriedBy(job);
  const claims: PoolClaim[] = [];
  for (const pool of pools.filter((one) => governs(one, carried))) {
    const budget = budgetFor(pool, job);
    const judged = classify(pool, request, budget);
    if (judged.kind === 'excess') {
      trace?.add({ step: 'pool-refused', pool: pool.name, message: judged.excess.message });
      return { claims, excess: judged.excess };
    }
    trace?.add({
      step: 'pool-governs',
      pool: pool.name,
      kind: judged.kind,
      request: textsOf(requestTexts(request)),
      budget: textsOf(budget),
      oversize:
        judged.kind === 'normal'
          ? null
          : { most: str(pool.oversize.most), ceiling: textsOf(pool.oversize.ceiling) },
    });
    const { most } = pool.oversize;
    claims.push({
      pool: pool.name,
      kind: judged.kind,
      request,
      budget: numbersOf(budget),
      mostOversize: most,
      reserve: pool.reserve,
    });
  }
  if (claims.length === 0) trace?.add({ step: 'no-pools' });
  return { claims, excess: null };
}

type Amounts = { readonly [name in ResourceName]: Value };

type Judged =
  | { readonly kind: 'normal' | 'oversize' }
  | { readonly kind: 'excess'; readonly excess: PoolExcess };

function poolOf({ id, abstract, concurrent }: Entity, part: NonNullable<Entity['pool']>): Pool {
  const {
    max_concurrent: most,
    reserve_pool: reserve,
    hard_max_cores: cores,
    hard_max_mem: mem,
    hard_max_gpus: gpus,
  } = oversizeOf(part);
  return {
    name: id,
    abstract,
    require: part.tags.list('require'),
    reject: part.tags.list('reject'),
    bounds: concurrent,
    oversize: { most: asNumber(most) ?? 0, ceiling: { cores, mem, gpus } },
    reserve: truthy(reserve),
  };
}

function requestOf({ amounts }: Entity): PoolAmounts {
  return { cores: floatOf(amounts.cores), mem: floatOf(amounts.mem), gpus: floatOf(amounts.gpus) };
}

/** Python's `float(value or 0)`. */
function floatOf(value: Value): number {
  if (!truthy(value)) return 0;
  const number = asNumber(typeof value === 'string' ? floatIn(value) : value);
  if (number !== undefined) return number;
  if (typeof value === 'string')
    return raise('ValueError', `could not convert string to float: ${repr(value)}`);
  return raise(
    'TypeError',
    `float() argument must be a string or a real number, not '${typeName(value)}'`,
  );
}

function carriedBy({ tags }: Entity): ReadonlySet<string> {
  return new Set([...tags.list('require'), ...tags.list('prefer'), ...tags.list('accept')]);
}

/** A pool selects jobs by the tags that they carry, whatever else they require. */
function governs({ abstract, require, reject }: Pool, carried: ReadonlySet<string>): boolean {
  return (
    !abstract && require.every((tag) => carried.has(tag)) && !reject.some((tag) => carried.has(tag))
  );
}

/** The budget of the user or a role of theirs where they set one, else that of the pool. */
function budgetFor({ bounds }: Pool, { concurrent }: Entity): Amounts {
  return {
    cores: concurrent.max_concurrent_cores ?? bounds.max_concurrent_cores,
    mem: concurrent.max_concurrent_mem ?? bounds.max_concurrent_mem,
    gpus: concurrent.max_concurrent_gpus ?? bounds.max_concurrent_gpus,
  };
}

/**
 * A job within the budget is normal. A larger one may take one of the oversize places, within their
 * limits.
 */
function classify({ name, oversize }: Pool, request: PoolAmounts, budget: Amounts): Judged {
  if (above(request, numbersOf(budget)).length === 0) return { kind: 'normal' };
  const isAllowed = oversize.most > 0;
  const limits = above(request, numbersOf(isAllowed ? oversize.ceiling : budget));
  if (isAllowed && limits.length === 0) return { kind: 'oversize' };
  const { cores, mem, gpus } = requestTexts(request);
  const message =
    `This job requests cores=${str(cores)}, mem=${str(mem)}, gpus=${str(gpus)}, which ` +
    `exceeds your '${name}' resource pool allocation and can never be scheduled.`;
  return { kind: 'excess', excess: { pool: name, limits, message } };
}

function above(request: PoolAmounts, limits: PoolBudget): PoolExcess['limits'] {
  return RESOURCES.flatMap((resource) => {
    const [asked, limit] = [request[resource], limits[resource]];
    return limit !== null && asked > limit ? [{ resource, asked, limit }] : [];
  });
}

/** The bounds as numbers; an infinite one is no bound. */
function numbersOf(amounts: Amounts): PoolBudget {
  const number = (value: Value): number | null => {
    const known = asNumber(value) ?? null;
    return known === Infinity ? null : known;
  };
  return { cores: number(amounts.cores), mem: number(amounts.mem), gpus: number(amounts.gpus) };
}

function requestTexts({ cores, mem, gpus }: PoolAmounts): Amounts {
  return { cores: float(cores), mem: float(mem), gpus: float(gpus) };
}

function textsOf({ cores, mem, gpus }: Amounts): AmountsText {
  return { cores: str(cores), mem: str(mem), gpus: str(gpus) };
}
