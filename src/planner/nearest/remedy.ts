import type { SiteDestination } from '../../site/destination.ts';
import type { RefusalCode } from '../../words/catalogue.ts';
import { numberIn, type QuotaName, type Refusal } from '../refusal.ts';
import type { Circumstance, Remedies } from './change.ts';
import { cheaper, withoutLimit } from './remedy-costs.ts';
import { otherEnvironment, otherVersion } from './remedy-environments.ts';
import { otherGpus } from './remedy-gpus.ts';
import { fewerMachines, otherMachine } from './remedy-items.ts';
import { halved, lowered, loweredToLeft, otherSizes, raised } from './remedy-limits.ts';
import { largerVolume, otherKeeping, shorterLifetime } from './remedy-storage.ts';
import {
  fewerGpuHours,
  laterOrShorter,
  laterStart,
  lessWork,
  shorterRun,
  sooner,
  whileKept,
} from './remedy-times.ts';

type Remedy = (
  circumstance: Circumstance,
  refusal: Refusal,
  destination: SiteDestination | undefined,
) => Remedies;

const byAmountOrTime: Remedy = (circumstance, refusal) => [
  ...lowered(circumstance, refusal),
  ...laterOrShorter(circumstance, refusal),
];

const otherSizesThere = atDestination(otherSizes);
const otherGpusThere = atDestination(otherGpus);
const cheaperThere = atDestination(cheaper);
const otherEnvironmentThere = atDestination(otherEnvironment);
const otherVersionThere = atDestination(otherVersion);

const OF_DESTINATION: readonly Remedy[] = [
  otherSizesThere,
  otherGpusThere,
  otherKeeping,
  otherEnvironmentThere,
  otherVersionThere,
];

/** No other amounts or times help. */
const none = 'none';

/** What helps against each quota. */
const QUOTA_REMEDIES: Readonly<
  Record<QuotaName, (circumstance: Circumstance, refusal: Refusal) => Remedies>
> = {
  cores: loweredToLeft,
  memory: loweredToLeft,
  'gpu-hours': fewerGpuHours,
  share: lessWork,
  holds: () => [],
  jobs: () => [],
  results: () => [],
};

/** What helps against each refusal. Every code has an entry. */
const REMEDIES: { readonly [code in RefusalCode]: Remedy | typeof none } = {
  'above-max-accepted': lowered,
  'above-capacity': lowered,
  'below-requested-minimum': lowered,
  'pool-exceeded': lowered,
  // A later start does not help: a pool counts every promise, whenever it begins.
  'pool-full': loweredToLeft,
  'quota-exceeded': (circumstance, refusal) =>
    refusal.quota === undefined ? [] : QUOTA_REMEDIES[refusal.quota](circumstance, refusal),
  'compute-items-not-here': ({ ask }, { place, asked, limit }) =>
    fewerMachines(ask, place, { asked: numberIn(asked) ?? 1, limit: numberIn(limit) ?? 1 }),
  'below-min-accepted': (circumstance, refusal) => raised(circumstance, refusal, 'min'),
  'below-least-memory': (circumstance, refusal) =>
    otherMachine(circumstance.ask, refusal.place, refusal.limit) ??
    raised(circumstance, refusal, 'min'),
  'below-workflow-minimum': (circumstance, refusal) =>
    largerVolume(refusal) ??
    raised(
      circumstance,
      refusal,
      'bound' in refusal.place && refusal.place.bound === 'max' ? 'max' : 'min',
    ),
  'above-requested-maximum': (circumstance, refusal) => raised(circumstance, refusal, 'max'),
  'size-not-offered': otherSizesThere,
  'gpu-type-not-here': otherGpusThere,
  'no-capacity-now': byAmountOrTime,
  'no-capacity-in-window': byAmountOrTime,
  'no-storage-space': lowered,
  'storage-not-here': otherKeeping,
  'lifetime-too-long': (_circumstance, { place, limit }) =>
    shorterLifetime(place, numberIn(limit) ?? 0),
  'object-ends-earlier': whileKept,
  maintenance: laterOrShorter,
  'lead-time-too-short': laterOrShorter,
  'engine-queue-too-long': laterOrShorter,
  'time-past': (circumstance, refusal) =>
    laterStart(circumstance, { ...refusal, when: circumstance.now }),
  'time-beyond-horizon': sooner,
  'duration-too-long': (_circumstance, refusal) =>
    shorterRun({ ...refusal, longest: numberIn(refusal.limit) ?? 0 }),
  'cost-above-limit': cheaperThere,
  'cost-unknown': withoutLimit,
  'environment-unknown': otherEnvironmentThere,
  'environment-broken': otherEnvironmentThere,
  'package-missing': otherEnvironmentThere,
  'package-version': otherVersionThere,
  'module-missing': otherEnvironmentThere,
  'rule-failed': halved,
  'required-tag-missing': halved,
  'tag-rejected': halved,
  'not-ranked': halved,
  'unknown-key': none,
  'unknown-task-type': none,
  'no-singularity': none,
  'no-connectors': none,
  'data-not-fetched': none,
  'metric-unknown': none,
  'task-spec-unknown-key': none,
  'task-spec-invalid': none,
  'notebook-invalid': none,
  'source-unread': none,
  'workflow-invalid': none,
  'workflow-reference': none,
  'interpreter-missing': none,
  'interpreter-version': none,
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
  'name-invalid': none,
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
  'requirements-unmet': none,
  'gpus-not-for-type': none,
  'no-parallel-jobs': none,
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

/** Is there any remedy for such a refusal? */
export function canBeMet({ code }: Refusal): boolean {
  return REMEDIES[code] !== none;
}

/** Is the remedy for such a refusal a guess? */
export function isGuessed({ code }: Refusal): boolean {
  return REMEDIES[code] === halved;
}

/** Does the remedy for such a refusal depend on the destination? */
export function isOfDestination({ code }: Refusal): boolean {
  return OF_DESTINATION.some((remedy) => REMEDIES[code] === remedy);
}

/** The changes that meet a refusal. */
export function remediesFor(circumstance: Circumstance, refusal: Refusal): Remedies {
  const destination =
    refusal.destination === undefined
      ? undefined
      : circumstance.site.destinations.get(refusal.destination);
  const remedy = REMEDIES[refusal.code];
  return remedy === none ? [] : remedy(circumstance, refusal, destination);
}

function atDestination(
  remedy: (circumstance: Circumstance, refusal: Refusal, destination: SiteDestination) => Remedies,
): Remedy {
  return (circumstance, refusal, destination) =>
    destination === undefined ? [] : remedy(circumstance, refusal, destination);
}
