import { readFileSync } from 'node:fs';
import { bootId, readProcess, readProcesses } from './census.ts';
import { readJson, readText, type JobDirectory } from './directory.ts';
import { parseRecord, type RunRecord } from './record.ts';
import { parseStatus, type Status } from './status.ts';

/** A run that began: what was started, and the launch script over it. It may be over. */
export type Run = { readonly record: RunRecord; readonly script: NonNullable<Status['started']> };

const isScriptOf = (pid: number, place: JobDirectory): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === place.script;
  } catch {
    return false;
  }
};

/**
 * Finds a run by the job's directory and /proc alone.
 *
 * @returns `absent` when the job never began here (an interrupted submit counts as never), `starting` when its launch
 *   script runs but has not said so yet
 */
export const findRun = async (place: JobDirectory): Promise<Run | 'starting' | 'absent'> => {
  const record = parseRecord(await readJson(place.record));
  if (record === undefined) return 'absent';
  const { started } = parseStatus((await readText(place.status)) ?? '');
  if (started !== undefined) return { record, script: started };
  return readProcesses().some(({ pid }) => isScriptOf(pid, place)) ? 'starting' : 'absent';
};

/** True while the launch script lives: same boot, same pid, same start time, so a recycled pid is not taken for it. */
export const isAlive = ({ script }: Run): boolean =>
  script.boot === bootId() && readProcess(script.pid)?.startTicks === script.startTicks;
