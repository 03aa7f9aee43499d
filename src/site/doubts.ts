import type { Quota, QuotaLimits } from './quotas.ts';
import type { Site } from './site.ts';

/**
 * Limits by the site file's words and by ours, in three sorts: one amount bounds the others a
 * little, and neither rate nor records.
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

/** What of a site file can be used and is most likely a mistake: a sentence for each. */
export function doubtsAbout(site: Site): readonly string[] {
  const names = avoidable(site);
  if (names.length === 0) return [];
  return [
    `quotas limit users (${names.join(', ')}) and nobody without a credential; who is over ` +
      'his quota can ask without one. Add one for anonymous, or set identity.anonymous to false',
  ];
}

/**
 * What somebody can take without an end, in the words of the operator's
 * log; one of its limits is enough.
 */
const TAKEN: readonly (readonly [
  string,
  readonly (keyof QuotaLimits)[],
  (site: Site) => boolean,
])[] = [
  ['open offers', ['holds', 'jobs'], ({ holdBudget }) => holdBudget !== undefined],
  ['reserved work', ['share', 'cores', 'memory'], ({ shares }) => shares !== undefined],
  ['results', ['results'], () => false],
  // No quota counts them; a store is bounded as a whole.
  ['persistent volumes', [], ({ storage }) => storage.length === 0],
  ['asks a minute', ['asksPerMinute'], () => false],
  ['stored records', ['storedBytes'], () => false],
];

/**
 * What nobody limits, in one line, so that whoever starts a service knows;
 * undefined when all is limited.
 */
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

/** Limits of users that they can get around by asking without a credential. */
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
