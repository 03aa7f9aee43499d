import type { Quota, QuotaLimits } from './quotas.ts';
import type { Site } from './site.ts';

/** Limits by the site file's words and by ours, in two sorts: one amount bounds the others a little, and no rate. */
const AMOUNTS: readonly (readonly [string, keyof QuotaLimits])[] = [
  ['holds', 'holds'], ['jobs', 'jobs'], ['cores', 'cores'], ['memory', 'memory'], ['gpu-hours', 'gpuSeconds'],
];
const RATES: readonly (readonly [string, keyof QuotaLimits])[] = [['asks-per-minute', 'asksPerMinute']];

const bound = (quotas: readonly Quota[], sort: typeof AMOUNTS): readonly string[] =>
  sort.filter(([, key]) => quotas.some(({ limits }) => limits[key] !== undefined)).map(([name]) => name);

/** Limits of users that they can get around by asking without a credential. */
const avoidable = ({ identity, quotas }: Site): readonly string[] => {
  if (!identity.anonymous) return [];
  const ofPeople = quotas.filter((quota) => quota.for === 'user' || quota.for === 'role');
  const ofAnonymous = quotas.filter((quota) => quota.for === 'anonymous' || quota.for === 'site');
  return [AMOUNTS, RATES].flatMap((sort) => (bound(ofAnonymous, sort).length > 0 ? [] : bound(ofPeople, sort)));
};

/** What of a site file can be used and is most likely a mistake: a sentence for each. */
export const doubtsAbout = (site: Site): readonly string[] => {
  const names = avoidable(site);
  if (names.length === 0) return [];
  return [`quotas limit users (${names.join(', ')}) and nobody without a credential; who is over his quota can ask without one. Add one for anonymous, or set identity.anonymous to false`];
};
