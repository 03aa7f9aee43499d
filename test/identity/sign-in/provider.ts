import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { Provider, type Configuration } from 'oidc-provider';

export const CLIENT = {
  id: 'planner-console',
  secret: 'a secret of more than 32 characters, truly',
};

/** A user of the provider, by the name that one types there. */
const USERS: Readonly<Record<string, object>> = {
  ada: { email: 'ada@example.org', email_verified: true, groups: ['survey'] },
  bob: { email: 'bob@example.org', email_verified: true, groups: [] },
};

/**
 * A certified OpenID Connect provider on this machine, with its own pages to sign in: any password
 * is right. It knows its client only after `register`, because the service needs its address first.
 */
export async function openProvider() {
  let handler: RequestListener = (_request, response) => void response.writeHead(503).end();
  let said = {};
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?', 1)[0]}`);
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    /** method and path of each request */
    asked,
    /** @param redirectUri address of the service's callback */
    register: (redirectUri: string, more: Configuration = {}): void => {
      said = {};
      const configuration = configurationFor(redirectUri, () => said);
      handler = quietly(() => new Provider(url, { ...configuration, ...more })).callback();
    },
    /** more claims of all users */
    say: (claims: object): void => {
      said = claims;
    },
    /** answers everything with this instead */
    answer: (listener: RequestListener): void => {
      handler = listener;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export type TestProvider = Awaited<ReturnType<typeof openProvider>>;

function configurationFor(redirectUri: string, said: () => object): Configuration {
  return {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['a key of the test'] },
    scopes: ['openid', 'email', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...USERS[sub], ...said() }),
    }),
    ttl: { IdToken: 3600, Interaction: 600, Session: 3600, Grant: 3600, AccessToken: 600 },
  };
}

/** It warns that its pages, keys and memory are not for real users. */
function quietly<Made>(make: () => Made): Made {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return make();
  } finally {
    console.warn = warn;
  }
}
