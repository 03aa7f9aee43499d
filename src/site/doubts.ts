import type { Quota, QuotaLimits } from './quotas.ts';
import type { Site } from './site.ts';

/**
 * Limits by their keys in the site file and in {@link QuotaLimits}, in three groups: a limit of an
 * amount bounds the other amounts too, but not rates or records.
 */
const AMOUNTS: readonly (readonly [string, keyof QuotaLimits])[] = [
  ['holds', 'holds'],
  ['jobs', 'jobs'],
  ['cores', 'cores'],
  ['memory', 'memory'],
  ['gpu-hours', 'gpuSeconds'],
  ['share', 'share'],
  ['results', 'results'],
];
const RATES: readonly (readonly [string, keyof QuotaLimits])[] = [
  ['asks-per-minute', 'asksPerMinute'],
];
const RECORDS: typeof RATES = [['stored', 'storedBytes']];

/** Settings that are allowed but most likely mistakes, one sentence each. */
export function doubtsAbout(site: Site): readonly string[] {
  const names = avoidable(site);
  if (names.length === 0) return [];
  return [
    `quotas limit users (${names.join(', ')}) but not anonymous clients; a user over ` +
      'quota can ask without a credential. Add a quota for anonymous, or set ' +
      'identity.anonymous to false',
  ];
}

/**
 * Resources that a client could take without limit, in words for the operator's log; any one of the
 * keys limits it.
 */
const TAKEN: readonly (readonly [
  string,
  readonly (keyof QuotaLimits)[],
  (site: Site) => boolean,
])[] = [
  ['open offers', ['holds', 'jobs'], ({ holdBudget }) => holdBudget !== undefined],
  ['reserved work', ['share', 'cores', 'memory'], ({ shares }) => shares !== undefined],
  ['results', ['results'], () => false],
  // No quota counts volumes; each store has a limit as a whole.
  ['persistent volumes', [], ({ storage }) => storage.length === 0],
  ['asks a minute', ['asksPerMinute'], () => false],
  ['stored records', ['storedBytes'], () => false],
];

/** The resources without a limit, in one line for the operator; undefined: all have one. */
export function unlimited(site: Site): string | undefined {
  const {
    identity: { anonymous, tokens, passwords, oidc },
    quotas,
  } = site;
  const whose = [
    ...(anonymous
      ? [
          {
            who: 'without a credential',
            of: quotas.filter((quota) => quota.for === 'anonymous' || quota.for === 'site'),
          },
        ]
      : []),
    ...(tokens.length + oidc.length > 0 || passwords !== undefined
      ? [
          {
            who: 'with a credential',
            of: quotas.filter(
              (quota) => quota.for === 'site' || (quota.for === 'user' && quota.name === undefined),
            ),
          },
        ]
      : []),
  ];
  const parts = whose.flatMap(({ who, of }) => {
    const free = TAKEN.filter(
      ([, keys, byDefault]) =>
        !byDefault(site) && !of.some(({ limits }) => keys.some((key) => limits[key] !== undefined)),
    ).map(([name]) => name);
    return free.length === 0 ? [] : [`${free.join(', ')} of anybody ${who}`];
  });
  return parts.length === 0
    ? undefined
    : `nobody limits ${parts.join('; ')}: docs/guides/quotas.md`;
}

/** Limits that users can avoid by asking without a credential. */
function avoidable({ identity, quotas }: Site): readonly string[] {
  if (!identity.anonymous) return [];
  const ofPeople = quotas.filter((quota) => quota.for === 'user' || quota.for === 'role');
  const ofAnonymous = quotas.filter((quota) => quota.for === 'anonymous' || quota.for === 'site');
  return [AMOUNTS, RATES, RECORDS].flatMap((sort) =>
    bound(ofAnonymous, sort).length > 0 ? [] : bound(ofPeople, sort),
  );
}

function bound(quotas: readonly Quota[], sort: typeof AMOUNTS): readonly string[] {
  return sort
    .filter(([, key]) => quotas.some(({ limits }) => limits[key] !== undefined))
    .map(([name]) => name);
}
