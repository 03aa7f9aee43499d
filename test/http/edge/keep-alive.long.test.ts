import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

/** Node by default closes an idle connection after 5 s, plus one second of grace. */
const IDLE_MS = 8000;
/** Traefik and Go keep their connections for 90 s, nginx and AWS for 60 s. */
const PROXIES_S = 90;

describe('a connection between requests', () => {
  let service: TestService;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  beforeAll(async () => {
    service = await startTestService(SMALL_SITE, SMALL_RULES);
  });
  afterAll(async () => {
    agent.destroy();
    await service.close();
  });

  const ask = (): Promise<{
    readonly status: number | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly reused: boolean;
  }> =>
    new Promise((done, failed) => {
      const sent = request(
        `${service.url}/request`,
        { agent, method: 'POST', headers: { 'Content-Type': 'application/json' } },
        (answer) => {
          answer
            .resume()
            .once('end', () =>
              done({
                status: answer.statusCode,
                headers: answer.headers,
                reused: sent.reusedSocket,
              }),
            );
        },
      );
      sent.once('error', failed).end(SMALL_ASK);
    });

  test('is announced to live longer than proxies keep theirs', async () => {
    const [, seconds] = /^timeout=(\d+)$/.exec(String((await ask()).headers['keep-alive'])) ?? [];
    expect(Number(seconds)).toBeGreaterThan(PROXIES_S);
  });

  test(`is used again after ${IDLE_MS / 1000} idle seconds, also for a POST that nobody may repeat`, async () => {
    await ask();
    await delay(IDLE_MS);
    expect(await ask()).toMatchObject({ status: 200, reused: true });
  });
});
