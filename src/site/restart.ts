import { isDeepStrictEqual } from 'node:util';
import type { Site } from './site.ts';

/** What is opened once at the start of a planner, as the site file calls it. */
const FIXED = {
  rules: ({ rules }: Site) => rules,
  'rule-urls': ({ ruleHosts }: Site) => ruleHosts,
  identity: ({ identity }: Site) => identity,
  sandbox: ({ sandbox }: Site) => sandbox,
  requests: ({ requests }: Site) => requests,
  'results.keep-free': ({ results }: Site) => results.keepFree,
} as const;

/** The parts of a site file that differ and need a restart. */
export function needRestart(before: Site, after: Site): readonly string[] {
  return Object.entries(FIXED)
    .filter(([, part]) => !isDeepStrictEqual(part(before), part(after)))
    .map(([name]) => name);
}
