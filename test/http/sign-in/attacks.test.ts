import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CLIENT } from '../../identity/sign-in/provider.ts';
import { openPage } from './browser.ts';
import { openTwoIssuers, type TwoIssuers } from './two-issuers.ts';

const ME = '/me/sign-ins';

let world: TwoIssuers;

beforeAll(async () => {
  world = await openTwoIssuers();
});
afterAll(() => world?.close());
beforeEach(() => world.reset());

describe('an attack on signing in', () => {
  test('with an answer that was used: it is refused, also with the cookie of before', async () => {
    const page = openPage(world.service.url);
    const path = await world.backFrom(page);
    const begun = page.cookies.get('planner.login') ?? '';
    expect((await world.follow(page, path)).status).toBe(303);
    await page.send('/logout', { method: 'POST' });
    expect(await world.outcomeOf(page, path)).toEqual(refused('began no sign-in here'));
    page.cookies.set('planner.login', begun);
    expect(await world.outcomeOf(page, path)).toEqual(refused('has been finished'));
  });

  test('with an answer that another planner of the site took: the issuer refuses the code', async () => {
    const page = openPage(world.service.url);
    const path = await world.backFrom(page);
    const begun = page.cookies.get('planner.login') ?? '';
    await world.follow(page, path);
    await page.send('/logout', { method: 'POST' });
    const state = new URLSearchParams(path.split('?')[1]).get('state') ?? '';
    // As if this planner had not seen the state: it is part of a new attempt.
    const other = JSON.parse(Buffer.from(begun, 'base64url').toString());
    const forged = { ...other, attempt: { ...other.attempt, state: `${state}x` } };
    page.cookies.set('planner.login', Buffer.from(JSON.stringify(forged)).toString('base64url'));
    expect(await world.outcomeOf(page, path.replace(state, `${state}x`))).toEqual(
      refused('invalid_grant'),
    );
  });

  test("with the attacker's answer in the victim's browser: the state is another", async () => {
    const [attacker, victim] = [openPage(world.service.url), openPage(world.service.url)];
    const path = await world.backFrom(attacker, 'bob');
    expect(await world.outcomeOf(victim, path)).toEqual(refused('began no sign-in here'));
    await world.begin(victim);
    expect(await world.outcomeOf(victim, path)).toEqual(refused('does not belong to this sign-in'));
  });

  test("with a code of the victim in the attacker's session: the verifier of PKCE is another", async () => {
    const [attacker, victim] = [openPage(world.service.url), openPage(world.service.url)];
    const state = new URL(await world.begin(attacker)).searchParams.get('state') ?? '';
    const stolen = new URLSearchParams((await world.backFrom(victim)).split('?')[1]);
    stolen.set('state', state);
    expect(await world.outcomeOf(attacker, `/login/callback?${stolen.toString()}`)).toEqual(
      refused('invalid_grant'),
    );
  });

  test('that mixes issuers up: the code of one never goes to the other', async () => {
    const page = openPage(world.service.url);
    const state = new URL(await world.begin(page)).searchParams.get('state') ?? '';
    const other = openPage(world.service.url);
    const path = await world.backFrom(other, 'ada', world.two, 'Two & more');
    const answer = new URLSearchParams(path.split('?')[1]);
    expect(answer.get('iss')).toBe(world.two.url);
    answer.set('state', state);
    const before = world.one.asked.length;
    expect(await world.outcomeOf(page, `/login/callback?${answer.toString()}`)).toEqual(
      refused('"iss"'),
    );
    await world.begin(page);
    answer.delete('iss');
    expect(await world.outcomeOf(page, `/login/callback?${answer.toString()}`)).toEqual(
      refused('"iss" (issuer) missing'),
    );
    expect(world.one.asked.slice(before)).not.toContain('POST /token');
  });

  test('with an ID token for another nonce, client or issuer, or of another key', async () => {
    for (const [change, because] of [
      [{ nonce: 'another' }, '"nonce"'],
      [{ aud: 'another' }, '"aud"'],
      [{ iss: world.two.url }, '"iss"'],
      [{ exp: 1 }, '"exp"'],
      [{}, 'signature'],
    ] as const) {
      const page = openPage(world.service.url);
      const to = new URL(await world.begin(page));
      const [state, nonce] = [to.searchParams.get('state'), to.searchParams.get('nonce')];
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: world.one.url,
        aud: CLIENT.id,
        sub: 'ada',
        nonce,
        iat: now,
        exp: now + 60,
      };
      const part = (document: object): string =>
        Buffer.from(JSON.stringify(document)).toString('base64url');
      const idToken = `${part({ alg: 'RS256' })}.${part({ ...claims, ...change })}.${'A'.repeat(342)}`;
      world.one.answer(({ url, method }, response) => {
        response.setHeader('content-type', 'application/json');
        const body =
          method === 'POST'
            ? { access_token: 'x', token_type: 'Bearer', id_token: idToken }
            : url?.includes('jwks') === true
              ? { keys: [KEY] }
              : {};
        response.end(JSON.stringify(body));
      });
      const query = new URLSearchParams({ state: `${state}`, code: 'x', iss: world.one.url });
      expect(await world.outcomeOf(page, `/login/callback?${query.toString()}`)).toEqual(
        refused(because),
      );
    }
  });

  test('with a cookie that was in the browser before: the user gets another name', async () => {
    const page = openPage(world.service.url);
    page.cookies.set('planner', 'p'.repeat(43));
    const path = await world.backFrom(page);
    expect((await world.follow(page, path)).status).toBe(303);
    expect(page.cookies.get('planner')).not.toBe('p'.repeat(43));
    const thief = openPage(world.service.url);
    thief.cookies.set('planner', 'p'.repeat(43));
    expect((await thief.send(ME)).status).toBe(401);
  });

  test('with many wrong answers has to wait, and asks the issuer no more', async () => {
    const statuses: number[] = [];
    // Twenty at once; on a slow machine another one becomes free meanwhile.
    while (statuses.at(-1) !== 429 && statuses.length < 100) {
      const page = openPage(world.service.url);
      const state = new URL(await world.begin(page, 'Two & more')).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ state, code: 'guess', iss: world.two.url });
      const { status } = await world.follow(page, `/login/callback?${query.toString()}`);
      statuses.push(status);
    }
    const guessed = statuses.slice(0, -1);
    expect(new Set(guessed)).toEqual(new Set([403]));
    expect(guessed.length).toBeGreaterThanOrEqual(20);
    expect(statuses.at(-1)).toBe(429);
    expect(world.two.asked.filter((line) => line === 'POST /token')).toHaveLength(guessed.length);
  });

  test.each([
    ['nothing', ''],
    ['text', 'nonsense'],
    ['another address', printed({ to: '//evil.example', at: Date.now() })],
    ['an old time', printed({ to: '#/', at: Date.now() - 601_000 })],
    ['a time to come', printed({ to: '#/', at: Date.now() + 60_000 })],
  ])('with a cookie of %s is refused', async (_, value) => {
    const page = openPage(world.service.url);
    page.cookies.set('planner.login', value);
    expect(await world.outcomeOf(page, '/login/callback?state=s&code=c')).toEqual(
      refused('began no sign-in here'),
    );
  });
});

const KEY = { kty: 'RSA', alg: 'RS256', use: 'sig', e: 'AQAB', n: `x${'A'.repeat(340)}w` };

function printed(more: object): string {
  const attempt = { issuer: 'https://iam.example.org', state: 's', nonce: 'n', verifier: 'v' };
  return Buffer.from(JSON.stringify({ attempt, ...more })).toString('base64url');
}

/** @param because part of the reason that the user reads */
function refused(because: string): object {
  return {
    status: 403,
    code: 'sign-in-failed',
    detail: expect.stringContaining(because),
    cookie: false,
    signIns: 0,
  };
}
