import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Ending } from './ground.ts';
import { openKeeper, type RulesKeeper } from './rules/keeper.ts';
import { openRequests } from './rules/requests.ts';
import { openCopies } from './rules/saved-copies.ts';
import { Enclosing } from './sandbox/enclosure/enclosing.ts';
import type { Fetcher } from './sandbox/fetcher.ts';
import { openSandbox } from './sandbox/open.ts';
import type { Settings } from './settings.ts';
import type { Site } from './site/site.ts';
import type { RuleSource } from './vortex/index.ts';

/** The rules in force, and what fetches URLs for them; undefined if the site allows no servers. */
export type OpenRules = { readonly rules: RulesKeeper; readonly fetcher: Fetcher | undefined };

/**
 * Opens the rules of a site. They must be closed before the database, which they may still use.
 *
 * @param tags what the environments add to the rules
 */
export async function openRules(
  site: Site,
  { dataDirectory }: Pick<Settings, 'dataDirectory'>,
  tags: () => RuleSource | undefined,
  log: Logger,
  onStop: Ending['onStop'],
): Promise<OpenRules> {
  // One for all reloads, so that its cache survives them.
  const fetcher = openRequests(site);
  onStop(async () => fetcher?.close());
  const enclosing = new Enclosing({
    wish: site.sandbox.isolation,
    tell: (why) =>
      log.info({ why }, 'bubblewrap does not work here: rules are decided outside of it'),
  });
  const rules = await openKeeper({
    site,
    log,
    tags,
    clock: Date.now,
    copies: openCopies(join(dataDirectory, 'rules')),
    open: () =>
      openSandbox({ ...site.sandbox, enclosing, spare: true, ...(fetcher && { fetcher }) }),
  });
  onStop(() => rules.close());
  return { rules, fetcher };
}
