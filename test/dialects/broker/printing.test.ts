import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printSession } from '../../../src/dialects/broker/print/session.ts';
import { printedFor } from '../../../src/dialects/broker/print/words.ts';
import type { PrintableOffer } from '../../../src/planner/dialect.ts';
import type { OfferJob } from '../../../src/planner/session.ts';
import type { SessionState } from '../../../src/planner/states.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { contractFaults } from '../../harness/contract.ts';
import { KINDS, openJudge } from '../../harness/broker/judge.ts';
import { hasPublished } from '../../harness/broker/published.ts';
import { BASE, offerFor, OFFER, TEN } from './offers.ts';
import { container, K, OWN, reasonsOf, T, V1 } from './requests.ts';

const full = {
  meta: { name: 'survey' },
  executable: { ...container, meta: { name: 'program' } },
  compute: {
    kind: `${K}/compute/simple-compute-resource.yaml`,
    cores: { min: 2, max: 4 },
    memory: { min: 8 },
    volumes: [
      {
        kind: `${K}/volume/simple-volume-mount.yaml`,
        path: '/disc',
        mode: 'READWRITE',
        resource: 'disc',
      },
      {
        kind: `${K}/volume/simple-volume-mount.yaml`,
        path: '/image',
        mode: 'READONLY',
        resource: 'image',
      },
    ],
  },
  storage: [
    {
      kind: `${K}/storage/simple-storage-resource.yaml`,
      meta: { name: 'disc' },
      size: { min: 10, max: 20 },
    },
  ],
  data: [
    {
      kind: `${K}/data/simple-data-resource.yaml`,
      meta: { name: 'image' },
      location: 'https://example.org/a.fits',
    },
  ],
};
const older = {
  name: 'survey',
  executable: { type: `${T}/executables/docker-container-1.0`, image: container.image },
  resources: {
    compute: [{ type: 'uri:generic-compute', cores: { requested: { min: 2, max: 4 } } }],
  },
  schedule: { requested: { start: '2026-08-10T10:00Z/PT1H', duration: 'PT1H' } },
};
const job: OfferJob = {
  start: 'AUTO',
  startedAt: TEN,
  endedAt: TEN + 60_000,
  destroyedAt: TEN + 86_400_000,
  isArchived: false,
  queuePosition: undefined,
  error: undefined,
  results: [{ id: 'stdout', size: 3, mimeType: 'text/plain' }],
  usage: { wallS: 60, processorS: 42.5, memoryMib: 100 },
};

function printed(
  document: unknown,
  more: Partial<PrintableOffer> = {},
  amounts: Parameters<typeof offerFor>[2] = {},
) {
  const session = printSession(offerFor(document, more, amounts), printedFor(document, BASE));
  expect(contractFaults('BrokerSession', JSON.parse(JSON.stringify(session)))).toEqual([]);
  return session;
}

describe('a session of 2026', () => {
  test('has what its client asked for, with amounts, times and options', () => {
    expect(printed(full)).toMatchObject({
      kind: `${K}/session/scheduled-execution-session.yaml`,
      meta: {
        uuid: OFFER,
        name: 'survey',
        url: `${BASE}/sessions/${OFFER}`,
        // The time in its id.
        created: '2026-11-21T05:47:45.202Z',
        messages: [],
        options: [
          { kind: 'uri:enum-value-option', path: 'phase', values: ['ACCEPTED', 'REJECTED'] },
        ],
      },
      phase: 'OFFERED',
      expires: '2026-08-10T10:04:00.000Z',
      executable: { ...container, meta: { name: 'program' }, phase: 'INITIALIZING' },
      compute: {
        cores: { min: 2, max: 2 },
        memory: { min: 8, max: 8 },
        volumes: full.compute.volumes,
      },
      storage: [{ meta: { name: 'disc' }, size: { min: 10, max: 10 } }],
      data: [{ meta: { name: 'image' }, location: 'https://example.org/a.fits' }],
      connectors: [],
      schedule: {
        preparing: { start: '2026-08-10T09:59:30.000Z', duration: 'PT30S' },
        available: { start: '2026-08-10T10:00:00.000Z/PT0S', duration: 'PT1H' },
        releasing: { start: '2026-08-10T11:00:00.000Z', duration: 'PT15S' },
      },
      extras: [
        { kind: `${OWN}/session/destination-1.0`, destination: 'here' },
        { kind: `${OWN}/session/identity-1.0`, type: 'local', user: 'ada' },
      ],
    });
  });

  test('gives every part an id that stays the same', () => {
    const [first, again] = [printed(full), printed(full)];
    const ids = [first.executable, first.compute, first.storage?.[0], first.data?.[0]].map(
      (part) => Object(part).meta.uuid,
    );
    expect(new Set(ids).size).toBe(4);
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
  });

  test('has for every part a URL that ends with its place in the document', () => {
    const list = { ...full, compute: [full.compute] };
    for (const document of [full, list, older]) {
      const session: object = JSON.parse(JSON.stringify(printed(document)));
      const urls = [...JSON.stringify(session).matchAll(/"([^"]*)#([^"#]*)"/g)];
      expect(urls.length).toBeGreaterThan(1);
      for (const [, url, pointer = ''] of urls) {
        expect(url).toBe(`${BASE}/sessions/${OFFER}`);
        const part = pointer
          .split('/')
          .slice(1)
          .reduce((whole, step) => Object(whole)[step], session);
        expect(Object(part).meta?.url ?? Object(part).href).toBe(`${url}#${pointer}`);
      }
    }
  });

  test('leads to its job, its results and what it used', () => {
    const session = printed(full, { state: 'COMPLETED', mayBecome: [], job });
    expect(session.connectors?.map(({ location }) => location)).toEqual([
      `${BASE}/jobs/${OFFER}`,
      `${BASE}/jobs/${OFFER}/results`,
      `${BASE}/jobs/${OFFER}/results/stdout`,
    ]);
    expect(session.metrics).toContainEqual(
      expect.objectContaining({ type: `${OWN}/metrics/processor-seconds-1.0`, min: 42.5 }),
    );
    expect([session.phase, session.expires, session.meta?.options]).toEqual([
      'COMPLETED',
      undefined,
      [],
    ]);
  });

  test('says why its job failed', () => {
    const error = { code: 'memory-exceeded', message: 'it used {more}' };
    const { meta } = printed(full, { state: 'FAILED', job: { ...job, error } });
    expect(meta?.messages).toEqual([
      {
        kind: `${BASE}/docs/errors`,
        time: '2026-08-10T10:01:00.000Z',
        level: 'ERROR',
        template: '{code}: {error}',
        values: { code: 'memory-exceeded', error: 'it used {more}' },
        message: 'memory-exceeded: it used {more}',
      },
    ]);
  });

  test('says that it was cancelled, which is no error', () => {
    const error = { code: 'aborted', message: 'The job was cancelled by its owner.' };
    const { meta } = printed(full, { state: 'CANCELLED', job: { ...job, error } });
    expect(meta?.messages).toEqual([
      expect.objectContaining({
        level: 'INFO',
        message: 'aborted: The job was cancelled by its owner.',
      }),
    ]);
  });

  test('says what it costs', () => {
    const offer = offerFor(full);
    const cost = { type: 'urn:euro', min: 1, max: 2 };
    const { promised } = offer;
    expect(printed(full, { promised: { ...promised, costs: [cost] } }).costs).toEqual([
      { kind: `${K}/costs/simple-minmax-float-cost.yaml`, ...cost },
    ]);
  });

  test('tells amounts below a whole in an extra', () => {
    const amounts = {
      cores: { min: millicores(500), max: millicores(1500) },
      memory: { min: mebibytes(512), max: mebibytes(512) },
    };
    const { compute } = printed({ executable: container }, {}, amounts);
    expect(compute).toMatchObject({
      cores: { max: 1 },
      memory: {},
      extras: [
        {
          kind: `${OWN}/compute/exact-1.0`,
          cores: { min: 0.5, max: 1.5 },
          memory: { min: 0.5, max: 0.5 },
        },
      ],
    });
  });

  test('never has less than was asked for nor more than the maximum', () => {
    const amount = fc.integer({ min: 1, max: 64 });
    fc.assert(
      fc.property(
        fc.record({ min: amount, more: amount, unit: fc.constantFrom(1, 0.5, 0.25) }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ min, more, unit }, share) => {
          const [least, most] = [min * unit, (min + more) * unit];
          const asked = { cores: { min: least, max: most }, memory: { min: least, max: most } };
          const given = least + (most - least) * share;
          const cores = {
            min: millicores(least * 1000),
            max: millicores(Math.floor(given * 1000)),
          };
          const memory = { min: mebibytes(least * 1024), max: mebibytes(Math.floor(given * 1024)) };
          const session = printed({ executable: container, compute: asked }, {}, { cores, memory });
          for (const key of ['cores', 'memory'] as const) {
            const { min: told = Infinity, max: tallest = 0 } = Object(session.compute)[key];
            expect([told >= least, tallest <= most]).toEqual([true, true]);
          }
        },
      ),
    );
  });

  test('can be asked for again as it is', () => {
    const { connectors, extras, phase, expires, meta, ...rest } = printed(full);
    expect(connectors).toEqual([]);
    expect(reasonsOf({ ...rest, extras, phase, expires, meta })).toEqual([]);
  });
});

describe('a session of another generation or dialect', () => {
  test('has the kinds of 2025', () => {
    const executable = { ...container, kind: `${V1}/executable/docker-container-1.0` };
    const { kind, executable: told } = printed({ executable });
    expect([kind, told.kind]).toEqual([
      `${V1}/session/scheduled-execution-session-1.0`,
      executable.kind,
    ]);
  });

  test('has resources, pairs of amounts, state and options of 2024', () => {
    expect(printed(older, { state: 'AVAILABLE', mayBecome: ['CANCELLED'], job })).toMatchObject({
      type: `${T}/session/scheduled-execution-session-1.0`,
      uuid: OFFER,
      href: `${BASE}/sessions/${OFFER}`,
      name: 'survey',
      phase: 'READY',
      state: 'READY',
      executable: { type: older.executable.type, access: [{ status: 'ACTIVE' }, {}, {}] },
      resources: {
        compute: [{ cores: { requested: { min: 2, max: 4 }, offered: { min: 2, max: 2 } } }],
      },
      schedule: {
        requested: older.schedule.requested,
        executing: { start: '2026-08-10T10:00:00.000Z/PT0S', duration: 'PT1H' },
      },
      options: [{ type: 'uri:enum-value-option', path: 'state', values: ['CANCELLED'] }],
      messages: [],
    });
  });

  test.each([null, { task: { type: 'x' } }])('is that of 2026 for the document %j', (document) => {
    expect(printed(document)).toMatchObject({
      executable: { kind: `${OWN}/executable/executable-1.0`, command: ['sort'] },
      compute: { kind: `${K}/compute/simple-compute-resource.yaml`, cores: { min: 1 } },
    });
  });
});

(hasPublished ? describe : describe.skip)(
  'the published schema of the broker (skipped without ../shared/schemas)',
  () => {
    const judge = hasPublished ? openJudge() : () => ({ faults: [], extras: [] });

    test.each<readonly [string, Partial<PrintableOffer>]>([
      ['an offer', {}],
      ['a session that is over', { state: 'COMPLETED', mayBecome: [], job }],
    ])('accepts %s; only extras are ours', (_, more) => {
      const session = JSON.parse(JSON.stringify(printed(full, more)));
      const { faults, extras } = judge('AbstractExecutionSession', session);
      expect(faults).toEqual([]);
      expect(extras.filter((path) => !path.endsWith('/extras'))).toEqual([]);
    });

    test.each<SessionState>([
      'OFFERED',
      'REJECTED',
      'EXPIRED',
      'ACCEPTED',
      'WAITING',
      'PREPARING',
      'AVAILABLE',
      'RUNNING',
      'RELEASING',
      'COMPLETED',
      'FAILED',
      'CANCELLED',
    ])('accepts a session that is %s', (state) => {
      const session = JSON.parse(JSON.stringify(printed(full, { state, job })));
      expect(session.phase).toBe(state);
      expect(judge('AbstractExecutionSession', session).faults).toEqual([]);
    });

    test('accepts the kinds of 2025 under their names', () => {
      const older2025 = openJudge((kind) =>
        kind.startsWith(KINDS)
          ? `${V1}/${kind.slice(KINDS.length).replace('.yaml', '-1.0')}`
          : kind,
      );
      const text = JSON.stringify(full).replaceAll(
        /"([^"]*)\/kinds\/([^"]*)\.yaml"/g,
        `"${V1}/$2-1.0"`,
      );
      const session = JSON.parse(JSON.stringify(printed(JSON.parse(text))));
      expect(older2025('AbstractExecutionSession', session).faults).toEqual([]);
    });
  },
);
