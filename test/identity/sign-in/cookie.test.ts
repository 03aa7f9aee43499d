import { describe, expect, test } from '@jest/globals';
import { cookieAt, cookieIn } from '../../../src/identity/sign-in/cookie.ts';

const [PLAIN, SECURE] = [
  'Path=/; HttpOnly; SameSite=Lax',
  'Path=/; HttpOnly; SameSite=Lax; Secure',
];

describe('the cookie of a service', () => {
  test.each([
    ['https://planner.example.org', '__Host-planner', SECURE],
    ['https://planner.example.org/space/planner', '__Host-planner~space~planner', SECURE],
    ['https://planner.example.org/a%20b/ö', '__Host-planner~a%20b~%C3%B6', SECURE],
    ['https://127.0.0.1:8443', '__Host-planner', SECURE],
    ['http://127.0.0.1:8080', 'planner', PLAIN],
    ['http://localhost:8080/x', 'planner~x', PLAIN],
    ['http://[::1]:8080', 'planner', PLAIN],
  ])('at %s is %s; %s', (base, name, attributes) => {
    expect(cookieAt(base)).toEqual({ name, attributes });
  });

  test('has another name at every path of a host', () => {
    const paths = ['', '/a/b', '/a-b', '/a~b', '/a%2Fb', '/a:b', '/a.b', '/a_b', '/a', '/b'];
    const names = paths.map((path) => cookieAt(`https://planner.example.org${path}`)?.name);
    expect(new Set(names).size).toBe(paths.length);
    for (const name of names) expect(name).toMatch(/^[\w!#$%&'*+.^`|~-]+$/);
  });

  test.each([['http://planner.example.org'], ['http://192.0.2.1:8080'], ['http://localhost.evil']])(
    'at %s there is none, since others could read it',
    (base) => {
      expect(cookieAt(base)).toBeUndefined();
    },
  );
});

describe('a header Cookie', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['other=1', undefined],
    ['planner=a', 'a'],
    ['x=1; planner=a; y=2', 'a'],
    ['x=1;planner=a', 'a'],
    ['xplanner=b', undefined],
    ['planner.login=b; planner=a', 'a'],
    ['x=planner=b', undefined],
    ['planner=', ''],
    ['planner=a; planner=b', ''],
  ])('%j has %j', (header, value) => {
    expect(cookieIn(header, 'planner')).toBe(value);
  });
});
