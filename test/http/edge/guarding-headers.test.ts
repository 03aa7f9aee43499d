import { describe, expect, test } from '@jest/globals';
import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

/** Names of the headers of helmet; the service has http as well, so it promises no https. */
function namesOfHelmet(): readonly string[] {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({ strictTransportSecurity: false })(response.req, response, () => undefined);
  return response.getHeaderNames();
}

describe('answers outside of the job list', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);

  test.each([
    ['to an ask', '/request', { method: 'POST', body: SMALL_ASK }],
    ['to a wrong ask', '/request', { method: 'POST', body: 'task: 1' }],
    ['about the site', '/site', {}],
    ['about nothing', '/nowhere', {}],
  ])('%s have all headers of helmet', async (_what, path, options) => {
    const { headers } = await fetch(`${service.url}${path}`, options);
    expect([...headers.keys()]).toEqual(expect.arrayContaining([...namesOfHelmet()]));
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('strict-transport-security')).toBeNull();
  });
});
