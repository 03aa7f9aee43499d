import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import type { HttpLoad, LoadOutcome } from './load.ts';
import { sampleOf } from './sample.ts';

/**
 * Sends requests at fixed times, whether or not earlier ones were answered. Latencies count from
 * the planned time. autocannon's own rate sends all requests of a second in its first milliseconds.
 */
export async function sendPaced(
  { url, method, body, amount, connections }: HttpLoad,
  perSecond: number,
): Promise<LoadOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  let failures = 0;
  const send = (due: number): Promise<void> =>
    new Promise((done) => {
      const sent = request(
        url,
        { method, agent, headers: { 'Content-Type': 'application/yaml' } },
        (response) => {
          text(response)
            .then(
              () => {
                latencies.push(performance.now() - due);
                if (response.statusCode !== 200) failures += 1;
              },
              () => {
                failures += 1;
              },
            )
            .finally(done);
        },
      );
      sent.on('error', () => {
        failures += 1;
        done();
      });
      sent.end(body);
    });
  const next = waits(perSecond);
  const begun = performance.now();
  const answers: Promise<void>[] = [];
  for (let due = begun; answers.length < amount; due += next()) {
    const ahead = due - performance.now();
    if (ahead > 0) await delay(ahead);
    answers.push(send(due));
  }
  await Promise.all(answers);
  agent.destroy();
  return { sample: sampleOf(latencies, (performance.now() - begun) / 1000), failures };
}

/** Delays between random requests at this rate (a Poisson process), the same in every run. */
function waits(perSecond: number): () => number {
  let state = 0x2545f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (-Math.log(((state >>> 0) + 1) / 2 ** 32) * 1000) / perSecond;
  };
}
