import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { openDrainedSite, type DrainedSite } from './drained-site.ts';
import { environmentTags } from './environment-tags.ts';
import { followEnvironments, type EnvironmentsInForce } from './environments-in-force.ts';
import { withDisc, type Ending } from './ground.ts';
import { reloadPlugins } from './plugins/load.ts';
import { openRules, type OpenRules } from './rules-in-force.ts';
import { askEnvironment } from './runners/asking/ask.ts';
import type { Settings } from './settings.ts';
import { openSite, type SiteInForce } from './site-in-force.ts';
import type { Site } from './site/site.ts';
import type { FirstSite, SiteCheck } from './usable-site.ts';

/** What a planner decides by, which a reload replaces: the site, its rules and environments. */
export type PlannerInForce = OpenRules & {
  readonly site: SiteInForce;
  readonly drained: DrainedSite;
  readonly environments: EnvironmentsInForce;
};

/** Environments that are being asked what they have. */
type Learning = {
  readonly environments: EnvironmentsInForce;
  /** all environments of the first site have answered */
  readonly learned: Promise<void>;
  /** the site whose environments are looked at */
  readonly site: () => Site;
  readonly follow: (site: () => Site) => void;
};

type InForceParts = {
  readonly first: FirstSite;
  readonly learning: Learning;
  readonly check: SiteCheck;
  readonly settings: Settings;
  readonly database: Database;
  readonly log: Logger;
};

/** Begins to ask the environments of the first site, which may take as long as the database. */
export function learnEnvironments(
  first: Site,
  { jobsDirectory }: Pick<Settings, 'jobsDirectory'>,
  log: Logger,
  onStop: Ending['onStop'],
): Learning {
  let site = (): Site => first;
  const environments = followEnvironments(
    () => site(),
    log,
    (terms, stop) => askEnvironment(terms, jobsDirectory, stop),
  );
  onStop(async () => environments.close());
  return {
    environments,
    learned: environments.learn(first),
    site: () => site(),
    follow: (next) => (site = next),
  };
}

/** Puts the first site in force, with its rules and drains. */
export async function openInForce(
  { first, learning, check, settings, database, log }: InForceParts,
  onStop: Ending['onStop'],
): Promise<PlannerInForce> {
  const { environments } = learning;
  const started = await withDisc(first.site, settings, database, log);
  await learning.learned;
  const opened = await openRules(
    started,
    settings,
    () => environmentTags(environments.complete(learning.site())),
    log,
    onStop,
  );
  environments.onChange(() => void opened.rules.refresh());
  const site = await openSite({
    ...first,
    site: started,
    database,
    readPlugins: (before) => reloadPlugins(settings.pluginsDirectory, before),
    rules: opened.rules,
    log,
    check,
    complete: async (next) => {
      await environments.learn(next);
      return withDisc(next, settings, database, log);
    },
  });
  learning.follow(site.site);
  onStop(async () => site.close());
  const drained = await openDrainedSite(database, () => environments.complete(site.site()), log);
  onStop(async () => drained.close());
  return { ...opened, site, drained, environments };
}
