import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import { readJson, writeJson, type JobDirectory } from '../run/directory.ts';

/** What the engine is told, as the directory of a run keeps it. `names`: devices of the CDI. */
export type Told = {
  /** of "create a container" */
  readonly body: object;
  readonly podman: boolean;
  readonly names: readonly string[];
};

/** Writes down what the engine is told, so that any executor can tell it. */
export function writeTold(draft: JobDirectory, told: Told): Promise<void> {
  return writeJson(bodyFile(draft), told);
}

/** @throws Error when it cannot be read */
export async function readTold(place: JobDirectory): Promise<Told> {
  const value = await readJson(bodyFile(place));
  if (!isRecord(value) || !isRecord(value['body']))
    throw new Error(`${bodyFile(place)} cannot be read`);
  const names = Array.isArray(value['names'])
    ? value['names'].filter((name) => typeof name === 'string')
    : [];
  return { body: value['body'], podman: value['podman'] === true, names };
}

function bodyFile({ root }: JobDirectory): string {
  return join(root, 'create.json');
}
