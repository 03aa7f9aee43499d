import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { digestOfTexts, readHandedDigest } from './executor/handed-site.ts';
import { lostRunners } from './lost-runners.ts';
import { lostTypes } from './plugins/lost-types.ts';
import type { Plugins } from './plugins/load.ts';
import { writeMaintenance, writeSite } from './site-book.ts';
import type { RulesKeeper } from './rules/keeper.ts';
import { readSiteTexts, siteOfTexts, type SiteTexts } from './site/load.ts';
import { ReloadRefused, reloadTrouble } from './site/reload-trouble.ts';
import { needRestart } from './site/restart.ts';
import type { Site } from './site/site.ts';
import type { KnownTypes } from './plugins/types.ts';
import { limitConcurrency } from './words/concurrency.ts';
import { errorText } from './words/system-error.ts';

/** The site of this planner; a reload replaces it as a whole. */
export type SiteInForce = {
  readonly site: () => Site;
  /** what its documents and asks can name */
  readonly types: () => KnownTypes;
  /**
   * Reads the site file and the plug-ins again and puts both in force if they have no errors and no
   * change needs a restart; otherwise the log says why not.
   */
  readonly reload: () => Promise<void>;
  /** Problems of the last reload, in words that everybody may read. */
  readonly problems: () => readonly string[];
  readonly close: () => void;
};

type SiteParts = {
  readonly database: Database;
  readonly texts: SiteTexts;
  readonly site: Site;
  readonly plugins: Plugins;
  /** the plug-ins as they are now; the same object when they have not changed */
  readonly readPlugins: (before: Plugins) => Promise<Plugins>;
  readonly rules: Pick<RulesKeeper, 'reload' | 'hold' | 'disagreements'>;
  /** @throws if this machine cannot or must not run the jobs of the site */
  readonly check: (site: Site, plugins: Plugins) => Promise<unknown>;
  /** adds the settings that depend on this machine */
  readonly complete: (site: Site) => Promise<Site>;
  readonly log: Logger;
};

/** Recurring maintenance has no end, so it is written again every hour, a horizon ahead. */
const CLOSURES_MS = 3_600_000;

/** Puts the site of a start in force. */
export async function openSite({
  database,
  texts: first,
  site: started,
  plugins: loaded,
  readPlugins,
  rules,
  check,
  complete,
  log,
}: SiteParts): Promise<SiteInForce> {
  let [site, texts, plugins] = [started, first, loaded];
  await writeSite(database, site, texts, plugins.digest);
  for (const runner of await lostRunners(database, site))
    log.warn(
      { runner },
      'unfinished jobs or open offers need this runner, which no destination has now: they wait',
    );

  const closing = setInterval(() => {
    const refresh = async (): Promise<void> => {
      // Only if no other planner has handed over another site since.
      if ((await readHandedDigest(database)) === digestOfTexts(texts, plugins.digest))
        await writeMaintenance(database, site);
    };
    void refresh().catch((err: unknown) =>
      log.error({ err }, 'the maintenance could not be written'),
    );
  }, CLOSURES_MS).unref();

  const reload = async (): Promise<void> => {
    const known = await readPlugins(plugins);
    const engines = [...site.destinations.values()].map(({ engine }) => engine);
    const lost = lostTypes(plugins, known, engines);
    if (lost.length > 0)
      throw new ReloadRefused([`${lost.join(', ')} left the plug-ins, which needs a restart`]);
    const next = await readSiteTexts(texts.file, known);
    const digest = digestOfTexts(next, known.digest);
    if (
      digest === digestOfTexts(texts, plugins.digest) &&
      digest === (await readHandedDigest(database))
    )
      return;
    const read = siteOfTexts(next, known);
    const fixed = needRestart(site, read);
    if (fixed.length > 0)
      throw new ReloadRefused([`${fixed.join(', ')} changed, which needs a restart`]);
    const needed = await lostRunners(database, read, site);
    if (needed.length > 0)
      throw new ReloadRefused(
        needed.map(
          (name) =>
            `unfinished jobs or open offers need the runner ${name}, which no destination has now`,
        ),
      );
    const disagreements = rules.disagreements(read);
    if (disagreements.length > 0) throw new ReloadRefused(disagreements);
    await check(read, known);
    const whole = await complete(read);
    await writeSite(database, whole, next, known.digest);
    const isOther = known !== plugins;
    [site, texts, plugins] = [whole, next, known];
    rules.hold(whole);
    log.info(
      { file: texts.file, digest, destinations: site.destinations.size },
      'the site file is reloaded',
    );
    if (isOther) log.info({ digest: plugins.digest }, 'the plug-ins are reloaded');
  };
  const oneByOne = limitConcurrency(1);
  let problems: readonly string[] = [];
  return {
    site: () => site,
    types: () => plugins,
    problems: () => problems,
    reload: () =>
      oneByOne(async () => {
        // Rules and site must agree: rules may name a new destination first, and drop an old one
        // last.
        await rules.reload();
        problems = await reload().then(
          () => [],
          (error: unknown) => {
            log.error(
              { problems: errorText(error).split('\n') },
              'the site file cannot be reloaded; the previous one stays in force',
            );
            return reloadTrouble(error, texts.file);
          },
        );
        await rules.reload();
      }),
    close: () => clearInterval(closing),
  };
}
