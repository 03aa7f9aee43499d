import fc from 'fast-check';
import { GPU, MINUTE, type Shape, type World } from './worlds.ts';

/**
 * A compute item: a number of machines and the needs of each. Sizes in GiB; without `more` there is
 * no maximum; 0 means no volume.
 */
export type Item = {
  readonly replicas: number;
  readonly cores: number;
  readonly moreCores: number | undefined;
  readonly memory: number;
  readonly moreMemory: number | undefined;
  readonly gpus: number;
  readonly volume: number;
  /** its volume is kept after the job */
  readonly stays?: boolean;
};

/** An ask: machines, and a time in milliseconds from its sending. */
export type Wish = {
  readonly items: readonly Item[];
  readonly when:
    | { readonly kind: 'now' }
    | { readonly kind: 'window'; readonly from: number; readonly length: number };
  readonly duration: { readonly min: number; readonly more: number } | undefined;
  readonly tool: string;
};

const TYPE = 'https://www.purl.org/ivoa-net';
/** GiB of scratch space of a machine without volumes. */
const SCRATCH = 1;

const alone: fc.Arbitrary<Item> = fc.record({
  replicas: fc.constant(1),
  cores: fc.integer({ min: 1, max: 8 }),
  moreCores: fc.constantFrom(0, 0, 1, 4),
  memory: fc.integer({ min: 1, max: 16 }),
  moreMemory: fc.constantFrom(0, 2, 8),
  gpus: fc.constantFrom(0, 0, 0, 1, 3),
  volume: fc.constantFrom(0, 0, 0, 5, 30),
  stays: fc.boolean(),
});
/** Smaller items, so that all of them sometimes fit. */
const among: fc.Arbitrary<Item> = fc.record({
  replicas: fc.integer({ min: 1, max: 4 }),
  cores: fc.integer({ min: 1, max: 3 }),
  moreCores: fc.constantFrom(undefined, 0, 1, 4),
  memory: fc.integer({ min: 1, max: 4 }),
  moreMemory: fc.constantFrom(undefined, 0, 1, 8),
  gpus: fc.constantFrom(0, 0, 0, 1, 2),
  volume: fc.constantFrom(0, 0, 2, 10),
});

export const wishes: fc.Arbitrary<Wish> = fc.record({
  items: fc.oneof(
    alone.map((one) => [one]),
    fc.array(among, { minLength: 1, maxLength: 3 }),
  ),
  when: fc.oneof(
    fc.constant({ kind: 'now' } as const),
    // An interval that ends soon may be over before its nearest is asked for.
    fc
      .record({
        kind: fc.constant('window' as const),
        from: fc.integer({ min: -20, max: 120 }).map((minutes) => minutes * MINUTE),
        length: fc.constantFrom(0, MINUTE, 30 * MINUTE, 200 * MINUTE),
      })
      .filter(({ from, length }) => from + length <= -MINUTE || from + length >= 5 * MINUTE),
  ),
  duration: fc.option(
    fc.record({ min: fc.integer({ min: 60, max: 5000 }), more: fc.constantFrom(0, 600, 20_000) }),
    { nil: undefined },
  ),
  tool: fc.constantFrom('sort', 'uniq'),
});

/** The number of machines of a wish. */
export function machinesOf(items: readonly Item[]): number {
  return items.reduce((sum, { replicas }) => sum + replicas, 0);
}

/** The ask as a client sends it at this moment. */
export function askOf(wish: Wish, now: number): string {
  const { items, duration, tool } = wish;
  const window = windowOf(wish, now);
  const start =
    window &&
    new Date(window.start).toISOString() +
      (window.end > window.start ? `/${new Date(window.end).toISOString()}` : '');
  const time = {
    ...(start === undefined ? {} : { start }),
    ...(duration && {
      duration: { min: `PT${duration.min}S`, max: `PT${duration.min + duration.more}S` },
    }),
  };
  const storage = items.flatMap(({ volume, stays = false }, index) =>
    volume > 0
      ? [
          {
            name: `s${index}`,
            type: `${TYPE}/storage-type/${stays ? 'persistent' : 'ephemeral'}`,
            size: `${volume}GiB`,
          },
        ]
      : [],
  );
  return JSON.stringify({
    task: { type: `${TYPE}/task-type/executable`, spec: { command: [tool] } },
    resources: { compute: items.map(computeOf), ...(storage.length === 0 ? {} : { storage }) },
    ...(Object.keys(time).length === 0 ? {} : { time }),
  });
}

const MIB: Readonly<Record<string, number>> = { Mb: 1, Gb: 1024, GiB: 1024, Tb: 1024 ** 2 };

/** The items of a nearest ask, in which all minimums are present. */
export function itemsOf(ask: object): readonly Item[] {
  const { compute, storage = [] } = Object(ask).resources;
  return [compute].flat().map((one): Item => {
    const {
      replicas = 1,
      'min-cores': cores,
      'max-cores': mostCores,
      'min-memory': memory,
      'max-memory': mostMemory,
      gpu,
      volumes: [volume] = [],
    } = Object(one);
    const gib = mibOf(memory) / 1024;
    return {
      replicas,
      cores,
      moreCores: mostCores === undefined ? undefined : mostCores - cores,
      memory: gib,
      moreMemory: mostMemory === undefined ? undefined : mibOf(mostMemory) / 1024 - gib,
      gpus: gpu?.count ?? 0,
      volume:
        volume === undefined
          ? 0
          : mibOf([storage].flat().find(({ name }) => name === volume.name)?.size) / 1024,
    };
  });
}

type Range = { readonly min: number; readonly max: number };
/** One item of an offer; sizes in MiB. */
type Given = {
  readonly replicas: number;
  readonly cores: Range;
  readonly memory: Range;
  readonly gpus: number;
};

/** The faults of an offer for these items, machine by machine. */
export function faultsOfMachines(
  { shapes }: World,
  items: readonly Item[],
  offer: object,
): readonly string[] {
  const {
    destination,
    request: {
      resources: { compute },
    },
  } = Object(offer);
  const wrong = items.flatMap((item, index) =>
    faultsOfItem(item, givenOf(compute[index] ?? {}), shapes.get(destination)).map(
      (what) => `${what} of item ${index}`,
    ),
  );
  const faults = compute.length === items.length ? wrong : ['items'];
  return faults.map((what) => `${what}: ${JSON.stringify({ destination, compute, items })}`);
}

/**
 * The faults of an answer to a wish, computed independently of the tested code: offers must match
 * the ask, and each has one slot in one window; a YES has offers and a NO reasons.
 *
 * @param response body of the answer; `asked` is the time for which the ask was written, `answered`
 * when the answer came
 */
export function faultsOf(
  world: World,
  wish: Wish,
  response: object,
  asked: number,
  answered: number,
): readonly string[] {
  const { result, offers = [], reasons = [] } = Object(response);
  if (result === 'NO')
    return reasons.length > 0 && offers.length === 0 ? [] : ['a NO without reasons'];
  if (result !== 'YES' || offers.length < 1 || offers.length > 4)
    return [`a ${result} with ${offers.length} offers`];
  const faults: string[] = [];
  const window = windowOf(wish, asked);
  for (const offer of offers) {
    const start = Date.parse(offer.time.start);
    const lasts = secondsOf(offer.time.duration);
    const hold = (what: string, is: boolean): void => {
      if (!is) faults.push(`${what}: ${JSON.stringify(offer.time)} for ${askOf(wish, asked)}`);
    };
    faults.push(...faultsOfMachines(world, wish.items, offer));
    hold(
      'duration',
      wish.duration === undefined
        ? lasts > 0
        : wish.duration.min <= lasts && lasts <= wish.duration.min + wish.duration.more,
    );
    // Now is the time of the ask; the destination may need 120 s to prepare, and a second is
    // allowed for clocks.
    hold(
      'window',
      window === undefined
        ? start >= asked - 1000 && start <= answered + 121_000
        : start >= window.start &&
            (window.end > window.start ? start < window.end : start === window.start),
    );
    hold('expiry', Date.parse(offer.expires) > asked);
  }
  return faults;
}

/** An offer in the book with its least held amount while it can be accepted; cores, MiB. */
export type Kept = {
  readonly ident: string;
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  readonly gpus: number;
  readonly covered: boolean;
};

/** The offers of an answer in the book, for {@link unkept}. */
export const KEPT = `
  SELECT o.id AS ident, o.cores::float8 / 1000 AS cores, o.memory_mib::float8 AS memory,
    o.scratch_mib::float8 AS scratch, coalesce(o.gpus, 0) AS gpus,
    EXISTS (SELECT 1 FROM reservation r WHERE r.ask_id = o.ask_id
      AND r.destination_id = o.destination_id AND r.state = 'HELD'
      AND r.starts_at <= o.starts_at AND r.ends_at > o.starts_at AND r.cores >= o.cores AND r.memory_mib >= o.memory_mib
      AND r.scratch_mib >= o.scratch_mib AND coalesce(r.gpus, 0) >= coalesce(o.gpus, 0)) AS covered
  FROM offer o WHERE o.ask_id = $1::uuid`;

/**
 * Offers whose held amount differs from the sum of their machines, except for a rest that cannot be
 * divided.
 */
export function unkept(
  items: readonly Item[],
  response: object,
  rows: readonly Kept[],
): readonly string[] {
  const { offers = [] } = Object(response);
  const scratch = items.reduce(
    (sum, { replicas, volume }) => sum + Math.max(SCRATCH, volume) * 1024 * replicas,
    0,
  );
  return [offers]
    .flat()
    .flatMap((offer: { ident: string; request: { resources: { compute: readonly object[] } } }) => {
      const given = offer.request.resources.compute.map(givenOf);
      const sum = (of: (one: Given) => number): number =>
        given.reduce((total, one) => total + of(one) * one.replicas, 0);
      const all = {
        cores: sum(({ cores }) => cores.max),
        memory: sum(({ memory }) => memory.max),
        gpus: sum(({ gpus }) => gpus),
      };
      const row = rows.find(({ ident }) => ident === offer.ident);
      const isKept =
        row !== undefined &&
        row.covered &&
        row.gpus === all.gpus &&
        row.scratch === scratch &&
        row.cores >= all.cores - 1e-9 &&
        row.memory >= all.memory &&
        row.cores - all.cores < machinesOf(items) / 1000 &&
        row.memory - all.memory < machinesOf(items);
      return isKept
        ? []
        : [`${JSON.stringify({ row, all, scratch })} for ${JSON.stringify(items)}`];
    });
}

function windowOf({ when }: Wish, now: number) {
  if (when.kind === 'now') return undefined;
  const start = Math.round((now + when.from) / 1000) * 1000;
  return { start, end: start + when.length };
}

function computeOf(
  { replicas, cores, moreCores, memory, moreMemory, gpus, volume }: Item,
  index: number,
): object {
  return {
    ...(replicas > 1 ? { replicas } : {}),
    'min-cores': cores,
    ...(moreCores === undefined ? {} : { 'max-cores': cores + moreCores }),
    'min-memory': `${memory}GiB`,
    ...(moreMemory === undefined ? {} : { 'max-memory': `${memory + moreMemory}GiB` }),
    ...(gpus > 0 ? { gpu: { type: GPU, count: gpus } } : {}),
    ...(volume > 0 ? { volumes: [{ name: `s${index}`, path: 'scratch', mode: 'rw' }] } : {}),
  };
}

function mibOf(text: unknown): number {
  const [, value, unit] = /^([\d.]+)([MGT]b|GiB)$/.exec(String(text)) ?? [];
  return Number(value) * (MIB[unit ?? ''] ?? Number.NaN);
}

/**
 * The faults of an item's machines; amounts from decimal fractions may be off by less than a unit.
 */
function faultsOfItem(item: Item, given: Given, shape: Shape | undefined): readonly string[] {
  return Object.entries({
    replicas: given.replicas === item.replicas,
    cores: isWithin(given.cores, item.cores, item.cores + (item.moreCores ?? Infinity) + 1e-9),
    memory: isWithin(
      given.memory,
      item.memory * 1024,
      (item.memory + (item.moreMemory ?? Infinity)) * 1024 + 1e-9,
    ),
    GPUs: given.gpus >= item.gpus,
    size: shape !== undefined && isShaped(given, shape),
  }).flatMap(([what, is]) => (is ? [] : [what]));
}

function isWithin({ min, max }: Range, least: number, most: number): boolean {
  return least <= min && min <= max && max <= most;
}

/** Does each machine of an item have a size of the destination? */
function isShaped({ cores, memory, gpus }: Given, shape: Shape): boolean {
  switch (shape.kind) {
    case 'any':
      return true;
    case 'flavours':
      return shape.sizes.some(
        (size) =>
          isWithin(cores, size.cores, size.cores) &&
          isWithin(memory, size.memory, size.memory) &&
          gpus === size.gpus,
      );
    case 'elastic':
      return (
        isWithin(cores, 1, shape.cores.most) &&
        isWithin(memory, 1024, shape.memory.most) &&
        [cores.min, cores.max].every((one) => (one - 1) % shape.cores.step === 0)
      );
    default:
      return shape satisfies never;
  }
}

function givenOf(compute: object): Given {
  const {
    replicas = 1,
    'min-cores': c,
    'max-cores': moreC,
    'min-memory': m,
    'max-memory': moreM,
    gpu,
  } = Object(compute);
  return {
    replicas,
    cores: { min: c, max: moreC },
    memory: { min: mibOf(m), max: mibOf(moreM) },
    gpus: gpu?.count ?? 0,
  };
}

function secondsOf(text: unknown): number {
  const [, d, h, m, s] =
    /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(String(text)) ?? [];
  return Number(d ?? 0) * 86_400 + Number(h ?? 0) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0);
}
