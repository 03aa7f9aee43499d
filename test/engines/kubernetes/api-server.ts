import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { freePort } from '../../harness/free-port.ts';
import type { Certificates } from '../certificates.ts';
import { documentedRules, mayDo } from './role.ts';
import { schemaProblem } from './schemas.ts';
import {
  fieldsOf,
  listOf,
  selects,
  textOf,
  wire,
  type Change,
  type Store,
  type Stored,
} from './store.ts';

/** The part of the API that the tests' server has: groups, their kinds and plurals. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: {
    Event: 'events',
    Pod: 'pods',
    ConfigMap: 'configmaps',
    Secret: 'secrets',
    Service: 'services',
  },
  'batch/v1': { Job: 'jobs' },
  'apps/v1': { Deployment: 'deployments', ReplicaSet: 'replicasets' },
  'networking.k8s.io/v1': { NetworkPolicy: 'networkpolicies' },
};
const KIND_OF = new Map(
  Object.values(GROUPS).flatMap((kinds) =>
    Object.entries(kinds).map(([kind, plural]) => [plural, kind] as const),
  ),
);

export const NAMESPACE = 'vo-jobs';
export const TOKEN = 'of-the-test';

/**
 * An API server on this machine that stores objects, validates them with the published schemas, and
 * can be made to fail.
 */
export type ApiServer = {
  readonly url: string;
  /** every created object, as it was received */
  readonly received: readonly Readonly<Record<string, unknown>>[];
  /** number of lists and watches, by plural */
  readonly counts: { readonly lists: Map<string, number>; readonly watches: Map<string, number> };
  /** Ends all connections of watches. */
  readonly breakWatches: () => void;
  /** Does not answer until `connect`. */
  readonly disconnect: () => Promise<void>;
  readonly connect: () => Promise<void>;
  /**
   * Refuses the next creations of this plural with this status, like an admission plug-in, or makes
   * them without an answer (0).
   */
  readonly refuse: (plural: string, status: number, message: string) => void;
  readonly close: () => Promise<void>;
};

type Logs = (pod: string, follow: boolean, answer: ServerResponse) => void;

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PATCH: 'patch',
  DELETE: 'delete',
};

const USER = `system:serviceaccount:${NAMESPACE}:planner`;

const PATH =
  /^\/(?:api\/(v1)|apis\/([a-z0-9.]+\/v1))(?:\/namespaces\/([^/]+)\/([a-z]+)(?:\/([^/]+)(?:\/([a-z]+))?)?)?$/;

/** Starts a server over a store. @param logs writes a pod's log */
export async function startApiServer(
  store: Store,
  { server: { cert, key } }: Certificates,
  logs: Logs,
): Promise<ApiServer> {
  const rules = documentedRules();
  const received: Readonly<Record<string, unknown>>[] = [];
  const counts = { lists: new Map<string, number>(), watches: new Map<string, number>() };
  const watching = new Set<ServerResponse>();
  const refusals = new Map<string, { readonly code: number; readonly message: string }>();

  const create = async (
    request: IncomingMessage,
    answer: ServerResponse,
    plural: string,
  ): Promise<void> => {
    const body = await bodyOf(request);
    received.push(body);
    const name = textOf(fieldsOf(body['metadata'])['name']);
    const refusal = refusals.get(plural);
    refusals.delete(plural);
    if (refusal !== undefined && refusal.code > 0)
      return send(answer, refusal.code, status(refusal.code, refusal.message, 'Forbidden'));
    const problem = schemaProblem({ ...body, kind: textOf(body['kind']) });
    if (problem !== undefined)
      return send(
        answer,
        422,
        status(422, `${plural} "${name}" is invalid: ${problem}`, 'Invalid'),
      );
    if (store.get(plural, name) !== undefined)
      return send(answer, 409, status(409, `${plural} "${name}" already exists`, 'AlreadyExists'));
    const made = store.create(plural, body);
    if (refusal === undefined) return send(answer, 201, wire(made));
    return void answer.destroy();
  };

  const watch = (answer: ServerResponse, plural: string, query: URLSearchParams): void => {
    increment(counts.watches, plural);
    const from = Number(query.get('resourceVersion') ?? store.version);
    const selector = query.get('labelSelector') ?? '';
    answer.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const say = (event: object): void => {
      // A test may have ended the watch, which closes a moment later.
      if (!answer.writableEnded) answer.write(`${JSON.stringify(event)}\n`);
    };
    const tell = ({ type, plural: of, object }: Change): void => {
      if (of === plural && selects(selector, object.metadata.labels))
        say({ type, object: wire(object) });
    };
    const past = store.since(from);
    if (past === undefined)
      return void answer.end(
        `${JSON.stringify({ type: 'ERROR', object: status(410, `too old resource version: ${from}`, 'Expired') })}\n`,
      );
    past.forEach(tell);
    watching.add(answer);
    const stop = store.onChange(tell);
    const life = Number(query.get('timeoutSeconds') ?? 1800) * 1000;
    const bookmark = setTimeout(
      () => {
        const metadata = { resourceVersion: String(store.version), creationTimestamp: null };
        say({ type: 'BOOKMARK', object: { kind: KIND_OF.get(plural), metadata } });
      },
      Math.max(0, life - 2000),
    );
    const end = setTimeout(() => answer.end(), life);
    answer.once('close', () => {
      clearTimeout(bookmark);
      clearTimeout(end);
      stop();
      watching.delete(answer);
    });
    return undefined;
  };

  const patch = async (
    request: IncomingMessage,
    answer: ServerResponse,
    plural: string,
    name: string,
  ): Promise<void> => {
    const [found, body] = [store.get(plural, name), await bodyOf(request)];
    if (found === undefined)
      return send(answer, 404, status(404, `${plural} "${name}" not found`, 'NotFound'));
    const change = fieldsOf(body['spec']);
    const uid = fieldsOf(body['metadata'])['uid'];
    if (uid !== undefined && uid !== found.metadata['uid'])
      return send(
        answer,
        409,
        status(409, `Precondition failed: UID in precondition: ${textOf(uid)}`, 'Conflict'),
      );
    if (plural === 'jobs' && Object.keys(change).join() === 'parallelism') {
      store.update(plural, name, { spec: { ...found.spec, ...change } });
      return send(answer, 200, wire(store.get(plural, name) ?? found));
    }
    const [old, asked] = [found.spec['activeDeadlineSeconds'], change['activeDeadlineSeconds']];
    // Hardly any field of an existing pod can be changed, and this one can only be reduced.
    if (
      plural !== 'pods' ||
      Object.keys(change).join() !== 'activeDeadlineSeconds' ||
      (typeof old === 'number' && typeof asked === 'number' && asked > old)
    ) {
      return send(
        answer,
        422,
        status(
          422,
          'pod updates may not change fields other than spec.activeDeadlineSeconds, nor raise it',
          'Invalid',
        ),
      );
    }
    store.update(plural, name, { spec: { ...found.spec, ...change } });
    return send(answer, 200, wire(store.get(plural, name) ?? found));
  };

  const serve = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [, core, group, namespace, plural = '', name, part] = PATH.exec(pathname) ?? [];
    const kinds = GROUPS[core ?? group ?? ''];
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return send(answer, 401, status(401, 'Unauthorized', 'Unauthorized'));
    if (kinds === undefined) return send(answer, 404, status(404, `no such path: ${pathname}`));
    if (namespace === undefined)
      return send(answer, 200, {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: core ?? group,
        resources: Object.entries(kinds).map(([kind, of]) => ({
          name: of,
          kind,
          namespaced: true,
          singularName: '',
          verbs: [],
        })),
      });
    const [verb, of, resource] = [
      verbOf(request, name, searchParams),
      group?.split('/')[0] ?? '',
      part === undefined ? plural : `${plural}/${part}`,
    ];
    if (
      namespace !== NAMESPACE ||
      !Object.values(kinds).includes(plural) ||
      !mayDo(rules, verb, of, resource)
    )
      return send(answer, 403, status(403, forbidden(verb, of, resource, namespace), 'Forbidden'));
    const selector = searchParams.get('labelSelector') ?? '';
    if (request.method === 'POST') return create(request, answer, plural);
    if (name === undefined && searchParams.get('watch') === 'true')
      return watch(answer, plural, searchParams);
    if (name === undefined) {
      // A list of all jobs begins a watch; a list of one is a lookup.
      if (!selector.includes('=')) increment(counts.lists, plural);
      const items = store
        .list(plural, selector)
        .filter(selectedBy(searchParams.get('fieldSelector') ?? ''))
        .slice(0, Number(searchParams.get('limit') ?? Infinity))
        .map(wire);
      return send(answer, 200, {
        kind: `${KIND_OF.get(plural)}List`,
        apiVersion: core ?? group,
        metadata: { resourceVersion: String(store.version) },
        items,
      });
    }
    if (request.method === 'PATCH') return patch(request, answer, plural, name);
    const found = store.get(plural, name);
    if (found === undefined)
      return send(answer, 404, status(404, `${plural} "${name}" not found`, 'NotFound'));
    if (part === 'log') return logs(name, searchParams.get('follow') === 'true', answer);
    const wanted =
      request.method === 'DELETE'
        ? fieldsOf((await bodyOf(request))['preconditions'])['uid']
        : undefined;
    if (wanted !== undefined && wanted !== found.metadata['uid'])
      return send(
        answer,
        409,
        status(409, `Precondition failed: UID in precondition: ${textOf(wanted)}`, 'Conflict'),
      );
    if (request.method === 'DELETE') store.remove(plural, name);
    return send(
      answer,
      200,
      request.method === 'DELETE' ? { ...status(200, ''), status: 'Success' } : wire(found),
    );
  };

  const server = createServer(
    { cert: readFileSync(cert), key: readFileSync(key) },
    (request, answer) => {
      serve(request, answer).catch((error: unknown) => {
        if (!answer.headersSent) send(answer, 500, status(500, String(error)));
      });
    },
  );
  const port = await freePort();
  const connect = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  const disconnect = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await connect();
  return {
    url: `https://127.0.0.1:${port}`,
    received,
    counts,
    connect,
    disconnect,
    close: disconnect,
    breakWatches: () => [...watching].forEach((answer) => answer.destroy()),
    refuse: (plural, code, message) => void refusals.set(plural, { code, message }),
  };
}

/** A kubeconfig for its clients, as YAML. */
export function kubeconfigOf(url: string, { ca }: Certificates): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': ca } }],
    users: [{ name: 'test', user: { token: TOKEN } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } }],
  });
}

/** Names of containers of a pod. */
export function containersOf(
  spec: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  return listOf(spec['containers']);
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const text = Buffer.concat(pieces).toString('utf8');
  return text === '' ? {} : fieldsOf(JSON.parse(text));
}

function send(answer: ServerResponse, code: number, body: object): void {
  answer.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function status(code: number, message: string, reason = ''): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  };
}

function increment(counts: Map<string, number>, key: string): void {
  void counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The verb of a request for the authorizer. */
function verbOf(
  { method = 'GET' }: IncomingMessage,
  name: string | undefined,
  query: URLSearchParams,
): string {
  return (
    VERBS[method] ?? (name !== undefined ? 'get' : query.get('watch') === 'true' ? 'watch' : 'list')
  );
}

function forbidden(verb: string, group: string, resource: string, namespace: string): string {
  return (
    `${group === '' ? resource : `${resource}.${group}`} is forbidden: User "${USER}" cannot ` +
    `${verb} resource "${resource}" in API group "${group}" in the namespace "${namespace}"`
  );
}

/** The tests' server has only the field selectors of events. */
function selectedBy(selector: string) {
  return ({ rest }: Stored): boolean =>
    selector
      .split(',')
      .filter((term) => term !== '')
      .every((term) => {
        const [path = '', value] = term.split('=');
        return path.split('.').reduce<unknown>((at, key) => fieldsOf(at)[key], rest) === value;
      });
}
