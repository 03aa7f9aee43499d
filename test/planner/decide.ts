import { plan, type Plan } from '../../src/planner/plan/answer.ts';
import { shortlist } from '../../src/planner/judge/shortlist.ts';
import type { Ask } from '../../src/planner/ask.ts';
import type { Proposal } from '../../src/planner/offer.ts';
import type { Taken } from '../../src/schedule/profile.ts';
import type { Site } from '../../src/site/site.ts';
import { loadRules, weigh } from '../../src/vortex/index.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';
import { describeForRules } from '../../src/planner/considering.ts';

export const AT = Date.UTC(2026, 7, 10, 10);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The plan for an ask at `AT`, with rules that leave everything but `tool` to the site. */
export function decide(
  ask: Ask,
  site: Site,
  taken: Readonly<Record<string, readonly Taken[]>> = {},
  tool: object = {},
): Plan {
  const rules = {
    tools: { '.*': tool },
    destinations: Object.fromEntries(
      [...site.destinations.keys()].map((id) => [id, { runner: 'process' }]),
    ),
  };
  const loaded = loadRules([{ name: 'rules.yml', text: JSON.stringify(rules) }], 'digest');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const considered = weigh(
    loaded.rules,
    describeForRules(ask, { kind: 'anonymous' }),
    { random: () => 0, now: () => AT },
    null,
  );
  return plan(ask, site, shortlist(ask, site, considered), {
    now: AT,
    taken: new Map(Object.entries(taken)),
  });
}

/** Cores that are taken for a while. */
export function taking(cores: number, start: number, end: number): Taken {
  return {
    during: { start, end },
    amount: {
      cores: millicores(cores * 1000),
      memory: mebibytes(0),
      scratch: mebibytes(0),
      gpus: undefined,
    },
  };
}

/** GiB that are taken for a while. */
export function takingMemory(gib: number, start: number, end: number): Taken {
  const taken = taking(0, start, end);
  return { ...taken, amount: { ...taken.amount, memory: mebibytes(gib * 1024) } };
}

/** `destination +minutes min-max` cores of each offer. */
export function shown(planned: Plan): readonly string[] {
  return offersOf(planned).map(
    ({ destination, startsAt, promised: { cores } }) =>
      `${destination} +${(startsAt - AT) / MINUTE} ${cores.min / 1000}-${cores.max / 1000}`,
  );
}

export function offersOf(planned: Plan): readonly Proposal[] {
  return planned.result === 'YES' ? planned.proposals : [];
}

export function refusals(planned: Plan) {
  return planned.result === 'NO' ? planned.refusals : [];
}
