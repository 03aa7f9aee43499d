import { referred } from '../../xml/leaves.ts';

/** A path or an operation of OpenAPI 3.1, as far as requests are described in it. */
type Described = {
  readonly parameters?: unknown;
  readonly requestBody?: { readonly content: object };
};

/** The methods of the contract's operations. */
export const METHODS = ['get', 'post', 'put', 'delete'] as const;

/**
 * What a contract says of requests, without what it says of answers and without references. The
 * contract's checker reads its whole document for each operation at its first request: this part has
 * 25,000 objects, the whole contract 187,000, which took 300 ms each time.
 *
 * @param document the contract, OpenAPI 3.1; its references lead to parts of itself, not in a circle
 * @throws Error for a reference to nothing
 */
export function requestContract(document: object): object {
  const whole = inlined(document, document, new Map());
  const { openapi, info, servers, paths } = Object(whole);
  return {
    openapi,
    info,
    servers,
    paths: mapped(paths, (item: object) => ({
      ...requestsOf(item),
      ...Object.fromEntries(
        METHODS.filter((method) => method in item).map((method) => [
          method,
          { ...requestsOf(Object(item)[method]), responses: { default: { description: '' } } },
        ]),
      ),
    })),
  };
}

/** Media types of all bodies that a contract of requests describes. */
export function mediaTypesOf(requests: object): ReadonlySet<string> {
  const items: readonly object[] = Object.values(Object(requests).paths);
  const operations: readonly Described[] = items.flatMap((item) => Object.values(item));
  return new Set(
    operations.flatMap(({ requestBody }) =>
      requestBody === undefined ? [] : Object.keys(requestBody.content),
    ),
  );
}

function requestsOf({ parameters, requestBody }: Described): object {
  return {
    ...(parameters !== undefined && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
  };
}

/** A copy of a value in which each reference is replaced; equal references share their value. */
function inlined(value: unknown, document: object, known: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, document, known));
  if (value === null || typeof value !== 'object') return value;
  const { $ref } = Object(value);
  if (typeof $ref !== 'string') return mapped(value, (one) => inlined(one, document, known));
  if (!known.has($ref)) known.set($ref, inlined(referred(document, $ref), document, known));
  return known.get($ref);
}

function mapped<Value>(values: object, map: (value: Value) => unknown): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, Value]) => [name, map(value)]),
  );
}
