import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Request } from 'express';
import { METHODS } from './request-contract.ts';

/** An operation whose requests need no parameter but those in the path. */
type Operation = {
  /** of the values in the path, in its order */
  readonly inPath: readonly ValidateFunction[];
  /** those that the contract describes, in lower case */
  readonly headers: readonly string[];
  /** undefined: there is none */
  readonly body: { readonly types: readonly string[]; readonly fits: ValidateFunction } | undefined;
};

/** The operations of a path, by method. */
type Place = {
  readonly path: string;
  readonly pattern: RegExp;
  readonly operations: ReadonlyMap<string, Operation>;
};

/** A parameter of OpenAPI 3.1. */
type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema: { readonly default?: unknown };
};

/** A path or an operation of OpenAPI 3.1, as far as it is read here. */
type Described = {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
  };
};

/** The name of the contract's schemas among schemas. */
const CONTRACT = 'contract';

type Components = { readonly parameters: Readonly<Record<string, Parameter>> };

/**
 * Finds requests that certainly fit the contract: they have no query and no header that it
 * describes, and all else fits its schema. The others may fit, too.
 *
 * @param document the contract, OpenAPI 3.1
 * @param asks paths at which a client POSTs an ask, whose handlers know the defaults of parameters;
 *   elsewhere the contract's checker must write them, so that no request is found
 * @throws Error for a keyword or a format in a schema that would let wrong values pass
 */
export function soundRequests(
  document: unknown,
  asks: readonly string[],
): (request: Request) => boolean {
  const places = placesOf(document, asks);
  const known = new Map(places.filter(isPlain).map((place) => [place.path, place]));
  const others = places.filter((place) => !isPlain(place));
  return ({ method, originalUrl: url, headers, body }) => {
    // A coded value may have a slash, and the checker reads it decoded.
    if (url.includes('?') || url.includes('%')) return false;
    const place = known.get(url) ?? others.find(({ pattern }) => pattern.test(url));
    const operation = place?.operations.get(method);
    if (place === undefined || operation === undefined) return false;
    const values = place.pattern.exec(url)?.slice(1) ?? [];
    if (operation.headers.some((name) => headers[name] !== undefined)) return false;
    if (!operation.inPath.every((fits, index) => fits(values[index]))) return false;
    if (operation.body === undefined) return body === undefined;
    const { types, fits } = operation.body;
    return types.includes(headers['content-type'] ?? '') && fits(body);
  };
}

function isPlain({ path }: Place): boolean {
  return !path.includes('{');
}

function placesOf(document: unknown, asks: readonly string[]): readonly Place[] {
  const { paths, components } = Object(document);
  // Strict: an unknown keyword or format is an error at the start.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addVocabulary(['components', 'xml']);
  ajv.addSchema({ components }, CONTRACT);
  const compiled = new Map<string, ValidateFunction>();
  const check = (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema);
    const fits = compiled.get(text) ?? ajv.compile(schema);
    compiled.set(text, fits);
    return fits;
  };
  return Object.keys(Object(paths)).map((path) => ({
    path,
    pattern: patternOf(path),
    operations: operationsOf(paths[path], components, check, asks.includes(path)),
  }));
}

/** Each part of a path in braces stands for text without a slash. */
function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^}]*\}/).map((part) => part.replace(/[.+*?^$()[\]|\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('([^/]+)')}$`);
}

function operationsOf(
  described: Described & Readonly<Record<'get' | 'post' | 'put' | 'delete', Described | undefined>>,
  components: Components,
  check: (schema: object) => ValidateFunction,
  isAsk: boolean,
): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const method of METHODS) {
    const own = described[method];
    if (own === undefined) continue;
    const parameters = [...(described.parameters ?? []), ...(own.parameters ?? [])].map((one) =>
      '$ref' in one ? parameterAt(one.$ref, components) : one,
    );
    const body = bodyOf(own, check);
    const needsMore = parameters.some(
      ({ in: where, required, schema }) =>
        where !== 'path' && (required === true || (schema.default !== undefined && !isAsk)),
    );
    if (needsMore || body === 'differs') continue;
    operations.set(method.toUpperCase(), {
      inPath: parameters.filter((one) => one.in === 'path').map(({ schema }) => check(schema)),
      headers: parameters
        .filter((one) => one.in === 'header')
        .map(({ name }) => name.toLowerCase()),
      body,
    });
  }
  return operations;
}

function parameterAt(reference: string, { parameters }: Components): Parameter {
  const found = parameters[reference.slice('#/components/parameters/'.length)];
  if (found === undefined) throw new Error(`the contract has no parameter ${reference}`);
  return found;
}

/** The body, if it has the same named schema in all its types. */
function bodyOf(
  { requestBody }: Described,
  check: (schema: object) => ValidateFunction,
): Operation['body'] | 'differs' {
  if (requestBody === undefined) return undefined;
  const references = new Set(Object.values(requestBody.content).map(({ schema }) => schema.$ref));
  const [$ref] = references;
  if ($ref === undefined || references.size > 1) return 'differs';
  return { types: Object.keys(requestBody.content), fits: check({ $ref: `${CONTRACT}${$ref}` }) };
}
