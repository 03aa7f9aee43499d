import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { digestOfTexts, readHandedDigest } from './executor/handed-site.ts';
import type { Plugins } from './plugins/load.ts';
import { writeMaintenance, writeSite } from './site-book.ts';
import type { RulesKeeper } from './rules/keeper.ts';
import { readSiteTexts, siteOfTexts, type SiteTexts } from './site/load.ts';
import { ReloadRefused, reloadTrouble } from './site/reload-trouble.ts';
import { needRestart } from './site/restart.ts';
import type { Site } from './site/site.ts';
import { limitConcurrency } from './words/concurrency.ts';
import { errorText } from './words/system-error.ts';

/** The site of this planner; a reload replaces it as a whole. */
export type SiteInForce = {
  readonly site: () => Site;
  /**
   * Reads the site file again and puts it in force if it has no errors and no change needs a
   * restart; otherwise the log says why not.
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
  readonly rules: Pick<RulesKeeper, 'reload' | 'hold' | 'disagreements'>;
  /** @throws if this machine cannot or must not run the jobs of the site */
  readonly check: (site: Site) => Promise<unknown>;
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
  plugins,
  rules,
  check,
  complete,
  log,
}: SiteParts): Promise<SiteInForce> {
  let [site, texts] = [started, first];
  await writeSite(database, site, texts);

  const closing = setInterval(() => {
    const refresh = async (): Promise<void> => {
      // Only if no other planner has handed over another site since.
      if ((await readHandedDigest(database)) === digestOfTexts(texts))
        await writeMaintenance(database, site);
    };
    void refresh().catch((err: unknown) =>
      log.error({ err }, 'the maintenance could not be written'),
    );
  }, CLOSURES_MS).unref();

  const reload = async (): Promise<void> => {
    const next = await readSiteTexts(texts.file, plugins.taskTypes, plugins.computeTypes);
    if (
      digestOfTexts(next) === digestOfTexts(texts) &&
      (await readHandedDigest(database)) === digestOfTexts(next)
    )
      return;
    const read = siteOfTexts(next, plugins.taskTypes, plugins.computeTypes);
    const fixed = needRestart(site, read);
    if (fixed.length > 0)
      throw new ReloadRefused([`${fixed.join(', ')} changed, which needs a restart`]);
    const disagreements = rules.disagreements(read);
    if (disagreements.length > 0) throw new ReloadRefused(disagreements);
    await check(read);
    const whole = await complete(read);
    await writeSite(database, whole, next);
    [site, texts] = [whole, next];
    rules.hold(whole);
    log.info(
      { file: texts.file, digest: digestOfTexts(texts), destinations: site.destinations.size },
      'the site file is reloaded',
    );
  };
  const oneByOne = limitConcurrency(1);
  let problems: readonly string[] = [];
  return {
    site: () => site,
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
