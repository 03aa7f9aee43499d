import { describe, expect, test } from '@jest/globals';
import { challengesOf } from '../../src/identity/challenges.ts';
import { identityTerms } from './identify.ts';

describe('the challenge of an issuer', () => {
  const issuer = { issuer: 'https://iam.example.org/', audience: 'https://planner.example.org' };
  const ivoaOf = (more: object) =>
    challengesOf(identityTerms({ oidc: [{ ...issuer, ...more }] }), { kind: 'missing' })[1];

  test('tells a program with which public client it gets a token there', () => {
    expect(ivoaOf({ 'device-client-id': 'programs', scopes: ['openid', 'offline_access'] })).toBe(
      'ivoa_bearer standard_id="ivo://ivoa.net/sso#OpenID", ' +
        'discovery_url="https://iam.example.org/.well-known/openid-configuration", ' +
        'client_id="programs", scope="openid offline_access", ' +
        'resource="https://planner.example.org", ' +
        'error="invalid_request", error_description="Missing access token"',
    );
  });

  test('names no client where the site has none', () => {
    expect(ivoaOf({})).not.toContain('client_id');
  });

  test('cannot be left by the name of a client', () => {
    expect(ivoaOf({ 'device-client-id': 'a", error="x' })).toContain('client_id="a, error=x"');
  });
});
