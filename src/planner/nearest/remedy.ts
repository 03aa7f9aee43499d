import type { Instant, StartRange } from '../../schedule/interval.ts';
import type { Site, SiteDestination } from '../../site/site.ts';
import type { RefusalCode } from '../../words/catalogue.ts';
import { mebibytes, millicores, seconds } from '../../words/units.ts';
import type { Ask } from '../ask.ts';
import type { Change } from './change.ts';
import { ofFlavours, toLower, toRaise, type AskedResource } from './remedy-amounts.ts';
import {
  fewerMachines,
  halvedTogether,
  otherFlavour,
  otherMachine,
  otherStep,
} from './remedy-items.ts';
import { otherKeeping, shorterLifetime } from './remedy-storage.ts';
import type { AskPlace } from '../place.ts';
import { wantedIn, type Refusal } from '../refusal.ts';
import { durationFor } from '../plan/windows.ts';

/** What an ask is judged against: its own words, the site, and the database's time. */
export type Circumstance = { readonly ask: Ask; readonly site: Site; readonly now: Instant };

/**
 * Ways to meet one refusal; each is one change or a few that belong together. None: the
 * ask cannot be changed to meet it.
 */
export type Remedies = readonly (readonly Change[])[];

const SHORTEST_S = 60;
const HOUR_S = 3600;
/** Quotas of GPU hours are told to less than a second. */
const TOLD_S = 1;

type Remedy = (
  circumstance: Circumstance,
  refusal: Refusal,
  destination: SiteDestination | undefined,
) => Remedies;

const byAmountOrTime: Remedy = (circumstance, refusal) => [
  ...lowered(circumstance, refusal),
  ...later(circumstance, refusal),
  ...shorter(untilAsked(circumstance, refusal)),
];
const byTime: Remedy = (circumstance, refusal) => [
  ...later(circumstance, refusal),
  ...shorter(untilAsked(circumstance, refusal)),
];

const otherSizesThere = atDestination(otherSizes);
const otherGpusThere = atDestination(otherGpus);
const keptElsewhere: Remedy = ({ ask, site }, refusal) => otherKeeping(ask, site, refusal);

/** Asking for other amounts or times does not help. */
const none = 'none';

/**
 * What can be done about a refusal: how to ask for something else, or
 * `none`. A new code has to say which.
 */
const REMEDIES: { readonly [code in RefusalCode]: Remedy | typeof none } = {
  'above-max-accepted': lowered,
  'above-capacity': lowered,
  'below-requested-minimum': lowered,
  'pool-exceeded': lowered,
  // A later start does not help: a pool counts what is promised, whenever it begins.
  'pool-full': (circumstance, refusal) =>
    refusal.left === undefined ? [] : lowered(circumstance, { ...refusal, limit: refusal.left }),
  'quota-exceeded': (circumstance, refusal) => {
    if (refusal.quota === 'gpu-hours') return fewerGpuHours(circumstance, refusal);
    if (refusal.quota === 'share') return lessWork(circumstance, refusal);
    return refusal.left === undefined
      ? []
      : lowered(circumstance, { ...refusal, limit: refusal.left });
  },
  'compute-items-not-here': ({ ask }, { place, asked, limit }) =>
    fewerMachines(ask, place, { asked: numberOf(asked) ?? 1, limit: numberOf(limit) ?? 1 }),
  'below-min-accepted': (circumstance, refusal) => raised(circumstance, refusal, 'min'),
  'below-least-memory': (circumstance, refusal) =>
    otherMachine(circumstance.ask, refusal.place, refusal.limit) ??
    raised(circumstance, refusal, 'min'),
  'above-requested-maximum': (circumstance, refusal) => raised(circumstance, refusal, 'max'),
  'size-not-offered': otherSizesThere,
  'gpu-type-not-here': otherGpusThere,
  'no-capacity-now': byAmountOrTime,
  'no-capacity-in-window': byAmountOrTime,
  'no-storage-space': lowered,
  'storage-not-here': keptElsewhere,
  'lifetime-too-long': (_circumstance, { place, limit }) =>
    shorterLifetime(place, numberOf(limit) ?? 0),
  'object-ends-earlier': whileKept,
  maintenance: byTime,
  'lead-time-too-short': byTime,
  'engine-queue-too-long': byTime,
  'time-past': (circumstance, refusal) =>
    later(circumstance, { ...refusal, when: circumstance.now }),
  'time-beyond-horizon': sooner,
  'duration-too-long': (_circumstance, refusal) =>
    shorter({ ...refusal, longest: numberOf(refusal.limit) ?? 0 }),
  'rule-failed': halved,
  'required-tag-missing': halved,
  'tag-rejected': halved,
  'not-ranked': halved,
  'unknown-key': none,
  'unknown-task-type': none,
  'task-spec-unknown-key': none,
  'task-spec-invalid': none,
  'notebook-invalid': none,
  'url-invalid': none,
  'url-forbidden': none,
  'amount-unreadable': none,
  'amount-not-positive': none,
  'amount-too-large': none,
  'minimum-above-maximum': none,
  'time-unreadable': none,
  'time-zone-missing': none,
  'time-repeats': none,
  'time-form-unsupported': none,
  'time-inverted': none,
  'too-many-times': none,
  'time-ambiguous': none,
  'duration-unreadable': none,
  'duration-not-positive': none,
  'several-gpu-types': none,
  'unknown-compute-type': none,
  'compute-block-invalid': none,
  'unknown-arch': none,
  'unknown-storage-type': none,
  'storage-incomplete': none,
  'storage-value-invalid': none,
  'storage-not-mounted': none,
  'external-read-only': none,
  'unknown-object': none,
  'duplicate-name': none,
  'duplicate-object': none,
  'storage-name-invalid': none,
  'unknown-volume': none,
  'volume-mode-unknown': none,
  'volume-path-invalid': none,
  'volume-written-by-several': none,
  'task-type-not-here': none,
  'compute-type-not-here': none,
  'compute-type-mismatch': none,
  'arch-not-here': none,
  'gpus-not-for-type': none,
  'task-text-too-long': none,
  'network-not-here': none,
  'no-results-space': none,
  'disc-nearly-full': none,
  'volume-path-not-here': none,
  'not-in-site-file': none,
  'try-later': none,
  'rule-error': none,
  'rule-timeout': none,
  'rule-memory': none,
  'sandbox-unavailable': none,
  'no-destination': none,
};

/** Can such a refusal be met at all by asking for something else? */
export function canBeMet({ code }: Refusal): boolean {
  return REMEDIES[code] !== none;
}

/** Does nothing tell what would meet such a refusal? */
export function isGuessed({ code }: Refusal): boolean {
  return REMEDIES[code] === halved;
}

/** Is what can be done about such a refusal another thing at each destination? */
export function isOfDestination({ code }: Refusal): boolean {
  return [otherSizesThere, otherGpusThere, keptElsewhere].some(
    (remedy) => REMEDIES[code] === remedy,
  );
}

/** Ways to meet one refusal by asking for something else. */
export function remediesFor(circumstance: Circumstance, refusal: Refusal): Remedies {
  const destination =
    refusal.destination === undefined
      ? undefined
      : circumstance.site.destinations.get(refusal.destination);
  const remedy = REMEDIES[refusal.code];
  return remedy === none ? [] : remedy(circumstance, refusal, destination);
}

/** What a rule draws its line at is not told: halves are tried. */
function halved({ ask, site: { defaults } }: Circumstance): Remedies {
  const {
    parts: [part, ...more],
    cores,
    memory,
  } = ask;
  if (more.length > 0 || part.replicas > 1) return halvedTogether(ask);
  const halves = (from: number | undefined, least: number): readonly number[] =>
    from === undefined
      ? []
      : [from / 2, from / 4, from / 8]
          .map(Math.ceil)
          .filter((value) => value >= least && value < from);
  return [
    ...halves(cores.min, Math.min(defaults.cores, 1000)).map((to): readonly Change[] => [
      { what: 'cores', bound: 'min', of: 0, to: millicores(to) },
    ]),
    ...halves(memory.min, Math.min(defaults.memory, 1024)).map((to): readonly Change[] => [
      { what: 'memory', bound: 'min', of: 0, to: mebibytes(to) },
    ]),
    ...(part.gpus === undefined ? [] : [[{ what: 'gpu' as const, of: 0, to: undefined }]]),
  ];
}

/** A later start for all resources, since that is the time at which all of them fit. */
function later(circumstance: Circumstance, { place, when }: Refusal): Remedies {
  if (when === undefined) return [];
  const of = windowOf(place);
  return [[{ what: 'start', of, to: startFrom(circumstance, of, when) }]];
}

/** The window of the ask that a refusal is about, or else the first. */
function windowOf(place: AskPlace): number {
  return 'window' in place ? place.window : 0;
}

/**
 * As wide as what was asked for, and wide enough that an offer within it can
 * be held for its whole lifetime.
 */
function startFrom({ ask, site }: Circumstance, of: number, earliest: Instant): StartRange {
  const start = ask.windows[of]?.start ?? 'now';
  const width =
    start === 'now' || start.latest === start.earliest ? 0 : start.latest - start.earliest + 1;
  return {
    earliest: Math.ceil(earliest),
    latest: Math.ceil(earliest) + Math.max(width, site.offers.lifetime * 1000),
  };
}

function otherSizes(
  circumstance: Circumstance,
  refusal: Refusal,
  { sizes }: SiteDestination,
): Remedies {
  const steps = sizes.kind === 'elastic' ? otherStep(circumstance.ask, refusal, sizes) : [];
  if (steps.length > 0) return steps;
  const ofMachine =
    sizes.kind === 'flavours'
      ? otherFlavour(circumstance.ask, refusal.place, sizes.flavours)
      : otherMachine(circumstance.ask, refusal.place, refusal.limit);
  if (ofMachine !== undefined) return ofMachine;
  if (sizes.kind === 'flavours')
    return ofFlavours(circumstance.ask, circumstance.site, sizes.flavours);
  // Its limit is the ask's own maximum, or what the destination hands out at most.
  return [...raised(circumstance, refusal, 'max'), ...lowered(circumstance, refusal)];
}

function raised({ ask }: Circumstance, refusal: Refusal, bound: 'min' | 'max'): Remedies {
  const [resource, limit] = [resourceOf(refusal), numberOf(refusal.limit)];
  return (resource === 'cores' || resource === 'memory') && limit !== undefined
    ? toRaise(ask, resource, bound, limit)
    : [];
}

/** Volumes make the scratch space that is needed, and nothing else of an ask does. */
function resourceOf({ resource, quota }: Refusal): AskedResource | undefined {
  if (quota === 'cores' || quota === 'memory') return quota;
  return resource === 'scratch' ? 'storage' : resource === 'results' ? undefined : resource;
}

function numberOf(quantity: Refusal['asked']): number | undefined {
  return quantity === undefined || quantity.kind === 'text' ? undefined : quantity.value;
}

function lowered({ ask, site }: Circumstance, refusal: Refusal): Remedies {
  const [resource, asked, limit] = [
    resourceOf(refusal),
    numberOf(wantedIn(refusal)),
    numberOf(refusal.limit),
  ];
  return resource === undefined || limit === undefined
    ? []
    : toLower(ask, site, resource, { place: refusal.place, asked, limit });
}

function atDestination(
  remedy: (circumstance: Circumstance, refusal: Refusal, destination: SiteDestination) => Remedies,
): Remedy {
  return (circumstance, refusal, destination) =>
    destination === undefined ? [] : remedy(circumstance, refusal, destination);
}

function otherGpus(
  { ask }: Circumstance,
  _refusal: Refusal,
  { capacity }: SiteDestination,
): Remedies {
  const of = ask.parts.findIndex(({ gpus }) => gpus !== undefined);
  const count = ask.parts[of]?.gpus?.count;
  if (count === undefined) return [];
  if (ask.parts.length > 1) return otherGpusTogether(ask, capacity.gpus);
  const others = [...capacity.gpus]
    .filter(([, has]) => has > 0)
    .map(([type, has]): readonly Change[] => [
      { what: 'gpu', of, to: { type, count: Math.min(count, has) } },
    ]);
  return [...others, [{ what: 'gpu', of, to: undefined }]];
}

/** All items have GPUs of one type, so all change it. */
function otherGpusTogether(
  { parts, gpus: asked }: Ask,
  has: SiteDestination['capacity']['gpus'],
): Remedies {
  const having = parts.flatMap(({ gpus }, of) =>
    gpus === undefined ? [] : [{ of, count: gpus.count }],
  );
  const types = [...has].filter(([, most]) => most >= (asked?.count ?? 0)).map(([type]) => type);
  return [...types, undefined].map((type) =>
    having.map(({ of, count }): Change => ({
      what: 'gpu',
      of,
      to: type === undefined ? undefined : { type, count },
    })),
  );
}

/**
 * Fewer GPUs for as long, or as many for a shorter time; what is
 * reserved beside the run counts too.
 */
function fewerGpuHours({ ask, site }: Circumstance, { place, asked, left }: Refusal): Remedies {
  const [hours, rest, count] = [numberOf(asked), numberOf(left), ask.gpus?.count];
  if (hours === undefined || rest === undefined || count === undefined) return [];
  const fewer = toLower(ask, site, 'gpus', {
    place,
    asked: count,
    limit: Math.floor((rest * count) / hours),
  });
  const each = ask.windows.flatMap(({ duration }, of): readonly (readonly Change[])[] => {
    const now = durationFor(duration, site.offers);
    const beside = (hours * HOUR_S) / count - now;
    const to = Math.floor((rest * HOUR_S - TOLD_S) / count - beside);
    return to < SHORTEST_S || to >= now ? [] : [[{ what: 'duration', of, to: seconds(to) }]];
  });
  return [...fewer, ...each];
}

/** Work is capacity times time: a run that is shorter by as much. */
function lessWork({ ask, site }: Circumstance, { asked, left }: Refusal): Remedies {
  const [hours, rest] = [numberOf(asked), numberOf(left)];
  if (hours === undefined || rest === undefined || hours === 0) return [];
  return ask.windows.flatMap(({ duration }, of): readonly (readonly Change[])[] => {
    const to = Math.floor((durationFor(duration, site.offers) * rest) / hours);
    return to < SHORTEST_S ? [] : [[{ what: 'duration', of, to: seconds(to) }]];
  });
}

function sooner(circumstance: Circumstance, { place }: Refusal): Remedies {
  const {
    site: { offers },
    now,
  } = circumstance;
  const of = windowOf(place);
  const { earliest, latest } = startFrom(circumstance, of, 0);
  const end = now + offers.horizon * 1000;
  return [[{ what: 'start', of, to: { earliest: end - (latest - earliest), latest: end } }]];
}

/**
 * An object is not kept for longer than it is: a run that is over before, for it is
 * shorter or begins so much sooner.
 */
function whileKept(circumstance: Circumstance, refusal: Refusal): Remedies {
  const {
    ask,
    site: { offers },
    now,
  } = circumstance;
  const { place, asked, limit } = refusal;
  const of = windowOf(place);
  const start = ask.windows[of]?.start ?? 'now';
  const shorterRun = shorter(untilAsked(circumstance, refusal));
  if (start === 'now' || asked?.kind !== 'text' || limit?.kind !== 'text') return shorterRun;
  const sooner =
    start.earliest - (Date.parse(asked.value) - Date.parse(limit.value)) - offers.lifetime * 1000;
  return sooner < now
    ? shorterRun
    : [...shorterRun, [{ what: 'start', of, to: startFrom(circumstance, of, sooner) }]];
}

function shorter({ place, longest }: Refusal): Remedies {
  return longest === undefined || longest < SHORTEST_S
    ? []
    : [[{ what: 'duration', of: windowOf(place), to: seconds(longest) }]];
}

/**
 * A start that is now moves on: the run must still fit when the client has read the
 * answer, as {@link startFrom} has it.
 */
function untilAsked(circumstance: Circumstance, { place, longest, ...rest }: Refusal): Refusal {
  const { ask, site, now } = circumstance;
  const start = ask.windows[windowOf(place)]?.start ?? 'now';
  const moves = start === 'now' || start.earliest <= now;
  return {
    ...rest,
    place,
    ...(longest === undefined ? {} : { longest: moves ? longest - site.offers.lifetime : longest }),
  };
}
