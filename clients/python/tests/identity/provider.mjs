// A certified OpenID Connect provider for programs without a browser: it prints its address as JSON.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Provider } from 'oidc-provider';

const audience = process.env.AUDIENCE ?? 'https://planner.example.org';
const lasts = Number(process.env.TOKEN_SECONDS ?? 600);
const server = createServer((request, response) => handler(request, response));
let handler;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
console.warn = () => undefined;
const provider = new Provider(url, {
  clients: [
    {
      client_id: 'execplan',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: [],
      response_types: [],
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    },
  ],
  cookies: { keys: ['a key of the test'] },
  scopes: ['openid', 'email', 'offline_access'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  features: {
    deviceFlow: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'openid email',
        audience,
        accessTokenFormat: 'jwt',
        accessTokenTTL: lasts,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
  extraTokenClaims: (_context, token) => ({ email: `${token.accountId}@example.org` }),
  findAccount: (_context, sub) => ({
    accountId: sub,
    claims: () => ({ sub, email: `${sub}@example.org`, email_verified: true }),
  }),
  ttl: { Interaction: 600, Session: 3600, Grant: 3600, DeviceCode: Number(process.env.CODE_SECONDS ?? 600) },
});
// How often programs may ask whether somebody has allowed them; without it, each 5 s.
const interval = Number(process.env.INTERVAL);
if (interval)
  provider.use(async (context, next) => {
    await next();
    if (context.body?.device_code) context.body.interval = interval;
  });
handler = provider.callback();
console.log(JSON.stringify({ url, audience, clientId: 'execplan' }));
process.stdin.on('end', () => process.exit(0)).resume();
