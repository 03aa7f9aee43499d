import { resolve } from 'node:path';
import { exposureOf } from '../exposure.ts';
import { openDoorkeeper } from '../identity/identify.ts';
import { readRuleFiles } from '../rules/read.ts';
import { openSandbox } from '../sandbox/open.ts';
import { readSettings } from '../settings.ts';
import { compareWithRules } from '../site/agree.ts';
import { loadPlugins } from '../plugins/load.ts';
import { doubtsAbout } from '../site/doubts.ts';
import { loadSite, placeOfDestination, printProblem } from '../site/load.ts';
import { checkCredentials } from '../storage/open.ts';
import type { Site } from '../site/site.ts';
import { checkMachine, type CheckReport } from './check-machine.ts';
import { withNotebooks } from './setup/demonstration-site.ts';
import { readPlain } from './words.ts';
import { CannotStart } from '../words/cannot-start.ts';

/**
 * `planner check [SITE_FILE]`: checks the site file, the rule files and the machine like a start.
 * @returns 1 if a start would fail
 */
export async function check(words: readonly string[]): Promise<number> {
  const [file] = readPlain(words, { most: 1 });
  const environment = process.env;
  const reading = readSettings(
    file === undefined ? environment : { ...environment, SITE_FILE: resolve(file) },
  );
  if (!reading.ok) {
    console.error(reading.problems.join('\n'));
    return 1;
  }
  try {
    const plugins = await loadPlugins(reading.settings.pluginsDirectory);
    const { siteFile } = await withNotebooks(reading.settings);
    const site = await loadSite(siteFile, plugins);
    const doors = await openDoorkeeper(site.identity, Date.now);
    await checkCredentials(site);
    const exposed = exposureOf(site, reading.settings);
    const warnings = [...doors.warnings(), ...(exposed === undefined ? [] : [exposed])].map(
      (message) => `warning: ${message}`,
    );
    const reports = [
      { lines: warnings, failed: false },
      await checkRules(site, siteFile),
      await checkMachine(site, plugins.storagePlugins),
    ];
    const failed = reports.some((report) => report.failed);
    console.log(
      [...reports.flatMap(({ lines }) => lines), failed ? 'check failed' : 'check passed'].join(
        '\n',
      ),
    );
    return failed ? 1 : 0;
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    console.log(`${error.message}\ncheck failed`);
    return 1;
  }
}

/** Loads the rules in the sandbox like the service, and compares the site file with them. */
async function checkRules(site: Site, siteFile: string): Promise<CheckReport> {
  const sandbox = openSandbox(site.sandbox);
  try {
    const report = await sandbox.load(await readRuleFiles(site));
    if (report.kind === 'refused')
      return { lines: report.problems.map(printProblem), failed: true };
    if (report.kind === 'failed') return { lines: [report.failure.message], failed: true };
    const { destinations, tools } = report.rules;
    const disagreements = await Promise.all(
      compareWithRules(site, report.rules).map(async ({ severity, message, destination }) => {
        const place =
          destination === undefined ? '' : await placeOfDestination(siteFile, destination);
        return { severity, line: `${severity}: ${place}${message}` };
      }),
    );
    return {
      lines: [
        ...report.warnings.map((problem) => `warning: ${printProblem(problem)}`),
        ...disagreements.map(({ line }) => line),
        ...doubtsAbout(site).map((message) => `warning: ${message}`),
        `rules: ${tools} tools, ${destinations.length} destinations, digest ${report.rules.digest}`,
        `site: ${site.destinations.size} destinations with capacity`,
      ],
      failed: disagreements.some(({ severity }) => severity === 'error'),
    };
  } finally {
    await sandbox.close();
  }
}
