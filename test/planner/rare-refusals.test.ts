import { describe, expect, test } from '@jest/globals';
import { judge } from '../../src/planner/judge/candidate.ts';
import { storingRefusals } from '../../src/planner/plan/stored.ts';
import { plan } from '../../src/planner/plan/answer.ts';
import { withAsk } from '../../src/planner/considering.ts';
import { destinationId, parseObjectId } from '../../src/words/ids.ts';
import { mebibytes, seconds } from '../../src/words/units.ts';
import { askFor, siteOf } from '../harness/asks.ts';
import { AT, HOUR, MINUTE, refusals } from './decide.ts';

const site = siteOf({ here: {} });
const ask = askFor({});

describe('a destination', () => {
  test('that only the rules name is not in the site file', () => {
    const candidate = {
      kind: 'refused',
      destination: 'there',
      clauses: [{ code: 'not-ranked' }],
    } as const;
    expect(judge(ask, site, candidate)).toEqual({
      ok: false,
      refusals: [
        { code: 'not-ranked', place: { what: 'task' }, destination: 'there' },
        { code: 'not-in-site-file', place: { what: 'task' }, destination: 'there' },
      ],
    });
  });

  test('is not there at all, which is a reason too', () => {
    const list = { suitable: [], refusals: () => [], passedOver: () => [], isWhole: true };
    const planned = plan(ask, site, list, { now: AT, taken: new Map() });
    expect(refusals(planned)).toEqual([{ code: 'no-destination', place: { what: 'task' } }]);
  });

  test('cannot be chosen while the sandbox of the rules does not answer', () => {
    const { list } = withAsk(
      {
        asked: ask,
        site,
        list: { suitable: [], refusals: () => [], passedOver: () => [], isWhole: true },
        pools: null,
        inputs: {
          job: {
            tool: { id: 'executable/true', requirements: [] },
            user: null,
            roles: [],
            inputs: [],
          },
          circumstances: { seed: 0, now: AT },
        },
        rulesDigest: '',
        verdict: { kind: 'sandbox', code: 'sandbox-crashed', message: '' },
      },
      ask,
    );
    expect(list.refusals()).toEqual([{ code: 'sandbox-unavailable', place: { what: 'task' } }]);
  });

  test('does not run a task beyond the lifetime of an object that it needs', () => {
    const found = { backend: 'disc', size: mebibytes(1), endsAt: AT + HOUR / 2 };
    const object = parseObjectId('00000000-0000-4000-8000-000000000001');
    if (object === undefined) throw new Error('no id');
    const kept = { kind: 'kept', name: 'a', object, found, item: 0 } as const;
    const window = {
      occupation: { begin: (start: number) => start, end: (start: number) => start + HOUR },
      starts: { earliest: AT, latest: AT },
      duration: seconds(3600),
    };
    expect(
      storingRefusals(
        { items: [], stores: [], kept: [kept] },
        new Map(),
        window,
        destinationId('here'),
      ),
    ).toMatchObject([
      {
        code: 'object-ends-earlier',
        place: { what: 'object', item: 0 },
        limit: { value: '2026-08-10T10:30:00.000Z' },
        longest: (30 * MINUTE) / 1000,
      },
    ]);
  });
});
