import { expect } from '@jest/globals';
import type { Reply } from '../../harness/client.ts';
import { emptyBookBeforeEach, serveTests, type ServedTests } from '../../harness/serve.ts';
import { gpusOf, processDestination, tokenOf } from '../../harness/site.ts';
import { takenNearest, type Nearest } from './nearest-of.ts';

/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;
/** The beginning of the maintenance of `closing`, in milliseconds. */
export const NEXT_WEEK = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 3 * DAY_MS;
/** The type of GPU that `big` has. */
export const AMD = 'urn:example:gpu:amd';
/** A type of GPU that no destination has. */
export const NVIDIA = 'urn:example:gpu:nvidia';
const SITE = {
  rules: ['rules.yml'],
  fetch: { 'allow-hosts': ['charts.example.org'] },
  identity: { tokens: ['ada', 'bob', 'cyd', 'dan', 'eve'].map((name) => tokenOf(`${name}-token`)) },
  defaults: { scratch: '1GiB' },
  offers: { release: 'PT1S', 'start-window': 'PT1S', longest: 'P2D' },
  quotas: [
    { for: 'user', name: 'cyd@example.org', cores: 3 },
    { for: 'user', name: 'dan@example.org', 'gpu-hours': 3, window: 'P1D' },
    { for: 'user', name: 'eve@example.org', memory: '4GiB' },
  ],
  destinations: {
    big: destination(gpusOf({ [AMD]: 2 })),
    fixed: destination({
      cores: 4,
      flavours: [
        { name: 's', cores: 2, memory: '4GiB' },
        { name: 'm', cores: 4, memory: '8GiB' },
      ],
    }),
    closing: destination({
      cores: 4,
      maintenance: [{ start: iso(NEXT_WEEK), duration: 'PT6H', reason: 'new discs' }],
    }),
    charts: destination({
      runner: 'kubernetes',
      'task-types': ['helm-chart'],
      kubernetes: {
        kubeconfig: '/nowhere/kubeconfig',
        namespace: 'jobs',
        claim: 'jobs',
        charts: { helm: '/usr/local/bin/helm' },
      },
    }),
  },
};
const RULES = {
  tools: {
    'executable/uniq': { scheduling: { require: ['flavoured'] } },
    'executable/comm': { scheduling: { require: ['closing'] } },
    'executable/tsort': { rules: [{ if: 'entity.mem > 6', fail: 'too much memory for sorting' }] },
    'executable/sort': { scheduling: { require: ['big'] } },
  },
  destinations: {
    big: { runner: 'process', max_accepted_mem: 12, scheduling: { accept: ['big'] } },
    fixed: { runner: 'process', scheduling: { require: ['flavoured'] } },
    closing: { runner: 'process', scheduling: { require: ['closing'] } },
    charts: { runner: 'kubernetes' },
  },
};

/** A service with destinations of every kind of limit, and users with quotas. */
export type NearestBench = ServedTests & {
  /** Sends the YAML of an ask. */
  readonly ask: (body: string, token?: string, path?: string) => Promise<Reply>;
  /** How many offers and reservations there are. */
  readonly counts: () => Promise<readonly number[]>;
  /** The nearest of a NO, which is then sent as it is and must be a YES with offers. */
  readonly taken: (body: string, token?: string) => Promise<Nearest>;
};

/** Opens the service for the tests of the present block. Each test finds an empty book. */
export function openNearestBench(): NearestBench {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const ask: NearestBench['ask'] = (body, token = 'ada-token', path = '/request') =>
    service.send(path, { token, body });
  const counts: NearestBench['counts'] = async () => [
    await service.db.database.offer.count(),
    await service.db.database.reservation.count(),
  ];
  const taken: NearestBench['taken'] = async (body, token) => {
    const [offers = 0] = await counts();
    const nearest = await takenNearest((text) => ask(text, token), body);
    expect(offers).toBeLessThan((await counts())[0] ?? 0);
    return nearest;
  };
  return Object.assign(service, { ask, counts, taken });
}

/** An ask for a command. */
export function command(name: string): string {
  return `task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [${name}]}}`;
}

/** A time as the wire has it. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

function destination(more: object = {}): object {
  return processDestination({ cores: 8, memory: '16GiB', scratch: '100GiB', ...more });
}
