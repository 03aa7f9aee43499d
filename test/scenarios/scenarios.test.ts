import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { Duration } from 'luxon';
import { startTestService, type TestService } from '../harness/service.ts';

/** One step of a story: a question, its answer, and the decision on the offers. */
type Step = {
  readonly ask?: object;
  /** bearer token */
  readonly as?: string;
  readonly answer?:
    | { readonly result: 'YES'; readonly offers: readonly object[] }
    | { readonly result: 'NO'; readonly reasons: readonly object[] };
  /**
   * `keep` holds the offers until the next step, `reject` returns the kept ones; by default they
   * are rejected at once
   */
  readonly then?: 'keep' | 'reject';
};
type Story = {
  readonly story: string;
  readonly site: object;
  readonly rules: object | string;
  readonly steps: readonly Step[];
};

const folder = new URL('stories/', import.meta.url);
/** Times in stories start at the current full minute: `<now+PT2H>` is two hours after it. */
const NOW = Math.floor(Date.now() / 60_000) * 60_000;
function withTimes(text: string): string {
  return text.replaceAll(/<now([+-])(P[\dTWDHMS]+)>/g, (_, sign: string, length: string) =>
    new Date(NOW + (sign === '-' ? -1 : 1) * Duration.fromISO(length).toMillis()).toISOString(),
  );
}
const stories = readdirSync(fileURLToPath(folder))
  .sort()
  .map((file): [string, Story] => {
    const story: Story = Object(load(withTimes(readFileSync(new URL(file, folder), 'utf8'))));
    return [story.story, story];
  });

async function ask(
  { url }: TestService,
  { ask: question, as }: Step,
): Promise<{ result: string; offers?: { href: string }[]; reasons?: object[] }> {
  const response = await fetch(`${url}/request`, {
    method: 'POST',
    body: JSON.stringify(question),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...(as === undefined ? {} : { Authorization: `Bearer ${as}` }),
    },
  });
  expect(response.status).toBe(200);
  return Object(await response.json()).response;
}

async function reject(offers: readonly { href: string }[], as: string | undefined): Promise<void> {
  for (const { href } of offers) {
    const headers = {
      'Content-Type': 'application/json',
      ...(as === undefined ? {} : { Authorization: `Bearer ${as}` }),
    };
    expect(
      (await fetch(href, { method: 'POST', headers, body: '{"status": "REJECTED"}' })).status,
    ).toBe(200);
  }
}

describe('a story of rules, site and questions', () => {
  test.each(stories)('%s', async (_, { site, rules, steps }) => {
    const service = await startTestService(site, rules);
    try {
      let kept: readonly { href: string }[] = [];
      for (const step of steps) {
        if (step.then === 'reject') await reject(kept, step.as);
        if (step.ask === undefined || step.answer === undefined) continue;
        const answer = await ask(service, step);
        expect(answer).toMatchObject(step.answer);
        const offers = answer.offers ?? [];
        if (step.then === 'keep') kept = offers;
        else await reject(offers, step.as);
      }
    } finally {
      await service.close();
    }
  });
});
