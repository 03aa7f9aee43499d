import { load } from 'js-yaml';

/** A response, with its document if it is YAML. */
export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly document: Record<string, unknown>;
};

/** The part of an offer that tests read. */
export type WireOffer = {
  readonly ident: string;
  readonly href: string;
  readonly status: string;
  readonly expires: string;
  readonly 'expires-in': number;
  readonly request: {
    readonly resources: { readonly compute: readonly Record<string, unknown>[] };
  };
};

/** A client that sends YAML; `token` is a bearer token. */
export function openClient(url: string) {
  const send = async (
    path: string,
    {
      token,
      body,
      headers = {},
    }: { token?: string | undefined; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Reply> => {
    const response = await fetch(path.startsWith('http') ? path : `${url}${path}`, {
      redirect: 'manual',
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: {
        'Content-Type': 'application/yaml',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      document: Object(
        response.headers.get('content-type')?.includes('yaml') === true ? load(text) : {},
      ),
    };
  };
  return send;
}

/** The offers of an answer; none for NO. */
export function offersOf({ document }: Reply): readonly WireOffer[] {
  return Object(document['response']).offers ?? [];
}

/** The reasons of an answer; none for YES. */
export function reasonsOf({ document }: Reply): readonly Record<string, unknown>[] {
  return Object(document['response']).reasons ?? [];
}

/** The reasons of one destination; a reason of an answer names at most ten. */
export function reasonsAt(reply: Reply, destination: string): readonly Record<string, unknown>[] {
  return reasonsOf(reply).filter(
    ({ destinations }) => Array.isArray(destinations) && destinations.includes(destination),
  );
}
