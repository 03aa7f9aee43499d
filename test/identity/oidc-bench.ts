import { afterEach, beforeEach } from '@jest/globals';
import type { Doorkeeper } from '../../src/identity/identify.ts';
import { movableClock, openFor, outcome } from './identify.ts';
import { openIssuer, type Issuer } from './issuer.ts';

/** A site that believes one issuer; each test has an issuer and a clock of its own. */
export type OidcBench = {
  readonly issuer: Issuer;
  readonly clock: ReturnType<typeof movableClock>;
  readonly doorkeeper: Doorkeeper;
  /** What becomes of a bearer token. */
  readonly present: (token: string) => ReturnType<typeof outcome>;
  /** Opens the doorkeeper again, with more about the issuer. */
  readonly reopen: (extra: object) => Promise<void>;
};

/** Opens an issuer before each test of the present block, and closes it after the test. */
export function openOidcBench(): OidcBench {
  let issuer: Issuer;
  let clock: OidcBench['clock'];
  let doorkeeper: Doorkeeper;
  const reopen = async (extra: object): Promise<void> => {
    const ours = { issuer: issuer.url, audience: 'planner', 'groups-claim': 'groups', ...extra };
    doorkeeper = await openFor(
      { anonymous: true, administrators: ['ops'], oidc: [ours] },
      clock.now,
    );
  };
  beforeEach(async () => {
    issuer = await openIssuer();
    clock = movableClock();
    await reopen({});
  });
  afterEach(() => issuer.stop());
  return {
    get issuer() {
      return issuer;
    },
    get clock() {
      return clock;
    },
    get doorkeeper() {
      return doorkeeper;
    },
    present: (token) => outcome(doorkeeper, `Bearer ${token}`),
    reopen,
  };
}

/** A time in a token: seconds since 1970, `from` seconds after now. */
export function seconds(from: number): number {
  return Math.floor(Date.now() / 1000) + from;
}
