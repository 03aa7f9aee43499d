import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import { readJson, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { errorCode } from '../../words/system-error.ts';
import type { EngineApi } from './api/client.ts';
import { inspect, type Inspected } from './api/inspected.ts';
import { readEnd } from './end.ts';

/*
 * An engine starts a container as often as it is told to, and an executor that stood still may
 * tell it long after another one has taken the job over. So each container of a run needs a
 * ticket: the directory of the task under a name with a number, which it mounts. The engine cannot
 * start it once the directory has another name, and a container that runs does not notice. Whoever
 * goes on with a run whose container was to be started and has not been gives the directory the
 * next number, and makes another.
 */
const OVER = 'task.over';
const NAME = /^task(?:\.(\d+))?$/;
/** An engine is told to start a container right after that is noted, and may be busy. */
const LONGEST_START_MS = 60_000;

/**
 * The container of a run; `none`: it was not to be started, or somebody goes on with another one;
 * `removed`: it ended and its end is noted, or somebody outside removed it.
 */
type Sighting = Inspected | { readonly phase: 'none' | 'removed' };

/** The directory that a container with this ticket mounts. */
export function ticketPath({ root }: JobDirectory, ticket: number): string {
  return join(root, nameOf(ticket));
}

/** The good ticket; undefined when there never will be one again. */
export async function goodTicket({ root }: JobDirectory): Promise<number | undefined> {
  // A listing may miss a directory that is being renamed.
  for (let look = 0; look < 5; look += 1) {
    const names = await readdir(root).catch(() => [OVER]);
    const found = names.map((name) => NAME.exec(name)).find((match) => match !== null);
    if (found !== undefined) return Number(found[1] ?? 1);
    if (names.includes(OVER)) return undefined;
  }
  return undefined;
}

/** Makes a ticket bad and the next one good. @returns false when it was bad already */
export function nextTicket(place: JobDirectory, ticket: number): Promise<boolean> {
  return move(place, ticket, nameOf(ticket + 1));
}

/**
 * From now on no container of the run can be started.
 * @param ticket the one that must be good; any when absent
 * @returns false when it is not good
 */
export async function endTickets(place: JobDirectory, ticket?: number): Promise<boolean> {
  for (;;) {
    const good = ticket ?? (await goodTicket(place));
    if (good === undefined) return true;
    if (await move(place, good, OVER)) return true;
    if (ticket !== undefined) return false;
  }
}

/**
 * The engine's id of the container that may be started with a ticket; undefined when nobody has
 * noted one.
 */
export async function readStart(place: JobDirectory, ticket: number): Promise<string | undefined> {
  const value = await readJson(startFile(place, ticket));
  return isRecord(value) && typeof value['id'] === 'string' ? value['id'] : undefined;
}

/**
 * Notes that we, and nobody else, are going to start this container.
 * @returns false when somebody else noted a container before
 */
export async function noteStart(place: JobDirectory, ticket: number, id: string): Promise<boolean> {
  const by = `${process.pid}-${performance.now()}-${Math.random()}`;
  await writeJsonOnce(startFile(place, ticket), { id, by, at: Date.now() });
  const value = await readJson(startFile(place, ticket));
  return isRecord(value) && value['by'] === by;
}

/**
 * When a container began, milliseconds since 1970: by the engine's clock, which may be another
 * machine's and wrong, but not before its start was noted, soon after that, and not later than now.
 */
export async function beginOf(
  place: JobDirectory,
  { ticket = 1, startedAt }: Pick<Inspected, 'ticket' | 'startedAt'>,
): Promise<number> {
  const value = await readJson(startFile(place, ticket));
  // Containers of the previous version have no such time.
  const noted = isRecord(value) && typeof value['at'] === 'number' ? value['at'] : startedAt;
  const told = Math.min(Math.max(noted, startedAt), noted + LONGEST_START_MS);
  const known = Number.isNaN(told) ? noted : told;
  return Number.isNaN(known) ? Date.now() : Math.min(known, Date.now());
}

/** Looks at the container of a run. @throws an error of the engine */
export async function sight(api: EngineApi, place: JobDirectory): Promise<Sighting> {
  const seen = await inspect(api, place.job);
  if (seen !== undefined && seen.phase !== 'created') return seen;
  // Whoever closes the books of a run removes its container; one that stood still may make another.
  if ((await readEnd(place)) !== undefined) return { phase: 'removed' };
  if (seen !== undefined) return seen;
  const ticket = await goodTicket(place);
  if (!wasStarting(place, ticket)) return { phase: 'none' };
  // Another executor may have made and noted it after our question.
  const again = await inspect(api, place.job);
  if (again !== undefined) return again;
  // Whoever goes on with a run removes its container only once the ticket is bad.
  return { phase: ticket === (await goodTicket(place)) ? 'removed' : 'none' };
}

function nameOf(ticket: number): string {
  return ticket === 1 ? 'task' : `task.${ticket}`;
}

async function move(place: JobDirectory, ticket: number, to: string): Promise<boolean> {
  try {
    await rename(ticketPath(place, ticket), join(place.root, to));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function startFile({ root }: JobDirectory, ticket: number): string {
  return join(root, `container-${ticket}.json`);
}

/** Whether somebody was going to start a container, with any ticket. */
function wasStarting(place: JobDirectory, ticket: number | undefined): boolean {
  return (
    existsSync(join(place.root, 'begun.json')) ||
    (ticket !== undefined && existsSync(startFile(place, ticket)))
  );
}
