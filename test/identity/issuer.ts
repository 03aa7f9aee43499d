import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';

type Algorithm = 'RS256' | 'ES256' | 'EdDSA';
type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
type Key = {
  readonly algorithm: Algorithm;
  readonly kid: string;
  readonly pair: Pair;
  readonly jwk: JWK;
};
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A real issuer on this machine, with discovery, keys that a test can change, tokens, and every
 * kind of bad answer.
 */
export async function openIssuer(algorithm: Algorithm = 'RS256') {
  let keys = [await makeKey(algorithm)];
  let published: unknown;
  const answers = new Map<string, Handler>();
  const asked: string[] = [];
  const handle: Handler = (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  };
  const server = createServer(handle);
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const url = `http://127.0.0.1:${port}`;
  answers.set('/.well-known/openid-configuration', json({ issuer: url, jwks_uri: `${url}/keys` }));
  answers.set('/keys', (request, response) =>
    json(published ?? { keys: keys.map(({ jwk }) => jwk) })(request, response),
  );

  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  };
  return {
    url,
    /** requested paths, in order */
    asked,
    keys: () => keys,
    /**
     * the issuer signs with a new key from now on, and still publishes the old ones unless `forget`
     */
    rotate: async ({ forget = false, use = algorithm } = {}): Promise<void> => {
      keys = [await makeKey(use), ...(forget ? [] : keys)];
    },
    /** the document at /keys, instead of the keys */
    publish: (document: unknown): void => {
      published = document;
    },
    answer: (path: string, handler: Handler): void => void answers.set(path, handler),
    answerJson: (path: string, document: unknown): void => void answers.set(path, json(document)),
    /** a token of this issuer, with changes */
    token: (
      claims: object = {},
      header: { readonly kid?: string; readonly typ?: string } = {},
    ): Promise<string> => {
      const [key] = keys;
      if (key === undefined) throw new Error('no key');
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: url,
        aud: 'planner',
        sub: 'f3a1',
        iat: now,
        exp: now + 600,
        ...claims,
      };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header })
        .sign(key.pair.privateKey);
    },
    stop,
    start: () => listen(port),
  };
}

export type Issuer = Awaited<ReturnType<typeof openIssuer>>;

async function makeKey(algorithm: Algorithm): Promise<Key> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { algorithm, kid, pair, jwk: { ...jwk, kid, alg: algorithm, use: 'sig' } };
}

function json(document: unknown): Handler {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  };
}
