import { describe, expect, test } from '@jest/globals';
import { KINDS, openJudge, type Judgement } from '../harness/broker/judge.ts';
import { bundlePublished, hasPublished } from '../harness/broker/published.ts';

const FINE: Judgement = { faults: [], extras: [] };
const ID = '01a1fca5-78b2-7446-837c-8dfeedda5761';

(hasPublished ? describe : describe.skip)(
  'the published schema of the broker (skipped without ../shared/schemas)',
  () => {
    const judge = hasPublished ? openJudge() : () => FINE;
    const session = (more: object = {}) => ({
      kind: `${KINDS}session/scheduled-execution-session.yaml`,
      meta: { uuid: ID, created: '2026-08-10T10:00:00Z', messages: [], options: [] },
      phase: 'OFFERED',
      executable: { kind: `${KINDS}executable/docker-container.yaml`, command: ['true'] },
      compute: { kind: `${KINDS}compute/simple-compute-resource.yaml`, cores: { min: 1 } },
      schedule: {
        preparing: { start: '2026-08-10T10:00:00Z', duration: 'PT0S' },
        available: { start: '2026-08-10T10:00:00Z/PT30M', duration: 'PT1H' },
      },
      costs: [{ kind: `${KINDS}costs/simple-minmax-float-cost.yaml`, min: 1.5, max: 2 }],
      ...more,
    });
    const offers = (...sessions: readonly object[]) => ({ result: 'YES', offers: sessions });

    test('is one document without references to files', () => {
      const text = JSON.stringify(bundlePublished());
      expect(text).not.toMatch(/\.yaml#|\(\?>/);
      expect(text).toContain(
        `"${KINDS}session/simple-execution-session.yaml":"#/components/schemas/SimpleExecutionSession"`,
      );
    });

    test('accepts an answer by hand', () => {
      expect(judge('OfferSetResponse', offers(session()))).toEqual(FINE);
      expect(judge('AbstractExecutionSession', session())).toEqual(FINE);
    });

    test.each([
      ['an unknown kind', session({ kind: 'urn:none' }), '/kind'],
      ['a phase of the drafts', session({ phase: 'READY' }), '/phase'],
      [
        'an instant as an interval',
        session({ schedule: { available: { start: '2026-08-10T10:00:00Z' } } }),
        '/schedule/available/start',
      ],
      [
        'an interval as an instant',
        session({ schedule: { preparing: { start: '2026-08-10T10:00:00Z/PT1M' } } }),
        '/schedule/preparing/start',
      ],
      [
        'an amount in words',
        session({
          compute: { kind: `${KINDS}compute/simple-compute-resource.yaml`, cores: { min: '1' } },
        }),
        '/compute/cores/min',
      ],
      [
        'a command that is text',
        session({
          executable: { kind: `${KINDS}executable/docker-container.yaml`, command: 'true' },
        }),
        '/executable/command',
      ],
      ['a part without kind', session({ compute: { cores: { min: 1 } } }), '/compute'],
      ['an id that is none', session({ meta: { uuid: 'x' } }), '/meta/uuid'],
    ])('refuses %s', (_, document, place) => {
      const { faults } = judge('AbstractExecutionSession', document);
      expect(faults).toContainEqual(expect.stringMatching(new RegExp(`^${place} `)));
      expect(judge('OfferSetResponse', offers(document)).faults).toContainEqual(
        expect.stringMatching(new RegExp(`^/offers/0${place} `)),
      );
    });

    test('tells of properties that it has not', () => {
      const { faults, extras } = judge('OfferSetResponse', {
        ...offers(session({ state: 'OFFERED', meta: { color: 'red' } })),
        href: 'x',
      });
      expect(faults).toEqual([]);
      expect(extras.toSorted()).toEqual(['/href', '/offers/0/meta/color', '/offers/0/state']);
    });

    test('judges another generation by its own kinds', () => {
      const older = openJudge((kind) => kind.replace(KINDS, 'urn:'));
      expect(
        older('AbstractUpdate', { kind: 'uri:enum-value-update', path: 'phase', value: 'A' }),
      ).toEqual(FINE);
      expect(older('AbstractExecutionSession', session()).faults).not.toEqual([]);
    });
  },
);
