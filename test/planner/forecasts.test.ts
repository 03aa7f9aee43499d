import { describe, expect, test } from '@jest/globals';
import { plan, type Plan } from '../../src/planner/plan/answer.ts';
import { shortlist } from '../../src/planner/judge/shortlist.ts';
import type { Ask } from '../../src/planner/ask.ts';
import { describeForRules } from '../../src/planner/considering.ts';
import type { Forecast } from '../../src/schedule/forecasts.ts';
import { loadRules, weigh } from '../../src/vortex/index.ts';
import { fromCores, fromGibibytes, seconds } from '../../src/words/units.ts';
import { askFor, between, NOW, siteOf } from '../harness/asks.ts';

const AT = Date.UTC(2026, 7, 10, 10);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const site = siteOf({ cluster: { elastic: { cores: { min: 1, max: 8, step: 1 } } } });

/** Minutes from now at which the offers begin, and with how many cores. */
function starts(ask: Ask, ...forecasts: readonly Forecast[]): readonly string[] {
  const planned = decide(ask, forecasts);
  return planned.result === 'YES'
    ? planned.proposals.map(
        ({ startsAt, amount }) => `${(startsAt - AT) / MINUTE}: ${amount.cores / 1000}`,
      )
    : planned.refusals.map(({ code }) => code);
}

function decide(ask: Ask, forecasts: readonly Forecast[]): Plan {
  const loaded = loadRules(
    [
      {
        name: 'rules.yml',
        text: JSON.stringify({ destinations: { cluster: { runner: 'process' } } }),
      },
    ],
    'digest',
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const considered = weigh(
    loaded.rules,
    describeForRules(ask, { kind: 'anonymous' }),
    { random: () => 0, now: () => AT },
    null,
  );
  return plan(ask, site, shortlist(ask, site, considered), {
    now: AT,
    taken: new Map(),
    forecasts: new Map([['cluster', forecasts]]),
  });
}

function forecast(cores: number, minutes: number, inMinutes: number, validFor = 5): Forecast {
  return {
    amount: { cores: fromCores(cores), memory: fromGibibytes(64), gpus: undefined },
    duration: seconds(minutes * 60),
    startsAt: AT + inMinutes * MINUTE,
    validUntil: AT + validFor * MINUTE,
  };
}

const today = between(AT, AT + 6 * HOUR, 1800);

describe('where the engine forecasts when it would start a job', () => {
  test('no offer starts before that, and without a forecast offers start at once', () => {
    expect(starts(askFor({ cores: 2, windows: [today] }))[0]).toBe('0: 2');
    expect(starts(askFor({ cores: 2, windows: [today] }), forecast(2, 60, 45))[0]).toBe('45: 2');
    expect(starts(askFor({ cores: 2, windows: [today] }), forecast(2, 60, 45, 0))[0]).toBe('0: 2');
  });

  test('a wait of less than a minute is none', () => {
    expect(starts(askFor({ cores: 2 }), forecast(2, 60, 0.9))[0]).toBe('0: 2');
  });

  test('the best forecast for a job that is no smaller and no shorter counts', () => {
    const [small, large, long] = [forecast(2, 30, 10), forecast(8, 30, 60), forecast(4, 300, 200)];
    expect(starts(askFor({ cores: 1, windows: [today] }), small, large, long)[0]).toBe('10: 1');
    expect(starts(askFor({ cores: 4, windows: [today] }), small, large, long)[0]).toBe('60: 4');
    expect(
      starts(
        askFor({ cores: 1, windows: [between(AT, AT + 6 * HOUR, 3600)] }),
        small,
        large,
        long,
      )[0],
    ).toBe('200: 1');
  });

  test('the latest forecast counts, where none covers the job', () => {
    expect(
      starts(askFor({ cores: 8, windows: [today] }), forecast(2, 60, 10), forecast(4, 60, 90))[0],
    ).toBe('90: 8');
  });

  test('a larger offer waits for its own time', () => {
    const offers = starts(
      askFor({ cores: 2, maxCores: 8, windows: [today] }),
      forecast(2, 60, 0),
      forecast(8, 60, 120),
    );
    expect(offers[0]).toBe('0: 2');
    for (const offer of offers.filter((one) => !one.endsWith(': 2')))
      expect(Number(offer.split(':')[0])).toBeGreaterThanOrEqual(120);
  });

  test('a time that is too early is refused with the engine as its reason, and the first good time', () => {
    for (const window of [NOW, between(AT, AT + 30 * MINUTE, 1800)]) {
      const planned = decide(askFor({ cores: 2, windows: [window] }), [forecast(2, 60, 45)]);
      expect(planned).toMatchObject({
        result: 'NO',
        refusals: [
          { code: 'engine-queue-too-long', destination: 'cluster', when: AT + 45 * MINUTE },
        ],
      });
    }
  });
});
