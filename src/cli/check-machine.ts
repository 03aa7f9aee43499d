import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentsIn } from '../environments-in-force.ts';
import { siteRunners } from '../executor/site-runners.ts';
import { unheldMinima } from '../minima.ts';
import { askEnvironment } from '../runners/asking/ask.ts';
import type { JobRunner } from '../runners/port.ts';
import { describeIsolation, findDefaultIsolation } from '../runners/process/start/isolation.ts';
import type { Runners } from '../runners/registry.ts';
import type { Site } from '../site/site.ts';
import type { StorageAdapter } from '../storage/stager.ts';
import { missingFolders, openStager } from '../storage/open.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { errorText } from '../words/system-error.ts';
import { doubtsOf, isHere } from './check-doubts.ts';

/** Lines to print, and whether one of them is an error. */
export type CheckReport = { readonly lines: readonly string[]; readonly failed: boolean };

/** How long an engine may take to answer. */
const PATIENCE_MS = 10_000;

/**
 * Tries what this machine and its engines can do for the destinations, and names what only a start
 * can check.
 */
export async function checkMachine(
  site: Site,
  adapters: ReadonlyMap<string, StorageAdapter>,
): Promise<CheckReport> {
  const destinations = [...site.destinations.values()];
  const doubts = [
    ...destinations.flatMap((destination) => doubtsOf(site, destination)),
    ...unheldMinima(site),
  ].map((message) => `warning: ${message}`);
  const isolation = destinations.some(isHere)
    ? [`jobs of this machine: ${describeIsolation(findDefaultIsolation())}`]
    : [];
  const unseen =
    'not checked: the database, the port, the folder of jobs, and what engines do with a job';
  try {
    return {
      lines: [
        ...doubts,
        ...(await missingFolders(site.storage)).map(
          ({ path, setting }) => `${setting} ${path} is not there yet: the start makes it`,
        ),
        ...(await checkRunners(site, adapters)),
        ...isolation,
        ...(await askEnvironments(site)),
        unseen,
      ],
      failed: false,
    };
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    return { lines: [...doubts, `error: ${error.message}`, ...isolation, unseen], failed: true };
  }
}

/**
 * Opens every runner and every store like a start, in a temporary folder; makes no store's folder.
 * @throws CannotStart like a start
 */
async function checkRunners(
  site: Site,
  adapters: ReadonlyMap<string, StorageAdapter>,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-check-'));
  await chmod(folder, 0o711);
  try {
    const stager = await openStager(site, adapters, 'left');
    const runners = await siteRunners(site, join(folder, 'jobs'), stager);
    try {
      return await checkEngines(runners);
    } finally {
      for (const runner of runners.all) await runner.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asks each interpreter of the destinations what it has. */
async function askEnvironments(site: Site): Promise<readonly string[]> {
  const asked = await Promise.all(environmentsIn(site).map((terms) => askEnvironment(terms)));
  return asked.map((one) =>
    one.state === 'broken'
      ? `warning: the environment ${one.name} is broken: ${one.why}`
      : `environment ${one.name}: Python ${one.facts.python}, ${one.facts.packages.size} packages`,
  );
}

async function checkEngines({ byDestination }: Runners): Promise<readonly string[]> {
  const engines = await Promise.all(
    [...new Set(byDestination.values())].map(async (runner) => ({
      runner,
      why: await unanswered(runner),
    })),
  );
  return engines.flatMap(({ runner, why }) => {
    if (why === undefined) return [];
    const names = [...byDestination].filter(([, one]) => one === runner).map(([id]) => id);
    return [`warning: the engine of ${names.join(', ')} (${runner.name}) does not answer: ${why}`];
  });
}

/** Sends any request to an engine. @returns why it does not answer */
async function unanswered(runner: JobRunner): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, `no answer within ${PATIENCE_MS / 1000} s`);
  });
  const asked = (runner.probe?.() ?? Promise.resolve()).then(() => undefined, errorText);
  return Promise.race([asked, timeout]).finally(() => clearTimeout(timer));
}
