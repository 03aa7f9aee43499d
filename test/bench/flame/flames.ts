import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedded } from '../../../src/db/embedded.ts';
import type { LoadGenerator } from '../load.ts';
import { startPlanner } from '../planners.ts';
import { NO_ASK, YES_ASK } from '../site.ts';
import { framesOf } from './profile.ts';
import { svgOf } from './svg.ts';

/** Connections of the load. */
const CONNECTIONS = 32;

/** What is drawn: a name, an ask, and how many destinations and asks. */
const CASES = [
  { name: 'yes', body: YES_ASK, destinations: 10, amount: 4000 },
  { name: 'no', body: NO_ASK, destinations: 1000, amount: 400 },
] as const;

/**
 * Draws where the planner's process spends its time, from its start on: `flame-yes.svg` of asks at
 * ten destinations, `flame-no.svg` of refusals at a thousand.
 *
 * @param folder of the planners @param out for the pictures and their profiles
 * @returns the files
 */
export async function drawFlames(
  cluster: Embedded,
  folder: string,
  load: LoadGenerator,
  out: string,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const { name, body, destinations, amount } of CASES) {
    const profiles = join(out, `profile-${name}`);
    await mkdir(profiles, { recursive: true });
    const before = new Set(await readdir(profiles));
    const options = ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
    const planner = await startPlanner(cluster, folder, destinations, options, `flame_${name}`);
    try {
      const url = `${planner.server.url}/request`;
      await load.send({ url, method: 'POST', body, amount, connections: CONNECTIONS });
    } finally {
      await planner.stop();
    }
    const file = join(out, `flame-${name}.svg`);
    await writeFile(file, svgOf(framesOf(await profileIn(profiles, before))));
    files.push(file);
  }
  return files;
}

async function profileIn(
  folder: string,
  before: ReadonlySet<string>,
): Promise<Parameters<typeof framesOf>[0]> {
  const file = (await readdir(folder)).find((one) => !before.has(one));
  if (file === undefined) throw new Error(`the planner wrote no profile to ${folder}`);
  return JSON.parse(await readFile(join(folder, file), 'utf8'));
}
