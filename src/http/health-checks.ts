import { isConnected, refusesChanges, type Database } from '../db/client.ts';
import type { EnvironmentsInForce } from '../environments-in-force.ts';
import type { Doorkeeper } from '../identity/identify.ts';
import type { Peers } from '../peers/channel.ts';
import { toldProblems } from '../peers/told-problems.ts';
import { shortageText, type Disc } from '../places/disc.ts';
import { rulesTrouble } from '../rules/health.ts';
import type { RulesKeeper } from '../rules/keeper.ts';
import { probeSandbox } from '../sandbox/probe.ts';
import type { SiteInForce } from '../site-in-force.ts';
import { sharedFor } from '../words/shared-for.ts';

/** A part that answers with faults, in public words. */
type Degraded = { readonly kind: 'degraded'; readonly problems: readonly string[] };

/**
 * One part of the service; `run` gives the reason why it does not work in public words, or
 * undefined.
 */
export type HealthCheck = {
  readonly name: string;
  readonly run: () => Promise<string | Degraded | undefined>;
};

/** Runs the checks of all parts. */
export function runChecks(
  checks: readonly HealthCheck[],
): Promise<readonly { readonly name: string; readonly trouble: string | Degraded | undefined }[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      // An error may name hosts and accounts, so it is not shown.
      const trouble = await run().catch(() => 'does not answer');
      return { name, trouble };
    }),
  );
}

type CheckedParts = {
  readonly database: Database;
  readonly disc: Disc;
  readonly rules: RulesKeeper;
  readonly inForce: Pick<SiteInForce, 'site' | 'problems'>;
  readonly environments: Pick<EnvironmentsInForce, 'problems'>;
  readonly doorkeeper: Pick<Doorkeeper, 'problems'>;
  readonly siteFile: string;
  readonly peers: Peers;
};

/** The sandbox is asked at most this often. */
const SANDBOX_ASKED_MS = 5000;

/** The checks of a whole service. */
export function healthChecks({
  database,
  disc,
  rules,
  inForce,
  environments,
  doorkeeper,
  siteFile,
  peers,
}: CheckedParts): readonly HealthCheck[] {
  const ofAll = (name: string, own: () => readonly string[]): HealthCheck => {
    const problems = toldProblems(peers, name, own, () => performance.now());
    return { name, run: async () => degradedBy(problems()) };
  };
  return [
    {
      name: 'database',
      run: async () => ((await refusesChanges(database)) ? 'takes no changes' : undefined),
    },
    ...(['executor', 'sweeper'] as const).map((name): HealthCheck => ({
      name,
      run: async () => ((await isConnected(database, name)) ? undefined : 'is not running'),
    })),
    {
      name: 'sandbox',
      run: sharedFor(
        SANDBOX_ASKED_MS,
        () => performance.now(),
        () => probeSandbox(rules.sandbox),
      ),
    },
    {
      name: 'disc',
      run: async () =>
        disc().then((short) => degradedBy(short === undefined ? [] : [shortageText(short)])),
    },
    ofAll('site', inForce.problems),
    ofAll('rules', () => rulesTrouble(rules.state(), siteFile)),
    { name: 'environments', run: async () => degradedBy(environments.problems(inForce.site())) },
    { name: 'identity', run: async () => degradedBy(doorkeeper.problems()) },
  ];
}

function degradedBy(problems: readonly string[]): Degraded | undefined {
  return problems.length === 0 ? undefined : { kind: 'degraded', problems };
}
