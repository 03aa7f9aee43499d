import { isDeepStrictEqual } from 'node:util';
import type { Site } from './site.ts';

/** Parts of a planner that are opened once at its start, by their names in the site file. */
const FIXED = {
  rules: ({ rules }: Site) => rules,
  'rule-urls': ({ ruleHosts }: Site) => ruleHosts,
  identity: ({ identity }: Site) => identity,
  sandbox: ({ sandbox }: Site) => sandbox,
  requests: ({ requests }: Site) => requests,
  'results.keep-free': ({ results }: Site) => results.keepFree,
} as const;

/** The changed parts of a site file that need a restart. */
export function needRestart(before: Site, after: Site): readonly string[] {
  return Object.entries(FIXED)
    .filter(([, part]) => !isDeepStrictEqual(part(before), part(after)))
    .map(([name]) => name);
}
