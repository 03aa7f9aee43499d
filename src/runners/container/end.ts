import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import type { Usage } from '../port.ts';
import { readJson, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { usedOf } from '../run/outcome.ts';
import { parseUsage } from '../run/usage.ts';

/** What a container told of its run, which nobody can ask it once it is removed. */
export type ContainerEnd = {
  readonly exit: number;
  readonly isOutOfMemory: boolean;
  /** its whole output was taken */
  readonly isWhole: boolean;
  readonly usage?: Usage | undefined;
};

/** Keeps how a run ended, from before its container is removed; the first writer wins. */
export function noteEnd(place: JobDirectory, end: ContainerEnd): Promise<void> {
  return writeJsonOnce(endFile(place), end);
}

/** Undefined when its container is not known to have ended. */
export async function readEnd(place: JobDirectory): Promise<ContainerEnd | undefined> {
  const value = await readJson(endFile(place));
  if (!isRecord(value) || typeof value['exit'] !== 'number') return undefined;
  return {
    exit: value['exit'],
    isOutOfMemory: value['isOutOfMemory'] === true,
    isWhole: value['isWhole'] === true,
    ...usedOf({ usage: parseUsage(value['usage']) }),
  };
}

function endFile({ root }: JobDirectory): string {
  return join(root, 'container-end.json');
}
