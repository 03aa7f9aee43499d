import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Reads a whole file. A pipe, a socket or a device would be waited for without end.
 *
 * @throws Error of the file system, or that says what is there
 */
export async function readPlainFile(path: string): Promise<Buffer> {
  // Opening a pipe waits for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const kind = await file.stat();
    if (!kind.isFile() && !kind.isDirectory())
      throw new Error('it is a pipe or a device, and not a file');
    return await file.readFile();
  } finally {
    await file.close();
  }
}
