import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { siteRunners } from '../executor/site-runners.ts';
import { unheldMinima } from '../minima.ts';
import { engineKindOf } from '../runners/engine.ts';
import type { JobRunner } from '../runners/port.ts';
import { describeIsolation, findDefaultIsolation } from '../runners/process/start/isolation.ts';
import type { Runners } from '../runners/registry.ts';
import type { SiteDestination } from '../site/destination.ts';
import type { Site } from '../site/site.ts';
import type { StorageAdapter } from '../storage/stager.ts';
import { openStager } from '../storage/open.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { mebibytes, printSize } from '../words/units.ts';
import { errorText } from '../words/system-error.ts';

/** Lines to print, and whether one of them is an error. */
export type CheckReport = { readonly lines: readonly string[]; readonly failed: boolean };

/** How long an engine may take to answer. */
const PATIENCE_MS = 10_000;
const MIB = 1024 ** 2;

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
      lines: [...doubts, ...(await checkRunners(site, adapters)), ...isolation, unseen],
      failed: false,
    };
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    return { lines: [...doubts, `error: ${error.message}`, ...isolation, unseen], failed: true };
  }
}

/** Settings that make every ask of a destination a NO, or promise more than the machine has. */
function doubtsOf(site: Site, destination: SiteDestination): readonly string[] {
  const {
    id,
    capacity: { cores, memory, scratch },
  } = destination;
  const what = `destinations.${id}`;
  const [hasCores, hasMemory] = [availableParallelism(), Math.floor(totalmem() / MIB)];
  return [
    ...(scratch < site.defaults.scratch
      ? [
          `${what}.scratch is ${printSize(mebibytes(scratch), 'GiB')}, less than the ` +
            `${printSize(site.defaults.scratch, 'GiB')} of defaults.scratch that every ` +
            'task gets: it cannot take any task',
        ]
      : []),
    ...(cores < site.defaults.cores
      ? [`${what}.cores is less than defaults.cores: it cannot take a task that names no cores`]
      : []),
    ...(isHere(destination) && cores > hasCores * 1000
      ? [`${what} has ${cores / 1000} cores in the site file, and this machine ${hasCores}`]
      : []),
    ...(isHere(destination) && memory > hasMemory
      ? [
          `${what} has ${printSize(mebibytes(memory), 'GiB')} of memory in the site file, ` +
            `and this machine ${hasMemory} MiB`,
        ]
      : []),
  ];
}

function isHere({ engine }: SiteDestination): boolean {
  return engineKindOf(engine).onThisMachine !== undefined;
}

/**
 * Opens every runner and every store like a start, in a temporary folder.
 * @throws CannotStart like a start
 */
async function checkRunners(
  site: Site,
  adapters: ReadonlyMap<string, StorageAdapter>,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-check-'));
  await chmod(folder, 0o711);
  try {
    const stager = await openStager(site, adapters);
    const runners = siteRunners(site, join(folder, 'jobs'), stager);
    try {
      return await checkEngines(runners);
    } finally {
      for (const runner of runners.all) await runner.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
