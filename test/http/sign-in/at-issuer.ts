import type { TestProvider } from '../../identity/sign-in/provider.ts';
import { headerOf } from './browser.ts';

/**
 * Signs in at the test's provider as a browser without scripts would: follows redirects, and fills
 * in its pages.
 *
 * @param url where the service sent the browser
 * @returns where the provider sends the browser back
 */
export async function signInAt(
  provider: Pick<TestProvider, 'url'>,
  url: string,
  user: string,
): Promise<string> {
  const cookies = new Map<string, string>();
  const go = async (to: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(new URL(to, provider.url), {
      redirect: 'manual',
      headers: { Cookie: headerOf(cookies) },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };
  let response = await go(url);
  for (let step = 0; step < 12; step += 1) {
    const to = response.headers.get('location');
    if (to !== null && !new URL(to, provider.url).href.startsWith(provider.url)) return to;
    if (to !== null) {
      response = await go(to);
      continue;
    }
    const page = await response.text();
    const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    const [, action = ''] = /action="([^"]+)"/.exec(page) ?? [];
    if (prompt === '') throw new Error(`the provider answered ${response.status}: ${page}`);
    response = await go(action, { prompt, login: user, password: 'any' });
  }
  throw new Error('the provider does not come to an end');
}
