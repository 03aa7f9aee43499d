import type { Logger } from 'pino';
import { siteRunners } from './executor/site-runners.ts';
import { exposureOf } from './exposure.ts';
import { unheldMinima } from './minima.ts';
import { loadPlugins, type Plugins } from './plugins/load.ts';
import type { Settings } from './settings.ts';
import { unlimited } from './site/doubts.ts';
import { readSiteTexts, siteOfTexts, type SiteTexts } from './site/load.ts';
import type { Site } from './site/site.ts';
import { openStager } from './storage/open.ts';

/** What the files of a start say. */
export type FirstSite = {
  readonly texts: SiteTexts;
  readonly plugins: Plugins;
  readonly site: Site;
};

/**
 * Throws CannotStart for a site that this machine cannot or must not run; otherwise it tells what
 * its operator must know before anybody uses it, or undefined.
 */
export type SiteCheck = (site: Site, plugins: Plugins) => Promise<string | undefined>;

/** @throws CannotStart for a site file or a plug-in that cannot be used */
export async function readFirstSite({
  pluginsDirectory,
  siteFile,
}: Pick<Settings, 'pluginsDirectory' | 'siteFile'>): Promise<FirstSite> {
  const plugins = await loadPlugins(pluginsDirectory);
  const texts = await readSiteTexts(siteFile, plugins);
  return { texts, plugins, site: siteOfTexts(texts, plugins) };
}

/**
 * Checks that this machine can and may run the jobs of a site, and warns of what its operator left
 * open. Offers are promises: a missing engine is found now, not by jobs that wait.
 */
export function siteCheck(settings: Settings, log: Logger): SiteCheck {
  return async (site, { storagePlugins }) => {
    const free = unlimited(site);
    if (free !== undefined) log.warn(free);
    for (const minimum of unheldMinima(site)) log.warn(minimum);
    await openStager(site, storagePlugins);
    for (const runner of (await siteRunners(site, settings.jobsDirectory)).all)
      await runner.close();
    const exposure = exposureOf(site, settings);
    if (exposure !== undefined) log.warn(exposure);
    return exposure;
  };
}
