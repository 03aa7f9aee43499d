import fc from 'fast-check';
import { gpusOf } from '../harness/site.ts';

/** A site, rules and asks by chance, in the words in which operators and clients write them. */
export type World = { readonly site: object; readonly rules: object; readonly capacities: ReadonlyMap<string, Capacity> };
/** Cores, MiB and GPUs by type of a destination. */
export type Capacity = { readonly cores: number; readonly memory: number; readonly gpus: Readonly<Record<string, number>> };

/** An ask: amounts, and when, in milliseconds from the moment at which it is sent. */
export type Wish = {
  readonly cores: number; readonly moreCores: number; readonly memory: number; readonly moreMemory: number; readonly gpus: number;
  readonly when: { readonly kind: 'now' } | { readonly kind: 'window'; readonly from: number; readonly length: number };
  readonly duration: { readonly min: number; readonly more: number } | undefined;
  readonly tool: string;
};

export const GPU = 'urn:example:gpu';
export const TASK = 'https://www.purl.org/ivoa-net/task-type/executable';
const MINUTE = 60_000;

const destination = fc.record({
  cores: fc.integer({ min: 2, max: 16 }), memory: fc.integer({ min: 4, max: 48 }), gpus: fc.constantFrom(0, 0, 2, 4),
  prepare: fc.constantFrom(0, 0, 5, 120), release: fc.constantFrom(0, 1, 30),
  shape: fc.constantFrom('any', 'any', 'flavours', 'elastic'), away: fc.option(fc.integer({ min: 5, max: 90 })),
  accepts: fc.option(fc.integer({ min: 1, max: 12 })), rank: fc.integer({ min: 0, max: 3 }),
});

const shapes = (shape: string, cores: number, memory: number): object => {
  if (shape === 'flavours') return { flavours: [{ name: 's', cores: 1, memory: '2GiB' }, { name: 'm', cores, memory: `${memory}GiB` }] };
  if (shape === 'elastic') return { elastic: { cores: { min: 1, max: cores, step: 1 }, memory: { min: '1GiB', max: `${memory}GiB` } } };
  return {};
};

/** @param lifetime of offers, in seconds; the maintenance windows are counted from `now` */
export const worlds = (lifetime: number, now: number): fc.Arbitrary<World> => fc.record({
  list: fc.array(destination, { minLength: 1, maxLength: 3 }), toolCores: fc.option(fc.integer({ min: 1, max: 6 })), tooBig: fc.integer({ min: 2, max: 12 }),
}).map(({ list, toolCores, tooBig }) => {
  const named = list.map((one, index) => [`d${index}`, one] as const);
  return {
    site: {
      rules: ['rules.yml'], defaults: { scratch: '1GiB' },
      offers: { 'lifetime': `PT${lifetime}S`, 'duration': 'PT10M', 'longest': 'PT4H', 'horizon': 'P2D', 'start-window': 'PT30S' },
      destinations: Object.fromEntries(named.map(([id, { cores, memory, gpus, prepare, release, shape, away }]) => [id, {
        runner: 'process', 'task-types': ['executable'], cores, memory: `${memory}GiB`, scratch: '10TiB',
        prepare: `PT${prepare}S`, release: `PT${release}S`, ...(gpus > 0 ? gpusOf({ [GPU]: gpus }) : {}), ...shapes(shape, cores, memory),
        ...(away === null ? {} : { maintenance: [{ start: new Date(now + away * MINUTE).toISOString(), duration: 'PT30M', reason: 'new discs' }] }),
      }])),
    },
    rules: {
      tools: {
        'executable/.*': {
          ...(toolCores === null ? {} : { cores: toolCores }),
          rules: [{ if: `entity.mem and entity.mem > ${tooBig * 4}`, fail: 'too much memory' }],
        },
        'executable/uniq': { scheduling: { prefer: ['d0'] } },
      },
      destinations: Object.fromEntries(named.map(([id, { accepts, rank }]) => [id, {
        runner: 'process', ...(accepts === null ? {} : { max_accepted_cores: accepts }), ...(rank > 1 ? { scheduling: { prefer: [id] } } : {}),
      }])),
    },
    capacities: new Map(named.map(([id, { cores, memory, gpus }]) => [id, { cores, memory: memory * 1024, gpus: gpus > 0 ? { [GPU]: gpus } : {} }])),
  };
});

export const wishes: fc.Arbitrary<Wish> = fc.record({
  cores: fc.integer({ min: 1, max: 8 }), moreCores: fc.constantFrom(0, 0, 1, 4), memory: fc.integer({ min: 1, max: 16 }), moreMemory: fc.constantFrom(0, 2, 8),
  gpus: fc.constantFrom(0, 0, 0, 1, 3),
  when: fc.oneof(
    fc.constant({ kind: 'now' } as const),
    fc.record({ kind: fc.constant('window' as const), from: fc.integer({ min: -20, max: 120 }).map((minutes) => minutes * MINUTE), length: fc.constantFrom(0, MINUTE, 30 * MINUTE, 200 * MINUTE) }),
  ),
  duration: fc.option(fc.record({ min: fc.integer({ min: 60, max: 5000 }), more: fc.constantFrom(0, 600, 20_000) }), { nil: undefined }),
  tool: fc.constantFrom('sort', 'uniq'),
});

const windowOf = ({ when }: Wish, now: number) => {
  if (when.kind === 'now') return undefined;
  const start = Math.round((now + when.from) / 1000) * 1000;
  return { start, end: start + when.length };
};

/** The ask as a client sends it at this moment. */
export const askOf = (wish: Wish, now: number): string => {
  const { cores, moreCores, memory, moreMemory, gpus, duration, tool } = wish;
  const window = windowOf(wish, now);
  const start = window && new Date(window.start).toISOString() + (window.end > window.start ? `/${new Date(window.end).toISOString()}` : '');
  const time = { ...(start === undefined ? {} : { start }), ...(duration && { duration: { min: `PT${duration.min}S`, max: `PT${duration.min + duration.more}S` } }) };
  return JSON.stringify({
    task: { type: TASK, spec: { command: [tool] } },
    resources: { compute: [{
      'min-cores': cores, 'max-cores': cores + moreCores, 'min-memory': `${memory}GiB`, 'max-memory': `${memory + moreMemory}GiB`,
      ...(gpus > 0 ? { gpu: { type: GPU, count: gpus } } : {}),
    }] },
    ...(Object.keys(time).length === 0 ? {} : { time }),
  });
};

const MIB: Readonly<Record<string, number>> = { Mb: 1, Gb: 1024, Tb: 1024 ** 2 };
const mibOf = (text: unknown): number => {
  const [, value, unit] = /^([\d.]+)([MGT]b)$/.exec(String(text)) ?? [];
  return Number(value) * (MIB[unit ?? ''] ?? Number.NaN);
};
const secondsOf = (text: unknown): number => {
  const [, d, h, m, s] = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(String(text)) ?? [];
  return Number(d ?? 0) * 86_400 + Number(h ?? 0) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0);
};

/**
 * What is wrong with an answer to a wish, written apart from what is checked: R1 and R7 of the specification, and that a
 * YES has offers and a NO reasons.
 *
 * @param response of the answer's body; `asked` is the moment for which the ask was written, `answered` when the answer came
 */
export const faultsOf = (wish: Wish, response: object, asked: number, answered: number): readonly string[] => {
  const { result, offers = [], reasons = [] } = Object(response);
  if (result === 'NO') return reasons.length > 0 && offers.length === 0 ? [] : ['a NO without reasons'];
  if (result !== 'YES' || offers.length < 1 || offers.length > 4) return [`a ${result} with ${offers.length} offers`];
  const faults: string[] = [];
  const window = windowOf(wish, asked);
  for (const offer of offers) {
    const [compute] = Object(offer).request.resources.compute;
    const start = Date.parse(offer.time.start);
    const lasts = secondsOf(offer.time.duration);
    const hold = (what: string, is: boolean): void => {
      if (!is) faults.push(`${what}: ${JSON.stringify({ compute, time: offer.time })} for ${askOf(wish, asked)}`);
    };
    hold('cores', wish.cores <= compute['min-cores'] && compute['min-cores'] <= compute['max-cores'] && compute['max-cores'] <= wish.cores + wish.moreCores);
    hold('memory', wish.memory * 1024 <= mibOf(compute['min-memory']) && mibOf(compute['min-memory']) <= mibOf(compute['max-memory'])
      && mibOf(compute['max-memory']) <= (wish.memory + wish.moreMemory) * 1024);
    hold('GPUs', (compute.gpu?.count ?? 0) >= wish.gpus);
    hold('duration', wish.duration === undefined ? lasts > 0 : wish.duration.min <= lasts && lasts <= wish.duration.min + wish.duration.more);
    // Now is when it was asked, and the destination has up to 120 s to prepare; a second for the way of both clocks.
    hold('window', window === undefined ? start >= asked - 1000 && start <= answered + 121_000
      : start >= window.start && (window.end > window.start ? start < window.end : start === window.start));
    hold('expiry', Date.parse(offer.expires) > asked);
  }
  return faults;
};

type Row = { readonly destination: string; readonly from: number; readonly to: number; readonly cores: number; readonly memory: number; readonly gpus: number };

/** What of the book counts now, for {@link oversold}. */
export const LIVE = `
  SELECT destination_id AS destination, extract(epoch FROM starts_at)::float8 AS "from", extract(epoch FROM ends_at)::float8 AS "to",
    cores::float8 / 1000 AS cores, memory_mib::float8 AS memory, gpus
  FROM reservation WHERE state IN ('HELD', 'FIRM')`;

/** Destinations and instants with more reserved than there is: every beginning is looked at, for sums only grow there. */
export const oversold = (rows: readonly Row[], capacities: World['capacities']): readonly string[] =>
  [...Map.groupBy(rows, ({ destination: id }) => id)].flatMap(([id, list]) => list.flatMap(({ from }) => {
    const there = list.filter((one) => one.from <= from && from < one.to);
    const sum = (of: (row: Row) => number): number => there.reduce((total, row) => total + of(row), 0);
    const has = capacities.get(id);
    const used = { cores: sum(({ cores }) => cores), memory: sum(({ memory }) => memory), gpus: sum(({ gpus }) => gpus) };
    const fits = has !== undefined && used.cores <= has.cores && used.memory <= has.memory && used.gpus <= (has.gpus[GPU] ?? 0);
    return fits ? [] : [`${id} at ${from}: ${JSON.stringify({ used, has })}`];
  }));
