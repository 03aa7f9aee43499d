import { headerOf } from '../../http/sign-in/browser.ts';

const MOST_PAGES = 12;

/**
 * Allows the sign-in of a program as a person with a browser would: follows the pages of the test's
 * provider, and sends their forms.
 *
 * @param url the page that knows the program's code
 */
export async function allowDevice(url: string, user: string): Promise<void> {
  const cookies = new Map<string, string>();
  let [at, form]: [string, URLSearchParams | undefined] = [url, undefined];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { Cookie: headerOf(cookies) },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const to = response.headers.get('location');
    const html = await response.text();
    const action = to ?? /action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) {
      if (response.ok && html.includes('Sign-in Success')) return;
      throw new Error(`the provider answered ${response.status}: ${html}`);
    }
    at = new URL(action, at).href;
    form = to === null ? filledIn(html, user) : undefined;
  }
  throw new Error('the provider does not come to an end');
}

function filledIn(html: string, user: string): URLSearchParams {
  const hidden = [...html.matchAll(/name="([^"]+)"[^>]* value="([^"]*)"/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  const form = new URLSearchParams(hidden);
  form.delete('abort');
  if (html.includes('name="login"')) {
    form.set('login', user);
    form.set('password', 'any');
  }
  return form;
}
