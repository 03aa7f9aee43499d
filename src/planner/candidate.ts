import type { Site, SiteDestination } from '../site/site.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../tasks/least-memory.ts';
import type { Candidate, Evaluated } from '../vortex/index.ts';
import { destinationId, isNonEmpty, type DestinationId, type NonEmpty } from '../words/ids.ts';
import { fromCores, fromGibibytes, mebibytes, type Mebibytes, type Millicores } from '../words/units.ts';
import type { Ask, Bounds } from './ask.ts';
import { ofBounds, ofClause, ofSite, ofVerdict, type Objection } from './objection.ts';
import type { Promised } from './offer.ts';
import { numberOf, sizeOf, type Refusal } from './refusal.ts';

/** What a destination could promise for an ask, before anybody looks at what is free there. */
export type Suitable = {
  readonly id: DestinationId;
  readonly destination: SiteDestination;
  /** the smallest promise: what the rules give, with no room to grow */
  readonly least: Promised;
  /** how far cores (millicores) and memory (MiB) may grow, by the ask and the rules */
  readonly ceiling: { readonly cores: number; readonly memory: number };
};

/** A destination that could take the ask, or every reason why not. */
export type Judged = { readonly ok: true; readonly suitable: Suitable } | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

type Sized<Unit> = { readonly amount: Unit; readonly ceiling: number };

/** The rules' value; without one what was asked, or the site's default held within what was asked. */
const size = <Unit extends number>(value: Unit | undefined, bound: Unit | undefined, asked: Bounds<Unit>, fallback: Unit): Sized<Unit> => {
  const unruled = asked.min ?? (asked.max !== undefined && asked.max < fallback ? asked.max : fallback);
  const amount = value ?? unruled;
  return { amount, ceiling: Math.max(amount, Math.min(asked.max ?? amount, bound ?? Infinity)) };
};

/** TPV's amounts are any non-negative numbers; 0 and null bounds clamp nothing (tpv-engine 1.11). */
const valueOf = <Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined => (value === null ? undefined : unit(Math.max(0, value)));
const boundOf = <Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined => (value === null || value <= 0 ? undefined : unit(value));

const weigh = (ask: Ask, site: Site, { resources }: Evaluated): { cores: Sized<Millicores>; memory: Sized<Mebibytes> } => ({
  cores: size(valueOf(resources.cores.value, fromCores), boundOf(resources.cores.max, fromCores), ask.cores, site.defaults.cores),
  memory: size(valueOf(resources.mem.value, fromGibibytes), boundOf(resources.mem.max, fromGibibytes), ask.memory, site.defaults.memory),
});

const ofGpus = ({ gpus, paths }: Ask, granted: number | null): readonly Objection[] =>
  gpus === undefined || granted === null || granted >= gpus.count
    ? []
    : [{ code: 'below-requested-minimum', path: paths.gpus, asked: numberOf(gpus.count), limit: numberOf(granted) }];

/** What the engine itself needs cannot be taken from the task: an offer below it could not be executed (R9). */
const ofLeastMemory = ({ runner }: SiteDestination, memory: Mebibytes, path: string): readonly Objection[] =>
  runner !== 'notebook' || memory >= NOTEBOOK_LEAST_MEMORY
    ? []
    : [{ code: 'below-least-memory', path, asked: sizeOf(memory), limit: sizeOf(NOTEBOOK_LEAST_MEMORY) }];

const promise = (ask: Ask, site: Site, cores: Millicores, memory: Mebibytes): Promised => ({
  taskType: ask.taskType,
  task: ask.task,
  name: ask.name,
  cores: { min: cores, max: cores },
  memory: { min: memory, max: memory },
  scratch: mebibytes(Math.max(site.defaults.scratch, ask.storage.reduce((sum, { size }) => sum + size, 0))),
  gpus: ask.gpus,
  volumes: ask.volumes,
  storage: ask.storage,
});

const judgeEvaluated = (ask: Ask, site: Site, id: DestinationId, destination: SiteDestination, evaluated: Evaluated): readonly Objection[] | Suitable => {
  const { cores, memory } = weigh(ask, site, evaluated);
  const objections = [
    ...ofSite(ask, destination),
    ...ofBounds('cores', cores.amount, ask.cores, ask.paths.cores),
    ...ofBounds('memory', memory.amount, ask.memory, ask.paths.memory),
    ...ofGpus(ask, evaluated.resources.gpus.value),
    ...ofLeastMemory(destination, memory.amount, ask.paths.memory),
  ];
  if (objections.length > 0) return objections;
  return { id, destination, least: promise(ask, site, cores.amount, memory.amount), ceiling: { cores: cores.ceiling, memory: memory.ceiling } };
};

/** What one destination says to an ask: the rules' verdict and the site's, every clause of both (R3). */
export const judge = (ask: Ask, site: Site, candidate: Candidate): Judged => {
  const id = destinationId(candidate.destination);
  const destination = site.destinations.get(candidate.destination);
  const unlisted: readonly Objection[] = [{ code: 'not-in-site-file', path: 'task' }];
  const bySite = destination === undefined ? unlisted : ofSite(ask, destination);
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
      const judged = destination === undefined ? unlisted : judgeEvaluated(ask, site, id, destination, candidate);
      return 'least' in judged ? { ok: true, suitable: judged } : refuse(judged);
    }
    default:
      return candidate satisfies never;
  }
};
