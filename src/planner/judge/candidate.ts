import { engineKindOf } from '../../runners/engine.ts';
import type { Site, SiteDestination } from '../../site/site.ts';
import type { Weighed, WeighedCandidate } from '../../vortex/index.ts';
import { destinationId, isNonEmpty, type DestinationId, type NonEmpty } from '../../words/ids.ts';
import {
  fromCores,
  fromGibibytes,
  mebibytes,
  type Mebibytes,
  type Millicores,
} from '../../words/units.ts';
import type { Ask, Bounds } from '../ask.ts';
import { ofBounds, ofClause, ofSite, ofVerdict, type Objection } from './objection.ts';
import type { Promised } from '../offer.ts';
import { placeOfAmount } from '../place.ts';
import { compared, type Refusal } from '../refusal.ts';
import { isOneMachine, scratchOfAll, sharesOf } from './parts.ts';
import { chooseSizes, sizesLacking, type Choice } from './sizing.ts';
import { promisedStorage, storingOf, type Storing } from './storing.ts';

/** What a destination could promise for an ask, before anybody looks at what is free there. */
export type Suitable = {
  readonly id: DestinationId;
  readonly destination: SiteDestination;
  readonly storing: Storing;
} & Choice;

/** A destination that could take the ask, or every reason why not. */
export type Judged =
  | { readonly ok: true; readonly suitable: Suitable }
  | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

/** What is given, how far it may grow, and what may not be gone beyond. */
type Sized<Unit> = { readonly amount: Unit; readonly ceiling: number; readonly limit: number };

/**
 * Rules may give nothing of something. With that nothing runs, so it becomes
 * the least amount that is kept.
 */
const LEAST = 1e-9;

/** What one destination says to an ask: the rules' verdict and the site's, every clause of both. */
export function judge(ask: Ask, site: Site, candidate: WeighedCandidate): Judged {
  const id = destinationId(candidate.destination);
  const destination = site.destinations.get(candidate.destination);
  const unlisted: readonly Objection[] = [{ code: 'not-in-site-file', place: { what: 'task' } }];
  const bySite =
    destination === undefined
      ? unlisted
      : [
          ...ofSite(ask, destination),
          ...storingOf(ask, site, id).objections,
          ...ofSizes(ask, destination),
        ];
  const refuse = (objections: readonly Objection[]): Judged => {
    const refusals = objections.map((objection) => ({ ...objection, destination: id }));
    if (isNonEmpty(refusals)) return { ok: false, refusals };
    throw new Error(`destination ${id} refused without a reason`);
  };
  switch (candidate.kind) {
    case 'refused':
      return refuse([...candidate.clauses.map((clause) => ofClause(clause, ask)), ...bySite]);
    case 'stopped':
      return refuse([ofVerdict(candidate.verdict), ...bySite]);
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

/**
 * What is said of the sizes where the rules give no amounts: what was asked for in words counts.
 */
function ofSizes(ask: Ask, destination: SiteDestination): readonly Objection[] {
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
  const { cores, memory } = weigh(ask, site, evaluated);
  const { storing, objections: ofStorage } = storingOf(ask, site, id);
  const amounts = {
    parts: ask.parts,
    cores: { min: cores.amount, max: cores.amount },
    memory: { min: memory.amount, max: memory.amount },
    gpus: ask.gpus,
  };
  const objections = [
    ...ofSite(ask, destination),
    ...ofStorage,
    ...ofBounds('cores', cores.amount, ask),
    ...ofBounds('memory', memory.amount, ask),
    ...ofGpus(ask, evaluated.resources.gpus.value),
    ...ofLeastMemory(ask, destination, amounts),
  ];
  if (objections.length > 0) {
    // What is needed may be more than the rules give, and then it is judged as it was asked for.
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
  return 'sizes' in choice ? { id, destination, storing, ...choice } : choice;
}

function weigh(
  ask: Ask,
  site: Site,
  { resources }: Weighed,
): { cores: Sized<Millicores>; memory: Sized<Mebibytes> } {
  return {
    cores: size(
      valueOf(resources.cores.value, fromCores),
      boundOf(resources.cores.max, fromCores),
      ask.cores,
      site.defaults.cores,
    ),
    memory: size(
      valueOf(resources.mem.value, fromGibibytes),
      boundOf(resources.mem.max, fromGibibytes),
      ask.memory,
      site.defaults.memory,
    ),
  };
}

/**
 * The rules' value; without one what was asked, or the site's default held within what was asked.
 */
function size<Unit extends number>(
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

/** TPV's amounts are any non-negative numbers; 0 and null bounds clamp nothing. */
function valueOf<Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined {
  return value === null ? undefined : unit(Math.max(LEAST, value));
}

function boundOf<Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined {
  return value === null || value <= 0 ? undefined : unit(value);
}

function ofGpus(ask: Ask, granted: number | null): readonly Objection[] {
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

/**
 * What the engine itself needs cannot be taken from the task: an offer
 * below it could not be executed.
 */
function ofLeastMemory(
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

/**
 * Whatever a volume holds lies on the job's own disc while it runs: on
 * that of each machine that has it.
 */
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
  return mebibytes(Math.min(2 ** 40, all));
}
