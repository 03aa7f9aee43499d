import fc from 'fast-check';
import { gpusOf } from '../harness/site.ts';

/** A random site with rules and asks, as operators and clients write them. */
export type World = {
  readonly site: object;
  readonly rules: object;
  readonly capacities: ReadonlyMap<string, Capacity>;
  readonly shapes: ReadonlyMap<string, Shape>;
};
/** Cores, MiB and GPUs by type of a destination. */
export type Capacity = {
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  readonly gpus: Readonly<Record<string, number>>;
};
/** The sizes in which a destination hands out cores and MiB. */
export type Shape =
  | { readonly kind: 'any' }
  | {
      readonly kind: 'flavours';
      readonly sizes: readonly {
        readonly cores: number;
        readonly memory: number;
        readonly gpus: number;
      }[];
    }
  | {
      readonly kind: 'elastic';
      readonly cores: { readonly most: number; readonly step: number };
      readonly memory: { readonly most: number };
    };

export const GPU = 'urn:example:gpu';
export const MINUTE = 60_000;

const destination = fc.record({
  cores: fc.integer({ min: 2, max: 32 }),
  memory: fc.integer({ min: 4, max: 64 }),
  gpus: fc.constantFrom(0, 2, 4, 8),
  prepare: fc.constantFrom(0, 0, 5, 120),
  release: fc.constantFrom(0, 1, 30),
  scratch: fc.constantFrom(20, 100, 10_000),
  step: fc.constantFrom(1, 1, 2),
  shape: fc.constantFrom('any', 'any', 'flavours', 'elastic'),
  away: fc.option(fc.integer({ min: 5, max: 90 })),
  accepts: sometimes(fc.integer({ min: 1, max: 12 })),
  rank: fc.integer({ min: 0, max: 3 }),
});

type Drawn = typeof destination extends fc.Arbitrary<infer Value> ? Value : never;

/** What a world is made of: destinations and bounds of the rules. */
const plans = fc.record({
  list: fc.array(destination, { minLength: 1, maxLength: 3 }),
  toolCores: sometimes(fc.integer({ min: 1, max: 6 })),
  tooBig: fc.integer({ min: 2, max: 12 }),
});

/**
 * @param lifetime of offers, in seconds; the maintenance windows are counted from `now`
 * @param quiet minutes without maintenance before the first window may come
 */
export function worlds(lifetime: number, now: number, quiet = 0): fc.Arbitrary<World> {
  return plans.map((plan) => worldOf(plan, lifetime, now + quiet * MINUTE));
}

/** One destination of four cores, where a small ask is a YES and a large one has a nearest. */
export function smallWorld(lifetime: number, now: number): World {
  const one: Drawn = {
    cores: 4,
    memory: 16,
    gpus: 0,
    prepare: 0,
    release: 0,
    scratch: 100,
    step: 1,
    shape: 'any',
    away: null,
    accepts: null,
    rank: 0,
  };
  return worldOf({ list: [one], toolCores: null, tooBig: 12 }, lifetime, now);
}

type Row = {
  readonly destination: string;
  readonly from: number;
  readonly to: number;
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  readonly gpus: number;
};

/** The live part of the book, for {@link oversold}. */
export const LIVE = `
  SELECT destination_id AS destination, extract(epoch FROM starts_at)::float8 AS "from",
    extract(epoch FROM ends_at)::float8 AS "to",
    cores::float8 / 1000 AS cores, memory_mib::float8 AS memory, scratch_mib::float8 AS scratch, gpus
  FROM reservation WHERE state IN ('HELD', 'FIRM')`;

/**
 * Oversold destinations and instants; only beginnings are checked, because sums grow only there.
 */
export function oversold(rows: readonly Row[], capacities: World['capacities']): readonly string[] {
  return [...Map.groupBy(rows, ({ destination: id }) => id)].flatMap(([id, list]) =>
    list.flatMap(({ from }) => {
      const there = list.filter((one) => one.from <= from && from < one.to);
      const sum = (of: (row: Row) => number): number =>
        there.reduce((total, row) => total + of(row), 0);
      const has = capacities.get(id);
      const used = {
        cores: sum(({ cores }) => cores),
        memory: sum(({ memory }) => memory),
        scratch: sum(({ scratch }) => scratch),
        gpus: sum(({ gpus }) => gpus),
      };
      const fits =
        has !== undefined &&
        used.cores <= has.cores &&
        used.memory <= has.memory &&
        used.scratch <= has.scratch &&
        used.gpus <= (has.gpus[GPU] ?? 0);
      return fits ? [] : [`${id} at ${from}: ${JSON.stringify({ used, has })}`];
    }),
  );
}

type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never;

function worldOf({ list, toolCores, tooBig }: Plan, lifetime: number, now: number): World {
  const named = list.map((one, index) => [`d${index}`, one] as const);
  return {
    site: {
      rules: ['rules.yml'],
      defaults: { scratch: '1GiB' },
      quotas: [],
      storage: [
        { name: 'archive', type: 'directory', path: '/nowhere/archive', size: '60GiB' },
        {
          name: 'attic',
          type: 'directory',
          path: '/nowhere/attic',
          endpoint: 'https://files.example.org/attic',
          size: '1TiB',
          for: ['d0'],
        },
      ],
      offers: {
        lifetime: `PT${lifetime}S`,
        duration: 'PT10M',
        longest: 'PT4H',
        horizon: 'P2D',
        'start-window': 'PT30S',
      },
      destinations: Object.fromEntries(
        named.map(([id, one]) => [
          id,
          {
            runner: 'process',
            'task-types': ['executable'],
            cores: one.cores,
            memory: `${one.memory}GiB`,
            scratch: `${one.scratch}GiB`,
            prepare: `PT${one.prepare}S`,
            release: `PT${one.release}S`,
            ...(one.gpus > 0 ? gpusOf({ [GPU]: one.gpus }) : {}),
            ...sizesOf(shapeOf(one)),
            ...(one.away === null
              ? {}
              : {
                  maintenance: [
                    {
                      start: new Date(now + one.away * MINUTE).toISOString(),
                      duration: 'PT30M',
                      reason: 'new discs',
                    },
                  ],
                }),
          },
        ]),
      ),
    },
    rules: {
      tools: {
        'executable/.*': {
          ...(toolCores === null ? {} : { cores: toolCores }),
          rules: [{ if: `entity.mem and entity.mem > ${tooBig * 4}`, fail: 'too much memory' }],
        },
        'executable/uniq': { scheduling: { prefer: ['d0'] } },
      },
      destinations: Object.fromEntries(
        named.map(([id, { accepts, rank }]) => [
          id,
          {
            runner: 'process',
            ...(accepts === null ? {} : { max_accepted_cores: accepts }),
            ...(rank > 1 ? { scheduling: { prefer: [id] } } : {}),
          },
        ]),
      ),
    },
    capacities: new Map(
      named.map(([id, { cores, memory, scratch, gpus }]) => [
        id,
        {
          cores,
          memory: memory * 1024,
          scratch: scratch * 1024,
          gpus: gpus > 0 ? { [GPU]: gpus } : {},
        },
      ]),
    ),
    shapes: new Map(named.map(([id, one]) => [id, shapeOf(one)])),
  };
}

/** In one case of two. */
function sometimes<Value>(value: fc.Arbitrary<Value>) {
  return fc.option(value, { freq: 1 });
}

function sizesOf(shape: Shape): object {
  switch (shape.kind) {
    case 'any':
      return {};
    case 'elastic':
      return {
        elastic: {
          cores: { min: 1, max: shape.cores.most, step: shape.cores.step },
          memory: { min: '1GiB', max: `${shape.memory.most}MiB` },
        },
      };
    case 'flavours':
      return {
        flavours: shape.sizes.map(({ cores, memory, gpus }, index) => ({
          name: `f${index}`,
          cores,
          memory: `${memory}MiB`,
          ...(gpus > 0 ? { gpus: { [GPU]: gpus } } : {}),
        })),
      };
    default:
      return shape satisfies never;
  }
}

function shapeOf({ shape, cores, memory, gpus, step }: Drawn): Shape {
  const most = { cores, memory: memory * 1024 };
  if (shape === 'elastic')
    return { kind: 'elastic', cores: { most: cores, step }, memory: { most: most.memory } };
  if (shape === 'any') return { kind: 'any' };
  return {
    kind: 'flavours',
    sizes: [
      { cores: 1, memory: 2048, gpus: 0 },
      { ...most, gpus: 0 },
      ...(gpus > 0 ? [{ cores: 2, memory: 4096, gpus: gpus / 2 }] : []),
    ],
  };
}
