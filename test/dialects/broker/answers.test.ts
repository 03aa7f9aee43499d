import { describe, expect, test } from '@jest/globals';
import { openBroker } from '../../../src/dialects/broker/broker.ts';
import type { ToldReasons } from '../../../src/planner/dialect.ts';
import type { Reason } from '../../../src/planner/reasons.ts';
import { coresQuantity } from '../../../src/planner/refusal.ts';
import { destinationId, parseAskId, parseOfferId } from '../../../src/words/ids.ts';
import { millicores } from '../../../src/words/units.ts';
import { contract, contractFaults } from '../../harness/contract.ts';
import { openJudge } from '../../harness/broker/judge.ts';
import { hasPublished } from '../../harness/broker/published.ts';
import { ASK, BASE, OFFER, offerFor } from './offers.ts';
import { container, K, OWN, T } from './requests.ts';

const broker = openBroker(contract);
const request = {
  meta: { name: 'survey' },
  executable: container,
  compute: { kind: `${K}/compute/simple-compute-resource.yaml`, cores: { min: 64 } },
};
const older = {
  name: 'survey',
  executable: { type: `${T}/executable/docker-container-1.0`, image: container.image },
};
const reason: Reason = {
  code: 'above-max-accepted',
  path: 'compute.cores.min',
  resource: 'cores',
  asked: coresQuantity(64_000),
  limit: coresQuantity(6000),
  destinations: [destinationId('small')],
};
const no: ToldReasons = {
  reasons: [reason],
  nearest: {
    destination: destinationId('small'),
    changes: [{ what: 'cores', bound: 'min', of: 0, to: millicores(6000) }],
  },
};
const ask = parseAskId(ASK) ?? failed();
const session = broker.sessions ?? failed();

function failed(): never {
  throw new Error('there is none');
}

function plain(document: object): object {
  return JSON.parse(JSON.stringify(document));
}

describe('an answer to a broker', () => {
  test('is a redirect to a set of offers, which is in the body, too', () => {
    const offers = [offerFor(request)];
    const reply = broker.open(request).printAnswer({ kind: 'yes', ask, offers }, BASE);
    expect([reply.status, reply.headers]).toEqual([303, { Location: `${BASE}/offersets/${ASK}` }]);
    expect(contractFaults('BrokerOfferSet', plain(reply.document))).toEqual([]);
    expect(reply.document).toMatchObject({
      meta: {
        uuid: ASK,
        name: 'survey',
        url: `${BASE}/offersets/${ASK}`,
        messages: [],
        options: [],
      },
      result: 'YES',
      offers: [{ meta: { uuid: OFFER } }],
      extras: [{ kind: `${OWN}/offerset/explain-1.0`, location: `${BASE}/asks/${ASK}/explain` }],
    });
  });

  test('has a message for each reason, and the nearest request in extras', () => {
    const { status, document } = broker.open(request).printAnswer({ kind: 'no', ask, ...no }, BASE);
    expect(status).toBe(303);
    expect(contractFaults('BrokerOfferSet', plain(document))).toEqual([]);
    expect(document).toMatchObject({
      result: 'NO',
      offers: [],
      meta: {
        messages: [
          {
            kind: `${BASE}/docs/errors`,
            level: 'ERROR',
            template:
              '{path}: {destinations}: The destination accepts no more than its limit. ' +
              '(asked {asked}, limit {limit})',
            values: {
              code: 'above-max-accepted',
              path: 'compute.cores.min',
              destinations: 'small',
              asked: '64 cores',
              limit: '6',
            },
            message:
              'compute.cores.min: small: The destination accepts no more than its limit. ' +
              '(asked 64 cores, limit 6)',
          },
        ],
      },
      extras: [
        {},
        {
          kind: `${OWN}/offerset/nearest-1.0`,
          destination: 'small',
          changes: [{ message: 'compute.cores.min: 6 instead of 64' }],
          request: { ...request, compute: { ...request.compute, cores: { min: 6 } } },
        },
      ],
    });
  });

  test('has no more than thirty messages, and says how many others there are', () => {
    const reasons = Array.from({ length: 40 }, (_, n) => ({ ...reason, path: `p${n}` }));
    const answer = { kind: 'no', ask, reasons, nearest: undefined } as const;
    const { document } = broker.open(request).printAnswer(answer, BASE);
    const { messages } = Object(document).meta;
    expect([messages.length, messages.at(-1).message]).toEqual([
      31,
      'The explanation has 10 more reasons.',
    ]);
  });

  test('to a dry run has no ids, times and redirect', () => {
    const offers = [offerFor(request)];
    const { status, headers, document } = broker
      .open(request)
      .printAnswer({ kind: 'would-be-yes', offers }, BASE);
    expect([status, headers]).toEqual([200, {}]);
    expect(document).toMatchObject({ result: 'YES', offers: [{ phase: 'INITIAL' }] });
    expect(JSON.stringify(document)).not.toMatch(/uuid|created/);
    const told = broker.open(older).printAnswer({ kind: 'would-be-no', ...no }, BASE).document;
    expect(told).toMatchObject({ result: 'NO', messages: [{ type: `${BASE}/docs/errors` }] });
    expect(JSON.stringify(told)).not.toContain('"time"');
  });

  test('is printed again for a client of any dialect', () => {
    const kept = { told: { kind: 'no', ask, ...no } as const, createdAt: 0 };
    expect(session.printKept({ ...kept, document: older }, BASE)).toMatchObject({
      uuid: ASK,
      href: `${BASE}/offersets/${ASK}`,
      name: 'survey',
      result: 'NO',
      messages: [{}],
    });
    const foreign = session.printKept({ ...kept, document: { task: {} } }, BASE);
    expect(foreign).toMatchObject({ kind: `${K}/offerset/execution-offerset.yaml`, result: 'NO' });
    expect(Object(foreign).extras).toHaveLength(1);
  });

  test('of direct execution is a redirect to the session, or a session that failed', () => {
    const offer = offerFor(request, { state: 'ACCEPTED' });
    expect(session.printDirect({ kind: 'accepted', offer }, request, BASE)).toMatchObject({
      status: 303,
      headers: { Location: `${BASE}/sessions/${OFFER}` },
      document: { phase: 'ACCEPTED' },
    });
    for (const document of [request, older]) {
      const reply = session.printDirect({ kind: 'no', ask, ...no }, document, BASE);
      expect(reply).toMatchObject({ status: 400, document: { phase: 'FAILED' } });
      expect(contractFaults('BrokerSession', plain(reply.document))).toEqual([]);
      expect(JSON.stringify(reply.document)).toContain('asked 64 cores, limit 6');
    }
  });

  test('is listed in pages', () => {
    const page = { documents: [{}], next: `${BASE}/sessions?cursor=x` };
    expect(session.printPage({ of: 'sessions', ...page })).toEqual({
      sessions: [{}],
      next: page.next,
    });
    expect(session.printPage({ of: 'answers', documents: [], next: undefined })).toEqual({
      offersets: [],
    });
  });
});

describe('an update of a session', () => {
  const offer = parseOfferId(OFFER) ?? failed();
  const enumeration = { kind: 'uri:enum-value-update', path: 'phase' };

  test.each<readonly [object, object]>([
    [
      { ...enumeration, value: 'ACCEPTED' },
      { to: 'ACCEPTED', start: 'AUTO' },
    ],
    [
      { ...enumeration, value: 'ACCEPTED', start: 'client' },
      { to: 'ACCEPTED', start: 'CLIENT' },
    ],
    [{ type: 'uri:string-value-update', path: '/state', value: 'REJECTED' }, { to: 'REJECTED' }],
    [{ path: 'state', value: 'CANCELLED', uuid: OFFER.toUpperCase() }, { to: 'CANCELLED' }],
  ])('%j is understood', (document, update) => {
    expect(broker.readUpdate(document, offer)).toEqual(update);
  });

  test.each<readonly [object, string]>([
    [{ ...enumeration, value: 'RUNNING' }, 'value is RUNNING; possible is'],
    [{ ...enumeration, path: 'compute.cores', value: 1 }, 'path is compute.cores; possible is'],
    [
      { kind: 'uri:integer-delta-update', path: 'phase', delta: 1 },
      'kind is uri:integer-delta-update; possible is',
    ],
    [enumeration, 'value is missing; possible is'],
    [{ ...enumeration, value: 'ACCEPTED', uuid: ASK }, `uuid must be ${OFFER}`],
  ])('%j is refused with what is possible', (document, text) => {
    expect(() => broker.readUpdate(document, offer)).toThrow(text);
  });
});

(hasPublished ? describe : describe.skip)(
  'the published schema of the broker (skipped without ../shared/schemas)',
  () => {
    const judge = hasPublished ? openJudge() : () => ({ faults: [], extras: [] });

    test('accepts a YES and a NO; only extras are ours', () => {
      const offers = [offerFor(request)];
      for (const answer of [
        { kind: 'yes', ask, offers } as const,
        { kind: 'no', ask, ...no } as const,
      ]) {
        const { document } = broker.open(request).printAnswer(answer, BASE);
        const { faults, extras } = judge('OfferSetResponse', plain(document));
        expect([faults, extras.filter((path) => !path.endsWith('/extras'))]).toEqual([[], []]);
      }
    });
  },
);
