import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Taken } from '../../src/schedule/profile.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';
import { askFor, between, siteOf } from '../harness/asks.ts';
import { AT, decide, HOUR, MINUTE, refusals, shown, taking } from './decide.ts';

describe('a NO', () => {
  test('names each shortage, what is free at most, and when it would fit', () => {
    const one = siteOf({ one: {} });
    const taken = { one: [taking(5, AT, AT + 2 * HOUR), taking(3, AT + 2 * HOUR, AT + 3 * HOUR)] };
    expect(refusals(decide(askFor({ cores: 6 }), one, taken))).toMatchObject([
      {
        code: 'no-capacity-now',
        place: { what: 'cores' },
        destination: 'one',
        asked: { value: 6000 },
        limit: { value: 3000 },
        when: AT + 3 * HOUR,
      },
    ]);
    expect(
      refusals(
        decide(askFor({ cores: 6, windows: [between(AT + HOUR, AT + 2 * HOUR)] }), one, taken),
      ),
    ).toMatchObject([
      {
        code: 'no-capacity-in-window',
        asked: { value: 6000 },
        limit: { value: 5000 },
        when: AT + 3 * HOUR,
      },
    ]);
  });

  test('says so when each resource is free at some time but not all together', () => {
    const noMemory: Taken = {
      during: { start: AT, end: AT + 3 * HOUR },
      amount: {
        cores: millicores(0),
        memory: mebibytes(60 * 1024),
        scratch: mebibytes(0),
        gpus: undefined,
      },
    };
    const taken = { one: [noMemory, taking(8, AT + 3 * HOUR, AT + 30 * HOUR)] };
    const [reason, ...more] = refusals(
      decide(
        askFor({ cores: 6, memoryGib: 32, windows: [between(AT, AT + 4 * HOUR)] }),
        siteOf({ one: {} }),
        taken,
      ),
    );
    expect(more).toEqual([]);
    expect(reason).toMatchObject({
      code: 'no-capacity-in-window',
      place: { what: 'window', window: 0 },
      detail:
        'Each resource alone is free for long enough at some start, but not all of them together.',
      when: AT + 30 * HOUR,
    });
  });

  test('names the maintenance that is in the way, with its reason', () => {
    const away = siteOf({
      one: { maintenance: [{ start: '2026-08-10T12:00', duration: 'PT2H', reason: 'new disks' }] },
    });
    expect(
      refusals(decide(askFor({ windows: [between(AT + 2 * HOUR, AT + 3 * HOUR)] }), away)),
    ).toMatchObject([
      {
        code: 'maintenance',
        destination: 'one',
        detail: 'new disks, until 2026-08-10T14:00:00.000Z.',
        when: AT + 4 * HOUR,
      },
    ]);
  });

  test('says which time is past, too far ahead, or too soon to be ready', () => {
    const one = siteOf({ one: { prepare: 'PT10M' } }, { horizon: 'P2D' });
    const windows = [between(AT - HOUR, AT - 1), between(AT + 49 * HOUR, AT + 50 * HOUR)] as const;
    expect(refusals(decide(askFor({ windows }), one))).toMatchObject([
      {
        code: 'time-past',
        asked: { value: '2026-08-10T09:59:59.999Z' },
        limit: { value: '2026-08-10T10:00:00.000Z' },
      },
      { code: 'time-beyond-horizon', limit: { value: '2026-08-12T10:00:00.000Z' } },
    ]);
    expect(
      refusals(decide(askFor({ windows: [between(AT + MINUTE, AT + MINUTE)] }), one)),
    ).toMatchObject([
      {
        code: 'lead-time-too-short',
        destination: 'one',
        asked: { value: '2026-08-10T10:01:00.000Z' },
        limit: { value: '2026-08-10T10:10:00.000Z' },
        when: AT + 10 * MINUTE,
      },
    ]);
  });

  test('names every destination where a rule asks for more than there is a unit for', () => {
    const site = siteOf({
      any: {},
      steps: { elastic: { cores: { min: 2, max: 8, step: 2 } } },
      fixed: { flavours: [{ name: 's', cores: 2, memory: '8GiB' }] },
      burst: { burst: { cores: 2, memory: 2 } },
    });
    for (const tool of [{ cores: 1e12 }, { mem: 1e15 }, { cores: 1e300, mem: 1e300 }]) {
      const found = refusals(decide(askFor({}), site, {}, tool));
      expect(new Set(found.map(({ destination }) => `${destination}`))).toEqual(
        new Set(['any', 'steps', 'fixed', 'burst']),
      );
    }
    expect(shown(decide(askFor({ maxCores: 4 }), site, {}, { max_cores: 1e300 }))).toContain(
      'any +0 1-4',
    );
  });

  test('becomes a YES when one of the alternatives can be had', () => {
    expect(
      shown(
        decide(
          askFor({ windows: [between(AT - HOUR, AT - 1), between(AT + HOUR, AT + HOUR)] }),
          siteOf({ one: {} }),
        ),
      ),
    ).toEqual(['one +60 1-1']);
  });

  test('that names a time is a YES at that time', () => {
    const reserved = fc.array(
      fc.record({
        start: fc.integer({ min: -60, max: 400 }),
        length: fc.integer({ min: 1, max: 200 }),
        cores: fc.integer({ min: 1, max: 4 }),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(reserved, fc.integer({ min: 5, max: 8 }), (rows, cores) => {
        const taken = {
          one: rows.map(({ start, length, cores: c }) =>
            taking(c, AT + start * MINUTE, AT + (start + length) * MINUTE),
          ),
        };
        const [reason] = refusals(decide(askFor({ cores }), siteOf({ one: {} }), taken));
        if (reason?.when === undefined) return;
        expect(
          shown(
            decide(
              askFor({ cores, windows: [between(reason.when, reason.when)] }),
              siteOf({ one: {} }),
              taken,
            ),
          ),
        ).toEqual([`one +${(reason.when - AT) / MINUTE} ${cores}-${cores}`]);
      }),
    );
  });
});
