import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';
import { allowDevice } from './allow-device.ts';
import { openProvider, type TestProvider } from './provider.ts';

const PLANNER = 'https://planner.example.org';
const HERE = { [oauth.allowInsecureRequests]: true };

describe('a program without a browser', () => {
  let provider: TestProvider;
  let service: TestService;
  beforeAll(async () => {
    provider = await openProvider();
    provider.register('', PROGRAMS);
    service = await startTestService(
      {
        ...SMALL_SITE,
        identity: {
          anonymous: false,
          oidc: [
            {
              issuer: provider.url,
              audience: PLANNER,
              'device-client-id': 'programs',
              scopes: ['openid', 'email'],
            },
          ],
        },
      },
      SMALL_RULES,
    );
  });
  afterAll(async () => {
    await service?.close();
    await provider?.close();
  });

  const me = (token: string) =>
    fetch(`${service.url}/me`, {
      headers: { Accept: 'application/json', Authorization: `Bearer ${token}` },
    });

  test('gets a token that the service takes, with what GET /site tells and nothing else', async () => {
    const { site } = Object(
      await (
        await fetch(`${service.url}/site`, { headers: { Accept: 'application/json' } })
      ).json(),
    );
    const [{ issuer, device }] = site['sign-in'];
    const server = await oauth.processDiscoveryResponse(
      new URL(issuer),
      await oauth.discoveryRequest(new URL(issuer), HERE),
    );
    const client = { client_id: device['client-id'] };
    const more = { resource: device.resource };
    const pending = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(
        server,
        client,
        oauth.None(),
        { scope: device.scopes.join(' '), ...more },
        HERE,
      ),
    );
    await allowDevice(pending.verification_uri_complete ?? '', 'ada');
    const { access_token: token } = await oauth.processDeviceCodeResponse(
      server,
      client,
      await oauth.deviceCodeGrantRequest(server, client, oauth.None(), pending.device_code, {
        ...HERE,
        additionalParameters: more,
      }),
    );
    const answer = await me(token);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      me: { identity: { type: 'oidc', issuer: provider.url, subject: 'ada' } },
    });
  });

  test('finds the same in the 401', async () => {
    const refused = await me('none');
    expect(refused.headers.get('www-authenticate')).toContain(
      `client_id="programs", scope="openid email", resource="${PLANNER}"`,
    );
  });
});

/** A public client of the provider, and what the tokens for the planner are. */
const PROGRAMS = {
  clients: [
    {
      client_id: 'programs',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: [],
      response_types: [],
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
    },
  ],
  features: {
    deviceFlow: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context: unknown, resource: string) => ({
        scope: 'openid email',
        audience: resource,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
};
