import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { bootId, findProcess, readProcesses } from './processes.ts';
import { readFileText, type JobDirectory } from '../../run/directory.ts';
import { readRecord, type RunRecord } from '../../run/record.ts';
import { parseStatus, type Status } from './status.ts';

/** A run that began: its record and its launch script. It may be over. */
export type Run = { readonly record: RunRecord; readonly script: NonNullable<Status['started']> };

/**
 * Finds a run by the job's directory and /proc alone.
 *
 * @returns `absent` when the job never began here, `starting` when its launch script runs but has
 *   not said so yet, `lost` when it never will
 */
export async function findRun(place: JobDirectory): Promise<Run | 'starting' | 'absent' | 'lost'> {
  const record = await readRecord(place);
  if (record === undefined) return 'absent';
  const scriptOf = async (): Promise<Run['script'] | undefined> =>
    parseStatus((await readFileText(place.status)) ?? '').started;
  const script = await scriptOf();
  if (script !== undefined) return { record, script };
  if (!existsSync(place.started)) return 'absent';
  if (readProcesses().some(({ pid }) => isScriptOf(pid, place))) return 'starting';
  // The script may have said so and ended meanwhile.
  const late = await scriptOf();
  return late === undefined ? 'lost' : { record, script: late };
}

/**
 * True while the launch script lives: same boot, same pid, same start time, so a
 * recycled pid is not taken for it.
 */
export function isAlive({ script }: Run): boolean {
  return script.boot === bootId() && findProcess(script.pid)?.startTicks === script.startTicks;
}

/**
 * Waits for a script that is about to say that it runs, which it does at once.
 *
 * @returns undefined when nothing runs
 */
export async function untilBegun(place: JobDirectory): Promise<Run | undefined> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    const run = await findRun(place);
    if (run !== 'starting') return typeof run === 'string' ? undefined : run;
    await delay(20);
  }
  throw new Error(`the launch script of ${place.job} says nothing`);
}

function isScriptOf(pid: number, place: JobDirectory): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === place.script;
  } catch {
    return false;
  }
}
