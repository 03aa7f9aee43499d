import { join } from 'node:path';
import { isRecord } from '../../../words/record.ts';
import { readJson, writeJson, type JobDirectory } from '../../run/directory.ts';

/** What the engine is told to make, as the directory of a run keeps it. `names`: devices of the CDI. */
export type ContainerRequest = {
  /** of "create a container" */
  readonly body: object;
  readonly podman: boolean;
  readonly names: readonly string[];
};

/** Writes down what the engine is told, so that any executor can tell it. */
export function writeRequest(draft: JobDirectory, request: ContainerRequest): Promise<void> {
  return writeJson(bodyFile(draft), request);
}

/** @throws Error when it cannot be read */
export async function readRequest(place: JobDirectory): Promise<ContainerRequest> {
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
