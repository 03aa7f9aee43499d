import type { IdentityTerms } from '../../src/site/identity.ts';
import { readSite } from '../../src/site/read.ts';
import { openDoorkeeper, type Doorkeeper } from '../../src/identity/identify.ts';
import { Problem } from '../../src/words/problem.ts';

/** Reads the section `identity` of a site file as the service does. */
export function identityTerms(identity: object): IdentityTerms {
  const rest = {
    rules: ['rules.yml'],
    destinations: {
      a: { runner: 'process', 'task-types': ['executable'], cores: 1, memory: '1GiB' },
    },
  };
  const reading = readSite('/nowhere/site.yml', JSON.stringify({ ...rest, identity }));
  if (!reading.ok) throw new Error(reading.problems.map(({ message }) => message).join('\n'));
  return reading.site.identity;
}

/** A clock that follows the real one, and that a test can move. */
export function movableClock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    forward: (seconds: number): void => {
      ahead += seconds * 1000;
    },
  };
}

/**
 * The result of a credential: the principal, or status, code, detail and challenges of the refusal.
 */
export async function outcome(
  doorkeeper: Doorkeeper,
  authorization: string | undefined,
  address = '192.0.2.1',
) {
  try {
    return await doorkeeper.identify(authorization, address);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, code, message, details } = error;
    return {
      status,
      code,
      message,
      challenges: details.headers?.['WWW-Authenticate'] ?? [],
      retryAfter: details.headers?.['Retry-After'],
    };
  }
}

export function openFor(identity: object, clock = Date.now): Promise<Doorkeeper> {
  return openDoorkeeper(identityTerms(identity), clock);
}
