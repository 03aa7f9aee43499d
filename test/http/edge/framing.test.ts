import { describe, expect, test } from '@jest/globals';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const HTML = 'text/html,application/xhtml+xml';

describe('foreign pages that show ours in a frame', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);

  test('are refused by every answer, page or not', async () => {
    const made = await fetch(`${service.url}/jobs`, {
      method: 'POST',
      body: SMALL_ASK,
      headers: { 'Content-Type': 'application/json', Accept: HTML },
      redirect: 'manual',
    });
    const job = new URL(made.headers.get('location') ?? '').pathname;
    const paths = [
      '/docs',
      '/docs/',
      '/',
      '/jobs',
      job,
      `${job}/results`,
      `${job}/parameters`,
      `${job}/phase`,
      `${job}/nothing`,
      '/jobs/x',
      '/nothing',
      '/openapi.json',
      '/availability',
    ];
    const answers = await Promise.all(
      paths.map((path) =>
        fetch(`${service.url}${path}`, { headers: { Accept: HTML }, redirect: 'manual' }),
      ),
    );
    const pages = answers.filter(
      ({ status, headers }) =>
        status === 200 && headers.get('content-type')?.startsWith('text/html'),
    );
    expect(pages.map(({ url }) => new URL(url).pathname)).toEqual([
      '/docs',
      '/',
      '/jobs',
      job,
      `${job}/results`,
      `${job}/parameters`,
    ]);
    const policies = [made, ...answers].map(({ url, headers }) => [
      url,
      headers.get('content-security-policy'),
    ]);
    expect(
      policies.filter(
        ([, policy]) => !/(?:^|;) *frame-ancestors '(?:self|none)'(?:;|$)/.test(policy ?? ''),
      ),
    ).toEqual([]);
  });
});
