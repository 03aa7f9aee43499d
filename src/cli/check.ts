import { resolve } from 'node:path';
import { openDoors } from '../identity/identify.ts';
import { readRuleFiles } from '../rules/read.ts';
import { describeIsolation, findDefaultIsolation, isolationProblem } from '../runners/process/isolation.ts';
import { openSandbox } from '../sandbox/open.ts';
import { readSettings } from '../settings.ts';
import { compareWithRules } from '../site/agree.ts';
import { loadPlugins } from '../plugins/load.ts';
import { doubtsAbout } from '../site/doubts.ts';
import { loadSite, printProblem } from '../site/load.ts';
import { checkCredentials } from '../storage/open.ts';
import type { Site } from '../site/site.ts';
import { CannotStart } from '../words/cannot-start.ts';

/** Loads the rules as the service would, in the sandbox, and holds the site file against them. @returns lines to print and whether any of them is an error */
const checkRules = async (site: Site): Promise<{ readonly lines: readonly string[]; readonly failed: boolean }> => {
  const sandbox = openSandbox({ ...site.sandbox, jitless: !site.sandbox.jit });
  try {
    const report = await sandbox.load(await readRuleFiles(site));
    if (report.kind === 'refused') return { lines: report.problems.map(printProblem), failed: true };
    if (report.kind === 'failed') return { lines: [report.failure.message], failed: true };
    const { destinations, tools } = report.rules;
    const disagreements = compareWithRules(site, report.rules);
    return {
      lines: [
        ...report.warnings.map((problem) => `warning: ${printProblem(problem)}`),
        ...disagreements.map(({ severity, message }) => `${severity}: ${message}`),
        ...doubtsAbout(site).map((message) => `warning: ${message}`),
        `rules: ${tools} tools, ${destinations.length} destinations, digest ${report.rules.digest}`,
        `site: ${site.destinations.size} destinations with capacity`,
      ],
      failed: disagreements.some(({ severity }) => severity === 'error'),
    };
  } finally {
    await sandbox.close();
  }
};

/** What this machine can do for the destinations that run on it, found by trying. */
const checkMachine = ({ destinations }: Site): { readonly lines: readonly string[]; readonly failed: boolean } => {
  const engines = [...destinations].map(([id, { engine }]) => ({ id, engine })).filter(({ engine: { runner } }) => runner === 'process' || runner === 'notebook');
  if (engines.length === 0) return { lines: [], failed: false };
  const isolation = findDefaultIsolation();
  const problem = isolationProblem(isolation);
  const refused = engines.filter(({ engine }) => problem !== undefined && engine.runner === 'process' && engine.process?.isolation === 'required');
  return {
    lines: [...refused.map(({ id }) => `error: destinations.${id}: ${problem}`), `jobs of this machine: ${describeIsolation(isolation)}`],
    failed: refused.length > 0,
  };
};

/** `planner check [SITE_FILE]`: reports on site file and rule files without starting anything. @returns 1 when one cannot be used */
export const check = async ([file]: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> => {
  const reading = readSettings(file === undefined ? environment : { ...environment, SITE_FILE: resolve(file) });
  if (!reading.ok) {
    console.error(reading.problems.join('\n'));
    return 1;
  }
  try {
    const { taskTypes, computeTypes } = await loadPlugins(reading.settings.pluginsDirectory);
    const site = await loadSite(reading.settings.siteFile, taskTypes, computeTypes);
    await openDoors(site.identity, Date.now);
    await checkCredentials(site);
    const reports = [await checkRules(site), checkMachine(site)];
    const failed = reports.some((report) => report.failed);
    console.log([...reports.flatMap(({ lines }) => lines), failed ? 'check failed' : 'check passed'].join('\n'));
    return failed ? 1 : 0;
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    console.log(`${error.message}\ncheck failed`);
    return 1;
  }
};
