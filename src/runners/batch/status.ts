import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { JobDirectory } from '../run/directory.ts';
import { nodeStatus, parseNodeStatus, type NodeStatus } from './script.ts';

/** The report has eight lines. */
const LONGEST = 4096;

/**
 * Reads the first `most` bytes of a file to which the job's user can write: follows no link and
 * waits for no pipe. Empty when there is no file.
 */
export async function readFromNode(path: string, most = LONGEST): Promise<string> {
  const file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch(() => undefined);
  if (file === undefined) return '';
  try {
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** What the node of a job has reported so far. */
export async function readNodeStatus(place: JobDirectory): Promise<NodeStatus> {
  return parseNodeStatus(await readFromNode(nodeStatus(place)));
}
