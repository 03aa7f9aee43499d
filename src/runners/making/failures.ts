import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { MadeTerms } from '../../environments/environment.ts';
import { isRecord } from '../../words/record.ts';
import { readJson, writeJson } from '../run/directory.ts';
import { keyOfTerms, makePlaces, placesOf, shortDigest } from './places.ts';
import type { MakingFailure } from './words.ts';

/** How long a failure is repeated without another try. */
const KEPT_MS = { final: 900_000, passing: 60_000 };
const MOST = 200;

/** Remembers why requirements cannot be met, for other executors and the planner, for a while. */
export async function noteFailure(
  jobsRoot: string,
  terms: MadeTerms,
  requirements: string,
  { why, isFinal }: MakingFailure,
): Promise<void> {
  const { failed } = placesOf(jobsRoot);
  await writeJson(fileOf(failed, terms, requirements), { requirements, why, isFinal });
  await forgetOldest(failed);
}

/** Why an environment could not be made a while ago. @param requirements their key */
export async function recentFailure(
  jobsRoot: string,
  terms: MadeTerms,
  requirements: string,
): Promise<MakingFailure | undefined> {
  return readFailure(fileOf(placesOf(jobsRoot).failed, terms, requirements));
}

/** The requirements that an index cannot meet, as far as they were tried: by their key, why. */
export async function unmetRequirements(
  jobsRoot: string,
  terms: MadeTerms,
): Promise<ReadonlyMap<string, string>> {
  const { failed } = placesOf(jobsRoot);
  const prefix = `${keyOfTerms(terms)}-`;
  const unmet = new Map<string, string>();
  for (const name of await namesIn(failed)) {
    if (!name.startsWith(prefix)) continue;
    const failure = await readFailure(join(failed, name));
    if (failure?.isFinal === true) unmet.set(failure.requirements, failure.why);
  }
  return unmet;
}

/** The folder that changes with them, made where it is missing. */
export async function failuresFolder(jobsRoot: string): Promise<string> {
  const places = placesOf(jobsRoot);
  await makePlaces(places).catch(() => undefined);
  return places.failed;
}

const SUFFIX = '.json';

function fileOf(folder: string, terms: MadeTerms, requirements: string): string {
  return join(folder, `${keyOfTerms(terms)}-${shortDigest(requirements)}${SUFFIX}`);
}

type KeptFailure = MakingFailure & { readonly requirements: string };

async function readFailure(path: string): Promise<KeptFailure | undefined> {
  const written = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (written === undefined) return undefined;
  const value = await readJson(path);
  if (!isRecord(value)) return undefined;
  const { requirements, why } = value;
  if (typeof requirements !== 'string' || typeof why !== 'string') return undefined;
  const isFinal = value['isFinal'] === true;
  const age = Date.now() - written;
  return age < (isFinal ? KEPT_MS.final : KEPT_MS.passing)
    ? { requirements, why, isFinal }
    : undefined;
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (names.length <= MOST) return;
  const dated = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  for (const { path } of dated.toSorted((a, b) => a.at - b.at).slice(0, names.length - MOST))
    await rm(path, { force: true });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): readonly string[] => []);
  return names.filter((name) => name.endsWith(SUFFIX));
}
