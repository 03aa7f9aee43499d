import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { JobDirectory } from '../../run/directory.ts';
import type { EngineApi } from './client.ts';
import { frames, type OutputFrame } from './frames.ts';
import { containerName } from './inspected.ts';

/**
 * `at`: where the next byte of the log belongs. Two copies at the same time write the same bytes to
 * the same places.
 */
type Sink = { readonly file: FileHandle; skip: number; at: number };

/**
 * Copies a container's output to the job's `stdout` and `stderr`. The engine always sends the
 * output from its beginning. The copy skips what the files have already, so another process can
 * continue an interrupted copy.
 *
 * @param follow goes on until the container ends
 * @param most bytes that are written in all
 * @returns false when there was more
 * @throws Error when the engine or the connection fails
 */
export async function copyLogs(
  api: EngineApi,
  place: JobDirectory,
  { follow, most, signal }: { follow: boolean; most: number; signal?: AbortSignal },
): Promise<boolean> {
  const stdout = await openSink(place.stdout);
  const stderr = await openSink(place.stderr);
  let left = most - stdout.skip - stderr.skip;
  try {
    const answer = await api.open({
      method: 'GET',
      path: `/containers/${containerName(place.job)}/logs`,
      query: { stdout: '1', stderr: '1', follow: follow ? '1' : '0' },
      // A program may print nothing for an hour.
      ...(follow && { patience: 0 }),
      ...(signal !== undefined && { signal }),
    });
    const parts = answer.pipe(frames());
    answer
      .once('error', (error) => parts.destroy(error))
      .once('aborted', () => parts.destroy(new Error('the engine broke off')));
    for await (const frame of parts) {
      if (!isFrame(frame)) continue;
      const sink = frame.stream === 'stderr' ? stderr : stdout;
      const fresh = frame.bytes.subarray(Math.min(sink.skip, frame.bytes.length));
      sink.skip -= frame.bytes.length - fresh.length;
      if (fresh.length > left) {
        await write(sink, fresh.subarray(0, Math.max(0, left)));
        answer.destroy();
        return false;
      }
      left -= fresh.length;
      await write(sink, fresh);
    }
    // When the log is shorter than the copy, the engine has dropped its beginning. A log that is
    // followed may also be cut off.
    return follow || (stdout.skip === 0 && stderr.skip === 0);
  } finally {
    await stdout.file.close();
    await stderr.file.close();
  }
}

async function openSink(path: string): Promise<Sink> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  const { size } = await file.stat();
  return { file, skip: size, at: size };
}

function isFrame(value: unknown): value is OutputFrame {
  return typeof value === 'object' && value !== null && 'bytes' in value;
}

async function write(sink: Sink, bytes: Buffer): Promise<void> {
  if (bytes.length > 0) await sink.file.write(bytes, 0, bytes.length, sink.at);
  sink.at += bytes.length;
}
