import { engineKindOf } from '../../runners/engine.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { Site } from '../../site/site.ts';
import type { Weighed, WeighedCandidate } from '../../vortex/index.ts';
import { destinationId, isNonEmpty, type DestinationId, type NonEmpty } from '../../words/ids.ts';
import {
  fromCores,
  fromGibibytes,
  MAX_MEBIBYTES,
  MAX_MILLICORES,
  mebibytes,
  type Mebibytes,
  type Millicores,
} from '../../words/units.ts';
import type { Ask, Bounds } from '../ask.ts';
import { payingFor, unknownCosts, type Paying } from './costs.ts';
import {
  boundObjections,
  clauseObjection,
  siteObjections,
  verdictObjection,
  type Objection,
} from './objection.ts';
import type { Promised } from '../offer.ts';
import { placeOfAmount } from '../place.ts';
import { compared, type Refusal } from '../refusal.ts';
import { isOneMachine, scratchOfAll, sharesOf, storableSize } from './parts.ts';
import { chooseSizes, sizesLacking, type Choice } from './sizing.ts';
import { promisedStorage, storingOf, type Storing } from './storing.ts';

/** What a destination could promise for an ask, whatever is free there. */
export type Suitable = {
  readonly id: DestinationId;
  readonly destination: SiteDestination;
  readonly storing: Storing;
  /** undefined: whatever it costs */
  readonly paying?: Paying | undefined;
} & Choice;

/** A destination that could take the ask, or every reason why not. */
export type Judged =
  | { readonly ok: true; readonly suitable: Suitable }
  | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

/** What the rules give, how far a promise may grow, and the limit of what it may be. */
type Sized<Unit> = { readonly amount: Unit; readonly ceiling: number; readonly limit: number };

/**
 * A rule may set an amount to 0. A job needs more than 0, so the smallest storable amount is used.
 */
const LEAST = 1e-9;

/** What one destination says to an ask: every objection of the rules and of the site. */
export function judge(ask: Ask, site: Site, candidate: WeighedCandidate): Judged {
  const id = destinationId(candidate.destination);
  const destination = site.destinations.get(candidate.destination);
  const unlisted: readonly Objection[] = [{ code: 'not-in-site-file', place: { what: 'task' } }];
  const bySite =
    destination === undefined
      ? unlisted
      : [
          ...siteObjections(ask, destination),
          ...storingOf(ask, site, id).objections,
          ...unknownCosts(ask, site, destination),
          ...sizeObjections(ask, destination),
        ];
  const refuse = (objections: readonly Objection[]): Judged => {
    const refusals = objections.map((objection) => ({ ...objection, destination: id }));
    if (isNonEmpty(refusals)) return { ok: false, refusals };
    throw new Error(`destination ${id} refused without a reason`);
  };
  switch (candidate.kind) {
    case 'refused':
      return refuse([
        ...candidate.clauses.map((clause) => clauseObjection(clause, ask)),
        ...bySite,
      ]);
    case 'stopped':
      return refuse([verdictObjection(candidate.verdict), ...bySite]);
    case 'evaluated': {
      const judged =
        destination === undefined
          ? unlisted
          : judgeEvaluated(ask, site, id, destination, candidate);
      return 'sizes' in judged ? { ok: true, suitable: judged } : refuse(judged);
    }
    default:
      return candidate satisfies never;
  }
}

/** What the sizes of a destination lack; without amounts of the rules, those of the ask count. */
function sizeObjections(ask: Ask, destination: SiteDestination): readonly Objection[] {
  const { cores, memory } = ask;
  return sizesLacking(
    ask,
    destination,
    { cores: cores.min ?? 0, memory: memory.min ?? 0 },
    { cores: cores.max ?? Infinity, memory: memory.max ?? Infinity },
  );
}

function judgeEvaluated(
  ask: Ask,
  site: Site,
  id: DestinationId,
  destination: SiteDestination,
  evaluated: Weighed,
): readonly Objection[] | Suitable {
  const { cores, memory } = amountsOf(ask, site, evaluated);
  const { storing, objections: ofStorage } = storingOf(ask, site, id);
  const amounts = {
    parts: ask.parts,
    cores: { min: cores.amount, max: cores.amount },
    memory: { min: memory.amount, max: memory.amount },
    gpus: ask.gpus,
  };
  const objections = [
    ...siteObjections(ask, destination),
    ...ofStorage,
    ...unknownCosts(ask, site, destination),
    ...boundObjections('cores', cores.amount, ask),
    ...boundObjections('memory', memory.amount, ask),
    ...grantedGpuObjections(ask, evaluated.resources.gpus.value),
    ...leastMemoryObjections(ask, destination, amounts),
  ];
  if (objections.length > 0) {
    // The ask may need more than the rules give; then its own amounts are judged.
    const least = {
      cores: Math.max(cores.amount, ask.cores.min ?? 0),
      memory: Math.max(memory.amount, ask.memory.min ?? 0),
    };
    const limits = {
      cores: Math.max(cores.limit, least.cores),
      memory: Math.max(memory.limit, least.memory),
    };
    return [...objections, ...sizesLacking(ask, destination, least, limits)];
  }
  const storage = promisedStorage(ask.storage, storing.stores[0], site.storage);
  const scratch = scratchOf(ask, site, storage);
  const results = destination.results && mebibytes(Math.min(destination.results.perJob, scratch));
  const least: Promised = {
    taskType: ask.taskType,
    task: ask.task,
    plugin: ask.plugin,
    ...amounts,
    scratch,
    storage,
    results,
  };
  const choice = chooseSizes(
    least,
    { cores: cores.ceiling, memory: memory.ceiling },
    { cores: cores.limit, memory: memory.limit },
    destination.sizes,
    ask,
  );
  if (!('sizes' in choice)) return choice;
  const paying = payingFor(ask, site.offers, destination, choice.sizes[0]);
  return paying !== undefined && !('caps' in paying)
    ? paying
    : { id, destination, storing, paying, ...choice };
}

function amountsOf(
  ask: Ask,
  site: Site,
  { resources }: Weighed,
): { cores: Sized<Millicores>; memory: Sized<Mebibytes> } {
  return {
    cores: sizeWithin(
      valueOf(resources.cores.value, coresOfRules),
      boundOf(resources.cores.max, coresOfRules),
      ask.cores,
      site.defaults.cores,
    ),
    memory: sizeWithin(
      valueOf(resources.mem.value, memoryOfRules),
      boundOf(resources.mem.max, memoryOfRules),
      ask.memory,
      site.defaults.memory,
    ),
  };
}

/** The rules' value; without one that of the ask, or the site's default within the ask's bounds. */
function sizeWithin<Unit extends number>(
  value: Unit | undefined,
  bound: Unit | undefined,
  asked: Bounds<Unit>,
  fallback: Unit,
): Sized<Unit> {
  const unruled =
    asked.min ?? (asked.max !== undefined && asked.max < fallback ? asked.max : fallback);
  const amount = value ?? unruled;
  const limit = Math.max(amount, Math.min(asked.max ?? Infinity, bound ?? Infinity));
  return { amount, ceiling: Math.max(amount, Math.min(asked.max ?? amount, limit)), limit };
}

/** Rules may set any amount. Every destination refuses the largest one that there is a unit for. */
function coresOfRules(cores: number): Millicores {
  return fromCores(Math.min(cores, MAX_MILLICORES / 1000));
}

function memoryOfRules(gibibytes: number): Mebibytes {
  return fromGibibytes(Math.min(gibibytes, MAX_MEBIBYTES / 1024));
}

function valueOf<Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined {
  return value === null ? undefined : unit(Math.max(LEAST, value));
}

/** In TPV a bound of 0 or null is none. */
function boundOf<Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined {
  return value === null || value <= 0 ? undefined : unit(value);
}

function grantedGpuObjections(ask: Ask, granted: number | null): readonly Objection[] {
  const { gpus } = ask;
  return gpus === undefined || granted === null || granted >= gpus.count
    ? []
    : [
        {
          code: 'below-requested-minimum',
          place: placeOfAmount(ask, 'gpus'),
          ...compared('gpus', gpus.count, granted, gpus.count),
        },
      ];
}

/** The engine cannot execute an offer with less memory than it needs for itself. */
function leastMemoryObjections(
  { task }: Ask,
  { engine }: SiteDestination,
  promised: Pick<Promised, 'parts' | 'cores' | 'memory' | 'gpus'>,
): readonly Objection[] {
  const least = engineKindOf(engine).leastMemoryOf?.(engine, task.type) ?? 0;
  return sharesOf(promised).flatMap(({ part, memory }, index): readonly Objection[] =>
    memory.min >= least
      ? []
      : [
          {
            code: 'below-least-memory',
            place: { what: 'memory', bound: 'min', part: index },
            ...compared('memory', memory.min, least, part.memory.min),
          },
        ],
  );
}

/** Volumes lie on the disc of each machine that mounts them while the job runs. */
function scratchOf(
  { parts }: Ask,
  { defaults: { scratch } }: Site,
  storage: Promised['storage'],
): Mebibytes {
  const all = isOneMachine(parts)
    ? Math.max(
        scratch,
        storage.reduce((sum, { size = 0 }) => sum + size, 0),
      )
    : scratchOfAll(parts, storage, scratch);
  return storableSize(all);
}
