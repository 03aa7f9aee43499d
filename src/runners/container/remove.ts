import { setTimeout as delay } from 'node:timers/promises';
import { EngineRefusal, isMissing, type EngineApi } from './api/client.ts';
import { containerName, inspect } from './api/inspected.ts';

const GRACE_S = 2;
const ROUNDS = 20;

/**
 * Ends everything that runs in the container of a job: SIGTERM, and SIGKILL after 2 s. Its process
 * namespace ends with it.
 */
export async function stopContainer(api: EngineApi, job: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = await inspect(api, job);
    if (seen === undefined || seen.phase !== 'running') return;
    const path = `/containers/${containerName(job)}/${round < 2 ? 'stop' : 'kill'}`;
    await api
      .call({ method: 'POST', path, ...(round < 2 && { query: { t: String(GRACE_S) } }) })
      .catch((error: unknown) => {
        // 304: it was stopped already. After other answers the next look shows whether it has
        // ended.
        if (!(error instanceof EngineRefusal)) throw error;
      });
    if (round > 0) await delay(100);
  }
  throw new Error(`the engine does not end the container of ${job}`);
}

/**
 * Removes the container of a job, with its anonymous volumes. Podman refuses while it is tidying
 * up.
 */
export async function removeContainer(api: EngineApi, job: string): Promise<void> {
  for (let round = 0; ; round += 1) {
    try {
      await api.call({
        method: 'DELETE',
        path: `/containers/${containerName(job)}`,
        query: { force: '1', v: '1' },
      });
      return;
    } catch (error) {
      if (isMissing(error)) return;
      if (!(error instanceof EngineRefusal) || round >= ROUNDS) throw error;
      await delay(100);
    }
  }
}
