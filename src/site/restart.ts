import { isDeepStrictEqual } from 'node:util';
import type { Site } from './site.ts';

/** The changed parts of a site file that need a restart. */
export function needRestart(before: Site, after: Site): readonly string[] {
  return Object.values(IN_FORCE)
    .filter((when) => when !== AT_ONCE)
    .filter(({ of }) => !isDeepStrictEqual(of(before), of(after)))
    .map(({ name }) => name);
}

/** A part that is opened once, when a planner starts, by its name in the site file. */
type FixedPart = { readonly name: string; readonly of: (site: Site) => unknown };

/** A change is in force as soon as the file is read again. */
const AT_ONCE = 'at-once';

/** When a change of each part of a site is in force. Every part has an entry. */
const IN_FORCE: { readonly [Part in keyof Site]: typeof AT_ONCE | FixedPart } = {
  name: AT_ONCE,
  message: AT_ONCE,
  timeZone: AT_ONCE,
  rules: { name: 'rules', of: ({ rules }) => rules },
  ruleHosts: { name: 'rule-urls', of: ({ ruleHosts }) => ruleHosts },
  offers: AT_ONCE,
  defaults: AT_ONCE,
  fetch: AT_ONCE,
  http: AT_ONCE,
  s3: AT_ONCE,
  rucio: AT_ONCE,
  storage: AT_ONCE,
  results: { name: 'results.keep-free', of: ({ results }) => results.keepFree },
  identity: { name: 'identity', of: ({ identity }) => identity },
  quotas: AT_ONCE,
  records: AT_ONCE,
  holdBudget: AT_ONCE,
  shares: AT_ONCE,
  registry: AT_ONCE,
  sandbox: { name: 'sandbox', of: ({ sandbox }) => sandbox },
  requests: { name: 'requests', of: ({ requests }) => requests },
  destinations: AT_ONCE,
};
