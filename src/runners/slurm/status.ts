import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { JobDirectory } from '../process/directory.ts';
import { nodeStatus, parseNodeStatus, type NodeStatus } from './script.ts';

/** Four lines of ours. */
const LONGEST = 4096;

/**
 * What the node of a job has said so far. The job's user can write there too: no link is followed, no pipe is waited for,
 * and little is read.
 */
export const readNodeStatus = async (place: JobDirectory): Promise<NodeStatus> => {
  const file = await open(nodeStatus(place), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return parseNodeStatus('');
  try {
    if (!(await file.stat()).isFile()) return parseNodeStatus('');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST), 0, LONGEST, 0);
    return parseNodeStatus(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
};
