import { load } from 'js-yaml';

/** What a browser's page sends besides its own headers. */
export type Sent = {
  readonly method?: string;
  /** sent as JSON */
  readonly json?: object;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An answer, with its document if it is YAML. */
export type Seen = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly document: Record<string, unknown>;
};

/**
 * Requests of a page of the service, as a browser sends them: with its cookies, `Origin` and Fetch
 * Metadata. Keeps cookies as a browser does.
 */
export function openPage(url: string) {
  const cookies = new Map<string, string>();
  const keep = (headers: Headers): void => {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const [name = '', value = ''] = pair.split('=');
      if (/; Max-Age=0\b/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  };
  const send = async (path: string, { method, json, body, headers }: Sent = {}): Promise<Seen> => {
    const how = method ?? (json === undefined && body === undefined ? 'GET' : 'POST');
    const sent = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(`${url}${path}`, {
      method: how,
      redirect: 'manual',
      ...(sent === undefined ? {} : { body: sent }),
      headers: {
        ...(sent !== undefined && {
          'Content-Type': json === undefined ? 'application/yaml' : 'application/json',
        }),
        ...(how === 'GET' ? {} : { Origin: new URL(url).origin }),
        'Sec-Fetch-Site': 'same-origin',
        ...(cookies.size > 0 && { Cookie: headerOf(cookies) }),
        ...headers,
      },
    });
    keep(response.headers);
    const text = await response.text();
    const isYaml = response.headers.get('content-type')?.includes('yaml') === true;
    const document = Object(isYaml ? load(text) : {});
    return { status: response.status, headers: response.headers, text, document };
  };
  return { cookies, send };
}

export type BrowserPage = ReturnType<typeof openPage>;

/** The header Cookie of these cookies. */
export function headerOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
