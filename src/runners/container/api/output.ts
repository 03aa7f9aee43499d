import type { EngineApi } from './client.ts';
import { frames } from './frames.ts';

/** What a container that has ended printed. @throws Error when it is more than `most` bytes */
export async function readOutput(
  api: EngineApi,
  container: string,
  most: number,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const answer = await api.open({
    method: 'GET',
    path: `/containers/${container}/logs`,
    query: { stdout: '1', stderr: '1', follow: '0' },
  });
  const parts = answer.pipe(frames());
  answer
    .once('error', (error) => parts.destroy(error))
    .once('aborted', () => parts.destroy(new Error('the engine broke off')));
  const printed: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  let left = most;
  for await (const { stream, bytes } of parts) {
    left -= bytes.length;
    if (left < 0) {
      answer.destroy();
      throw new Error('it prints too much');
    }
    printed[stream === 'stderr' ? 'stderr' : 'stdout'].push(bytes);
  }
  return {
    stdout: Buffer.concat(printed.stdout).toString('utf8'),
    stderr: Buffer.concat(printed.stderr).toString('utf8'),
  };
}
