import { contract, contractFaults } from '../harness/contract.ts';

/** A way to a service that holds all bodies against the contract. */
export type Watched = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** the requests so far, as method and path */
  readonly requests: readonly string[];
  /** what of the bodies so far the contract does not know; each names its request */
  readonly faults: readonly string[];
};

type Json = Readonly<Record<string, unknown>>;

/** @param send how requests are sent; without it, by `fetch` */
export function watched(send: (request: Request) => Promise<Response> = fetch): Watched {
  const requests: string[] = [];
  const faults: string[] = [];
  const check = (what: string, holder: unknown, text: string): void => {
    const schema = schemaOf(holder);
    if (schema === undefined) return void faults.push(`${what}: the contract has no such body`);
    faults.push(...contractFaults(schema, JSON.parse(text)).map((fault) => `${what}: ${fault}`));
  };
  return {
    requests,
    faults,
    fetch: async (request) => {
      const what = `${request.method} ${new URL(request.url).pathname}`;
      requests.push(what);
      const operation = operationOf(request);
      if (isJson(request.headers))
        check(what, operation['requestBody'], await request.clone().text());
      const response = await send(request);
      if (isJson(response.headers)) {
        const answers: Json = Object(operation['responses']);
        check(
          `${what} ${response.status}`,
          resolved(answers[response.status]),
          await response.clone().text(),
        );
      }
      return response;
    },
  };
}

/** All items of a list that comes in parts. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

function isJson(headers: Headers): boolean {
  return /^application\/(?:problem\+)?json/.test(headers.get('content-type') ?? '');
}

function operationOf({ method, url }: Request): Json {
  const { paths } = Object(contract);
  const path = new URL(url).pathname.split('/');
  const found = Object.entries(paths).find(([template]) => {
    const parts = template.split('/');
    return (
      parts.length === path.length &&
      parts.every((part, at) => part === path[at] || part.startsWith('{'))
    );
  });
  return Object(Object(found?.[1])[method.toLowerCase()]);
}

/** The name of the schema of a body in JSON. */
function schemaOf(holder: unknown): string | undefined {
  const content: Json = Object(Object(holder).content);
  const { schema } = Object(content['application/json'] ?? content['application/problem+json']);
  return /[^/]+$/.exec(String(Object(schema).$ref ?? ''))?.[0];
}

function resolved(holder: unknown): unknown {
  const { $ref } = Object(holder);
  if (typeof $ref !== 'string') return holder;
  return $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, part) => Object(at)[part], contract);
}
