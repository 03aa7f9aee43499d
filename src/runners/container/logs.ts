import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { JobDirectory } from '../run/directory.ts';
import type { EngineApi } from './api.ts';
import { frames, type OutputFrame } from './frames.ts';
import { containerName } from './inspected.ts';

/**
 * `at`: where the next byte of the log belongs. Two that copy at the same time write the
 * same bytes to the same places.
 */
type Sink = { readonly file: FileHandle; skip: number; at: number };

/**
 * Copies a container's output to the job's `stdout` and `stderr`. The engine gives it from its
 * beginning each time; what the files have already is passed over, so that a copy can be broken off
 * and taken up again, by another process too.
 *
 * @param follow goes on until the container ends
 * @param most bytes in all; what is more is not written
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
      // A program that says nothing for an hour is no broken connection.
      ...(follow ? { patience: 0 } : {}),
      ...(signal === undefined ? {} : { signal }),
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
    // Less than was there before: the engine has dropped the beginning, for it was too much. One
    // that follows may just be cut off.
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
